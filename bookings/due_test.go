package bookings_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
)

// refundTexts are the refunds in short.
func refundTexts(refunds []bookings.Refund) (all []string) {
	for _, r := range refunds {
		all = append(all, r.ID+" "+r.ProviderTransactionID+" "+r.Amount.String()+" "+string(r.Status))
	}
	return all
}

var pendingRefund = bookings.Refund{ID: "re_1", Status: bookings.PaymentPending}

// A refund that names no payment is for all of them; what a refund that names one leaves is said, and refunded later.
func TestRefundOfAllPayments(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	free := availability.FreeCancellation(24)
	inTwo := []bookings.Payment{charge("", "ch_2", "60", bookings.Paid), charge("", "ch_1", "140", bookings.Paid)}
	b := i.paidBooking(t, free, inTwo...)
	i.Clock.Advance(time.Second)
	done, err := i.repo.CancelWithRefund(t.Context(), b.ID, "", pendingRefund, dynastay.IdempotencyKey("all"))
	require.NoError(t, err)
	assert.Equal(t, []string{"re_1 ch_1 140.00 USD pending", "re_1_2 ch_2 60.00 USD pending"}, refundTexts(done.Refunds))
	assert.Equal(t, dollarsOf("0"), done.Due)
	again, err := i.repo.CancelWithRefund(t.Context(), b.ID, "", pendingRefund, dynastay.IdempotencyKey("all"))
	require.NoError(t, err)
	assert.Equal(t, done, again)

	i = i.next(t)
	b = i.paidBooking(t, free, inTwo...)
	named := pendingRefund
	named.ProviderTransactionID = "ch_1"
	done, err = i.repo.CancelWithRefund(t.Context(), b.ID, "", named)
	require.NoError(t, err)
	assert.Equal(t, []string{"re_1 ch_1 140.00 USD pending"}, refundTexts(done.Refunds))
	assert.Equal(t, dollarsOf("60"), done.Due)
	rest := bookings.Refund{ID: "re_2", BookingID: b.ID}
	for range 2 { // the second time, nothing is due
		recorded, err := i.repo.RefundDue(t.Context(), rest)
		require.NoError(t, err)
		assert.Equal(t, []string{"re_2 ch_2 60.00 USD refunded"}, refundTexts(recorded.Refunds))
		assert.Equal(t, dollarsOf("0"), recorded.Due)
		assert.Equal(t, bookings.Refunded, recorded.Booking.PaymentStatus)
	}
	// A refund that fails is due again.
	failed := named
	failed.BookingID, failed.Amount, failed.Status = b.ID, dollarsOf("140"), bookings.PaymentFailed
	recorded, err := i.repo.RecordRefund(t.Context(), failed)
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("140"), recorded.Due)
}

// What a cancellation says is due, whatever the policy and the payments.
func TestDueOfCancellations(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, test := range []struct {
		policy   availability.CancellationPolicy
		payments []bookings.Payment
		due      dynastay.Money
	}{
		{availability.FreeCancellation(24), nil, dollarsOf("0")},
		{availability.FreeCancellation(24), []bookings.Payment{charge("", "ch_1", "200", bookings.Authorized)}, dollarsOf("0")},
		{availability.FreeCancellation(24), []bookings.Payment{charge("", "ch_1", "200", bookings.Paid)}, dollarsOf("200")},
		{availability.PartialRefund(50, 24), []bookings.Payment{charge("", "ch_1", "150", bookings.Paid)}, dollarsOf("50")},
		{availability.NonRefundable, []bookings.Payment{charge("", "ch_1", "210", bookings.Paid)}, dollarsOf("10")},
		{"custom_flexible", []bookings.Payment{charge("", "ch_1", "200", bookings.Paid)}, dynastay.Money{}},
	} {
		i := i.next(t)
		b := i.paidBooking(t, test.policy, test.payments...)
		done, err := i.repo.Cancel(t.Context(), b.ID, "")
		require.NoError(t, err)
		assert.Equal(t, test.due, done.Due, "%s %v", test.policy, test.payments)
		assert.Empty(t, done.Refunds)
	}
}

// A payment that arrives between the read and the write of a cancellation is refunded, or said to be due.
func TestPaymentMeetsCancellation(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, refunds := range []bool{true, false} {
		i := i.next(t)
		b := i.paidBooking(t, availability.FreeCancellation(24), charge("", "ch_1", "120", bookings.Paid))
		i.Faults.Inject(dyntest.Before(func(context.Context) {
			_, err := bookings.New(i.Direct, nil).RecordPayment(t.Context(), charge(b.ID, "ch_2", "80", bookings.Paid))
			assert.NoError(t, err)
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		if !refunds {
			done, err := i.repo.Cancel(t.Context(), b.ID, "")
			require.NoError(t, err)
			assert.Equal(t, dollarsOf("200"), done.Due)
			continue
		}
		done, err := i.repo.CancelWithRefund(t.Context(), b.ID, "", pendingRefund)
		require.NoError(t, err)
		assert.Equal(t, []string{"re_1 ch_1 120.00 USD pending", "re_1_2 ch_2 80.00 USD pending"}, refundTexts(done.Refunds))
		assert.Equal(t, dollarsOf("0"), done.Due)
	}
}

// Where the refunds do not fit beside the nights, the booking is cancelled without any, and one more call records them.
func TestRefundsThatDoNotFit(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	stay := dynastay.Stay{CheckIn: innNights.CheckIn.AddDays(4), CheckOut: innNights.CheckIn.AddDays(52)}
	for _, payments := range []int{1, 2} {
		i := i.next(t)
		require.NoError(t, i.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
			for date := range stay.Dates() {
				if !yield(keys.AvailabilityTable, i.night("a", date)) || !yield(keys.AvailabilityTable, i.night("c", date)) {
					return
				}
			}
		}))
		req := i.request(stay, rooms{"a": 1, "c": 1})
		for n := range req.Rooms {
			req.Rooms[n].CancellationPolicy = availability.FreeCancellation(24)
		}
		q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
		require.NoError(t, err)
		repo := i.repo
		b, err := repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
		require.NoError(t, err)
		require.Equal(t, 96, stay.Nights()*len(b.Lines))
		for n := range payments {
			_, err := repo.RecordPayment(t.Context(), charge(b.ID, fmt.Sprint("ch_", n), "50", bookings.Paid))
			require.NoError(t, err)
		}
		done, err := repo.CancelWithRefund(t.Context(), b.ID, "", pendingRefund, dynastay.IdempotencyKey(i.id))
		require.NoError(t, err)
		assert.Equal(t, bookings.Cancelled, done.Booking.Status)
		if payments == 1 {
			assert.Len(t, done.Refunds, 1)
			assert.Zero(t, done.Due.Sign())
			continue
		}
		assert.Empty(t, done.Refunds)
		assert.Equal(t, dollarsOf("100"), done.Due)
		recorded, err := repo.RefundDue(t.Context(), bookings.Refund{ID: "re_1", BookingID: b.ID})
		require.NoError(t, err)
		assert.Len(t, recorded.Refunds, 2)
		assert.Zero(t, recorded.Due.Sign())
	}
}

// A sweep says which of the bookings whose holds have ended have been paid for.
func TestDueOfExpiredHolds(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	hold := func() *bookings.Booking {
		b, err := i.repo.Create(t.Context(), bookings.Request{
			Quote: i.mustQuote(t, payStay, rooms{"a": 1}), UserID: "user_456", Guest: guest, Hold: time.Minute,
		})
		require.NoError(t, err)
		return b
	}
	paid := hold()
	hold()
	recorded, err := i.repo.RecordPayment(t.Context(), charge(paid.ID, "ch_1", "250", bookings.Paid))
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("50"), recorded.Due, "beyond the total")
	i.Clock.Advance(time.Hour)
	done, err := i.repo.ExpireHolds(t.Context())
	require.NoError(t, err)
	assert.Len(t, done.Expired, 2)
	assert.Equal(t, map[string]dynastay.Money{paid.ID: dollarsOf("250")}, done.Due)
}

// What a notification does to a booking in each status, the first time and when it is repeated.
func TestApplyPayment(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	nothing := dollarsOf("0")
	confirmed := func(t *testing.T, i *inn, id string) {
		_, err := i.repo.Confirm(t.Context(), id)
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
		{"pending", nil, bookings.Paid, bookings.Confirmed, bookings.Paid, nothing},
		{"pending, authorized", nil, bookings.Authorized, bookings.Confirmed, bookings.Authorized, nothing},
		{"pending, failed", nil, bookings.PaymentFailed, bookings.Pending, bookings.PaymentFailed, nothing},
		{"pending, begun", nil, bookings.PaymentPending, bookings.Pending, bookings.PaymentPending, nothing},
		{"recorded before", func(t *testing.T, i *inn, id string) {
			_, err := i.repo.RecordPayment(t.Context(), charge(id, "ch_1", "200", bookings.Paid))
			require.NoError(t, err)
		}, bookings.Paid, bookings.Confirmed, bookings.Paid, nothing},
		{"captured before it is authorized", func(t *testing.T, i *inn, id string) {
			_, err := i.repo.ApplyPayment(t.Context(), charge(id, "ch_1", "200", bookings.Paid))
			require.NoError(t, err)
		}, bookings.Authorized, bookings.Confirmed, bookings.Paid, nothing},
		{"confirmed", confirmed, bookings.Paid, bookings.Confirmed, bookings.Paid, nothing},
		{"paid already", func(t *testing.T, i *inn, id string) {
			_, err := i.repo.ConfirmWithPayment(t.Context(), id, charge("", "ch_0", "200", bookings.Paid))
			require.NoError(t, err)
		}, bookings.Paid, bookings.Confirmed, bookings.Paid, dollarsOf("200")},
		{"cancelled", func(t *testing.T, i *inn, id string) {
			_, err := i.repo.Cancel(t.Context(), id, "")
			require.NoError(t, err)
		}, bookings.Paid, bookings.Cancelled, bookings.Paid, dollarsOf("200")},
		{"the hold has ended", func(_ *testing.T, i *inn, _ string) { i.Clock.Advance(time.Hour) },
			bookings.Paid, bookings.Pending, bookings.Paid, dollarsOf("200")},
		{"expired", func(t *testing.T, i *inn, id string) {
			i.Clock.Advance(2 * time.Hour)
			_, err := i.repo.Expire(t.Context(), id)
			require.NoError(t, err)
		}, bookings.Paid, bookings.Expired, bookings.Paid, dollarsOf("200")},
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
			if test.payment != bookings.Paid {
				return
			}
			notice.Amount, notice.Status = dollarsOf("199"), bookings.Paid
			_, err = i.repo.ApplyPayment(t.Context(), notice)
			assert.ErrorIs(t, err, bookings.ErrPaymentDiffers)
		})
	}
	_, err := i.repo.ApplyPayment(t.Context(), charge("bkg_none", "ch_1", "200", bookings.Paid))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

// A payment that contradicts a recorded one confirms nothing, nor does one that has failed since.
func TestApplyPaymentThatDoesNotConfirm(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b, err := i.repo.Create(t.Context(), bookings.Request{
		Quote: i.mustQuote(t, payStay, rooms{"a": 1}), UserID: "user_456", Guest: guest, Hold: time.Hour,
	})
	require.NoError(t, err)
	for _, p := range []bookings.Payment{charge(b.ID, "ch_1", "200", bookings.Paid), charge(b.ID, "ch_2", "200", bookings.PaymentFailed)} {
		p.At = innNoon.Add(time.Minute)
		_, err = i.repo.RecordPayment(t.Context(), p)
		require.NoError(t, err)
	}
	_, err = i.repo.ApplyPayment(t.Context(), charge(b.ID, "ch_1", "100", bookings.Paid))
	assert.ErrorIs(t, err, bookings.ErrPaymentDiffers)
	late := charge(b.ID, "ch_2", "200", bookings.Authorized)
	late.At = innNoon
	done, err := i.repo.ApplyPayment(t.Context(), late)
	require.NoError(t, err)
	assert.Equal(t, bookings.Pending, done.Booking.Status)
}
