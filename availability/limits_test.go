package availability_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// canHold tries every distribution of the guests over the rooms, with an adult in each room.
func canHold(g availability.Guests, rooms ...availability.Limits) bool {
	if len(rooms) == 0 {
		return g == availability.Guests{}
	}
	r := rooms[0]
	for a := 1; a <= min(r.MaxAdults, g.Adults); a++ {
		for c := 0; c <= min(r.MaxChildren, g.Children) && a+c <= r.MaxOccupancy; c++ {
			if canHold(availability.Guests{Adults: g.Adults - a, Children: g.Children - c}, rooms[1:]...) {
				return true
			}
		}
	}
	return false
}

// A request is accepted exactly if its guests can be distributed over its rooms with an adult in each: what one room cannot use must not make
// up for what another one lacks.
func TestGuestsFitExactly(t *testing.T) {
	t.Parallel()
	var all []availability.Limits
	for occupancy := 1; occupancy <= 3; occupancy++ {
		for adults := 0; adults <= 3; adults++ {
			for children := 0; children <= 3; children++ {
				all = append(all, availability.Limits{MaxAdults: adults, MaxChildren: children, MaxOccupancy: occupancy})
			}
		}
	}
	accepted := 0
	for _, one := range all {
		for _, two := range all {
			for adults := 1; adults <= 6; adults++ {
				for children := 0; children <= 6; children++ {
					guests := availability.Guests{Adults: adults, Children: children}
					err := availability.QuoteRequest{
						Property: availability.House{ID: "prop_1"}, Stay: fixture.Stay, Guests: guests,
						Rooms: []availability.Room{
							{RoomTypeID: "room_1", Quantity: 1, Limits: one}, {RoomTypeID: "room_2", Quantity: 1, Limits: two},
						},
					}.Validate(fixture.Now)
					switch {
					case canHold(guests, one, two):
						accepted++
						assert.NoError(t, err, "%+v in %+v and %+v", guests, one, two)
					case adults < 2 && one.MaxAdults > 0 && two.MaxAdults > 0:
						assert.EqualError(t, err, "invalid Guests.Adults: must be at least 2, one for each room")
						assert.NotErrorIs(t, err, availability.ErrTooSmall)
					default:
						assert.ErrorIs(t, err, availability.ErrTooSmall, "%+v in %+v and %+v", guests, one, two)
					}
				}
			}
		}
	}
	assert.Positive(t, accepted)
}
