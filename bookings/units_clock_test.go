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
)

// oneOf is one o'clock in the morning of a day, at the property. The night before goes on.
func oneOf(day int) time.Time { return fixture.Stay.CheckIn.AddDays(day).Time().Add(5 * time.Hour) }

// on is an assignment of a unit on some nights.
func (l *life) on(unit string, nights dynastay.Stay) bookings.Assignment {
	return bookings.Assignment{RoomTypeID: l.hotel.RoomTypeID, UnitID: unit, Nights: nights}
}

// No-shows who come after midnight get their unit for the night that they sleep there, if the booking has its rooms.
func TestReinstateAfterMidnight(t *testing.T) {
	t.Parallel()
	noShow := func(t *testing.T) (l *life, id string) {
		l = begin(t, 5)
		l.withUnits(t, "301")
		b := l.book(t, fixture.Stay, 1)
		l.assignTo(t, b.ID, l.to("301")...)
		l.Clock.Set(oneOf(1))
		_, err := l.repo.NoShow(t.Context(), b.ID)
		require.NoError(t, err)
		return l, b.ID
	}
	reinstate := func(t *testing.T, l *life, id string) []bookings.UnitNights {
		_, err := l.repo.Reinstate(t.Context(), id)
		require.NoError(t, err)
		l.agree(t, id)
		return l.get(t, id).Lines[0].Units
	}
	t.Run("at one o'clock", func(t *testing.T) {
		l, id := noShow(t)
		assert.Equal(t, []bookings.UnitNights{has("301", fixture.Stay)}, reinstate(t, l, id))
	})
	t.Run("somebody had the unit last night only", func(t *testing.T) {
		l, id := noShow(t)
		l.Clock.Set(booked)
		other := l.book(t, daysOf(0, 1), 1)
		l.Clock.Set(oneOf(1))
		l.assignTo(t, other.ID, l.to("301")...)
		assert.Equal(t, []bookings.UnitNights{has("301", daysOf(1, 3))}, reinstate(t, l, id))
		l.agree(t, id, other.ID)
	})
	t.Run("somebody has the unit tonight", func(t *testing.T) {
		l, id := noShow(t)
		other := l.book(t, daysOf(1, 2), 1)
		l.assignTo(t, other.ID, l.to("301")...)
		assert.Empty(t, reinstate(t, l, id))
	})
	t.Run("last night has been released", func(t *testing.T) {
		l, id := noShow(t)
		_, err := l.repo.Release(t.Context(), id)
		require.NoError(t, err)
		l.Clock.Set(oneOf(2))
		assert.Equal(t, []bookings.UnitNights{has("301", daysOf(2, 3))}, reinstate(t, l, id))
	})
	t.Run("all nights have been released", func(t *testing.T) {
		l, id := noShow(t)
		_, err := l.repo.Release(t.Context(), id)
		require.NoError(t, err)
		l.Clock.Set(oneOf(3))
		assert.Empty(t, reinstate(t, l, id))
	})
}

// A night that was released is not the booking's to give up, also as long as it is that of the business date.
func TestModifyAfterANightWasReleased(t *testing.T) {
	t.Parallel()
	l := begin(t, 1)
	b := l.book(t, fixture.Stay, 1)
	l.Clock.Set(noonOf(1))
	_, err := l.repo.NoShow(t.Context(), b.ID)
	require.NoError(t, err)
	_, err = l.repo.Release(t.Context(), b.ID)
	require.NoError(t, err)
	l.Clock.Set(oneOf(2))
	_, err = l.repo.Reinstate(t.Context(), b.ID) // only the last night is theirs again
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 0}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
	shorten := func(to int) (err error) {
		m, err := l.repo.QuoteModification(t.Context(), b.ID, availability.QuoteRequest{
			Property: availability.House{ID: l.hotel.ID}, Stay: daysOf(0, to), Guests: availability.Guests{Adults: 2},
			Rooms:        []availability.Room{{RoomTypeID: l.hotel.RoomTypeID, Quantity: 1, Limits: l.hotel.Rooms[0].Limits}},
			BusinessDate: fixture.Stay.CheckIn.AddDays(1),
		})
		if err == nil {
			_, err = l.repo.Modify(t.Context(), m)
		}
		return err
	}
	blame.Invalid(t, shorten(1), "Stay.CheckOut")
	assert.Equal(t, []int{0, 1, 0}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
	require.NoError(t, shorten(2))
	assert.Equal(t, []int{0, 1, 1}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
}

// A check-out of many rooms is undone, and each has its unit again.
func TestUndoCheckOutOfManyUnits(t *testing.T) {
	t.Parallel()
	const rooms = 40
	l := begin(t, rooms)
	var ids []string
	for i := range rooms {
		ids = append(ids, strconv.Itoa(300+i))
	}
	l.withUnits(t, ids...)
	b := l.book(t, fixture.Stay, rooms)
	l.assignTo(t, b.ID, l.to(ids...)...)
	l.Clock.Set(noonOf(0))
	_, err := l.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	l.Clock.Set(noonOf(1))
	_, err = l.repo.CheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	_, err = l.repo.UndoCheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	l.agree(t, b.ID)
	assert.Len(t, l.get(t, b.ID).Lines[0].UnitsOn(fixture.Stay.CheckIn.AddDays(1)), rooms)
}

// Guests who leave on the day of a move that was planned may have moved or not.
func TestCheckOutOnTheDayOfAMove(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302", "303")
	b := l.book(t, fixture.Stay, 2)
	l.assignTo(t, b.ID, l.on("301", daysOf(0, 1)), l.on("302", daysOf(0, 1)), l.on("302", daysOf(1, 2)), l.on("303", daysOf(1, 3)), l.on("301", daysOf(2, 3)))
	l.Clock.Set(noonOf(0))
	_, err := l.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	l.Clock.Set(noonOf(1))
	_, err = l.repo.CheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	for _, unit := range []string{"301", "302", "303"} {
		assert.Equal(t, units.Dirty, l.state(t, unit), unit)
	}
}

// What guests left the day before they leave has been cleaned since.
func TestCheckOutOnTheDayAfterAMove(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	b := l.book(t, fixture.Stay, 1)
	l.assignTo(t, b.ID, l.on("301", daysOf(0, 2)), l.on("302", daysOf(2, 3)))
	l.Clock.Set(noonOf(0))
	_, err := l.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	l.Clock.Set(noonOf(3))
	_, err = l.repo.CheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, units.Clean, l.state(t, "301"))
	assert.Equal(t, units.Dirty, l.state(t, "302"))
}

// A unit that the line has on other nights is not one that it gets.
func TestAssignAUnitThatTheLineHadBefore(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	b := l.book(t, fixture.Stay, 1)
	l.assignTo(t, b.ID, l.on("301", daysOf(0, 1)), l.on("302", daysOf(1, 3)))
	l.Clock.Set(noonOf(1))
	_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	blame.Invalid(t, err, "Units[0].Nights")
	_, err = l.repo.AssignUnits(t.Context(), b.ID, l.to("302"))
	assert.NoError(t, err, "it has it on these nights")
}
