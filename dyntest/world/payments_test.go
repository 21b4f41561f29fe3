package world

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/card"
	"github.com/dynastay/dynastay/keys"
)

// paymentsOf reads what is stored about the payments of a booking; ok is false if there is nothing.
func paymentsOf(t testing.TB, db *dynastay.DB, id string) (p Payments, ok bool) {
	t.Helper()
	repo := bookings.New(db, nil)
	var err error
	if p.Summary, err = repo.Payment(t.Context(), id); errors.Is(err, dynastay.ErrNotFound) {
		return Payments{}, false
	}
	require.NoError(t, err)
	p.History, err = repo.PaymentHistory(t.Context(), id)
	require.NoError(t, err)
	return p, true
}

// payments are the items of what is recorded about the payments of a booking.
func (l *ledger) payments(id string, p Payments) {
	s := keys.BookingsTable
	l.add(s, l.key(keys.Of(keys.Payment{BookingID: id})), rowsOf{})
	for _, payment := range p.History.Payments {
		l.add(s, l.key(keys.Of(keys.PaymentAttempt{
			BookingID: id, ProviderTransactionID: payment.ProviderTransactionID,
		})), rowsOf{})
	}
	for _, refund := range p.History.Refunds {
		l.add(s, l.key(keys.Of(keys.Refund{BookingID: id, RefundID: refund.ID})), rowsOf{})
	}
}

// sum adds amounts, of which there may be none.
func sum(t testing.TB, none dynastay.Money, amounts ...dynastay.Money) dynastay.Money {
	t.Helper()
	total, err := none.Times(0)
	for _, amount := range amounts {
		require.NoError(t, err)
		total, err = total.Add(amount)
	}
	require.NoError(t, err)
	return total
}

// checkPayments checks that the payments of a booking add up, that its status follows from them, and that they agree
// with its life.
func checkPayments(t testing.TB, w *World, b *bookings.Booking, p Payments, recorded bool) {
	t.Helper()
	checkDue(t, b, p.Summary)
	if !recorded {
		assert.Equal(t, bookings.PaymentPending, b.PaymentStatus, b.ID)
		assert.False(t, live(b), "%s is %s and has no payment", b.ID, b.Status)
		return
	}
	assert.NotEqual(t, bookings.Expired, b.Status, b.ID)
	var paid, authorized, refunded []dynastay.Money
	of, before := map[bookings.PaymentStatus]int{}, b.CreatedAt
	transactions := map[string]bookings.Payment{}
	for n, payment := range p.History.Payments {
		checkPayment(t, w, b, payment, n+1)
		assert.Greater(t, payment.CreatedAt, before, "%s: payments follow each other", b.ID)
		before = payment.CreatedAt
		transactions[payment.ProviderTransactionID] = payment
		of[payment.Status]++
		switch payment.Status {
		case bookings.PaymentPaid:
			paid = append(paid, payment.Amount)
		case bookings.PaymentAuthorized:
			authorized = append(authorized, payment.Amount)
		}
	}
	assert.Len(t, transactions, len(p.History.Payments), b.ID)
	for _, refund := range p.History.Refunds {
		refunded = append(refunded, refund.Amount)
		of[refund.Status]++
		assert.Equal(t, bookings.Cancelled, b.Status, b.ID)
		assert.Equal(t, bookings.PaymentPaid, transactions[refund.ProviderTransactionID].Status, b.ID)
		assert.Equal(t, []any{refundID(b.ID), b.CancellationReason}, []any{refund.ID, refund.Reason})
		assert.Equal(t, b.CancelledAt.Truncate(time.Millisecond), refund.CreatedAt, b.ID)
		assert.WithinRange(t, refund.At, refund.CreatedAt, w.Now())
		assert.LessOrEqual(t, refund.At.Sub(refund.CreatedAt), 72*time.Hour)
		assert.Equal(t, refund.Status == bookings.PaymentPending, refund.At.Equal(refund.CreatedAt), b.ID)
	}
	got := sum(t, b.Total, paid...)
	assert.Equal(t, got, p.Summary.Paid, b.ID)
	assert.Equal(t, sum(t, b.Total, authorized...), p.Summary.Authorized, b.ID)
	assert.Equal(t, sum(t, b.Total, refunded...), p.Summary.Refunded, b.ID)
	if b.Status == bookings.Cancelled {
		due, err := b.Settle(got, b.CancelledAt, bookingOptions.Terms)
		require.NoError(t, err)
		assert.Equal(t, due.Refund, p.Summary.Refunded, b.ID)
		assert.Zero(t, of[bookings.PaymentAuthorized], "%s is cancelled and its authorization is not released", b.ID)
	}
	assert.Equal(t, b.PaymentStatus, p.Summary.Status, b.ID)
	assert.Equal(t, statusOf(t, b, p, of), b.PaymentStatus, "%s: %+v", b.ID, p.History)
	if b.Status == bookings.Pending {
		assert.Zero(t, of[bookings.PaymentPaid]+of[bookings.PaymentAuthorized], "%s is held", b.ID)
	} else if live(b) {
		assert.Positive(t, of[bookings.PaymentPaid]+of[bookings.PaymentAuthorized], b.ID)
	}
	if b.Status == bookings.Completed {
		assert.Equal(t, bookings.PaymentPaid, b.PaymentStatus, b.ID)
		for _, payment := range p.History.Payments {
			assert.False(t, payment.At.After(b.CheckedOutAt), "%s is paid after the departure", b.ID)
		}
	}
	if b.Status == bookings.CheckedIn {
		assert.Contains(t, []bookings.PaymentStatus{bookings.PaymentPaid, bookings.PaymentAuthorized}, b.PaymentStatus, b.ID)
	}
}

// checkPayment checks the n-th payment of a booking.
func checkPayment(t testing.TB, w *World, b *bookings.Booking, p bookings.Payment, n int) {
	t.Helper()
	assert.Equal(t, []any{paymentID(b.ID, n), b.ID, b.Total.Currency()}, []any{p.ID, p.BookingID, p.Amount.Currency()})
	assert.WithinRange(t, p.CreatedAt, b.CreatedAt.Add(5*time.Second), w.Now())
	assert.WithinRange(t, p.At, p.CreatedAt, w.Now())
	assert.Equal(t, p.Status == bookings.PaymentFailed, p.FailureReason != "", b.ID)
	if p.FailureReason == releasedReason {
		assert.WithinRange(t, p.At, b.CancelledAt.Add(time.Second), b.CancelledAt.Add(5*time.Minute))
		assert.True(t, p.CreatedAt.Before(b.CancelledAt), b.ID)
	} else if !b.CancelledAt.IsZero() {
		assert.True(t, p.At.Before(b.CancelledAt), "%s: %s is after the cancellation", b.ID, p.ID)
	}
	assert.Equal(t, strings.HasSuffix(p.Method, "_card"), p.Card != bookings.Card{}, "%s: %+v", b.ID, p)
	assert.Equal(t, p.Card.Brand != "", p.Card.Last4 != "")
	assert.NoError(t, card.Check(p.ID+" "+p.ProviderTransactionID), b.ID)
	assert.Equal(t, p.Status == bookings.PaymentPending, p.Method == "bank_transfer", "%s: %s", b.ID, p.Status)
}

// statusOf returns the payment status that follows from the numbers of payments and refunds by status.
func statusOf(t testing.TB, b *bookings.Booking, p Payments, of map[bookings.PaymentStatus]int) bookings.PaymentStatus {
	t.Helper()
	missing, err := b.Total.Sub(p.Summary.Paid)
	require.NoError(t, err)
	left, err := p.Summary.Paid.Sub(p.Summary.Refunded)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, missing.Sign(), 0, "%s is paid twice", b.ID)
	assert.GreaterOrEqual(t, left.Sign(), 0, "%s is refunded twice", b.ID)
	switch {
	case len(p.History.Refunds) > 0 && left.Sign() == 0:
		return bookings.PaymentRefunded
	case len(p.History.Refunds) > 0:
		return bookings.PaymentPartiallyRefunded
	case missing.Sign() == 0:
		return bookings.PaymentPaid
	case of[bookings.PaymentAuthorized] > 0:
		return bookings.PaymentAuthorized
	case of[bookings.PaymentPaid] == 0 && of[bookings.PaymentPending] == 0:
		return bookings.PaymentFailed
	}
	return bookings.PaymentPending
}

// The payments of a world that is large enough to show the shares.
func TestPayments(t *testing.T) {
	t.Parallel()
	w, sample := typical()
	of, methods, brands, reasons := map[bookings.PaymentStatus]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	confirmed, held, declined, failedFirst, deposits, rests, partly, unpaid, pendingRefunds, all := 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	for _, h := range sample {
		for _, b := range h.Bookings {
			p, ok := h.Payments[b.ID]
			checkPayments(t, w, b, p, ok)
			all++
			for _, payment := range p.History.Payments {
				methods[payment.Provider+" "+payment.Method]++
				brands[payment.Card.Brand]++
				reasons[payment.FailureReason]++
			}
			for _, refund := range p.History.Refunds {
				if refund.Status == bookings.PaymentPending {
					pendingRefunds++
					assert.Less(t, w.Now().Sub(refund.CreatedAt), 72*time.Hour, "the provider reports it within three days")
				}
			}
			switch b.Status {
			case bookings.Pending:
				held++
				if b.PaymentStatus == bookings.PaymentFailed {
					declined++
				}
			case bookings.Confirmed:
				confirmed++
				of[b.PaymentStatus]++
				if p.History.Payments[0].Status == bookings.PaymentFailed {
					failedFirst++
				}
				if b.PaymentStatus == bookings.PaymentPending {
					deposits++
					share, err := b.Total.Portion(30, 100)
					require.NoError(t, err)
					assert.Equal(t, share, p.Summary.Paid, b.ID)
				}
			case bookings.CheckedIn:
				if last := p.History.Payments[len(p.History.Payments)-1]; last.Amount != b.Total {
					rests++
					assert.Equal(t, b.CheckedInAt, last.At, "the rest is paid on arrival")
					assert.Equal(t, bookings.PaymentPaid, b.PaymentStatus)
				}
			case bookings.Cancelled:
				if !ok {
					unpaid++
				}
				if b.PaymentStatus == bookings.PaymentPartiallyRefunded {
					partly++
				}
			}
		}
	}
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"paid":             {74, percent(of[bookings.PaymentPaid], confirmed), 3},
		"a deposit":        {15, percent(deposits, confirmed), 2.5},
		"authorized":       {11, percent(of[bookings.PaymentAuthorized], confirmed), 2.5},
		"failed before":    {9, percent(failedFirst, confirmed), 2},
		"declined, held":   {30, percent(declined, held), 17},
		"cancelled unpaid": {0, percent(unpaid, all), 0.5},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	assert.Len(t, of, 3, "the payment statuses of confirmed bookings")
	assert.Len(t, methods, 6)
	assert.Len(t, brands, 5, "and none")
	assert.Len(t, reasons, 6, "four of declined payments, one of released ones, and none")
	for name, n := range map[string]int{"rests": rests, "partial refunds": partly, "pending refunds": pendingRefunds} {
		assert.Positive(t, n, name)
	}
}

// Ids of providers never have two digits next to each other, so no number is longer.
func TestTransactionIDs(t *testing.T) {
	t.Parallel()
	d, seen := New(Options{}).dice(forPayments, 0), map[string]bool{}
	for range 1000 {
		id := transactionID(d, 16)
		assert.Regexp(t, "^[A-Z2-9]{16}$", id)
		assert.NotRegexp(t, "[0-9]{2}", id)
		seen[id] = true
	}
	assert.Len(t, seen, 1000)
}

// An authorization is released after the cancellation, and what was not made before it is not made at all.
func TestCancellationEndsPayments(t *testing.T) {
	t.Parallel()
	w := New(Options{})
	d, made := w.dice(forPayments, 1), w.opts.Today.AddDays(-9).Time()
	c := newCharge(d, 1, whole, allMeans[0].value)
	s := sale{made: made, moved: made.Add(time.Hour), status: bookings.Cancelled}
	s.notify(made.Add(time.Hour-1), c, bookings.PaymentAuthorized)
	s.notify(made.Add(time.Hour), c, bookings.PaymentPaid)
	s.undo(d, w.Now())
	require.Len(t, s.notices, 2)
	assert.Equal(t, []any{bookings.PaymentAuthorized, bookings.PaymentFailed}, []any{s.notices[0].status, s.notices[1].status})
	assert.Equal(t, c, s.notices[1].charge)
	assert.Zero(t, s.refunded)

	s.notices[0].status = bookings.PaymentPaid
	s.notices = s.notices[:1]
	s.undo(d, w.Now())
	assert.WithinRange(t, s.refunded, s.moved.Add(time.Minute), s.moved.Add(72*time.Hour))
	s.refunded = time.Time{}
	s.undo(d, s.moved.Add(time.Second))
	assert.Zero(t, s.refunded, "the refund is not reported yet")
}
