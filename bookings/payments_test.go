package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

func charge(b *bookings.Booking, id, amount string, status bookings.PaymentStatus) bookings.Payment {
	return bookings.Payment{
		BookingID: b.ID, Provider: "stripe", ProviderTransactionID: id, Method: "credit_card",
		Amount: dynastay.MustMoney(amount, "USD"), Status: status, Card: bookings.Card{Brand: "visa", Last4: "4242"},
	}
}

func TestPayments(t *testing.T) {
	t.Parallel()
	inn := newInn(t)
	b := inn.book(t, dynastay.MustStay("2026-07-02", "2026-07-04"), rooms{"a": 1})
	require.Equal(t, "200.00 USD", b.Total.String())
	got, err := inn.repo.RecordPayment(t.Context(), charge(b, "ch_1", "200", bookings.Authorized))
	require.NoError(t, err)
	assert.Equal(t, bookings.Authorized, got.Booking.PaymentStatus)
	assert.Equal(t, b.Version, got.Booking.Version)
	inn.Clock.Advance(time.Minute)
	got, err = inn.repo.RecordPayment(t.Context(), charge(b, "ch_1", "200", bookings.Paid))
	require.NoError(t, err)
	assert.Equal(t, bookings.Paid, got.Booking.PaymentStatus)
	s, err := inn.repo.Payment(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, got.Payment, s)
	t.Log(s)
	r, err := inn.repo.RecordRefund(t.Context(), bookings.Refund{ID: "re_1", BookingID: b.ID, Amount: dynastay.MustMoney("50", "USD")})
	require.NoError(t, err)
	assert.Equal(t, bookings.PartiallyRefunded, r.Booking.PaymentStatus)
	_, err = inn.repo.RecordRefund(t.Context(), bookings.Refund{ID: "re_2", BookingID: b.ID, Amount: dynastay.MustMoney("150.01", "USD")})
	require.ErrorIs(t, err, bookings.ErrOverRefund)
	t.Log(err)
	h, err := inn.repo.PaymentHistory(t.Context(), b.ID)
	require.NoError(t, err)
	t.Logf("%+v", h)
}
