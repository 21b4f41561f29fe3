package bookings_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

func TestAutoAssign(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	l.withUnits(t, "301", "302", "303")
	last := dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(1), CheckOut: fixture.Stay.CheckOut}
	first, two, late, over := l.book(t, fixture.Stay, 1), l.book(t, fixture.Stay, 2), l.book(t, last, 1), l.held(t)
	_, err := l.repo.AssignUnits(t.Context(), first.ID, l.to("302"))
	require.NoError(t, err)
	request := bookings.AutoAssignment{
		PropertyID: l.hotel.ID, Arrivals: dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckIn.AddDays(2)},
		Wish: func(b *bookings.Booking, line bookings.Line) units.Wish {
			assert.Equal(t, l.hotel.RoomTypeID, line.RoomTypeID)
			if b.ID == two.ID {
				return units.Wish{Floor: "3"} // who has a wish comes first
			}
			return units.Wish{}
		},
	}
	done, err := l.repo.AutoAssign(t.Context(), request)
	require.NoError(t, err)
	require.Len(t, done.Bookings, 1)
	assert.Equal(t, two.ID, done.Bookings[0].ID)
	assert.Equal(t, []bookings.UnitNights{has("301", fixture.Stay), has("303", fixture.Stay)}, done.Bookings[0].Lines[0].Units)
	assert.Equal(t, []bookings.LeftOver{{BookingID: late.ID, RoomTypeID: l.hotel.RoomTypeID, Line: 1, Rooms: 1}}, done.Left)
	got, err := l.repo.Get(t.Context(), over.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Empty(t, got.Lines[0].Units, "a hold is not certain")

	// Once there is a unit again, the rest is done.
	_, err = l.repo.Cancel(t.Context(), first.ID, "", nil)
	require.NoError(t, err)
	request.Wish = nil
	done, err = l.repo.AutoAssign(t.Context(), request)
	require.NoError(t, err)
	require.Len(t, done.Bookings, 1)
	assert.Empty(t, done.Left)
	assert.Equal(t, []bookings.UnitNights{has("302", last)}, done.Bookings[0].Lines[0].Units)
	done, err = l.repo.AutoAssign(t.Context(), request)
	require.NoError(t, err)
	assert.Equal(t, bookings.AutoAssigned{}, done)

	for field, arrivals := range map[string]dynastay.Stay{
		"Arrivals.CheckIn": {}, "Arrivals": {CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckIn.AddDays(91)},
	} {
		_, err := l.repo.AutoAssign(t.Context(), bookings.AutoAssignment{PropertyID: l.hotel.ID, Arrivals: arrivals})
		assert.Equal(t, field, blame.As[*dynastay.InvalidError](t, err).Field)
	}
}

// Four desks assign at the same time: every booking gets its unit once, and whoever was slower says so.
func TestAutoAssignAtManyDesks(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.At(booked))
	l := &life{db, fixture.New(t, db.DB, 20), bookings.New(db.Direct, nil)}
	var ids []string
	for n := range 20 {
		ids = append(ids, fmt.Sprint(301+n))
	}
	l.withUnits(t, ids...)
	for range 20 {
		l.book(t, fixture.Stay, 1)
	}
	db.Faults.Conflicts(time.Millisecond)
	request := bookings.AutoAssignment{PropertyID: l.hotel.ID, Arrivals: fixture.Stay}
	var wg sync.WaitGroup
	for range 4 {
		repo := bookings.New(db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 200, Base: time.Millisecond, Cap: 10 * time.Millisecond}}), nil)
		wg.Go(func() {
			for {
				done, err := repo.AutoAssign(t.Context(), request)
				if !assert.NoError(t, err) || len(done.Left) == 0 {
					return
				}
				for _, left := range done.Left {
					assert.Error(t, left.Err, "there is a unit for everybody")
				}
			}
		})
	}
	wg.Wait()
	plan := l.plan(t)
	assert.Len(t, plan, 20*fixture.Stay.Nights())
	rooms := map[units.Occupant]int{}
	for _, by := range plan {
		rooms[by]++
	}
	assert.Len(t, rooms, 20)
}
