package bookings

import (
	"cmp"
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
)

// cancellable are the statuses from which a booking can be cancelled.
var cancellable = []Status{Pending, Confirmed}

// Cancellation is the result of [Repository.Cancel], [Repository.Expire] and [Repository.Release].
type Cancellation struct {
	Booking *Booking `json:",omitzero"`
	// Payment is the summary of the payments after the cancellation, if it was to record a refund. It is nil if no
	// payment has been recorded.
	Payment *PaymentSummary `json:",omitzero"`
	// Refunds are those that were passed to it, as they are recorded. Pass those that are pending to the provider.
	Refunds []Refund `json:",omitzero"`
	// Due is what is still to be refunded of what has been paid, after Refunds: by the policies, or, if the hold has
	// ended, all of it. [Repository.RefundDue] records its refunds. It is the zero Money if that cannot be computed:
	// [Booking.Settle] says why.
	Due dynastay.Money `json:",omitzero"`
	// Missing lists the nights whose rooms could not be returned, because the item of the night no longer exists or has no
	// number of available rooms.
	Missing []MissingNight `json:",omitzero"`
}

// MissingNight is a night of a room type whose rooms could not be returned.
type MissingNight = availability.MissingNight

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
// The refunds, if any, are recorded in the same transaction, as [Repository.RecordRefundOp] does. Refund.BookingID may be
// empty. A Refund without an Amount is for what is due by the policies at the time of the cancellation, see
// [Booking.Settle], but at most what is left of its payment; if nothing is due, none is recorded. With several refunds,
// what is due is refunded in their order. Record a refund as [PaymentPending], pass its id and the amount in
// [Cancellation].Refunds to the provider, and record the outcome with [Repository.RecordRefund].
//
// With refunds, CancelOp also fails with the errors of [Repository.RecordRefundOp] and of [Booking.Settle], and with
// [dynastay.ErrCorrupt] if other software has not stored clearly what has been paid; the booking is then not cancelled.
// If no refund has an Amount, and they do not fit into the 100 actions of the transaction, the booking is cancelled
// without them: Due is then all that is to be refunded, and [Repository.RefundDue] records it.
func (r *Repository) CancelOp(bookingID, reason string, refunds []Refund) *dynastay.Operation[Cancellation] {
	return r.cancelOp(bookingID, move{name: "bookings.Cancel", verb: "cancel", from: cancellable, ready: notOver}, reason, refunds, nil)
}

// cancelOp is an operation that cancels by a move, which lacks what it does. Also adds to the input, if it is not nil.
func (r *Repository) cancelOp(
	bookingID string, cancel move, reason string, refunds []Refund, also func(*dynastay.Input),
) *dynastay.Operation[Cancellation] {
	refunds, err := refundsOf(bookingID, refunds)
	cancel.apply = func(b *Booking, now time.Time) {
		b.Status, b.CancelledAt = Cancelled, now
		if !b.anonymised() {
			b.CancellationReason = reason
		}
	}
	invalid := cmp.Or(dynastay.Within("Reason", checkText(reason, entity.MaxNote)), err)
	return r.giveBackOp(bookingID, giveBack{move: cancel, invalid: invalid, refunds: refunds, input: func(in *dynastay.Input) {
		in.Field("reason", reason)
		if also != nil {
			also(in)
		}
		for _, refund := range refunds {
			refund.agreed(in)
		}
	}})
}

// Cancel runs [Repository.CancelOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) Cancel(
	ctx context.Context, bookingID, reason string, refunds []Refund, opts ...dynastay.WriteOption,
) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.CancelOp(bookingID, reason, refunds), opts...)
}
