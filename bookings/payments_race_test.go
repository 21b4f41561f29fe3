package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

// 32 providers report different payments of one booking at once, each twice, through two processes: none is lost.
func TestPaymentsAtOnce(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, payStay, rooms{"a": 1})
	patient := dynastay.Options{Retry: dynastay.Retry{Attempts: 200}}
	repos := []*bookings.Repository{bookings.New(i.Open(&patient), nil), bookings.New(i.Open(&patient), nil)}
	i.Faults.Conflicts(time.Millisecond)
	const payments = 32
	racing.Together(2*payments, func(n int) {
		p := charge(b.ID, fmt.Sprintf("ch_%d", n/2), "10", bookings.PaymentPaid)
		p.At = innNoon.Add(time.Duration(n/2) * time.Second)
		_, err := repos[n%2].RecordPayment(context.Background(), p)
		assert.NoError(t, err)
	})
	racing.Together(2*payments, func(n int) {
		r := refundOf(b.ID, fmt.Sprintf("re_%d", n), "6", "")
		r.ProviderTransactionID = fmt.Sprintf("ch_%d", n/2)
		_, err := repos[n%2].RecordRefund(context.Background(), r)
		if !errors.Is(err, bookings.ErrOverRefund) { // the second one of each payment
			assert.NoError(t, err)
		}
	})
	s, err := i.repo.Payment(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Money{dollarsOf("320"), dollarsOf("192")}, []dynastay.Money{s.Paid, s.Refunded})
	h, err := i.repo.PaymentHistory(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Len(t, h.Payments, payments)
	assert.Len(t, h.Refunds, payments)
}

// A payment and a modification that meet: neither of them alone makes the booking paid, but both together do.
func TestPaymentMeetsModification(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, first := range []string{"payment", "modification"} {
		i := i.next(t)
		b := i.book(t, dynastay.MustStay("2026-07-05", "2026-07-08"), rooms{"a": 1})
		_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "150", bookings.PaymentPaid))
		require.NoError(t, err)
		m := i.quote(t, b.ID, payStay, rooms{"a": 1})
		calls := map[string]func(*bookings.Repository) error{
			"payment": func(repo *bookings.Repository) error {
				_, err := repo.RecordPayment(context.Background(), charge(b.ID, "ch_2", "50", bookings.PaymentPaid))
				return err
			},
			"modification": func(repo *bookings.Repository) error {
				_, err := repo.Modify(context.Background(), m)
				return err
			},
		}
		other := map[string]string{"payment": "modification", "modification": "payment"}[first]
		i.Faults.Inject(dyntest.Before(func(context.Context) { // between the read and the write
			assert.NoError(t, calls[other](bookings.New(i.Direct, nil)))
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		require.NoError(t, calls[first](i.repo), first)
		assert.Equal(t, [3]bookings.PaymentStatus{bookings.PaymentPaid, bookings.PaymentPaid, bookings.PaymentPaid}, i.paymentStatuses(t, b.ID), first)
	}
}
