package bookings_test

import (
	"strconv"
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
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// modifyTo gives a booking another stay and number of rooms.
func (l *life) modifyTo(t *testing.T, id string, stay dynastay.Stay, rooms int) *bookings.Booking {
	t.Helper()
	m, err := l.repo.QuoteModification(t.Context(), id, availability.QuoteRequest{
		Property: availability.House{ID: l.hotel.ID}, Stay: stay, Guests: availability.Guests{Adults: 2},
		Rooms: []availability.Room{{RoomTypeID: l.hotel.RoomTypeID, Quantity: rooms, Limits: l.hotel.Rooms[0].Limits}},
	})
	require.NoError(t, err)
	done, err := l.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	return done.Booking
}

// What a booking gives up is free in the same moment, and the line says what it still has.
func TestUnitsOfABookingThatMoves(t *testing.T) {
	t.Parallel()
	days := func(from, to int) dynastay.Stay {
		return dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(from), CheckOut: fixture.Stay.CheckIn.AddDays(to)}
	}
	stay := fixture.Stay // three nights
	noon := func(day int) time.Time { return noon(stay.CheckIn.AddDays(day)) }
	for _, test := range []struct {
		name string
		move func(t *testing.T, l *life, id string)
		// The nights of 301 and 302 in the plan, and in the line, where the zero Stay means none.
		plan, line [2]dynastay.Stay
	}{
		{"cancelled", func(t *testing.T, l *life, id string) {
			_, err := l.repo.Cancel(t.Context(), id, "", nil)
			require.NoError(t, err)
		}, [2]dynastay.Stay{}, [2]dynastay.Stay{stay, stay}},
		{"a no-show", func(t *testing.T, l *life, id string) {
			l.Clock.Set(noon(1))
			_, err := l.repo.NoShow(t.Context(), id)
			require.NoError(t, err)
		}, [2]dynastay.Stay{}, [2]dynastay.Stay{stay, stay}},
		{"a no-show who comes", func(t *testing.T, l *life, id string) {
			l.Clock.Set(noon(1))
			_, err := l.repo.NoShow(t.Context(), id)
			require.NoError(t, err)
			_, err = l.repo.Reinstate(t.Context(), id)
			require.NoError(t, err)
		}, [2]dynastay.Stay{days(1, 3), days(1, 3)}, [2]dynastay.Stay{days(1, 3), days(1, 3)}},
		{"a no-show whose nights are released and who comes", func(t *testing.T, l *life, id string) {
			l.Clock.Set(noon(1))
			_, err := l.repo.NoShow(t.Context(), id)
			require.NoError(t, err)
			_, err = l.repo.Release(t.Context(), id)
			require.NoError(t, err)
			l.Clock.Set(noon(2))
			_, err = l.repo.Reinstate(t.Context(), id)
			require.NoError(t, err)
		}, [2]dynastay.Stay{days(2, 3), days(2, 3)}, [2]dynastay.Stay{days(2, 3), days(2, 3)}},
		{"checked in and out on time", func(t *testing.T, l *life, id string) {
			l.Clock.Set(noon(0))
			_, err := l.repo.CheckIn(t.Context(), id, nil)
			require.NoError(t, err)
			l.Clock.Set(noon(3))
			_, err = l.repo.CheckOut(t.Context(), id)
			require.NoError(t, err)
		}, [2]dynastay.Stay{stay, stay}, [2]dynastay.Stay{stay, stay}},
		{"checked out early", func(t *testing.T, l *life, id string) {
			l.Clock.Set(noon(0))
			_, err := l.repo.CheckIn(t.Context(), id, nil)
			require.NoError(t, err)
			l.Clock.Set(noon(1))
			_, err = l.repo.CheckOut(t.Context(), id)
			require.NoError(t, err)
		}, [2]dynastay.Stay{days(0, 1), days(0, 1)}, [2]dynastay.Stay{stay, stay}},
		{"checked out early by mistake", func(t *testing.T, l *life, id string) {
			l.Clock.Set(noon(0))
			_, err := l.repo.CheckIn(t.Context(), id, nil)
			require.NoError(t, err)
			l.Clock.Set(noon(1))
			_, err = l.repo.CheckOut(t.Context(), id)
			require.NoError(t, err)
			_, err = l.repo.UndoCheckOut(t.Context(), id)
			require.NoError(t, err)
		}, [2]dynastay.Stay{stay, stay}, [2]dynastay.Stay{stay, stay}},
		{"checked in by mistake", func(t *testing.T, l *life, id string) {
			l.Clock.Set(noon(0))
			_, err := l.repo.CheckIn(t.Context(), id, nil)
			require.NoError(t, err)
			_, err = l.repo.UndoCheckIn(t.Context(), id)
			require.NoError(t, err)
		}, [2]dynastay.Stay{stay, stay}, [2]dynastay.Stay{stay, stay}},
		{"shorter", func(t *testing.T, l *life, id string) { l.modifyTo(t, id, days(1, 2), 2) },
			[2]dynastay.Stay{days(1, 2), days(1, 2)}, [2]dynastay.Stay{days(1, 2), days(1, 2)}},
		{"longer", func(t *testing.T, l *life, id string) { l.modifyTo(t, id, days(0, 4), 2) },
			[2]dynastay.Stay{stay, stay}, [2]dynastay.Stay{stay, stay}},
		{"one room less", func(t *testing.T, l *life, id string) { l.modifyTo(t, id, stay, 1) },
			[2]dynastay.Stay{stay, {}}, [2]dynastay.Stay{stay, {}}},
		{"on other nights", func(t *testing.T, l *life, id string) { l.modifyTo(t, id, days(4, 6), 2) },
			[2]dynastay.Stay{}, [2]dynastay.Stay{}},
		{"unassigned on the second day", func(t *testing.T, l *life, id string) {
			l.Clock.Set(noon(1))
			_, err := l.repo.UnassignUnits(t.Context(), id, []string{"302"})
			require.NoError(t, err)
		}, [2]dynastay.Stay{stay, days(0, 1)}, [2]dynastay.Stay{stay, days(0, 1)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, 5)
			l.withUnits(t, "301", "302")
			l.Hotel(t, days(-1, 8))
			b := l.book(t, stay, 2)
			_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301", "302"))
			require.NoError(t, err)
			test.move(t, l, b.ID)
			got, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			for i, id := range []string{"301", "302"} {
				assert.Equal(t, datesOf(test.plan[i]), nightsOf(l.plan(t), id, b.ID), "plan of %s", id)
				var line dynastay.Stay
				for _, u := range got.Lines[0].Units {
					if u.UnitID == id {
						line = u.Nights
					}
				}
				assert.Equal(t, test.line[i], line, "line of %s", id)
				assert.Equal(t, line != dynastay.Stay{}, len(got.Lines[0].RoomIDs) > i)
			}
		})
	}
}

// Hotel opens more nights.
func (l *life) Hotel(t *testing.T, nights dynastay.Stay) {
	t.Helper()
	l.hotel.Open(t, l.DB.DB, availability.OpenRequest{
		PropertyID: l.hotel.ID, RoomTypeID: l.hotel.RoomTypeID, Nights: nights, Rooms: 5, Price: fixture.Price,
	})
}

// A night is taken over if the booking that the plan names does not have it any more.
func TestUnitsAreTakenOver(t *testing.T) {
	t.Parallel()
	first := units.Night{UnitID: "301", Date: fixture.Stay.CheckIn}
	for _, test := range []struct {
		name  string
		by    func(t *testing.T, l *life) string // what the item says
		taken bool
	}{
		{"a booking that does not exist", func(*testing.T, *life) string { return "bkg_none#1" }, true},
		{"a booking that was cancelled", func(t *testing.T, l *life) string {
			b := l.book(t, fixture.Stay, 1)
			_, err := l.repo.Cancel(t.Context(), b.ID, "", nil)
			require.NoError(t, err)
			return b.ID + "#1"
		}, true},
		{"a booking without the unit", func(t *testing.T, l *life) string { return l.book(t, fixture.Stay, 1).ID + "#1" }, true},
		{"a booking that has it", func(t *testing.T, l *life) string {
			b := l.book(t, fixture.Stay, 1)
			_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
			require.NoError(t, err)
			return b.ID + "#1"
		}, false},
		{"another line of a booking that has it", func(t *testing.T, l *life) string {
			b := l.book(t, fixture.Stay, 1)
			_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
			require.NoError(t, err)
			return b.ID + "#2"
		}, false},
		{"a booking that cannot be read", func(t *testing.T, l *life) string {
			b := l.book(t, fixture.Stay, 1)
			setBooking(t, l.DB, keyOf(b.ID), "CheckInDate", dynastay.Text("tomorrow"))
			return b.ID + "#1"
		}, false},
		{"no line", func(*testing.T, *life) string { return "painters" }, false},
		{"a text that is like a line", func(*testing.T, *life) string { return "bkg_none#01" }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, 5)
			l.withUnits(t, "301")
			by := test.by(t, l)
			month, err := keys.Of(keys.UnitMonth{PropertyID: l.hotel.ID, Month: dynastay.MonthOf(first.Date).CheckIn, UnitID: "301"})
			require.NoError(t, err)
			raw.Set(t, l.DB, availabilityTable, month, dynastay.Text(by), "D"+first.Date.String()[8:])
			b := l.book(t, fixture.Stay, 1)
			_, err = l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
			if test.taken {
				require.NoError(t, err)
				assert.Equal(t, datesOf(fixture.Stay), nightsOf(l.plan(t), "301", b.ID))
				return
			}
			taken := blame.As[*units.TakenError](t, err)
			assert.Equal(t, first, taken.Nights[0].Night)
			assert.Equal(t, by, taken.Nights[0].By.String())
			assert.Empty(t, nightsOf(l.plan(t), "301", b.ID))
		})
	}
}

// A cancellation with as many nights as fit into a transaction succeeds; the nights of the units that do not fit are taken over.
func TestCancelManyNightsWithUnits(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	stay := dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckIn.AddDays(48)}
	l.Hotel(t, stay)
	repo := properties.New(l.DB.DB, nil)
	made, err := repo.AddRoomTypes(t.Context(), l.hotel.ID, []properties.RoomType{
		{Name: "Twin", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 5},
	})
	require.NoError(t, err)
	twin := made[0].ID
	_, err = availability.New(l.DB.DB).Open(t.Context(), availability.OpenRequest{
		PropertyID: l.hotel.ID, RoomTypeID: twin, Nights: stay, Rooms: 5, Price: fixture.Price,
	})
	require.NoError(t, err)
	_, err = units.New(l.DB.DB).Create(t.Context(), units.Unit{PropertyID: l.hotel.ID, ID: "101", RoomTypeID: twin})
	require.NoError(t, err)
	whole, err := repo.GetWithRooms(t.Context(), l.hotel.ID)
	require.NoError(t, err)
	book := func() *bookings.Booking {
		req, err := whole.Card().QuoteRequest(stay, availability.Guests{Adults: 2},
			properties.Choice{RoomTypeID: l.hotel.RoomTypeID, Quantity: 1}, properties.Choice{RoomTypeID: twin, Quantity: 1})
		require.NoError(t, err)
		q, err := availability.New(l.DB.DB).Quote(t.Context(), req)
		require.NoError(t, err)
		b, err := l.repo.Create(t.Context(), fixture.Request(q))
		require.NoError(t, err)
		_, err = l.repo.AssignUnits(t.Context(), b.ID, []bookings.Assignment{
			{RoomTypeID: l.hotel.RoomTypeID, UnitID: "301"}, {RoomTypeID: twin, UnitID: "101"},
		})
		require.NoError(t, err)
		return b
	}
	first := book()
	months := 0
	for range 2 { // units
		months += 1 + monthsAfter(stay)
	}
	require.Greater(t, 96+1+1+months, 100, "all fits, so this shows nothing")
	_, err = l.repo.Cancel(t.Context(), first.ID, "", nil, dynastay.IdempotencyKey("cancel"))
	require.NoError(t, err)
	left, err := units.New(l.DB.DB).Taken(t.Context(), l.hotel.ID, "301", stay)
	require.NoError(t, err)
	more, err := units.New(l.DB.DB).Taken(t.Context(), l.hotel.ID, "101", stay)
	require.NoError(t, err)
	assert.NotEmpty(t, append(left, more...))
	assert.Less(t, len(left)+len(more), 96)
	second := book()
	for _, id := range []string{"301", "101"} {
		has, err := units.New(l.DB.DB).Taken(t.Context(), l.hotel.ID, id, stay)
		require.NoError(t, err)
		require.Len(t, has, 48)
		for _, n := range has {
			assert.Equal(t, second.ID, n.By.BookingID)
		}
	}
}

// monthsAfter is how many months a stay touches after its first.
func monthsAfter(stay dynastay.Stay) int {
	months := func(d dynastay.Date) int {
		year, _ := strconv.Atoi(d.String()[:4])
		return 12*year + int(d.Time().Month())
	}
	return months(stay.LastNight()) - months(stay.CheckIn)
}

// What another line of the same booking has given up, perhaps long ago, is free for it.
func TestUnitsOfAnotherLine(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	b := l.book(t, fixture.Stay, 1)
	month, err := keys.Of(keys.UnitMonth{PropertyID: l.hotel.ID, Month: dynastay.MonthOf(fixture.Stay.CheckIn).CheckIn, UnitID: "301"})
	require.NoError(t, err)
	raw.Set(t, l.DB, availabilityTable, month, dynastay.Text(b.ID+"#2"), "D"+fixture.Stay.CheckIn.String()[8:])
	_, err = l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.NoError(t, err)
	assert.Equal(t, units.Occupant{BookingID: b.ID, Line: 1}, l.plan(t)[units.Night{UnitID: "301", Date: fixture.Stay.CheckIn}])
}
