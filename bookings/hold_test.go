package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/fixture"
)

func TestLimitsOfHolds(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	req := fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1))
	for _, length := range []time.Duration{-time.Hour, -1, 1, bookings.MinHold - 1, bookings.MaxHold + 1} {
		stop := l.Faults.Record()
		req.Hold = length
		_, err := l.repo.Create(t.Context(), req)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, "Hold", invalid.Field)
		assert.Empty(t, stop())
	}
	for _, length := range []time.Duration{bookings.MinHold, bookings.MaxHold} {
		req.Hold = length
		b, err := l.repo.Create(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, booked.Add(length), b.HoldExpiresAt)
	}
}

// How long a room is held is part of what the guest agreed to.
func TestHoldIsRepeated(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	req := fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1))
	req.Hold = time.Hour
	key := dynastay.IdempotencyKey("hold")
	first, err := l.repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	l.Clock.Advance(time.Minute)
	again, err := l.repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, first, again, "the hold is not prolonged")
	for _, other := range []time.Duration{0, 2 * time.Hour} {
		req.Hold = other
		_, err = l.repo.Create(t.Context(), req, key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
}

// The rows by hold and by check-in date follow the status.
func TestRowsOfMoves(t *testing.T) {
	t.Parallel()
	l := begin(t, 100)
	for _, status := range statuses {
		b := l.reach(t, status)
		row, err := l.Direct.Get(t.Context(), bookingsTable, keyOf(b.ID), dynastay.Consistent)
		require.NoError(t, err)
		want := ""
		if status == bookings.Pending {
			want = "EXPIRES#" + booked.Add(holdFor).Format(time.RFC3339) + "#BOOKING#" + b.ID
		}
		assert.Equal(t, want, row.Text("GSI6SK"), status)
		assert.Equal(t, status == bookings.Cancelled || status == bookings.Expired, row.Text("GSI5PK") == "", status)
		assert.Equal(t, "STATUS#"+string(status), row.Text("GSI3PK"))
	}
}
