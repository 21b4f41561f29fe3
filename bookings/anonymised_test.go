package bookings_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// Whatever is done with an anonymised booking, nothing about a person gets into it. It can still be ended.
func TestAnonymisedBookings(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	ada, requests := bookings.Guest{FirstName: nemo, LastName: nemo, Email: "ada@example.com"}, nemo
	for _, test := range []struct {
		name   string
		status bookings.Status // when it is anonymised
		call   func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error)
		want   any // the error, or the status
	}{
		{"cancel", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			c, err := i.repo.Cancel(t.Context(), b.ID, nemo)
			return c.Booking, err
		}, bookings.Cancelled},
		{"cancel with a refund", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "200", bookings.Paid))
			require.NoError(t, err)
			r := refundOf(b.ID, "re_1", "200", "")
			r.Reason = nemo
			c, err := i.repo.CancelWithRefund(t.Context(), b.ID, nemo, r)
			require.Len(t, c.Refunds, 1)
			assert.Empty(t, c.Refunds[0].Reason)
			assert.Equal(t, dollarsOf("200"), c.Payment.Refunded)
			return c.Booking, err
		}, bookings.Cancelled},
		{"expire", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Advance(time.Minute)
			c, err := i.repo.Expire(t.Context(), b.ID)
			return c.Booking, err
		}, bookings.Expired},
		{"no-show", bookings.Confirmed, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.AddDays(1).Time())
			return i.repo.NoShow(t.Context(), b.ID)
		}, bookings.NoShow},
		{"check out", bookings.CheckedIn, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			return i.repo.CheckOut(t.Context(), b.ID)
		}, bookings.Completed},
		{"confirm", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(innNoon) // the clock of another process
			return i.repo.ConfirmWithPayment(t.Context(), b.ID, charge("", "ch_1", "200", bookings.Paid))
		}, &bookings.StateError{Status: bookings.Pending, Op: "confirm", Err: bookings.ErrAnonymised}},
		{"check in", bookings.Confirmed, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.Time())
			return i.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{i.roomType("a"): {nemo}})
		}, &bookings.StateError{Status: bookings.Confirmed, Op: "check in", Err: bookings.ErrAnonymised}},
		{"modify the guest", bookings.Pending, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(innNoon)
			m, err := i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, Guest: &ada})
			return m.Booking, err
		}, &bookings.StateError{Status: bookings.Pending, Op: "modify", Err: bookings.ErrAnonymised}},
		{"modify the requests", bookings.CheckedIn, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(payStay.CheckIn.Time())
			m, err := i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, SpecialRequests: &requests})
			return m.Booking, err
		}, &bookings.StateError{Status: bookings.CheckedIn, Op: "modify", Err: bookings.ErrAnonymised}},
		{"quote a modification", bookings.Confirmed, func(t *testing.T, i *inn, b *bookings.Booking) (*bookings.Booking, error) {
			i.Clock.Set(innNoon)
			_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(payStay, rooms{"a": 2}))
			return nil, err
		}, &bookings.StateError{Status: bookings.Confirmed, Op: "modify", Err: bookings.ErrAnonymised}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.anonymised(t, test.status)
			stored := storedItem(t, i.DB, keyOf(b.ID))
			got, err := test.call(t, i, b)
			assertNobody(t, i.DB)
			if want, refused := test.want.(*bookings.StateError); refused {
				want.BookingID = b.ID
				assert.Equal(t, want, err)
				assert.Equal(t, stored, storedItem(t, i.DB, keyOf(b.ID)))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got.Status)
			assert.Empty(t, got.CancellationReason)
			now, err := i.repo.Get(t.Context(), b.ID)
			require.NoError(t, err)
			assert.Equal(t, now, got)
		})
	}
}

// anonymised returns a booking that was anonymised in a status, after a hold of an hour or after its stay.
func (i *inn) anonymised(t *testing.T, status bookings.Status) *bookings.Booking {
	t.Helper()
	hold := map[bookings.Status]time.Duration{bookings.Pending: time.Hour}[status]
	user := i.NewID("user_")
	b := i.bookFor(t, user, payStay, hold)
	i.Clock.Advance(time.Hour)
	if status != bookings.Pending {
		i.Clock.Set(payStay.CheckOut.AddDays(1).Time())
	}
	if status == bookings.CheckedIn {
		i.Clock.Set(payStay.CheckIn.Time())
		_, err := i.repo.CheckIn(t.Context(), b.ID, nil)
		require.NoError(t, err)
		i.Clock.Set(payStay.CheckOut.AddDays(1).Time())
	}
	done, err := i.repo.Eraser().Erase(t.Context(), user)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"bookings anonymised": 1}, done)
	b, err = i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	require.Equal(t, status, b.Status)
	return b
}

// A booking of other software without a user is not an anonymised one: it keeps its guest, and can be changed.
func TestBookingWithoutAUser(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookFor(t, "user_1", payStay, time.Hour)
	removeAttributes(t, i.DB, keyOf(b.ID), "UserId")
	p := charge(b.ID, "ch_1", "200", bookings.Authorized)
	recorded, err := i.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, p.Card, recorded.Payment.Card)
	got, err := i.repo.Confirm(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, b.Guest, got.Guest)
	assert.NotContains(t, storedItem(t, i.DB, keyOf(b.ID)), "GSI1PK")
	c, err := i.repo.Cancel(t.Context(), b.ID, "ill")
	require.NoError(t, err)
	assert.Equal(t, "ill", c.Booking.CancellationReason)
	_, err = i.repo.Create(context.Background(), bookings.Request{Quote: i.mustQuote(t, payStay, rooms{"a": 1}), Guest: guest})
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "UserID", invalid.Field)
}

// A replay with an idempotency key returns the booking as it is now.
func TestReplayAfterTheErasure(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	q := i.mustQuote(t, payStay, rooms{"a": 1})
	req := bookings.Request{Quote: q, UserID: "user_1", Guest: guest}
	key := dynastay.IdempotencyKey("key")
	b, err := i.repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	paid := charge(b.ID, "ch_1", "200", bookings.Paid)
	_, err = i.repo.RecordPayment(t.Context(), paid, dynastay.IdempotencyKey("payment"))
	require.NoError(t, err)
	_, err = i.repo.Eraser(bookings.CancelUpcoming()).Erase(t.Context(), "user_1")
	require.NoError(t, err)
	now, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	before := everything(t, i.DB)
	again, err := i.repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, now, again)
	recorded, err := i.repo.RecordPayment(t.Context(), paid, dynastay.IdempotencyKey("payment"))
	require.NoError(t, err)
	assert.Equal(t, now, recorded.Booking)
	assert.Zero(t, recorded.Payment.Card)
	recorded, err = i.repo.RecordPayment(t.Context(), paid)
	require.NoError(t, err)
	assert.Zero(t, recorded.Payment.Card)
	assert.Equal(t, before, everything(t, i.DB), "nothing has changed")
}
