package bookings

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
)

var checkOut = move{
	name: "bookings.CheckOut", verb: "check out", from: []Status{CheckedIn}, ready: anyTime,
	apply: func(b *Booking, now time.Time) { b.Status, b.CheckedOutAt = Completed, now },
}

// CheckOutOp completes the booking of guests who have checked in. If they leave early, the remaining nights are not
// returned to the inventory: they have been sold. On the same day, [Repository.UndoCheckOut] takes it back.
func (r *Repository) CheckOutOp(bookingID string) *dynastay.Operation[*Booking] {
	return r.moveOp(bookingID, checkOut, nil, nil, nil)
}

// CheckOut runs [Repository.CheckOutOp]. 2 requests: a consistent Query of the booking, and the update.
func (r *Repository) CheckOut(ctx context.Context, bookingID string, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.CheckOutOp(bookingID), opts...)
}
