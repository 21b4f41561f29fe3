package bookings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// CancelOption is an option of [Repository.CancelOp].
type CancelOption func(*cancellation)

type cancellation struct{ refunds []Refund }

// WithRefund also records a refund, in the same transaction, as [Repository.RecordRefundOp] does. Refund.BookingID may
// be empty. A Refund without an Amount is for what is due by the policies at the time of the cancellation, see
// [Booking.Settle], but at most what is left of its payment; if nothing is due, none is recorded. The option may be
// repeated if there are several payments: what is due is then refunded in the order of the options.
//
// Record the refund as [PaymentPending], pass its id and the amount in [Cancellation].Refunds to the provider, and
// record the outcome with [Repository.RecordRefund].
func WithRefund(refund Refund) CancelOption {
	return func(c *cancellation) { c.refunds = append(c.refunds, refund) }
}

// cancellable are the statuses from which a booking can be cancelled.
var cancellable = []Status{Pending, Confirmed}

// CancelOp cancels a pending or confirmed booking and returns its rooms and the use of its promo code. The update of
// the booking is conditional on its status, in the same transaction, so the rooms are returned exactly once, however
// many callers cancel the booking. It is possible until the date of check-out at the property, as long as the guests
// have not checked in. Otherwise, CancelOp fails with a [*StateError], which matches [ErrTooLate] once the stay is
// over; if the booking does not exist, with [dynastay.ErrNotFound]. A replay with an idempotency key returns no Missing
// nights; only the first call returns them. The reason has at most [entity.MaxNote] bytes, and must not
// contain card data, see [Request]. It is not stored in an anonymised booking, see [Eraser].
//
// With [WithRefund], it also fails with the errors of [Repository.RecordRefundOp] and of [Booking.Settle], and with
// [dynastay.ErrCorrupt] if other software has not stored clearly what has been paid; the booking is then not cancelled.
func (r *Repository) CancelOp(bookingID, reason string, opts ...CancelOption) *dynastay.Operation[Cancellation] {
	var c cancellation
	for _, option := range opts {
		option(&c)
	}
	cancel := move{
		"bookings.Cancel", "cancel", cancellable, notOver,
		func(b *Booking, now time.Time) {
			b.Status, b.CancelledAt = Cancelled, now
			if !b.anonymised() {
				b.CancellationReason = reason
			}
		},
	}
	invalid := cmp.Or(dynastay.Within("Reason", checkText(reason, entity.MaxNote)), c.validate(bookingID))
	op := giveBack{move: cancel, invalid: invalid, input: func(in *dynastay.Input) {
		in.Field("reason", reason)
		for _, refund := range c.refunds {
			refund.agreed(in)
		}
	}}
	for _, refund := range c.refunds {
		op.refunds = append(op.refunds, refund.ID)
	}
	if len(c.refunds) > 0 {
		op.refund = func(a *account, b *Booking) error { return r.refundAll(a, b, c.refunds) }
	}
	return r.giveBackOp(bookingID, op)
}

// Cancel runs [Repository.CancelOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) Cancel(ctx context.Context, bookingID, reason string, opts ...dynastay.WriteOption) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.CancelOp(bookingID, reason), opts...)
}

// CancelWithRefund runs [Repository.CancelOp] with [WithRefund]. 2 requests: a consistent Query of the booking, and the
// transaction.
func (r *Repository) CancelWithRefund(
	ctx context.Context, bookingID, reason string, refund Refund, opts ...dynastay.WriteOption,
) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.CancelOp(bookingID, reason, WithRefund(refund)), opts...)
}

// validate checks the refunds, and enters the booking in them.
func (c cancellation) validate(bookingID string) error {
	ids := map[string]bool{}
	for i, refund := range c.refunds {
		own, err := ofBooking(refund.BookingID, bookingID)
		refund.BookingID = own
		switch {
		case err != nil:
		case refund.Amount.IsSet():
			err = refund.Validate()
		default:
			err = refund.validate()
		}
		switch {
		case err != nil:
		case ids[refund.ID]:
			err = dynastay.Invalid("ID", "appears more than once")
		case refund.Status == PaymentFailed:
			err = dynastay.Invalid("Status", "must be one of pending, refunded")
		}
		if err != nil {
			return dynastay.Within(fmt.Sprintf("Refunds[%d]", i), err)
		}
		ids[refund.ID], c.refunds[i] = true, refund
	}
	return nil
}

// refundAll records the refunds of a cancellation.
func (r *Repository) refundAll(a *account, b *Booking, refunds []Refund) error {
	for i, refund := range refunds {
		if !refund.Amount.IsSet() {
			due, err := r.due(a, b)
			if err != nil {
				return err
			}
			if refund, err = a.share(refund, due); err != nil {
				return dynastay.Within(fmt.Sprintf("Refunds[%d]", i), err)
			}
			if refund.Amount.Sign() == 0 {
				continue
			}
		}
		if err := r.ledger.refund(a, b, refund); err != nil {
			return dynastay.Within(fmt.Sprintf("Refunds[%d]", i), err)
		}
	}
	return nil
}

// due returns what is still to be refunded for a booking that has just been cancelled.
func (r *Repository) due(a *account, b *Booking) (dynastay.Money, error) {
	if len(a.payments) == 0 {
		switch b.PaymentStatus.normal() {
		case b.unpaid(), PaymentPending, PaymentFailed, "":
			return dynastay.Money{}, nil
		}
		return dynastay.Money{}, a.corrupt(errNoPayments)
	}
	if err := a.understood(); err != nil {
		return dynastay.Money{}, err
	}
	now, err := a.summary(b.Total)
	if err != nil {
		return dynastay.Money{}, err
	}
	paid, err := now.Paid.Sub(now.Refunded)
	if err != nil {
		return dynastay.Money{}, a.corrupt(err)
	}
	if paid.Sign() < 0 { // other software has refunded more than was paid
		return dynastay.Money{}, nil
	}
	settled, err := b.Settle(paid, b.CancelledAt, r.opts.Terms)
	if errors.Is(err, dynastay.ErrInvalid) {
		err = a.corrupt(err) // what has been paid is not an argument of the caller
	}
	return settled.Refund, err
}

var errNoPayments = errors.New("the booking has a payment status, but no payments")

// share returns a refund that has no amount with one: what is due, but at most what is left of its payment.
func (a *account) share(refund Refund, due dynastay.Money) (Refund, error) {
	switch {
	case due.Sign() <= 0:
		return refund, nil
	case refund.ProviderTransactionID == "":
		var err error
		if refund.ProviderTransactionID, err = a.onlyPaid(refund.ID); err != nil {
			return refund, err
		}
	}
	left, err := a.left(refund.ProviderTransactionID)
	if err != nil || !left.IsSet() {
		return refund, cmp.Or(err, a.fail(refund.ID, ErrNotPaid))
	}
	refund.Amount = due
	if more, err := due.Compare(left); err != nil || more > 0 {
		refund.Amount = left
	}
	return refund, nil
}
