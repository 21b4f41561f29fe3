package bookings_test

import (
	"testing"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A confirmation with a payment is one transaction: of two, one succeeds, and its payment is recorded.
func TestConfirmWithPayment(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	hold := func() *bookings.Booking {
		b, err := i.repo.Create(t.Context(), bookings.Request{
			Quote: i.mustQuote(t, payStay, rooms{"a": 1}), UserID: "user_456", Guest: guest, Hold: time.Hour,
		})
		require.NoError(t, err)
		return b
	}
	b := hold()
	spent := i.Measure(func() {
		got, err := i.repo.Confirm(t.Context(), b.ID, []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentPaid)})
		require.NoError(t, err)
		assert.Equal(t, []any{bookings.Confirmed, bookings.PaymentPaid}, []any{got.Status, got.PaymentStatus})
		assert.Equal(t, b.Version+1, got.Version)
	})
	assert.Equal(t, 2, spent.Requests)
	assert.Equal(t, [3]bookings.PaymentStatus{bookings.PaymentPaid, bookings.PaymentPaid, bookings.PaymentPaid}, i.paymentStatuses(t, b.ID))
	_, err := i.repo.Confirm(t.Context(), b.ID, []bookings.Payment{charge("", "ch_2", "200", bookings.PaymentPaid)})
	blame.As[*bookings.StatusError](t, err)
	h, err := i.repo.PaymentHistory(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Len(t, h.Payments, 1)

	twice := hold()
	payments := []bookings.Payment{charge(twice.ID, "ch_1", "50", bookings.PaymentPaid), charge("", "ch_2", "150", bookings.PaymentAuthorized)}
	done, err := i.repo.Confirm(t.Context(), twice.ID, payments)
	require.NoError(t, err)
	assert.Empty(t, payments[1].BookingID, "the caller's slice stays as it is")
	assert.Equal(t, bookings.PaymentAuthorized, done.PaymentStatus)
	s, err := i.repo.Payment(t.Context(), twice.ID)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Money{dollarsOf("50"), dollarsOf("150")}, []dynastay.Money{s.Paid, s.Authorized})
}
