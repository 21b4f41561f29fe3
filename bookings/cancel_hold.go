package bookings

import (
	"context"

	"github.com/dynastay/dynastay"
)

// CancelHoldOp cancels a booking as [Repository.CancelOp] does, but only while it is pending, whether or not its hold has
// ended. It is for what gives up the hold and not the stay, such as a guest who leaves the checkout or declines an offer: of
// a confirmation and CancelHoldOp at the same time, one succeeds. If the booking is not pending, it fails with a
// [*StatusError], and its Status says what has become of it.
//
// A payment that is recorded at the same time is part of [Cancellation].Due, or is recorded after it, and then
// [Recorded].Due contains it.
func (r *Repository) CancelHoldOp(bookingID, reason string) *dynastay.Operation[Cancellation] {
	return r.cancelOp(bookingID, move{
		name: "bookings.CancelHold", verb: "cancel the hold of", from: []Status{Pending}, ready: notOver,
	}, reason, nil, nil)
}

// CancelHold runs [Repository.CancelHoldOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) CancelHold(ctx context.Context, bookingID, reason string, opts ...dynastay.WriteOption) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.CancelHoldOp(bookingID, reason), opts...)
}
