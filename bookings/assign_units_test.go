package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
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

func has(unitID string, nights dynastay.Stay) bookings.UnitNights {
	return bookings.UnitNights{UnitID: unitID, Nights: nights}
}

// plan returns who has which unit on which nights, as the items say.
func (l *life) plan(t *testing.T) map[units.Night]units.Occupant {
	t.Helper()
	months, err := units.New(l.DB.DB).Plan(t.Context(), l.hotel.ID, fixture.Stay.CheckIn)
	require.NoError(t, err)
	all := map[units.Night]units.Occupant{}
	for _, m := range months {
		for _, n := range m.Nights {
			all[n.Night] = n.By
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

// What does not fit the booking is refused, with the field, and nothing is written.
func TestAssignUnitsThatDoNotFit(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	repo := l.withUnits(t, "301", "302", "303")
	_, err := repo.Create(t.Context(), units.Unit{PropertyID: l.hotel.ID, ID: "101", RoomTypeID: l.hotel.Rooms[0].ID})
	require.NoError(t, err)
	b := l.book(t, fixture.Stay, 2)
	_, err = l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.NoError(t, err)
	room := l.hotel.RoomTypeID
	first := dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckIn.AddDays(1)}
	for _, test := range []struct {
		field string
		all   []bookings.Assignment
	}{
		{"Units", nil},
		{"Units[0].UnitID", []bookings.Assignment{{RoomTypeID: room}}},
		{"Units[1].UnitID", []bookings.Assignment{{RoomTypeID: room, UnitID: "302"}, {RoomTypeID: room, UnitID: "3#2"}}},
		{"Units[0].RoomTypeID", []bookings.Assignment{{UnitID: "302"}}},
		{"Units[0].Line", []bookings.Assignment{{RoomTypeID: room, UnitID: "302", Line: -1}}},
		{"Units[0].Line", []bookings.Assignment{{RoomTypeID: room, UnitID: "302", Line: 2}}},
		{"Units[0].Line", []bookings.Assignment{{RoomTypeID: "room_none", UnitID: "302"}}},
		{"Units[0].Nights.CheckOut", []bookings.Assignment{{RoomTypeID: room, UnitID: "302", Nights: dynastay.Stay{CheckIn: first.CheckOut, CheckOut: first.CheckIn}}}},
		{"Units[0].Nights", []bookings.Assignment{{RoomTypeID: room, UnitID: "302", Nights: dynastay.Stay{CheckIn: first.CheckIn.AddDays(-1), CheckOut: first.CheckOut}}}},
		{"Units[1].Nights", []bookings.Assignment{{RoomTypeID: room, UnitID: "302"}, {RoomTypeID: room, UnitID: "303", Nights: first}}},
		{"Units[1].Nights", l.to("302", "303")},
	} {
		_, err := l.repo.AssignUnits(t.Context(), b.ID, test.all)
		assert.Equal(t, test.field, blame.As[*dynastay.InvalidError](t, err).Field, "%+v: %v", test.all, err)
	}
	got, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []bookings.UnitNights{has("301", fixture.Stay)}, got.Lines[0].Units)

	// What it has already is left as it is, and the nights of one room may be of several units.
	got, err = l.repo.AssignUnits(t.Context(), b.ID, []bookings.Assignment{
		{RoomTypeID: room, UnitID: "301"}, {RoomTypeID: room, Line: 1, UnitID: "302", Nights: first}, {RoomTypeID: room, UnitID: "303"},
	})
	require.NoError(t, err)
	rest := dynastay.Stay{CheckIn: first.CheckOut, CheckOut: fixture.Stay.CheckOut}
	assert.Equal(t, []bookings.UnitNights{has("301", fixture.Stay), has("302", first), has("303", rest)}, got.Lines[0].Units)
	assert.Equal(t, []string{"301", "303"}, got.Lines[0].UnitsOn(rest.CheckIn))
}

// A unit must exist, be in use and be of the line's room type at the moment of the write.
func TestAssignUnitsOfOtherKinds(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b, twin := l.two(t)
	repo := l.withUnits(t, "301", "302")
	_, err := l.repo.RetireUnit(t.Context(), availability.House{ID: l.hotel.ID}, "302")
	require.NoError(t, err)
	for unit, want := range map[string]error{"999": dynastay.ErrNotFound, "302": units.ErrRetired, "301": units.ErrOtherRoomType} {
		room := l.hotel.RoomTypeID
		if unit == "301" {
			room = twin
		}
		_, err := l.repo.AssignUnits(t.Context(), b.ID, []bookings.Assignment{{RoomTypeID: room, UnitID: unit}})
		require.ErrorIs(t, err, want, unit)
		assert.Equal(t, unit, blame.As[*dynastay.Error](t, err).ID)
	}
	_, err = repo.Update(t.Context(), l.hotel.ID, "302", func(u *units.Unit) error {
		u.Retired = false
		return nil
	})
	require.NoError(t, err)
	_, err = l.repo.AssignUnits(t.Context(), b.ID, l.to("302"))
	require.NoError(t, err)
}

// Guests can be checked in to units in one call; a line has units or texts, never both.
func TestCheckInToUnits(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	b := l.book(t, fixture.Stay, 1)
	_, err := l.repo.CheckInTo(t.Context(), b.ID, l.to("301"))
	require.ErrorIs(t, err, bookings.ErrTooEarly)
	assert.Empty(t, l.plan(t))
	l.Clock.Set(noon(fixture.Stay.CheckIn))
	got, err := l.repo.CheckInTo(t.Context(), b.ID, l.to("301"), dynastay.IdempotencyKey("arrival"))
	require.NoError(t, err)
	assert.Equal(t, bookings.CheckedIn, got.Status)
	assert.Equal(t, []string{"301"}, got.Lines[0].RoomIDs)
	again, err := l.repo.CheckInTo(t.Context(), b.ID, l.to("301"), dynastay.IdempotencyKey("arrival"))
	require.NoError(t, err)
	assert.Equal(t, got, again)
	_, err = l.repo.CheckInTo(t.Context(), b.ID, l.to("302"), dynastay.IdempotencyKey("arrival"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

	room := "Rooms[" + l.hotel.RoomTypeID + "]"
	_, err = l.repo.AssignRooms(t.Context(), b.ID, bookings.Assigned{l.hotel.RoomTypeID: {"the tower"}})
	assert.Equal(t, room, blame.As[*dynastay.InvalidError](t, err).Field)

	// A text that was assigned before the property had units is replaced.
	other := l.book(t, fixture.Stay, 1)
	_, err = l.repo.CheckIn(t.Context(), other.ID, bookings.Assigned{l.hotel.RoomTypeID: {"the tower"}})
	require.NoError(t, err)
	got, err = l.repo.AssignUnits(t.Context(), other.ID, l.to("302"))
	require.NoError(t, err)
	assert.Equal(t, []string{"302"}, got.Lines[0].RoomIDs)
}

// A platform whose properties all have units can refuse texts.
func TestOnlyUnits(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	repo := bookings.New(l.DB.DB, &bookings.Options{OnlyUnits: true})
	b := l.book(t, fixture.Stay, 1)
	l.Clock.Set(noon(fixture.Stay.CheckIn))
	_, err := repo.CheckIn(t.Context(), b.ID, bookings.Assigned{l.hotel.RoomTypeID: {"301"}})
	assert.Equal(t, "Rooms", blame.As[*dynastay.InvalidError](t, err).Field)
	_, err = repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	_, err = repo.AssignRooms(t.Context(), b.ID, bookings.Assigned{l.hotel.RoomTypeID: {"301"}})
	assert.Equal(t, "Rooms", blame.As[*dynastay.InvalidError](t, err).Field)
	_, err = repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.NoError(t, err)
}

// The default nights are those that are not over; on the day of departure, the last one.
func TestAssignUnitsFromToday(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	nights := func(from, to int) []bookings.UnitNights {
		return []bookings.UnitNights{has("301", dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(from), CheckOut: fixture.Stay.CheckIn.AddDays(to)})}
	}
	b := l.book(t, fixture.Stay, 1) // three nights
	for day, want := range [][]bookings.UnitNights{nights(0, 3), nights(1, 3), nights(2, 3), nights(2, 3)} {
		l.Clock.Set(noon(fixture.Stay.CheckIn.AddDays(day)))
		got, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
		require.NoError(t, err)
		assert.Equal(t, want, got.Lines[0].Units, "day %d", day)
		for range 2 { // the nights that are over stay with the line, so the unit is taken from all of it by hand
			got, err = l.repo.UnassignUnits(t.Context(), b.ID, []string{"301"})
			if err != nil {
				break
			}
			assert.Empty(t, got.Lines[0].Units, "day %d", day)
		}
		assert.Equal(t, "Units", blame.As[*dynastay.InvalidError](t, err).Field)
	}
	l.Clock.Set(noon(fixture.Stay.CheckOut.AddDays(1)))
	_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.ErrorIs(t, err, bookings.ErrTooLate)
}

// A unit can be assigned as far ahead as whoever retires it looks.
func TestAssignUnitsFarAhead(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	now := dynastay.DateOf(booked, time.UTC).Time()
	end := dynastay.DateOf(time.Date(now.Year(), now.Month()+25, 1, 0, 0, 0, 0, time.UTC), time.UTC)
	for _, first := range []dynastay.Date{end.AddDays(-1), end} {
		l.Hotel(t, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1)})
		b := l.book(t, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1)}, 1)
		_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
		if first == end {
			assert.Equal(t, "Units[0].Nights", blame.As[*dynastay.InvalidError](t, err).Field)
			continue
		}
		require.NoError(t, err)
		_, err = l.repo.RetireUnit(t.Context(), availability.House{ID: l.hotel.ID}, "301")
		assert.Len(t, blame.As[*units.TakenError](t, err).Nights, 1)
	}
}
