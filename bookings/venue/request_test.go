package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestAttendees(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	for _, n := range []int{1, 100_000} {
		q := request(ann, day, venue.Morning)
		q.Attendees = n
		b, err := h.repo.Request(t.Context(), ann, q)
		require.NoError(t, err)
		assert.Equal(t, n, b.Attendees)
	}
}

// The new day of a booking counts, not the old one.
func TestUpdateOfTheDay(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	today := dynastay.DateOf(now, nil)
	b := h.asked(t, ann, today, venue.Morning)
	to := func(date dynastay.Date) error {
		return second(h.repo.Update(t.Context(), ann, b.ID, func(b *venue.Booking) error { b.Date = date; return nil }))
	}
	require.ErrorIs(t, to(today.AddDays(-1)), venue.ErrPast)
	h.Clock.Advance(24 * time.Hour)
	require.NoError(t, to(today.AddDays(1)), "its day has passed")
	blame.Invalid(t, second(h.repo.Update(t.Context(), ann, b.ID, nil, dynastay.OrMissing())), "OrMissing")
	h.consistency(t)
}
