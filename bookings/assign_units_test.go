package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// withUnits gives the hotel units of its first room type.
func (l *life) withUnits(t *testing.T, ids ...string) *units.Repository {
	t.Helper()
	repo := units.New(l.DB.DB)
	var all []units.Unit
	for _, id := range ids {
		all = append(all, units.Unit{PropertyID: l.hotel.ID, ID: id, RoomTypeID: l.hotel.RoomTypeID})
	}
	_, err := repo.CreateAll(t.Context(), all)
	require.NoError(t, err)
	return repo
}

// book returns a confirmed booking of rooms of the first room type.
func (l *life) book(t *testing.T, stay dynastay.Stay, rooms int) *bookings.Booking {
	t.Helper()
	b, err := l.repo.Create(t.Context(), fixture.Request(l.hotel.Quote(t, l.DB.DB, stay, rooms)))
	require.NoError(t, err)
	return b
}

func (l *life) to(ids ...string) (all []bookings.Assignment) {
	for _, id := range ids {
		all = append(all, bookings.Assignment{RoomTypeID: l.hotel.RoomTypeID, UnitID: id})
	}
	return all
}

// plan returns who has which unit on which nights, as the items say.
func (l *life) plan(t *testing.T) map[units.Night]units.Occupant {
	t.Helper()
	months, err := units.New(l.DB.DB).Plan(t.Context(), l.hotel.ID, fixture.Stay.CheckIn)
	require.NoError(t, err)
	all := map[units.Night]units.Occupant{}
	for _, m := range months {
		for day, by := range m.Nights {
			all[units.Night{UnitID: m.UnitID, Date: m.First.AddDays(day - 1)}] = by
		}
	}
	return all
}

// nightsOf are those that a booking has of a unit.
func nightsOf(all map[units.Night]units.Occupant, unitID, bookingID string) (dates []string) {
	for date := range (dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckIn.AddDays(40)}).Dates() {
		if all[units.Night{UnitID: unitID, Date: date}].BookingID == bookingID {
			dates = append(dates, date.String())
		}
	}
	return dates
}

func datesOf(stay dynastay.Stay) (dates []string) {
	for date := range stay.Dates() {
		dates = append(dates, date.String())
	}
	return dates
}

func TestAssignUnits(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	first, second := l.book(t, fixture.Stay, 1), l.book(t, fixture.Stay, 1)

	got, err := l.repo.AssignUnits(t.Context(), first.ID, l.to("301"))
	require.NoError(t, err)
	assert.Equal(t, []string{"301"}, got.Lines[0].RoomIDs)
	assert.Equal(t, []bookings.UnitNights{{UnitID: "301", Nights: fixture.Stay}}, got.Lines[0].Units)
	stored, err := l.repo.Get(t.Context(), first.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, got, stored)
	assert.Equal(t, datesOf(fixture.Stay), nightsOf(l.plan(t), "301", first.ID))

	_, err = l.repo.AssignUnits(t.Context(), second.ID, l.to("301"))
	taken := blame.As[*units.TakenError](t, err)
	assert.Len(t, taken.Nights, fixture.Stay.Nights())
	assert.Equal(t, units.Occupant{BookingID: first.ID, Line: 1}, taken.Nights[0].By)

	_, err = l.repo.Cancel(t.Context(), first.ID, "", nil)
	require.NoError(t, err)
	assert.Empty(t, l.plan(t))
	_, err = l.repo.AssignUnits(t.Context(), second.ID, l.to("301"))
	require.NoError(t, err)
	assert.Equal(t, datesOf(fixture.Stay), nightsOf(l.plan(t), "301", second.ID))
	_, err = l.repo.UnassignUnits(t.Context(), second.ID, nil)
	require.NoError(t, err)
	assert.Empty(t, l.plan(t))
}
