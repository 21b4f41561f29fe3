package bookings

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// mostReturned is how many nights one transaction gives back: with the booking, its 100 actions.
const mostReturned = 99

// Cancellation is what [Repository.Cancel] did.
type Cancellation struct {
	Booking *Booking
	// Missing are nights whose rooms could not be given back, because they have no item any more.
	Missing []MissingNight
}

// MissingNight is a night of a room type that is not in the inventory.
type MissingNight struct {
	RoomTypeID string
	Date       dynastay.Date
}

// CancelOp cancels a pending or confirmed booking and returns its rooms. The booking's own change is conditional on its
// status, in the same transaction, so that the rooms come back once however often and at whatever time it is cancelled.
// Otherwise it is refused with [*StateError], or [dynastay.ErrNotFound]. What a call replays under an idempotency key has
// no Missing nights: they were reported to the first one. The reason has at most [entity.MaxNote] bytes.
func (r *Repository) CancelOp(bookingID, reason string) *dynastay.Operation[Cancellation] {
	key, err := keys.Of(keys.Booking{BookingID: bookingID})
	if err == nil {
		err = dynastay.Within("Reason", entity.CheckText(reason, entity.MaxNote))
	}
	return dynastay.NewOp(dynastay.OpSpec[Cancellation]{
		Name:    "bookings.Cancel",
		Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Field("booking", bookingID)
			in.Field("reason", reason)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Cancellation, error) {
			return r.cancel(ctx, tx, key, reason)
		},
		Restore: func(ctx context.Context, _ map[string]string) (Cancellation, error) {
			b, err := r.Get(ctx, bookingID, dynastay.Consistent)
			return Cancellation{Booking: b}, err
		},
	})
}

// Cancel is [Repository.CancelOp], sent: 2 requests, a consistent Query of the booking and the transaction.
func (r *Repository) Cancel(ctx context.Context, bookingID, reason string, opts ...dynastay.WriteOption) (Cancellation, error) {
	return dynastay.Do(ctx, r.db, r.CancelOp(bookingID, reason), opts...)
}

func (r *Repository) cancel(ctx context.Context, tx *dynastay.Tx, key dynastay.Key, reason string) (Cancellation, error) {
	var result Cancellation
	rows, err := r.read(ctx, key, dynastay.Consistent)
	if err != nil {
		return result, err
	}
	change, err := r.table.ChangeOf(key, rows.booking, func(b *Booking) error {
		if b.Status != Pending && b.Status != Confirmed {
			return &StateError{BookingID: b.ID, Status: b.Status, Op: "cancel"}
		}
		b.Status, b.CancelledAt, b.CancellationReason = Cancelled, r.db.Now(), reason
		return nil
	})
	if err != nil {
		return result, err
	}
	// The nights to return follow from the stay and the lines, and no write changes those without changing the booking: that
	// it is the one that was read is the condition of its own change.
	if err := change.AddTo(tx); err != nil {
		return result, err
	}
	result.Booking = change.After
	if err := rows.addLines(result.Booking); err != nil {
		return result, err
	}
	// Other software may have stored a stay of any length. More nights than a transaction returns are refused before they
	// are listed.
	if result.Booking.Stay.Nights()*len(result.Booking.Lines) > mostReturned {
		return result, dynastay.Invalid("Operations", "must return at most %d nights", mostReturned)
	}
	nights, err := result.nights()
	if err != nil {
		return result, err
	}
	// Now that they are known: among buyers who hold the nights between them it would have to try again and again.
	if err := tx.Contend(ctx, dynastay.Contest{Items: nights}); err != nil {
		return result, err
	}
	for _, line := range result.Booking.Lines {
		for date := range result.Booking.Stay.Dates() {
			if tx.Skipped(keys.AvailabilityTable, nights[0].Key) {
				result.Missing = append(result.Missing, MissingNight{line.RoomTypeID, date})
			} else if err := r.nights.GiveBack(tx, result.Booking.PropertyID, line.RoomTypeID, date, line.Quantity); err != nil {
				return result, err
			}
			nights = nights[1:]
		}
	}
	return result, nil
}

// nights are the nights of the booking, line by line.
func (c Cancellation) nights() (nights []dynastay.Ref, err error) {
	for _, line := range c.Booking.Lines {
		for date := range c.Booking.Stay.Dates() {
			night, err := availability.NightRef(line.RoomTypeID, date)
			if err != nil {
				return nil, err
			}
			nights = append(nights, night)
		}
	}
	return nights, nil
}
