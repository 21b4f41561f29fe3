package bookings

import (
	"cmp"
	"context"
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
// have not checked in. Otherwise, CancelOp fails with a [*StatusError], which matches [ErrTooLate] once the stay is
// over; if the booking does not exist, with [dynastay.ErrNotFound]. A replay with an idempotency key returns no Missing
// nights; only the first call returns them. The reason has at most [entity.MaxNote] bytes, and must not
// contain card data, see [Request]. It is not stored in an anonymised booking, see [Eraser].
//
// [Cancellation].Due is what is to be refunded, as of the write: a payment that is recorded at the same time is either
// part of it, or recorded after the cancellation, and then [Recorded].Due contains it.
//
// With [WithRefund], it also fails with the errors of [Repository.RecordRefundOp] and of [Booking.Settle], and with
// [dynastay.ErrCorrupt] if other software has not stored clearly what has been paid; the booking is then not cancelled.
// If no refund has an Amount, and they do not fit into the 100 actions of the transaction, the booking is cancelled
// without them: Due is then all that is to be refunded, and [Repository.RefundDue] records it.
func (r *Repository) CancelOp(bookingID, reason string, opts ...CancelOption) *dynastay.Operation[Cancellation] {
	var c cancellation
	for _, option := range opts {
		option(&c)
	}
	cancel := move{
		name: "bookings.Cancel", verb: "cancel", from: cancellable, ready: notOver,
		apply: func(b *Booking, now time.Time) {
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
	op.refunds = c.refunds
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
