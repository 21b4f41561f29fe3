package bookings_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
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
	inTwo := []bookings.Payment{charge("", "ch_2", "60", bookings.PaymentPaid), charge("", "ch_1", "140", bookings.PaymentPaid)}
	b := i.paidBooking(t, free, inTwo...)
	i.Clock.Advance(time.Second)
	done, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{pendingRefund}, dynastay.IdempotencyKey("all"))
	require.NoError(t, err)
	assert.Equal(t, []string{"re_1 ch_1 140.00 USD pending", "re_1_2 ch_2 60.00 USD pending"}, refundTexts(done.Refunds))
	assert.Equal(t, dollarsOf("0"), done.Due)
	again, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{pendingRefund}, dynastay.IdempotencyKey("all"))
	require.NoError(t, err)
	assert.Equal(t, done, again)

	i = i.next(t)
	b = i.paidBooking(t, free, inTwo...)
	named := pendingRefund
	named.ProviderTransactionID = "ch_1"
	done, err = i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{named})
	require.NoError(t, err)
	assert.Equal(t, []string{"re_1 ch_1 140.00 USD pending"}, refundTexts(done.Refunds))
	assert.Equal(t, dollarsOf("60"), done.Due)
	rest := bookings.Refund{ID: "re_2", BookingID: b.ID}
	for range 2 { // the second time, nothing is due
		recorded, err := i.repo.RefundDue(t.Context(), rest)
		require.NoError(t, err)
		assert.Equal(t, []string{"re_2 ch_2 60.00 USD refunded"}, refundTexts(recorded.Refunds))
		assert.Equal(t, dollarsOf("0"), recorded.Due)
		assert.Equal(t, bookings.PaymentRefunded, recorded.Booking.PaymentStatus)
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
		{availability.FreeCancellation(24), []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentAuthorized)}, dollarsOf("0")},
		{availability.FreeCancellation(24), []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentPaid)}, dollarsOf("200")},
		{availability.PartialRefund(50, 24), []bookings.Payment{charge("", "ch_1", "150", bookings.PaymentPaid)}, dollarsOf("50")},
		{availability.NonRefundable, []bookings.Payment{charge("", "ch_1", "210", bookings.PaymentPaid)}, dollarsOf("10")},
		{"custom_flexible", []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentAuthorized)}, dollarsOf("0")},
		{"custom_flexible", []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentPaid)}, dynastay.Money{}},
	} {
		i := i.next(t)
		b := i.paidBooking(t, test.policy, test.payments...)
		done, err := i.repo.Cancel(t.Context(), b.ID, "", nil)
		require.NoError(t, err)
		assert.Equal(t, test.due, done.Due, "%s %v", test.policy, test.payments)
		assert.Empty(t, done.Refunds)
	}
}

// Without a payment, nothing is due, unless other software says that something has been paid.
func TestDueWithoutPayments(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	nothing, unknown := dollarsOf("0"), dynastay.Money{}
	for _, test := range []struct {
		total  int
		status string // "" for none
		due    dynastay.Money
	}{
		{200, "pending", nothing}, {200, "failed", nothing}, {200, "", nothing}, {200, "paid", unknown}, {200, "refunded", unknown},
		{0, "paid", nothing}, {0, "succeeded", nothing}, {0, "pending", nothing}, {0, "authorized", unknown},
	} {
		b := i.paidBooking(t, availability.FreeCancellation(24))
		setBooking(t, i.DB, keyOf(b.ID), "TotalAmount", dynastay.Number(test.total))
		if test.status == "" {
			removeAttributes(t, i.DB, keyOf(b.ID), "PaymentStatus")
		} else {
			setBooking(t, i.DB, keyOf(b.ID), "PaymentStatus", dynastay.Text(test.status))
		}
		done, err := i.repo.Cancel(t.Context(), b.ID, "", nil)
		require.NoError(t, err)
		assert.Equal(t, test.due, done.Due, "%d %s", test.total, test.status)
	}
}

// Of a booking that takes place, only what exceeds its total is due.
func TestDueOfDeposits(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.paidBooking(t, availability.FreeCancellation(24))
	for _, step := range []struct{ amount, due string }{{"60", "0"}, {"140", "0"}, {"50", "50"}} {
		got, err := i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_"+step.amount, step.amount, bookings.PaymentPaid))
		require.NoError(t, err)
		assert.Equal(t, dollarsOf(step.due), got.Due, step.amount)
	}
}

// A refund that names no payment is for those that were paid, in the order in which they were recorded, until nothing is due.
func TestOrderOfRefunds(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	ch := func(id, amount string, status bookings.PaymentStatus) bookings.Payment {
		return charge("", id, amount, status)
	}
	for _, test := range []struct {
		name     string
		payments []bookings.Payment
		before   string // of what is refunded of ch_1 already, by other software, "" for nothing
		want     []string
	}{
		{"the first is enough", []bookings.Payment{ch("ch_2", "140", bookings.PaymentPaid), ch("ch_1", "60", bookings.PaymentPaid)}, "", []string{"re_1 ch_2 100.00 USD pending"}},
		{"the first, and a part of the second", []bookings.Payment{ch("ch_2", "60", bookings.PaymentPaid), ch("ch_1", "140", bookings.PaymentPaid)}, "",
			[]string{"re_1 ch_2 60.00 USD pending", "re_1_2 ch_1 40.00 USD pending"}},
		{"one is only authorized", []bookings.Payment{ch("ch_2", "100", bookings.PaymentAuthorized), ch("ch_1", "200", bookings.PaymentPaid), ch("ch_3", "100", bookings.PaymentAuthorized)}, "",
			[]string{"re_1 ch_1 100.00 USD pending"}},
		{"more is refunded than was paid", []bookings.Payment{ch("ch_1", "60", bookings.PaymentPaid), ch("ch_2", "140", bookings.PaymentPaid)}, "70",
			[]string{"re_0 ch_1 70.00 USD refunded", "re_1 ch_2 30.00 USD pending"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.paidBooking(t, availability.PartialRefund(50, 24))
			for _, p := range test.payments {
				p.BookingID = b.ID
				i.Clock.Advance(time.Second)
				_, err := i.repo.RecordPayment(t.Context(), p)
				require.NoError(t, err)
			}
			if test.before != "" {
				before := refundOf(b.ID, "re_0", "1", bookings.PaymentRefunded)
				before.ProviderTransactionID = "ch_1"
				_, err := i.repo.RecordRefund(t.Context(), before)
				require.NoError(t, err)
				setBooking(t, i.DB, mustKey(t, keys.Refund{BookingID: b.ID, RefundID: "re_0"}), "Amount", amountOf(dollarsOf(test.before)))
			}
			_, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{pendingRefund})
			require.NoError(t, err)
			history, err := i.repo.PaymentHistory(t.Context(), b.ID)
			require.NoError(t, err)
			assert.ElementsMatch(t, test.want, refundTexts(history.Refunds))
		})
	}
}

// A refund of what is due has no amount, and is not recorded as failed; one of a payment that was not paid is refused.
func TestRefusedRefundsOfWhatIsDue(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.paidBooking(t, availability.FreeCancellation(24), charge("", "ch_1", "200", bookings.PaymentPaid), charge("", "ch_2", "50", bookings.PaymentAuthorized))
	_, err := i.repo.RefundDue(t.Context(), refundOf(b.ID, "re_1", "1", bookings.PaymentPending))
	invalidField(t, "Amount", err)
	_, err = i.repo.RefundDue(t.Context(), bookings.Refund{BookingID: b.ID, ID: "re_1", Status: bookings.PaymentFailed})
	invalidField(t, "Status", err)
	_, err = i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re_1", ProviderTransactionID: "ch_2"}})
	assert.ErrorIs(t, err, bookings.ErrNotPaid)
	setBooking(t, i.DB, keyOf(b.ID), "Currency", dynastay.Text("EUR"))
	_, err = i.repo.RefundDue(t.Context(), bookings.Refund{BookingID: b.ID, ID: "re_1"})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt, "the payments are not in the currency that other software has given the booking")
}

// A repeated cancellation returns its own refunds, and none that has been recorded since under an id that looks like one of
// them.
func TestRefundsOfARepeatedCancellation(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, refund := range []bookings.Refund{refundOf("", "re_1", "10", ""), {ID: "re_1", ProviderTransactionID: "ch_1"}} {
		b := i.paidBooking(t, availability.PartialRefund(50, 24), charge("", "ch_1", "200", bookings.PaymentPaid))
		first, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{refund}, dynastay.IdempotencyKey(b.ID))
		require.NoError(t, err)
		require.Len(t, first.Refunds, 1)
		_, err = i.repo.RecordRefund(t.Context(), refundOf(b.ID, "re_1_2", "1", ""))
		require.NoError(t, err)
		again, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{refund}, dynastay.IdempotencyKey(b.ID))
		require.NoError(t, err)
		assert.Equal(t, first.Refunds, again.Refunds)
	}
}

// One call records as many refunds as a transaction has room for, and the next call the others.
func TestRefundsOfManyPayments(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.paidBooking(t, availability.FreeCancellation(24))
	for n := range 98 {
		_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, fmt.Sprintf("ch_%02d", n), "5", bookings.PaymentPaid))
		require.NoError(t, err)
	}
	amount := bookings.Refund{ID: "re_1", ProviderTransactionID: "ch_00", Amount: dollarsOf("5")}
	_, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{amount, {ID: "re_2"}})
	blame.As[*dynastay.TooLargeError](t, err, "beside one with an amount, none is left out")
	_, err = i.repo.Cancel(t.Context(), b.ID, "", nil)
	require.NoError(t, err)
	for _, test := range []struct {
		id  string
		n   int
		due string // afterwards
	}{{"re_a", 97, "5"}, {"re_b", 1, "0"}} {
		refund := bookings.Refund{ID: test.id, BookingID: b.ID, Status: bookings.PaymentPending}
		got, err := i.repo.RefundDue(t.Context(), refund, dynastay.IdempotencyKey(test.id))
		require.NoError(t, err)
		assert.Len(t, got.Refunds, test.n)
		assert.Equal(t, dollarsOf(test.due), got.Due)
	}
}

// A payment that arrives between the read and the write of a cancellation is refunded, or said to be due.
func TestPaymentMeetsCancellation(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, refunds := range []bool{true, false} {
		i := i.next(t)
		b := i.paidBooking(t, availability.FreeCancellation(24), charge("", "ch_1", "120", bookings.PaymentPaid))
		i.Faults.Inject(dyntest.Before(func(context.Context) {
			_, err := bookings.New(i.Direct, nil).RecordPayment(t.Context(), charge(b.ID, "ch_2", "80", bookings.PaymentPaid))
			assert.NoError(t, err)
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		if !refunds {
			done, err := i.repo.Cancel(t.Context(), b.ID, "", nil)
			require.NoError(t, err)
			assert.Equal(t, dollarsOf("200"), done.Due)
			continue
		}
		done, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{pendingRefund})
		require.NoError(t, err)
		assert.Equal(t, []string{"re_1 ch_1 120.00 USD pending", "re_1_2 ch_2 80.00 USD pending"}, refundTexts(done.Refunds))
		assert.Equal(t, dollarsOf("0"), done.Due)
	}
}

// Where the refunds do not fit beside the nights, the booking is cancelled without any, and one more call records them.
func TestRefundsThatDoNotFit(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	inns.code(t, bookings.PromoCode{Code: "TEN", Percent: 1000})
	stay := dynastay.Stay{CheckIn: innNights.CheckIn.AddDays(4), CheckOut: innNights.CheckIn.AddDays(52)}
	named := func(id, of string) bookings.Refund { return bookings.Refund{ID: id, ProviderTransactionID: of} }
	for _, test := range []struct {
		name     string
		payments int
		change   func(*testing.T, *inn, *bookings.Booking) // what other software stores
		refunds  []bookings.Refund
		fits     bool
	}{
		{"one refund", 1, nil, []bookings.Refund{pendingRefund}, true},
		{"two refunds of all payments", 2, nil, []bookings.Refund{pendingRefund}, false},
		{"two refunds of one payment each", 2, nil, []bookings.Refund{named("re_1", "ch_0"), named("re_2", "ch_1")}, false},
		{"beside a promo code", 1, func(t *testing.T, i *inn, b *bookings.Booking) {
			setBooking(t, i.DB, keyOf(b.ID), "PromoCode", dynastay.Text("TEN"))
		}, []bookings.Refund{pendingRefund}, false},
		{"beside a payment of other software", 0, func(t *testing.T, i *inn, b *bookings.Booking) {
			item := dynastay.Item{
				"EntityType": dynastay.Text("Payment"), "PaymentId": dynastay.Text("pay_1"), "BookingId": dynastay.Text(b.ID),
				"Amount": dynastay.Number(50), "Currency": dynastay.Text("USD"), "PaymentProvider": dynastay.Text("stripe"),
				"ProviderTransactionId": dynastay.Text("ch_0"), "Status": dynastay.Text("paid"), "CreatedAt": dynastay.Text("2026-06-30T09:18:00Z"),
			}
			maps.Copy(item, keys.BookingsTable.Key.Of(mustKey(t, keys.Payment{BookingID: b.ID})))
			raw.Put(t, i.DB, bookingsTable, item)
		}, []bookings.Refund{pendingRefund}, false},
		{"beside a line without rooms", 1, func(t *testing.T, i *inn, b *bookings.Booking) {
			raw.Put(t, i.DB, bookingsTable, dynastay.Item{
				"PK": dynastay.Text("BOOKING#" + b.ID), "SK": dynastay.Text("ROOM#" + i.roomType("b")), "EntityType": dynastay.Text("BookingRoom"),
				"BookingId": dynastay.Text(b.ID), "RoomTypeId": dynastay.Text(i.roomType("b")), "Quantity": dynastay.Number(0),
				"Subtotal": dynastay.Number(0), "Currency": dynastay.Text("USD"),
			})
		}, []bookings.Refund{pendingRefund}, true},
		{"beside two nights more", 1, func(t *testing.T, i *inn, b *bookings.Booking) {
			setBooking(t, i.DB, mustKey(t, keys.BookingRoom{BookingID: b.ID, RoomTypeID: i.roomType("c")}), "Quantity", dynastay.Number(0))
			setBooking(t, i.DB, keyOf(b.ID), "CheckOutDate", dynastay.Text(stay.CheckIn.AddDays(98).String()))
		}, []bookings.Refund{pendingRefund}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.longBooking(t, stay, test.payments)
			if test.change != nil {
				test.change(t, i, b)
			}
			done, err := i.repo.Cancel(t.Context(), b.ID, "", test.refunds, dynastay.IdempotencyKey(i.id))
			require.NoError(t, err)
			assert.Equal(t, bookings.Cancelled, done.Booking.Status)
			due := dollarsOf(fmt.Sprint(50 * max(1, test.payments)))
			if test.fits {
				assert.Len(t, done.Refunds, test.payments)
				assert.Zero(t, done.Due.Sign())
				return
			}
			assert.Empty(t, done.Refunds)
			assert.Equal(t, due, done.Due)
			recorded, err := i.repo.RefundDue(t.Context(), bookings.Refund{ID: "re_1", BookingID: b.ID})
			require.NoError(t, err)
			assert.Len(t, recorded.Refunds, max(1, test.payments))
			assert.Zero(t, recorded.Due.Sign())
		})
	}
	t.Run("one with an amount is not left out", func(t *testing.T) {
		i := inns.next(t)
		b := i.longBooking(t, stay, 2)
		amount := bookings.Refund{ID: "re_1", ProviderTransactionID: "ch_0", Amount: dollarsOf("10")}
		_, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{amount, {ID: "re_2"}})
		blame.As[*dynastay.TooLargeError](t, err)
		stored, err := i.repo.Get(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Equal(t, bookings.Confirmed, stored.Status)
	})
	t.Run("one that was recorded before stays as it was", func(t *testing.T) {
		i := inns.next(t)
		b := i.longBooking(t, stay, 2)
		_, err := i.repo.RecordRefund(t.Context(), bookings.Refund{
			BookingID: b.ID, ID: "re_1", ProviderTransactionID: "ch_0", Amount: dollarsOf("25"), Status: bookings.PaymentPending,
		})
		require.NoError(t, err)
		done, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re_1"}})
		require.NoError(t, err)
		assert.Equal(t, []string{"re_1 ch_0 25.00 USD pending"}, refundTexts(done.Refunds))
	})
}

// longBooking books and pays for a room of two types, with nights of its own.
func (i *inn) longBooking(t *testing.T, stay dynastay.Stay, payments int) *bookings.Booking {
	t.Helper()
	require.NoError(t, i.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for date := range stay.Dates() {
			if !yield(keys.AvailabilityTable, i.night("a", date)) || !yield(keys.AvailabilityTable, i.night("c", date)) {
				return
			}
		}
	}))
	b := i.bookUnder(t, availability.FreeCancellation(24), stay, rooms{"a": 1, "c": 1}, 0)
	require.Equal(t, 96, stay.Nights()*len(b.Lines))
	for n := range payments {
		_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, fmt.Sprint("ch_", n), "50", bookings.PaymentPaid))
		require.NoError(t, err)
	}
	return b
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
	recorded, err := i.repo.RecordPayment(t.Context(), charge(paid.ID, "ch_1", "250", bookings.PaymentPaid))
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("50"), recorded.Due, "beyond the total")
	i.Clock.Advance(time.Hour)
	done, err := i.repo.ExpireHolds(t.Context())
	require.NoError(t, err)
	assert.Len(t, done.Expired, 2)
	assert.Equal(t, map[string]dynastay.Money{paid.ID: dollarsOf("250")}, done.Due)
}
