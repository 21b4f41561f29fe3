package bookings

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// mostReturned is the number of nights that one transaction can return: with the booking, it has 100 actions.
const mostReturned = 99

// Cancellation is the result of [Repository.Cancel].
type Cancellation struct {
	Booking *Booking
	// Missing lists the nights whose rooms could not be returned, because the item of the night no longer exists or has no
	// number of available rooms.
	Missing []MissingNight
}

// MissingNight is a night of a room type whose rooms could not be returned.
type MissingNight struct {
	RoomTypeID string
	Date       dynastay.Date
}

// CancelOp cancels a pending or confirmed booking and returns its rooms. The update of the booking is conditional on
// its status, in the same transaction, so the rooms are returned exactly once, however many callers cancel the booking.
// If the booking has any other status, CancelOp fails with [*StateError]; if it does not exist, with
// [dynastay.ErrNotFound]. A replay with an idempotency key returns no Missing nights; only the first call returns them.
// The reason has at most [entity.MaxNote] bytes.
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

// Cancel runs [Repository.CancelOp]. 2 requests: a consistent Query of the booking, and the transaction.
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
	// The nights to return follow from the stay and the lines, which no write changes without also changing the booking.
	// So it is enough that the update of the booking is conditional on the booking being as it was read.
	if err := change.AddTo(tx); err != nil {
		return result, err
	}
	result.Booking = change.After
	if err := rows.addLines(result.Booking); err != nil {
		return result, err
	}
	// Other software may have stored a stay of any length. If there are more nights than a transaction can return, fail
	// before listing them.
	if n := result.Booking.Stay.Nights() * len(result.Booking.Lines); n > mostReturned {
		return result, dynastay.Invalid("BookingID",
			"must be a booking with at most %d nights to return (nights × room types), got %d: more do not fit into one transaction",
			mostReturned, n)
	}
	nights, err := result.nights()
	if err != nil {
		return result, err
	}
	// The nights are known only now. Without queueing for them, a cancellation would have to retry over and over while
	// buyers contend for the same nights.
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

// nights returns the nights of the booking, line by line.
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
