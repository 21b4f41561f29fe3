package bookings

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	values "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// What the front desk takes back.
var (
	undoCheckIn = move{
		name: "bookings.UndoCheckIn", verb: "undo the check-in of", from: []Status{CheckedIn},
		ready: func(b *Booking, now time.Time) error {
			if b.Released != (dynastay.Stay{}) {
				return ErrReleased // a confirmed booking has all of its nights
			}
			return cmp.Or(awaited(b), b.sameDay(b.CheckedInAt, now))
		},
		apply: func(b *Booking, _ time.Time) { b.Status, b.CheckedInAt = Confirmed, time.Time{} },
	}
	undoCheckOut = move{
		name: "bookings.UndoCheckOut", verb: "undo the check-out of", from: []Status{Completed},
		ready: func(b *Booking, now time.Time) error {
			if b.Released.CheckOut.After(b.today(now)) {
				return ErrReleased // an imported booking has no rooms to go back to
			}
			return cmp.Or(awaited(b), b.sameDay(b.CheckedOutAt, now))
		},
		apply: func(b *Booking, _ time.Time) { b.Status, b.CheckedOutAt = CheckedIn, time.Time{} },
	}
	release = move{
		name: "bookings.Release", verb: "release the nights of", from: []Status{NoShow},
		ready: func(b *Booking, now time.Time) error {
			switch {
			case b.Released != (dynastay.Stay{}):
				return ErrReleased
			case !b.today(now).Before(b.Stay.CheckOut):
				return ErrTooLate
			}
			return nil
		},
		apply: func(b *Booking, now time.Time) {
			b.Released = dynastay.Stay{CheckIn: b.today(now), CheckOut: b.Stay.CheckOut}
			if b.Released.CheckIn.Before(b.Stay.CheckIn) { // NoShowAfter may be short, and zones unknown
				b.Released.CheckIn = b.Stay.CheckIn
			}
		},
	}
	reinstate = move{
		name: "bookings.Reinstate", verb: "reinstate", from: []Status{NoShow},
		ready: func(b *Booking, now time.Time) error { return cmp.Or(awaited(b), during(b, now)) },
		apply: func(b *Booking, now time.Time) {
			b.Status, b.CheckedInAt = CheckedIn, now
			if b.Released.CheckOut = b.today(now); !b.Released.CheckOut.After(b.Released.CheckIn) || b.Released.CheckIn.IsZero() {
				b.Released = dynastay.Stay{} // it has all of its nights again
			}
		},
	}
)

// sameDay returns an error unless a time is on the present date at the property.
func (b *Booking) sameDay(at, now time.Time) error {
	if at.IsZero() || b.today(at) != b.today(now) {
		return ErrAnotherDay
	}
	return nil
}

// UndoCheckInOp takes a check-in back: the booking is confirmed again, and the rooms that were assigned are not any more,
// unless they are units, which a booking may have before its guests arrive.
// It is possible on the date of the check-in at the property; later, it fails with a [*StatusError] that matches
// [ErrAnotherDay], and with one that matches [ErrReleased] if the guests were reinstated after nights were released.
func (r *Repository) UndoCheckInOp(bookingID string) *dynastay.Operation[*Booking] {
	return r.linesOp(bookingID, undoCheckIn, nil, nil, func(_ context.Context, tx *dynastay.Tx, done moved) error {
		for i, line := range done.booking.Lines {
			if len(line.RoomIDs) == 0 || len(line.Units) > 0 {
				continue
			}
			if err := line.write(tx, unassign.With(nil)); err != nil {
				return err
			}
			done.booking.Lines[i].RoomIDs = nil
		}
		return nil
	})
}

var unassign = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(lineExists).
	WithUpdate(expression.Remove(dynastay.NameOf("RoomId"))))

// UndoCheckIn runs [Repository.UndoCheckInOp]. 2 requests: a consistent Query of the booking, and the write.
func (r *Repository) UndoCheckIn(ctx context.Context, bookingID string, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.UndoCheckInOp(bookingID), opts...)
}

// UndoCheckOutOp takes a check-out back: the guests are still there. It is possible on the date of the check-out at the
// property; later, it fails with a [*StatusError] that matches [ErrAnotherDay]. It fails with one that matches [ErrReleased] for
// guests who had left before the booking was imported, and have no rooms here, see [Repository.ImportOp].
func (r *Repository) UndoCheckOutOp(bookingID string) *dynastay.Operation[*Booking] {
	return r.moveOp(bookingID, undoCheckOut, nil, nil, nil)
}

// UndoCheckOut runs [Repository.UndoCheckOutOp]. 2 requests: a consistent Query of the booking, and the update.
func (r *Repository) UndoCheckOut(ctx context.Context, bookingID string, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.UndoCheckOutOp(bookingID), opts...)
}

// ReleaseOp returns the rooms of a no-show to the inventory, from the night of today at the property on, exactly once.
// The booking remains a no-show at its price, keeps the use of its promo code, and says in Released which nights they
// are. It fails with a [*StatusError] that matches [ErrReleased] if that has been done, and [ErrTooLate] if there is no
// night left. A replay with an idempotency key returns no Missing nights.
func (r *Repository) ReleaseOp(bookingID string) *dynastay.Operation[Cancellation] {
	return r.giveBackOp(bookingID, giveBack{move: release, input: func(*dynastay.Input) {}})
}

// Release runs [Repository.ReleaseOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) Release(ctx context.Context, bookingID string, opts ...dynastay.WriteOption) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.ReleaseOp(bookingID), opts...)
}

// ReinstateOp checks in the guests of a no-show who have arrived after all. It is possible from the date of check-in to
// the date of check-out at the property; otherwise, it fails with a [*StatusError] that matches [ErrTooEarly] or
// [ErrTooLate]. If nights were released, it takes their rooms anew, from the night of today on, as far as they are on
// sale: a night that is sold out, stopped, closed or not open is listed in a [*Refused], and the booking remains a
// no-show. The price of the booking stays, whatever the nights cost now, and no rule of an arrival or a departure
// applies. The nights in between stay released.
func (r *Repository) ReinstateOp(bookingID string) *dynastay.Operation[*Booking] {
	return r.linesOp(bookingID, reinstate, nil, nil, func(ctx context.Context, tx *dynastay.Tx, done moved) error {
		b := done.booking
		nights := done.before.Released
		if today := b.today(b.CheckedInAt); today.After(nights.CheckIn) {
			nights.CheckIn = today
		}
		if done.before.Released == (dynastay.Stay{}) || !nights.CheckIn.Before(nights.CheckOut) {
			return nil
		}
		retaken := r.nights.Retake(b.PropertyID, b.taken(), nights)
		contest := retaken.Contest()
		// A refusal counts only as long as the booking is as it was read: the rooms that are missing may be its own.
		contest.Still = func(ctx context.Context) (bool, error) { return r.unchanged(ctx, done.rows.booking) }
		if err := tx.Contend(ctx, contest); err != nil {
			return err
		}
		retaken.AddTo(tx)
		return nil
	})
}

// unchanged reports whether a booking is still as it was read.
func (r *Repository) unchanged(ctx context.Context, read dynastay.Row) (bool, error) {
	now, err := r.db.Get(ctx, keys.BookingsTable, keys.BookingsTable.Key.From(read), dynastay.Consistent)
	same := true
	for _, name := range []string{keys.AttrVersion, keys.BookingsTable.WriteIDName()} {
		same = same && values.Equal(now.Value(name).Stored(), read.Value(name).Stored())
	}
	return same, err
}

// Reinstate runs [Repository.ReinstateOp]. 2 requests: a consistent Query of the booking, and the write. After a refusal,
// 1 more for each room type, and 1 to see whether the booking has changed.
func (r *Repository) Reinstate(ctx context.Context, bookingID string, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.ReinstateOp(bookingID), opts...)
}
