package bookings_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// putSummary stores a summary as other software may have, for a booking of 200 dollars with free cancellation, which is
// paid according to its own item. A nil value leaves the attribute out.
func (i *inn) putSummary(t *testing.T, change dynastay.Item) *bookings.Booking {
	t.Helper()
	b := i.paidBooking(t, availability.FreeCancellation(24))
	setBooking(t, i.DB, keyOf(b.ID), "PaymentStatus", dynastay.Text("paid"))
	item := dynastay.Item{
		"EntityType": dynastay.Text("Payment"), "PaymentId": dynastay.Text("pay_1"), "BookingId": dynastay.Text(b.ID),
		"Amount": dynastay.Number(200), "Currency": dynastay.Text("USD"), "PaymentProvider": dynastay.Text("stripe"),
		"ProviderTransactionId": dynastay.Text("ch_1"), "Status": dynastay.Text("succeeded"), "CreatedAt": dynastay.Text("2026-06-30T09:18:00Z"),
	}
	for name, v := range change {
		if item[name] = v; v == nil {
			delete(item, name)
		}
	}
	for name, v := range keys.BookingsTable.Key.Of(mustKey(t, keys.Payment{BookingID: b.ID})) {
		item[name] = v
	}
	raw.Put(t, i.DB, bookingsTable, item)
	return b
}

// Whatever other software has stored, a notification of its payment is recorded, and not counted twice; the status of
// the booking stays while it is not clear what has been paid; and a cancellation refunds what is due, or nothing is
// changed.
func TestUnclearPaymentsOfOtherSoftware(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	const corrupt = "corrupt"
	for name, test := range map[string]struct {
		change dynastay.Item
		due    string // what a cancellation refunds
	}{
		"no provider":              {dynastay.Item{"PaymentProvider": nil}, "200"},
		"no currency":              {dynastay.Item{"Currency": nil}, "200"},
		"no booking":               {dynastay.Item{"BookingId": nil}, "200"},
		"no id of the provider":    {dynastay.Item{"ProviderTransactionId": nil}, "200"},
		"an id that is no key":     {dynastay.Item{"ProviderTransactionId": dynastay.Text("")}, "200"},
		"no amount":                {dynastay.Item{"Amount": nil}, corrupt},
		"another status":           {dynastay.Item{"Status": dynastay.Text("captured")}, corrupt},
		"no status":                {dynastay.Item{"Status": &types.AttributeValueMemberNULL{Value: true}}, corrupt},
		"refunded, but how much":   {dynastay.Item{"Status": dynastay.Text("partially_refunded")}, corrupt},
		"more refunded than paid":  {dynastay.Item{"RefundAmount": dynastay.Number(300)}, ""},
		"fractions of a cent":      {dynastay.Item{"RefundAmount": &types.AttributeValueMemberN{Value: "0.001"}}, corrupt},
		"refunded, without saying": {dynastay.Item{"Status": dynastay.Text("refunded")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			i := i.next(t)
			b := i.putSummary(t, test.change)
			longer := dynastay.MustStay("2026-07-05", "2026-07-08")
			m := i.quote(t, b.ID, longer, rooms{"a": 1})
			m.Quote.Lines[0].CancellationPolicy = availability.FreeCancellation(24)
			modified, err := i.repo.Modify(t.Context(), m)
			require.NoError(t, err)
			if test.due == corrupt && name != "fractions of a cent" {
				assert.Equal(t, bookings.PaymentPaid, modified.Booking.PaymentStatus, "as it was")
			}

			cancelled, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re_1"}})
			switch {
			case test.due == corrupt:
				require.ErrorIs(t, err, dynastay.ErrCorrupt)
				assert.False(t, errors.Is(err, dynastay.ErrInvalid))
				now, err := i.repo.Get(t.Context(), b.ID)
				require.NoError(t, err)
				assert.Equal(t, bookings.Confirmed, now.Status)
			case test.due == "":
				require.NoError(t, err)
				assert.Empty(t, cancelled.Refunds)
			default:
				require.NoError(t, err)
				require.Len(t, cancelled.Refunds, 1)
				assert.Equal(t, dollarsOf(test.due), cancelled.Refunds[0].Amount)
			}

			again := i.putSummary(t, test.change)
			got, err := i.repo.RecordPayment(t.Context(), charge(again.ID, "ch_1", "200", bookings.PaymentPaid))
			require.NoError(t, err)
			assert.Equal(t, dollarsOf("200"), got.Payment.Paid)
		})
	}
	none := i.paidBooking(t, availability.FreeCancellation(24))
	setBooking(t, i.DB, keyOf(none.ID), "PaymentStatus", dynastay.Text("paid"))
	_, err := i.repo.Cancel(t.Context(), none.ID, "", []bookings.Refund{{ID: "re_1"}})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt, "it is paid, but nothing says how")
	_, err = i.repo.Cancel(t.Context(), none.ID, "", nil)
	assert.NoError(t, err)
}

// Without a total, nothing says that a booking is paid but a payment.
func TestPaymentsOfABookingWithoutTotal(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, payStay, rooms{"a": 1})
	removeAttributes(t, i.DB, keyOf(b.ID), "TotalAmount", "Currency")
	setBooking(t, i.DB, keyOf(b.ID), "PaymentStatus", dynastay.Text("paid"))
	_, err := i.repo.RefundDue(t.Context(), bookings.Refund{BookingID: b.ID, ID: "re_1"})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	for n, step := range []struct{ status, want bookings.PaymentStatus }{
		{bookings.PaymentPending, bookings.PaymentPending}, {bookings.PaymentFailed, bookings.PaymentFailed}, {bookings.PaymentPaid, bookings.PaymentPaid},
	} {
		p := charge(b.ID, "ch_1", "200", step.status)
		p.At = innNoon.Add(time.Duration(n) * time.Second)
		got, err := i.repo.RecordPayment(t.Context(), p)
		require.NoError(t, err)
		assert.Equal(t, step.want, got.Booking.PaymentStatus)
		assert.Equal(t, dynastay.Money{}, got.Due, "nobody knows")
	}
}

// An id is the same however it is spelled, and one of a provider is refused only if it may be the number of a card.
func TestIDsOfProviders(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, payStay, rooms{"a": 1})
	for _, id := range []string{"é_1", " é_1 ", "e\u0301_1"} {
		got, err := i.repo.RecordPayment(t.Context(), charge(b.ID, id, "200", bookings.PaymentPaid))
		require.NoError(t, err)
		assert.Equal(t, dollarsOf("200"), got.Payment.Paid)
		refund := refundOf(b.ID, "re_"+fmt.Sprint(len(id)), "1", "")
		refund.ProviderTransactionID = id
		_, err = i.repo.RecordRefund(t.Context(), refund)
		require.NoError(t, err)
	}
	for _, id := range []string{"ch_4242424242424242", "8200001234567898x"} {
		_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, id, "1", bookings.PaymentPaid))
		assert.NoError(t, err)
	}
}
