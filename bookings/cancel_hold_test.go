package bookings_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// A hold that is given up returns its rooms, also if it has ended, and what is not held stays as it is.
func TestCancelHold(t *testing.T) {
	t.Parallel()
	l := begin(t, 20)
	for _, after := range []time.Duration{time.Minute, 2 * time.Hour} {
		b := l.holdOne(t, time.Hour)
		left := l.hotel.Left(t, l.DB.DB, fixture.Stay)
		l.Clock.Set(booked.Add(after))
		gone, err := l.repo.CancelHold(t.Context(), b.ID, "declined")
		require.NoError(t, err)
		assert.Equal(t, []any{bookings.Cancelled, "declined", booked.Add(after)},
			[]any{gone.Booking.Status, gone.Booking.CancellationReason, gone.Booking.CancelledAt})
		stored, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, gone.Booking, stored)
		checkDerived(t, l.DB, b.ID, b.Reference)
		for i := range left {
			left[i]++
		}
		assert.Equal(t, left, l.hotel.Left(t, l.DB.DB, fixture.Stay))
	}
	for _, status := range statuses {
		if status == bookings.Pending {
			continue
		}
		b := l.reach(t, status)
		_, err := l.repo.CancelHold(t.Context(), b.ID, "declined")
		assert.Equal(t, &bookings.StatusError{BookingID: b.ID, Status: status, Op: "cancel the hold of"}, blame.As[*bookings.StatusError](t, err))
	}
	_, err := l.repo.CancelHold(t.Context(), "bkg_none", "declined")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)

	b := l.holdOne(t, time.Hour)
	key := dynastay.IdempotencyKey("decline")
	for range 2 {
		_, err = l.repo.CancelHold(t.Context(), b.ID, "declined", key)
		require.NoError(t, err)
	}
	_, err = l.repo.CancelHold(t.Context(), b.ID, "another reason", key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	b = l.holdOne(t, time.Hour)
	l.Clock.Set(booked.AddDate(1, 0, 0))
	_, err = l.repo.CancelHold(t.Context(), b.ID, "declined")
	assert.ErrorIs(t, err, bookings.ErrTooLate)
}

// Of a confirmation and a cancellation of the hold at the same time, one succeeds.
func TestCancelHoldRaces(t *testing.T) {
	t.Parallel()
	l := begin(t, 30)
	for range 20 {
		b := l.holdOne(t, time.Hour)
		other := bookings.New(l.Open(nil), nil)
		var confirmed, cancelled error
		var both sync.WaitGroup
		both.Go(func() { _, confirmed = other.Confirm(t.Context(), b.ID, nil) })
		both.Go(func() { _, cancelled = l.repo.CancelHold(t.Context(), b.ID, "declined") })
		both.Wait()
		for errors.Is(confirmed, dynastay.ErrContention) {
			_, confirmed = other.Confirm(t.Context(), b.ID, nil)
		}
		for errors.Is(cancelled, dynastay.ErrContention) {
			_, cancelled = l.repo.CancelHold(t.Context(), b.ID, "declined")
		}
		got, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
		require.NoError(t, err)
		if got.Status == bookings.Confirmed {
			require.NoError(t, confirmed)
			blame.As[*bookings.StatusError](t, cancelled)
		} else {
			require.Equal(t, bookings.Cancelled, got.Status)
			require.NoError(t, cancelled)
			blame.As[*bookings.StatusError](t, confirmed)
		}
	}
}
