package bookings

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
)

// NoShowOp records that the guests of a confirmed booking have not arrived. It is possible from the end of the date of
// check-in at the property, see [Options].NoShowAfter; before, it fails with a [*StatusError] that matches
// [ErrStillExpected]. The nights are not returned to the inventory: they have been sold. [Repository.Release] returns
// them, and [Repository.Reinstate] is for guests who arrive after all.
func (r *Repository) NoShowOp(bookingID string) *dynastay.Operation[*Booking] {
	return r.moveOp(bookingID, move{
		name: "bookings.NoShow", verb: "record a no-show for", from: []Status{Confirmed},
		ready: func(b *Booking, now time.Time) error {
			if now.Before(b.on(b.Stay.CheckIn, r.opts.NoShowAfter)) {
				return ErrStillExpected
			}
			return nil
		},
		apply: func(b *Booking, _ time.Time) { b.Status = NoShow },
	}, nil, nil, nil)
}

// NoShow runs [Repository.NoShowOp]. 2 requests: a consistent Query of the booking, and the update.
func (r *Repository) NoShow(ctx context.Context, bookingID string, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.NoShowOp(bookingID), opts...)
}
