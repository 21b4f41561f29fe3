package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// What a notification does to a booking in each status, the first time and when it is repeated.
func TestApplyPayment(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	nothing := dollarsOf("0")
	confirmed := func(t *testing.T, i *inn, id string) {
		_, err := i.repo.Confirm(t.Context(), id, nil)
		require.NoError(t, err)
	}
	for _, test := range []struct {
		name    string
		reach   func(*testing.T, *inn, string)
		status  bookings.PaymentStatus // of the notification
		want    bookings.Status
		payment bookings.PaymentStatus
		due     dynastay.Money
	}{
		{"pending", nil, bookings.PaymentPaid, bookings.Confirmed, bookings.PaymentPaid, nothing},
		{"pending, authorized", nil, bookings.PaymentAuthorized, bookings.Confirmed, bookings.PaymentAuthorized, nothing},
		{"pending, failed", nil, bookings.PaymentFailed, bookings.Pending, bookings.PaymentFailed, nothing},
		{"pending, begun", nil, bookings.PaymentPending, bookings.Pending, bookings.PaymentPending, nothing},
		{"recorded before", func(t *testing.T, i *inn, id string) {
			_, err := i.repo.RecordPayment(t.Context(), charge(id, "ch_1", "200", bookings.PaymentPaid))
			require.NoError(t, err)
		}, bookings.PaymentPaid, bookings.Confirmed, bookings.PaymentPaid, nothing},
		{"captured before it is authorized", func(t *testing.T, i *inn, id string) {
			_, err := i.repo.ApplyPayment(t.Context(), charge(id, "ch_1", "200", bookings.PaymentPaid))
			require.NoError(t, err)
		}, bookings.PaymentAuthorized, bookings.Confirmed, bookings.PaymentPaid, nothing},
		{"confirmed", confirmed, bookings.PaymentPaid, bookings.Confirmed, bookings.PaymentPaid, nothing},
		{"paid already", func(t *testing.T, i *inn, id string) {
			_, err := i.repo.Confirm(t.Context(), id, []bookings.Payment{charge("", "ch_0", "200", bookings.PaymentPaid)})
			require.NoError(t, err)
		}, bookings.PaymentPaid, bookings.Confirmed, bookings.PaymentPaid, dollarsOf("200")},
		{"cancelled", func(t *testing.T, i *inn, id string) {
			_, err := i.repo.Cancel(t.Context(), id, "", nil)
			require.NoError(t, err)
		}, bookings.PaymentPaid, bookings.Cancelled, bookings.PaymentPaid, dollarsOf("200")},
		{"the hold has ended", func(_ *testing.T, i *inn, _ string) { i.Clock.Advance(time.Hour) },
			bookings.PaymentPaid, bookings.Pending, bookings.PaymentPaid, dollarsOf("200")},
		{"expired", func(t *testing.T, i *inn, id string) {
			i.Clock.Advance(2 * time.Hour)
			_, err := i.repo.Expire(t.Context(), id)
			require.NoError(t, err)
		}, bookings.PaymentPaid, bookings.Expired, bookings.PaymentPaid, dollarsOf("200")},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := i.next(t)
			req := i.request(payStay, rooms{"a": 1})
			req.Rooms[0].CancellationPolicy = availability.FreeCancellation(24)
			q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
			require.NoError(t, err)
			b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, Hold: time.Hour})
			require.NoError(t, err)
			if test.reach != nil {
				test.reach(t, i, b.ID)
			}
			notice := charge(b.ID, "ch_1", "200", test.status)
			spent := i.Measure(func() {
				first, err := i.repo.ApplyPayment(t.Context(), notice)
				require.NoError(t, err)
				assert.Equal(t, test.want, first.Booking.Status)
				assert.Equal(t, test.payment, first.Booking.PaymentStatus)
				assert.Equal(t, test.due, first.Due)
				again, err := i.repo.ApplyPayment(t.Context(), notice)
				require.NoError(t, err)
				assert.Equal(t, first, again)
			})
			assert.LessOrEqual(t, spent.Requests, 3)
			stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, test.want, stored.Status)
			if test.payment != bookings.PaymentPaid {
				return
			}
			notice.Amount, notice.Status = dollarsOf("199"), bookings.PaymentPaid
			_, err = i.repo.ApplyPayment(t.Context(), notice)
			assert.ErrorIs(t, err, bookings.ErrPaymentDiffers)
		})
	}
	_, err := i.repo.ApplyPayment(t.Context(), charge("bkg_none", "ch_1", "200", bookings.PaymentPaid))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

// A payment confirms a booking once it has begun, or, if a provider notifies of it, once it is authorized.
func TestPaymentsThatConfirm(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	hold := func() string {
		b, err := i.repo.Create(t.Context(), bookings.Request{
			Quote: i.mustQuote(t, payStay, rooms{"a": 1}), UserID: "user_456", Guest: guest, Hold: time.Hour,
		})
		require.NoError(t, err)
		return b.ID
	}
	for _, status := range []bookings.PaymentStatus{bookings.PaymentPending, bookings.PaymentAuthorized, bookings.PaymentPaid} {
		b, err := i.repo.Confirm(t.Context(), hold(), []bookings.Payment{charge("", "ch_1", "200", status)})
		require.NoError(t, err)
		assert.Equal(t, bookings.Confirmed, b.Status)
		assert.Equal(t, status, b.PaymentStatus)
	}
	got, err := i.repo.ApplyPayment(t.Context(), charge(hold(), " e\u0301_1 ", "200", bookings.PaymentAuthorized))
	require.NoError(t, err)
	assert.Equal(t, bookings.Confirmed, got.Booking.Status, "an id as it was typed")
	id := hold()
	_, err = i.repo.Confirm(t.Context(), id, []bookings.Payment{charge("bkg_other", "ch_1", "200", bookings.PaymentFailed)})
	invalidField(t, "Payments[0].BookingID", err)
	foreign := charge(id, "ch_1", "200", bookings.PaymentPaid)
	foreign.Amount = dynastay.MustMoney("200", "EUR")
	_, err = i.repo.ApplyPayment(t.Context(), foreign)
	invalidField(t, "Amount", err)
}

// A payment that contradicts a recorded one confirms nothing, nor does one that has failed since.
func TestApplyPaymentThatDoesNotConfirm(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b, err := i.repo.Create(t.Context(), bookings.Request{
		Quote: i.mustQuote(t, payStay, rooms{"a": 1}), UserID: "user_456", Guest: guest, Hold: time.Hour,
	})
	require.NoError(t, err)
	for _, p := range []bookings.Payment{charge(b.ID, "ch_1", "200", bookings.PaymentPaid), charge(b.ID, "ch_2", "200", bookings.PaymentFailed)} {
		p.At = innNoon.Add(time.Minute)
		_, err = i.repo.RecordPayment(t.Context(), p)
		require.NoError(t, err)
	}
	_, err = i.repo.ApplyPayment(t.Context(), charge(b.ID, "ch_1", "100", bookings.PaymentPaid))
	assert.ErrorIs(t, err, bookings.ErrPaymentDiffers)
	late := charge(b.ID, "ch_2", "200", bookings.PaymentAuthorized)
	late.At = innNoon
	done, err := i.repo.ApplyPayment(t.Context(), late)
	require.NoError(t, err)
	assert.Equal(t, bookings.Pending, done.Booking.Status)
}
