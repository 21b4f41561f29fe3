package world

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// opening returns when the guests of a booking can check in.
func opening(t testing.TB, b *bookings.Booking) time.Time {
	t.Helper()
	return localTime(t, b, b.Stay.CheckIn, b.CheckInTime)
}

// localTime returns when it is a time of day on a date at the property of a booking.
func localTime(t testing.TB, b *bookings.Booking, date dynastay.Date, timeOfDay string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation(b.TimeZone)
	require.NoError(t, err)
	at, err := time.ParseInLocation(time.DateOnly+" 15:04", date.String()+" "+timeOfDay, zone)
	require.NoError(t, err)
	return at
}

// numberOf returns the number at the end of an id.
func numberOf(t testing.TB, id string) int {
	t.Helper()
	n, err := strconv.Atoi(id[strings.LastIndex(id, "_")+1:])
	require.NoError(t, err)
	return n
}

// checkLife checks that the status of a booking agrees with its times.
func checkLife(t testing.TB, w *World, b *bookings.Booking) {
	t.Helper()
	today, day := w.opts.Today.Time(), 24*time.Hour
	times := map[string]time.Time{
		"confirmed": b.ConfirmedAt, "checked in": b.CheckedInAt, "checked out": b.CheckedOutAt, "cancelled": b.CancelledAt, "hold ends": b.HoldExpiresAt,
	}
	set := func(names ...string) {
		t.Helper()
		for _, name := range names {
			assert.False(t, times[name].IsZero(), "%s is %s: %s", b.ID, b.Status, name)
			delete(times, name)
		}
		for name, at := range times {
			assert.Zero(t, at, "%s is %s: %s", b.ID, b.Status, name)
		}
	}
	moved := b.UpdatedAt
	assert.Equal(t, b.Status == bookings.Cancelled, b.CancellationReason != "", b.ID)
	if !b.ConfirmedAt.IsZero() {
		assert.Equal(t, b.CreatedAt, b.ConfirmedAt, b.ID)
	}
	if hold := b.HoldExpiresAt.Sub(b.CreatedAt); !b.HoldExpiresAt.IsZero() {
		assert.Zero(t, hold%day, b.ID)
		assert.True(t, day <= hold && hold <= 5*day, "%s is held for %s", b.ID, hold)
		assert.False(t, b.HoldExpiresAt.After(b.Stay.CheckIn.Time()), "%s is held until after its arrival", b.ID)
	}
	switch b.Status {
	case bookings.Pending:
		set("hold ends")
		assert.True(t, b.HoldExpiresAt.After(w.Now()), b.ID)
		assert.Equal(t, b.CreatedAt, moved)
	case bookings.CheckedIn:
		set("confirmed", "checked in")
		assert.Equal(t, b.CheckedInAt, moved)
		assert.Equal(t, w.opts.Today, b.Stay.CheckIn)
		assert.WithinRange(t, b.CheckedInAt, opening(t, b), w.Now())
	case bookings.Completed:
		set("confirmed", "checked in", "checked out")
		assert.Equal(t, b.CheckedOutAt, moved)
		assert.WithinRange(t, b.CheckedInAt, opening(t, b), opening(t, b).Add(8*time.Hour))
		closing := localTime(t, b, b.Stay.CheckOut, w.house(numberOf(t, b.PropertyID)).property.CheckOutTime)
		assert.WithinRange(t, b.CheckedOutAt, closing.Add(-3*time.Hour), closing)
		assert.True(t, b.CheckedOutAt.After(b.CheckedInAt) && b.CheckedOutAt.Before(today), b.ID)
	case bookings.NoShow:
		set("confirmed")
		assert.WithinRange(t, moved, opening(t, b).Add(8*time.Hour), opening(t, b).Add(12*time.Hour))
		assert.True(t, moved.Before(today), b.ID)
	case bookings.Cancelled:
		set("confirmed", "cancelled")
		assert.Equal(t, b.CancelledAt, moved)
		assert.WithinRange(t, b.CancelledAt, b.CreatedAt.Add(time.Second), today)
	case bookings.Expired:
		set("hold ends")
		assert.WithinRange(t, moved, b.HoldExpiresAt.Add(bookings.DefaultHoldGrace), today)
		assert.Less(t, moved.Sub(b.HoldExpiresAt), 2*bookings.DefaultHoldGrace)
	default:
		assert.Equal(t, bookings.Confirmed, b.Status)
		set("confirmed")
		assert.Equal(t, b.CreatedAt, moved)
	}
	for _, line := range b.Lines {
		came := b.Status == bookings.CheckedIn || b.Status == bookings.Completed
		assert.Equal(t, came, len(line.RoomIDs) == line.Quantity, "%s: %v", b.ID, line.RoomIDs)
		assert.True(t, came || len(line.RoomIDs) == 0, "%s is %s: %v", b.ID, b.Status, line.RoomIDs)
	}
}

// live reports whether the guests still have the rooms of a booking.
func live(b *bookings.Booking) bool {
	return b.Status != bookings.Cancelled && b.Status != bookings.Expired
}

// What the bookings of a hotel have to do with each other and with its nights.
func TestLives(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 1, Properties: 100, Users: 40})
	severalRooms, returned := 0, 0
	for h := range w.Hotels() {
		free, rooms := map[string]bool{}, map[string]string{}
		for _, n := range h.Nights {
			free[n.RoomTypeID+n.Date.String()] = n.Available > 0
		}
		for _, b := range h.Bookings {
			checkLife(t, w, b)
			for date := range b.Stay.Dates() {
				if !live(b) {
					returned++
					assert.True(t, free[b.Lines[0].RoomTypeID+date.String()], "%s does not need its rooms on %s", b.ID, date)
				}
			}
			for _, line := range b.Lines {
				if len(line.RoomIDs) > 1 {
					severalRooms++
				}
				for _, id := range line.RoomIDs {
					assert.Empty(t, rooms[id], "%s has %s too", b.ID, id)
					rooms[id] = b.ID
				}
			}
		}
	}
	assert.Positive(t, severalRooms)
	assert.Greater(t, returned, 100)
}

// The shares of the statuses among the bookings of a world that is large enough to show them.
func TestSharesOfStatuses(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 1, Properties: 3000})
	of, reasons := map[bookings.Status]float64{}, map[string]int{}
	all, expected := 0, 0.0
	var latest time.Duration
	for i := range w.opts.Properties {
		h := w.house(i)
		sales, err := w.sales(i, h)
		require.NoError(t, err)
		opens, err := h.at(w.opts.Today, h.property.CheckInTime)
		require.NoError(t, err)
		for _, s := range sales {
			of[s.status]++
			reasons[s.reason]++
			all++
			gone := s.status == bookings.Cancelled || s.status == bookings.Expired
			if open := w.Now().Sub(opens); s.arrival == 0 && open > 0 && !gone {
				expected += min(open.Hours()/arrivalHours, 1)
			}
			if s.status == bookings.CheckedIn {
				latest = max(latest, s.moved.Sub(opens))
			}
		}
	}
	for status, want := range map[bookings.Status]float64{
		bookings.Cancelled: 12.5, bookings.Expired: 2, bookings.Pending: 1.5, bookings.CheckedIn: 0.5, bookings.Confirmed: 83.5,
	} {
		assert.InDelta(t, want, 100*of[status]/float64(all), 0.15, status)
	}
	assert.Len(t, of, len(inWorlds)-len(inPast))
	assert.InDelta(t, expected, of[bookings.CheckedIn], 0.1*expected, "arrivals spread over eight hours")
	assert.True(t, 470*time.Minute < latest && latest <= 8*time.Hour, "the last guests arrive after %s", latest)
	for _, reason := range cancellationReasons {
		assert.InDelta(t, of[bookings.Cancelled]/5, float64(reasons[reason]), 0.1*of[bookings.Cancelled]/5, reason)
	}
	assert.Len(t, reasons, 6, "and none")
}

// A booking of the last second before Today is cancelled in that second.
func TestCancellationFollowsTheBooking(t *testing.T) {
	t.Parallel()
	w := New(Options{})
	today := w.opts.Today.Time()
	for i := range 20 {
		s := sale{made: today.Add(-time.Second)}
		w.giveUp(w.dice(forLives, i), &s)
		assert.Equal(t, bookings.Cancelled, s.status)
		assert.Equal(t, today, s.moved)
	}
}
