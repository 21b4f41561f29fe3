package venue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

// A payment moves forward only, in whatever order the provider reports it.
func TestPayments(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	b := h.asked(t, ann, day, venue.Morning)
	report := func(status venue.PaymentStatus) venue.Recorded {
		t.Helper()
		got, err := h.repo.RecordPayment(ctx, venue.Payment{
			BookingID: b.ID, ID: "ch_1", Amount: dynastay.MustMoney("250.00", "EUR"), Status: status, Method: "card",
		})
		require.NoError(t, err)
		return got
	}
	for _, step := range []struct {
		report, want venue.PaymentStatus
		changed      bool
	}{
		{venue.PaymentFailed, venue.PaymentFailed, true},
		{venue.PaymentPending, venue.PaymentFailed, false},
		{venue.PaymentPaid, venue.PaymentPaid, true},
		{venue.PaymentPaid, venue.PaymentPaid, false},
		{venue.PaymentFailed, venue.PaymentPaid, false},
		{venue.PaymentRefunded, venue.PaymentRefunded, true},
		{venue.PaymentPaid, venue.PaymentRefunded, false},
	} {
		got := report(step.report)
		assert.Equal(t, step.want, got.Payment.Status, step)
		assert.Equal(t, step.changed, got.Changed, step)
	}
	cash, err := h.repo.RecordPayment(ctx, venue.Payment{
		BookingID: b.ID, ID: "ch_1", Amount: dynastay.MustMoney("250.00", "EUR"), Status: venue.PaymentRefunded, Method: "cash",
	})
	require.NoError(t, err)
	assert.False(t, cash.Changed, "the method of a status that was reported before")
	_, err = h.repo.RecordPayment(ctx, venue.Payment{
		BookingID: b.ID, ID: "ch_1", Amount: dynastay.MustMoney("25.00", "EUR"), Status: venue.PaymentPaid,
	})
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists, "another amount")
	_, err = h.repo.RecordPayment(ctx, venue.Payment{
		BookingID: "bkg_none", ID: "ch_1", Amount: dynastay.MustMoney("25.00", "EUR"), Status: venue.PaymentPaid,
	})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	payments := lists.All(t, h.repo.PaymentsOf(b.ID))
	require.Len(t, payments, 1)
	assert.Equal(t, venue.Payment{
		BookingID: b.ID, ID: "ch_1", Amount: dynastay.MustMoney("250.00", "EUR"), Status: venue.PaymentRefunded, Method: "card",
		CreatedAt: now, UpdatedAt: now, WriteID: payments[0].WriteID,
	}, *payments[0])
}

func TestForeignPayments(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	p := func(s venue.PaymentStatus) venue.Payment {
		return venue.Payment{BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("50", "EUR"), Status: s}
	}
	for _, way := range racing.Ways {
		b = h.asked(t, ann, day, venue.Morning)
		one, two := way.Meet(t, h.DB,
			func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).RecordPayment(ctx, p(venue.PaymentPending)))
			},
			func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).RecordPayment(ctx, p(venue.PaymentRefunded)))
			})
		if way.Name != "before a write that is lost" { // a first report that was lost cannot be told from a later one
			require.NoError(t, one, way.Name)
		}
		require.NoError(t, two, way.Name)
		for got, err := range h.repo.PaymentsOf(b.ID).All(t.Context()) {
			require.NoError(t, err)
			assert.Equal(t, venue.PaymentRefunded, got.Status, way.Name)
		}
	}
	// A foreign status.
	h.put(t, map[string]any{"PK": "BOOKING#" + b.ID, "SK": "PAYMENT#x", "entityType": "Payment", "paymentId": "x", "bookingId": b.ID, "amount": 50, "currency": "EUR", "status": "chargeback"})
	x := p(venue.PaymentPending)
	x.ID = "x"
	got, err := h.repo.RecordPayment(t.Context(), x)
	require.NoError(t, err)
	assert.NotEqual(t, venue.PaymentPending, got.Payment.Status, "an unknown status is overwritten by the first one")
}

// A later report without a method does not erase the method.
func TestPaymentMethod(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	p := venue.Payment{BookingID: h.asked(t, ann, day, venue.Morning).ID, ID: "p", Amount: dynastay.MustMoney("50", "EUR"), Status: venue.PaymentPaid, Method: "card"}
	_, err := h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	p.Status, p.Method = venue.PaymentRefunded, ""
	got, err := h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, "card", got.Payment.Method)
	p.ID, p.Status, p.Method = "q", venue.PaymentFailed, "card"
	_, err = h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	p.Status, p.Method = venue.PaymentPaid, "transfer"
	got, err = h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, "transfer", got.Payment.Method)
}
