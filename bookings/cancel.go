package bookings

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// CancelOp cancels a pending or confirmed booking and returns its rooms. The update of the booking is conditional on
// its status, in the same transaction, so the rooms are returned exactly once, however many callers cancel the booking.
// It is possible until the date of check-out at the property, as long as the guests have not checked in. Otherwise,
// CancelOp fails with a [*StateError], which matches [ErrTooLate] once the stay is over; if the booking does not exist,
// with [dynastay.ErrNotFound]. A replay with an idempotency key returns no Missing nights; only the first call returns
// them. The reason has at most [entity.MaxNote] bytes, and must not contain card data, see [Request].
func (r *Repository) CancelOp(bookingID, reason string) *dynastay.Operation[Cancellation] {
	cancel := move{
		"bookings.Cancel", "cancel", []Status{Pending, Confirmed}, notOver,
		func(b *Booking, now time.Time) {
			b.Status, b.CancelledAt, b.CancellationReason = Cancelled, now, reason
		},
	}
	invalid := dynastay.Within("Reason", checkText(reason, entity.MaxNote))
	return r.giveBackOp(bookingID, cancel, invalid, func(in *dynastay.Input) { in.Field("reason", reason) })
}

// Cancel runs [Repository.CancelOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) Cancel(ctx context.Context, bookingID, reason string, opts ...dynastay.WriteOption) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.CancelOp(bookingID, reason), opts...)
}
