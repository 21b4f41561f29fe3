package bookings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dynastay/dynastay"
)

// RefundDueOp records the refunds of what is due back to the guest of a booking, as of the write: of a cancelled
// booking what its policies say at the time of the cancellation, see [Booking.Settle]; of one whose hold has ended, all
// that has been paid; of any other, what has been paid beyond what the guests owe. It is for what [Cancellation].Due and
// [Recorded].Due say. Refund is as for [Repository.CancelOp], without an Amount; so one call refunds all payments,
// unless it names one. If there are so many payments that their refunds do not fit into one transaction, it records
// those that do.
//
// [Recorded].Refunds are those that were recorded, or had been recorded by an earlier call with the same id: pass those
// that are pending to the provider. If nothing is due, nothing is written.
//
// It fails with the errors of [Repository.RecordRefundOp] and of [Booking.Settle], and with [dynastay.ErrCorrupt] if
// other software has not stored clearly what has been paid. If more has become due since an earlier call, the refund
// needs another ID; otherwise RefundDueOp fails with [ErrPaymentDiffers].
func (r *Repository) RefundDueOp(refund Refund) *dynastay.Operation[Recorded] {
	invalid := refund.validate()
	switch {
	case invalid != nil:
	case refund.Amount.IsSet():
		invalid = dynastay.Invalid("Amount", "must be empty: record a refund of an amount with RecordRefund")
	case refund.Status == PaymentFailed:
		invalid = dynastay.Invalid("Status", "must be one of pending, refunded")
	}
	return r.recordOp(recording{
		name: "bookings.RefundDue", bookingID: refund.BookingID, invalid: invalid, agreed: refund.agreed, refunds: []Refund{refund},
		record: func(a *account, b *Booking) error {
			_, err := r.refundAll(a, b, []Refund{refund}, mostRecorded-a.adopted)
			return err
		},
	})
}

// RefundDue runs [Repository.RefundDueOp]. 2 requests: a consistent Query of the booking, and the transaction; 1 if
// nothing is due.
func (r *Repository) RefundDue(ctx context.Context, refund Refund, opts ...dynastay.WriteOption) (Recorded, error) {
	return dynastay.Do(ctx, r.db, r.RefundDueOp(refund), opts...)
}

// mostRecorded is the number of refunds that one transaction can record: with the booking, the summary of the payments
// and an idempotency key, it has 100 actions.
const mostRecorded = 97

// due returns what is to be refunded of what has been paid for a booking, at least 0. It is the zero Money if the total
// is unknown.
func (r *Repository) due(a *account, b *Booking) (due dynastay.Money, err error) {
	nothing, err := b.Total.Times(0)
	if err != nil {
		return due, err
	}
	if len(a.payments) == 0 {
		switch b.PaymentStatus.normal() {
		case b.unpaid(), PaymentPending, PaymentFailed, "":
			return nothing, nil
		}
		return due, a.corrupt(errNoPayments)
	}
	if err := a.understood(); err != nil {
		return due, err
	}
	now, err := a.summary(b.Total)
	if err != nil {
		return due, err
	}
	paid, err := now.Paid.Sub(now.Refunded)
	switch {
	case err != nil:
		return due, a.corrupt(err)
	case paid.Sign() <= 0: // other software may have refunded more than was paid
		return nothing, nil
	case b.lapsed(r.db.Now()) || b.Status == Expired:
		return paid, nil
	case b.Status != Cancelled:
		owed, err := b.owed()
		if err != nil {
			return due, err
		}
		more, err := paid.Sub(owed)
		switch {
		case err != nil: // other software has changed the currency
			return due, a.corrupt(err)
		case !b.Total.IsSet() || more.Sign() < 0:
			return nothing, nil
		}
		return more, nil
	}
	settled, err := b.Settle(paid, b.CancelledAt, r.opts.Terms)
	if errors.Is(err, dynastay.ErrInvalid) {
		err = a.corrupt(err) // what has been paid is not an argument of the caller
	}
	return settled.Refund, err
}

var errNoPayments = errors.New("the booking has a payment status, but no payments")

// dueNow is due for a result. It is the zero Money if it cannot be computed: that must not keep anybody from cancelling
// a booking, or from recording a payment.
func (r *Repository) dueNow(a *account, b *Booking) dynastay.Money {
	due, err := r.due(a, b)
	if err != nil {
		return dynastay.Money{}
	}
	return due
}

// dueOf is dueNow for what was read.
func (r *Repository) dueOf(rows stored, b *Booking) dynastay.Money {
	a, err := rows.account(b.ID, b.Total.Currency())
	if err != nil {
		return dynastay.Money{}
	}
	return r.dueNow(a, b)
}

// refundAll records refunds; one without an amount is for what is due. If more than room are due, it records only so
// many of them, and reports that they do not fit.
func (r *Repository) refundAll(a *account, b *Booking, refunds []Refund, room int) (fits bool, err error) {
	fits = true
	for i, refund := range refunds {
		parts := []Refund{refund}
		if !refund.Amount.IsSet() {
			due, err := r.due(a, b)
			if err != nil {
				return fits, err
			}
			if parts, err = a.shares(refund, due); err != nil {
				return fits, dynastay.Within(fmt.Sprintf("Refunds[%d]", i), err)
			}
			if len(parts) > room {
				parts, fits = parts[:max(0, room)], false
			}
		}
		room -= len(parts)
		for _, part := range parts {
			if err := r.ledger.refund(a, b, part); err != nil {
				return fits, dynastay.Within(fmt.Sprintf("Refunds[%d]", i), err)
			}
		}
	}
	return fits, nil
}

// shares returns a refund that has no amount with one: what is due, but at most what is left of its payment. If it names
// no payment, it becomes one refund of each, until nothing is due any more.
func (a *account) shares(refund Refund, due dynastay.Money) (parts []Refund, err error) {
	if due.Sign() <= 0 {
		return nil, nil
	}
	of := []string{refund.ProviderTransactionID}
	if of[0] == "" {
		of = a.paid()
	}
	for _, transactionID := range of {
		left, err := a.left(transactionID)
		switch {
		case err != nil:
			return nil, err
		case !left.IsSet():
			return nil, a.fail(refund.ID, ErrNotPaid)
		case left.Sign() <= 0 || due.Sign() <= 0:
			continue
		}
		part := refund
		part.ID, part.ProviderTransactionID, part.Amount = partID(refund.ID, len(parts)), transactionID, due
		if more, err := due.Compare(left); err != nil || more > 0 {
			part.Amount = left
		}
		if err := part.validate(); err != nil {
			return nil, err
		}
		if due, err = due.Sub(part.Amount); err != nil {
			return nil, a.corrupt(err)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// partID returns the id of one of the refunds that a refund of all payments becomes.
func partID(id string, i int) string {
	if i == 0 {
		return id
	}
	return fmt.Sprintf("%s_%d", id, i+1)
}

// paid returns the provider's ids of the payments that have been made, in the order in which they were recorded.
func (a *account) paid() (ids []string) {
	made := slices.DeleteFunc(slices.Clone(a.payments), func(p Payment) bool { return p.Status != PaymentPaid })
	slices.SortStableFunc(made, func(p, other Payment) int { return p.CreatedAt.Compare(other.CreatedAt) })
	for _, p := range made {
		ids = append(ids, p.ProviderTransactionID)
	}
	return ids
}

// recordedOf returns what has been recorded of some refunds.
func (a *account) recordedOf(refunds []Refund) (all []Refund) {
	for _, refund := range refunds {
		whole := !refund.Amount.IsSet() && refund.ProviderTransactionID == ""
		for n := 0; n == 0 || whole; n++ {
			i := a.refunded(partID(refund.ID, n))
			if i < 0 {
				break
			}
			all = append(all, a.refunds[i])
		}
	}
	return all
}

// refundDue records the refunds of a cancellation. Those of what is due are recorded only if all of them fit into the
// transaction that also returns the rooms.
func (r *Repository) refundDue(a *account, b *Booking, refunds []Refund) error {
	room := mostReturned - b.Stay.Nights()*len(b.taken()) - 2 - a.adopted // the summary, and an idempotency key
	if b.PromoCode != "" {
		room--
	}
	before := *a
	before.refunds = slices.Clone(a.refunds)
	explicit := slices.ContainsFunc(refunds, func(refund Refund) bool { return refund.Amount.IsSet() })
	if explicit {
		room = math.MaxInt // nothing is left out: what does not fit is refused by the write
	}
	fits, err := r.refundAll(a, b, refunds, room)
	if err == nil && !fits {
		*a = before
	}
	return err
}
