package bookings_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// What payments, refunds and promo codes cost, for a booking of three nights and one room type. The booking's item has
// between 1 and 2 KB, those of payments less than 1 KB.
func TestCostOfPayments(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: moving()}))
	hotel, repo, ctx, costs := fixture.New(t, db.DB, 50), bookings.New(db.DB, nil), context.Background(), page.Costs{DB: db}
	_, err := repo.CreatePromoCode(ctx, bookings.PromoCode{Code: "SUMMER", Percent: 1000, Active: true})
	require.NoError(t, err)
	book := func(hold time.Duration, code string) *bookings.Booking {
		req := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
		req.UserID, req.Hold, req.PromoCode = db.NewID("user_"), hold, code
		b, err := repo.Create(ctx, req)
		require.NoError(t, err)
		return b
	}
	billed := func(b *bookings.Booking, status bookings.PaymentStatus) bookings.Payment {
		return charge(b.ID, db.NewID("ch_"), "100", status)
	}
	measure := func(what, why string, requests int, read float64, want charged, total, indexes float64, call func() error) {
		t.Helper()
		spent := db.Measure(func() { require.NoError(t, call(), what) })
		assert.Equal(t, requests, spent.Requests, what)
		assert.Equal(t, read, spent.ReadUnits, what)
		assertWritten(t, db, want, total, indexes, spent)
		costs.Add(what, why, spent.Bill())
	}
	rows := func(n float64, more charged) charged {
		all := charged{"Bookings GSI1": n, "Bookings GSI2": n, "Bookings GSI3": n, "Bookings GSI5": n}
		for at, units := range more {
			all[at] += units
		}
		return all
	}
	moved := func(more charged) charged {
		all := rows(1, more)
		all["Bookings GSI3"]++ // the row by status moves
		return all
	}
	b := book(0, "")
	first := billed(b, bookings.PaymentAuthorized)
	record := func(p bookings.Payment) func() error {
		return func() error { _, err := repo.RecordPayment(ctx, p); return err }
	}
	measure("record a payment",
		"the booking, the summary and the payment, in a transaction. One row each by user, property, status and check-in",
		2, 1, rows(1, charged{"Bookings": 4 + 2 + 2}), 12, 4, record(first))
	measure("the same notification again", "it is recognised by the read", 1, 1, charged{}, 0, 0, record(first))
	first.Status = bookings.PaymentPaid
	measure("captured", "", 2, 1, rows(1, charged{"Bookings": 4 + 2 + 2}), 12, 4, record(first))
	measure("record another payment, after which the booking's payment status is the same", "no rows",
		2, 1, charged{"Bookings": 4 + 2 + 2}, 8, 0, record(billed(b, bookings.PaymentPaid)))
	refund := refundOf(b.ID, "re_1", "10", "")
	refund.ProviderTransactionID = first.ProviderTransactionID
	measure("record a refund", "as a payment",
		2, 1, rows(1, charged{"Bookings": 4 + 2 + 2}), 12, 4, func() error { _, err := repo.RecordRefund(ctx, refund); return err })
	measure("what has been paid (B6)", "the summary",
		1, 0.5, charged{}, 0, 0, func() error { _, err := repo.Payment(ctx, b.ID); return err })
	measure("all payments and refunds", "half a unit for every 4 KB",
		1, 0.5, charged{}, 0, 0, func() error { _, err := repo.PaymentHistory(ctx, b.ID); return err })

	held := book(time.Hour, "")
	measure("confirm with a payment", "as confirm, in a transaction with the payment and the summary",
		2, 1, moved(charged{"Bookings": 4 + 2 + 2, "Bookings GSI6": 1}), 14, 6, func() error {
			_, err := repo.Confirm(ctx, held.ID, []bookings.Payment{billed(held, bookings.PaymentPaid)})
			return err
		})
	measure("cancel with a refund", "as cancel, with the refund and the summary",
		2, 1, moved(charged{"Bookings": 4 + 2 + 2, "Availability": 6, "Availability GSI1": 3}), 22, 8, func() error {
			_, err := repo.Cancel(ctx, held.ID, "", []bookings.Refund{refundOf("", "re_1", "100", "")})
			return err
		})

	var coded *bookings.Booking
	measure("create, confirmed, with a promo code",
		"the code is read, and its use counted in the transaction. The minimum is 1 request: the discount is computed from the code "+
			"as it is",
		2, 1, rows(1, charged{
			"Availability": 6, "Availability GSI1": 3, "Bookings": 4 + 2 + 2, "Bookings GSI4": 1, "Metadata": 2,
		}), 24, 8, func() error {
			coded = book(0, "SUMMER")
			return nil
		})
	measure("cancel, with a promo code", "the use is returned",
		2, 1, moved(charged{"Bookings": 4, "Availability": 6, "Availability GSI1": 3, "Metadata": 2}), 20, 8, func() error {
			_, err := repo.Cancel(ctx, coded.ID, "", nil)
			return err
		})
	costs.Section(t, "payments")
}
