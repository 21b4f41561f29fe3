package bookings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// A guest who is told that there is no discount, or no discount any more, is told the truth.
func TestToldThatThereIsNoDiscount(t *testing.T) {
	t.Parallel()
	ctx, inn := t.Context(), newInn(t)
	_, err := inn.repo.CreatePromoCode(ctx, bookings.PromoCode{Code: "LONG", Amount: usd("30"), MinAmount: usd("200"), Active: true})
	require.NoError(t, err)
	stay, shorter := dynastay.MustStay("2026-07-02", "2026-07-04"), dynastay.MustStay("2026-07-02", "2026-07-03")
	q, err := availability.New(inn.DB.DB).Quote(ctx, inn.request(stay, rooms{"a": 1}))
	require.NoError(t, err)
	b, err := inn.repo.Create(ctx, bookings.Request{Quote: q, UserID: "user_1", Guest: bookings.Guest{FirstName: "A", LastName: "B", Email: "a@example.com"}, PromoCode: "long"})
	require.NoError(t, err)
	require.Equal(t, usd("30"), b.Breakdown.Discounts)

	m, err := inn.repo.QuoteModification(ctx, b.ID, inn.request(shorter, rooms{"a": 1}))
	require.NoError(t, err)
	require.Equal(t, usd("0"), m.Discounts)
	got, err := inn.repo.Modify(ctx, m)
	require.NoError(t, err)
	assert.Equal(t, usd("100"), got.Booking.Total)
	assert.Equal(t, "LONG", got.Booking.PromoCode)

	none := ""
	got, err = inn.repo.Modify(ctx, bookings.Modification{BookingID: b.ID, Version: got.Booking.Version, PromoCode: &none, Discounts: usd("0")})
	require.NoError(t, err)
	assert.Empty(t, got.Booking.PromoCode)
	assert.Equal(t, usd("0"), got.Booking.Breakdown.Discounts)
}

// What is due is what has been paid, less what is kept and less every refund that counts, once.
func TestDueAfterOtherRefunds(t *testing.T) {
	t.Parallel()
	ctx, inn := t.Context(), newInn(t)
	repo := bookings.New(inn.DB.DB, &bookings.Options{
		Terms: func(availability.CancellationPolicy) (availability.Terms, bool) {
			return availability.Terms{Percent: 100}, true
		},
	})
	b := inn.book(t, dynastay.MustStay("2026-07-02", "2026-07-04"), rooms{"a": 1})
	_, err := repo.RecordPayment(ctx, charge(b.ID, "ch_1", "200", bookings.Paid))
	require.NoError(t, err)
	earlier := bookings.Refund{ID: "re_1", BookingID: b.ID, Amount: usd("50"), Status: bookings.PaymentPending}
	_, err = repo.RecordRefund(ctx, earlier)
	require.NoError(t, err)

	earlier.Status = bookings.Refunded
	failed := bookings.Refund{ID: "re_2", BookingID: b.ID, Amount: usd("20"), Status: bookings.PaymentFailed}
	_, err = repo.RecordRefund(ctx, failed)
	require.NoError(t, err)
	c, err := dynastay.Do(ctx, inn.DB.DB, repo.CancelOp(b.ID, "", bookings.WithRefund(earlier), bookings.WithRefund(bookings.Refund{ID: "re_3"})))
	require.NoError(t, err)
	require.Len(t, c.Refunds, 2)
	assert.Equal(t, usd("150"), c.Refunds[1].Amount)
	assert.Equal(t, usd("200"), c.Payment.Refunded)
}

func TestErrorsOfARefundOfWhatIsDue(t *testing.T) {
	t.Parallel()
	ctx, inn := t.Context(), newInn(t)
	repo := bookings.New(inn.DB.DB, &bookings.Options{
		Terms: func(availability.CancellationPolicy) (availability.Terms, bool) {
			return availability.Terms{Percent: 100}, true
		},
	})
	b := inn.book(t, dynastay.MustStay("2026-07-02", "2026-07-04"), rooms{"a": 1})
	for _, id := range []string{"ch_1", "ch_2"} {
		_, err := repo.RecordPayment(ctx, charge(b.ID, id, "100", bookings.Paid))
		require.NoError(t, err)
	}
	long := strings.Repeat("r", 128) // the id of the second refund does not fit
	_, err := repo.CancelWithRefund(ctx, b.ID, "", bookings.Refund{ID: long})
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "Refunds[0].ID", invalid.Field)
}

// A repeated cancellation returns what the first one has returned.
func TestRepeatedCancellationOfAPaidBooking(t *testing.T) {
	t.Parallel()
	ctx, inn := t.Context(), newInn(t)
	b := inn.book(t, dynastay.MustStay("2026-07-02", "2026-07-04"), rooms{"a": 1})
	_, err := inn.repo.RecordPayment(ctx, charge(b.ID, "ch_1", "200", bookings.Paid))
	require.NoError(t, err)
	for range 2 {
		c, err := inn.repo.Cancel(ctx, b.ID, "", dynastay.IdempotencyKey("cancel"))
		require.NoError(t, err)
		assert.Nil(t, c.Payment)
	}
}
