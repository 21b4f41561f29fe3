package bookings_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// holdOne makes a pending booking at the time booked.
func (l *life) holdOne(t *testing.T, hold time.Duration) *bookings.Booking {
	t.Helper()
	l.Clock.Set(booked)
	req := fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1))
	req.Hold = hold
	b, err := l.repo.Create(t.Context(), req)
	require.NoError(t, err)
	return b
}

// An extended hold ends the duration after the call, and never earlier than it did. Its rooms stay taken until then.
func TestExtendHold(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b := l.holdOne(t, time.Hour)
	l.Clock.Set(booked.Add(time.Hour - time.Millisecond))
	longer, err := l.repo.ExtendHold(t.Context(), b.ID, 30*time.Minute)
	require.NoError(t, err)
	end := booked.Add(90*time.Minute - time.Millisecond)
	assert.Equal(t, end, longer.HoldExpiresAt)
	assert.Equal(t, bookings.Pending, longer.Status)
	assert.Equal(t, b.Version+1, longer.Version)
	stored, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, longer, stored)
	checkDerived(t, l.DB, b.ID, b.Reference)

	// Less time is no less, and writes nothing.
	for _, hold := range []time.Duration{bookings.MinHold, 30 * time.Minute} {
		spent := l.Measure(func() {
			same, err := l.repo.ExtendHold(t.Context(), b.ID, hold)
			require.NoError(t, err)
			assert.Equal(t, longer, same)
		})
		assert.Equal(t, 1, spent.Requests)
	}

	// A sweep leaves it alone after its first end, and ends it after the second.
	l.Clock.Set(booked.Add(time.Hour + bookings.DefaultHoldGrace))
	swept, err := l.repo.ExpireHolds(t.Context())
	require.NoError(t, err)
	assert.Empty(t, swept.Expired)
	assert.Equal(t, []int{4, 4, 4}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
	l.Clock.Set(end)
	_, err = l.repo.ExtendHold(t.Context(), b.ID, time.Hour)
	assert.Equal(t, &bookings.StatusError{
		BookingID: b.ID, Status: bookings.Pending, Op: "extend the hold of", Err: bookings.ErrHoldEnded,
	}, blame.As[*bookings.StatusError](t, err))
	l.Clock.Set(end.Add(bookings.DefaultHoldGrace))
	swept, err = l.repo.ExpireHolds(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{b.ID}, swept.Expired)
	assert.Equal(t, []int{5, 5, 5}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
}

// Only a pending booking has a hold.
func TestExtendHoldInEveryStatus(t *testing.T) {
	t.Parallel()
	l := begin(t, 20)
	for _, status := range statuses {
		if status == bookings.Pending {
			continue
		}
		b := l.reach(t, status)
		_, err := l.repo.ExtendHold(t.Context(), b.ID, time.Hour)
		assert.Equal(t, &bookings.StatusError{BookingID: b.ID, Status: status, Op: "extend the hold of"}, blame.As[*bookings.StatusError](t, err))
	}
	_, err := l.repo.ExtendHold(t.Context(), "bkg_none", time.Hour)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	b := l.holdOne(t, time.Hour)
	_, err = l.repo.ExtendHold(t.Context(), b.ID, 2*time.Hour, dynastay.IfUser("user_other"))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = l.repo.ExtendHold(t.Context(), b.ID, 2*time.Hour, dynastay.IfUser(b.UserID))
	assert.NoError(t, err)
	setBooking(t, l.DB, keyOf(b.ID), "AnonymisedAt", dynastay.Text("2026-06-01T00:00:00Z"))
	_, err = l.repo.ExtendHold(t.Context(), b.ID, 2*time.Hour)
	assert.ErrorIs(t, err, bookings.ErrAnonymised)
}

// A hold has its limits, and all of its time together has the same one.
func TestLimitsOfExtendedHolds(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b := l.holdOne(t, 20*24*time.Hour)
	stop := l.Faults.Record()
	for _, hold := range []time.Duration{0, -time.Hour, bookings.MinHold - 1, bookings.MaxHold + 1} {
		_, err := l.repo.ExtendHold(t.Context(), b.ID, hold)
		blame.Invalid(t, err, "Hold")
	}
	assert.Empty(t, stop())

	day := 24 * time.Hour
	l.Clock.Set(booked.Add(10 * day))
	_, err := l.repo.ExtendHold(t.Context(), b.ID, 20*day+time.Millisecond)
	assert.Contains(t, blame.Invalid(t, err, "Hold").Reason, "must end by "+booked.Add(30*day).Format(time.RFC3339))
	stored, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, b, stored)
	longest, err := l.repo.ExtendHold(t.Context(), b.ID, 20*day)
	require.NoError(t, err)
	assert.Equal(t, booked.Add(bookings.MaxHold), longest.HoldExpiresAt)

	// Other software may have stored a hold that is longer than that, which stays as it is.
	setBooking(t, l.DB, keyOf(b.ID), "CreatedAt", dynastay.Text(booked.Add(-20*day).Format(time.RFC3339)))
	_, err = l.repo.ExtendHold(t.Context(), b.ID, time.Hour)
	assert.NoError(t, err)
}

// With an idempotency key, a call that is repeated later returns the booking, whatever has become of it, and extends nothing
// twice.
func TestExtendHoldIsRepeated(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b := l.holdOne(t, time.Hour)
	key := dynastay.IdempotencyKey("extend")
	l.Clock.Set(booked.Add(30 * time.Minute))
	l.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	first, err := l.repo.ExtendHold(t.Context(), b.ID, time.Hour, key)
	require.NoError(t, err)
	l.Clock.Set(booked.Add(time.Hour))
	again, err := l.repo.ExtendHold(t.Context(), b.ID, time.Hour, key)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Equal(t, booked.Add(90*time.Minute), again.HoldExpiresAt)
	_, err = l.repo.ExtendHold(t.Context(), b.ID, 2*time.Hour, key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	l.Clock.Set(booked.Add(3 * time.Hour))
	_, err = l.repo.ExtendHold(t.Context(), b.ID, time.Hour, key)
	assert.NoError(t, err, "it was extended while it could be")
}

// Other software may have stored a hold without an end, which gets none.
func TestExtendHoldWithoutAnEnd(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b := l.holdOne(t, time.Hour)
	removeAttributes(t, l.DB, keyOf(b.ID), "HoldExpiresAt", "GSI6PK", "GSI6SK")
	same, err := l.repo.ExtendHold(t.Context(), b.ID, 2*time.Hour)
	require.NoError(t, err)
	assert.Zero(t, same.HoldExpiresAt)
	assert.Equal(t, b.Version, same.Version)
}

// A hold is extended while another call ends or confirms it. What happens first decides: a booking that was given more time is not
// expired, and one that is expired or confirmed is not given any.
func TestExtendHoldRaces(t *testing.T) {
	t.Parallel()
	const n = 20
	l := begin(t, 100)
	end := booked.Add(time.Hour)
	// One process is slow by more than the grace, so both calls are possible.
	slow := bookings.New(l.Open(&dynastay.Options{Clock: func() time.Time { return end.Add(-time.Second) }}), nil)
	for name, other := range map[string]func(context.Context, string) error{
		"expire": func(ctx context.Context, id string) error { _, err := l.repo.Expire(ctx, id); return err },
		"confirm": func(ctx context.Context, id string) error {
			_, err := slow.Confirm(ctx, id, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ids := make([]string, n)
			for i := range ids {
				ids[i] = l.holdOne(t, time.Hour).ID
			}
			l.Clock.Set(end.Add(bookings.DefaultHoldGrace))
			l.Faults.Conflicts(time.Millisecond)
			var both sync.WaitGroup
			extended, ended := make([]error, n), make([]error, n)
			for i, id := range ids {
				both.Go(func() { _, extended[i] = slow.ExtendHold(t.Context(), id, time.Hour) })
				both.Go(func() { ended[i] = other(t.Context(), id) })
			}
			both.Wait()
			for i, id := range ids {
				var state *bookings.StatusError
				b, err := l.repo.Get(t.Context(), id, dynastay.Consistent)
				require.NoError(t, err)
				switch b.Status {
				case bookings.Expired:
					require.NoError(t, ended[i])
					require.ErrorAs(t, extended[i], &state)
					assert.Equal(t, bookings.Expired, state.Status)
				case bookings.Pending:
					require.NoError(t, extended[i])
					assert.ErrorIs(t, ended[i], bookings.ErrHoldOpen)
					assert.Equal(t, end.Add(time.Hour-time.Second), b.HoldExpiresAt)
				default: // confirmed, with or without more time before
					require.NoError(t, ended[i])
					assert.Zero(t, b.HoldExpiresAt)
					if errors.As(extended[i], &state) {
						assert.Equal(t, bookings.Confirmed, state.Status)
					} else {
						require.NoError(t, extended[i])
					}
				}
			}
		})
	}
}

// The hold is ended after it has been read, and given more time after the sweep has read it.
func TestExtendHoldIsOvertaken(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	end := booked.Add(time.Hour)
	slow := bookings.New(l.Open(&dynastay.Options{Clock: func() time.Time { return end.Add(-time.Second) }}), nil)
	direct := bookings.New(l.Direct, nil)

	b := l.holdOne(t, time.Hour)
	l.Clock.Set(end.Add(bookings.DefaultHoldGrace))
	l.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.Expire(ctx, b.ID)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	_, err := slow.ExtendHold(t.Context(), b.ID, time.Hour)
	assert.Equal(t, bookings.Expired, blame.As[*bookings.StatusError](t, err).Status)

	other := l.holdOne(t, time.Hour)
	l.Clock.Set(end.Add(bookings.DefaultHoldGrace))
	l.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := slow.ExtendHold(ctx, other.ID, time.Hour)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err = l.repo.Expire(t.Context(), other.ID)
	assert.ErrorIs(t, err, bookings.ErrHoldOpen)
	assert.Equal(t, []int{4, 4, 4}, l.hotel.Left(t, l.Direct, fixture.Stay))
}
