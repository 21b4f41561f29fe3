package bookings

import (
	"context"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
)

// mostReturned is the number of nights that one transaction can return: with the booking, it has 100 actions.
const mostReturned = 99

// Cancellation is the result of [Repository.Cancel] and [Repository.Expire].
type Cancellation struct {
	Booking *Booking
	// Missing lists the nights whose rooms could not be returned, because the item of the night no longer exists or has no
	// number of available rooms.
	Missing []MissingNight
}

// MissingNight is a night of a room type whose rooms could not be returned.
type MissingNight = availability.MissingNight

// giveBackOp is an operation that makes a move and returns the rooms.
func (r *Repository) giveBackOp(
	bookingID string, m move, invalid error, input func(*dynastay.Input),
) *dynastay.Operation[Cancellation] {
	key, err := keys.Of(keys.Booking{BookingID: bookingID})
	if err == nil {
		err = invalid
	}
	return dynastay.NewOp(dynastay.OpSpec[Cancellation]{
		Name:    m.name,
		Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Field("booking", bookingID)
			input(in)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (c Cancellation, err error) {
			if c.Booking, err = r.move(ctx, tx, key, m); err != nil {
				return c, err
			}
			c.Missing, err = r.giveBack(ctx, tx, c.Booking)
			return c, err
		},
		Restore: func(ctx context.Context, _ map[string]string) (Cancellation, error) {
			b, err := r.Get(ctx, bookingID, dynastay.Consistent)
			return Cancellation{Booking: b}, err
		},
	})
}

// giveBack adds the actions that return the rooms of a booking.
func (r *Repository) giveBack(ctx context.Context, tx *dynastay.Tx, b *Booking) (missing []MissingNight, err error) {
	// Other software may have stored a stay of any length. If there are more nights than a transaction can return, fail
	// before listing them.
	if n := b.Stay.Nights() * len(b.taken()); n > mostReturned {
		return nil, tooManyNights(n)
	}
	nights, err := b.nights()
	if err != nil {
		return nil, err
	}
	// The nights are known only now. Without queueing for them, a cancellation would have to retry over and over while
	// buyers contend for the same nights.
	if err := tx.Contend(ctx, dynastay.Contest{Items: nights}); err != nil {
		return nil, err
	}
	for _, line := range b.taken() {
		for date := range b.Stay.Dates() {
			if tx.Skipped(keys.AvailabilityTable, nights[0].Key) {
				missing = append(missing, MissingNight{RoomTypeID: line.RoomTypeID, Date: date})
			} else if err := r.nights.GiveBack(tx, b.PropertyID, line.RoomTypeID, date, line.Quantity); err != nil {
				return nil, err
			}
			nights = nights[1:]
		}
	}
	return missing, nil
}

// tooManyNights is the error for a booking whose nights cannot be returned in one transaction.
func tooManyNights(n int) error {
	reason := fmt.Sprintf(
		"must be a booking with at most %d nights to return (nights × room types), got %d: more do not fit into one transaction",
		mostReturned, n)
	return &dynastay.InvalidError{Field: "BookingID", Reason: reason, Err: &dynastay.TooLargeError{Actions: n + 1}}
}

// taken returns the lines that have rooms. Other software may have stored one with a quantity that is not positive, for
// which nothing can be returned.
func (b *Booking) taken() []Line {
	return slices.DeleteFunc(slices.Clone(b.Lines), func(l Line) bool { return l.Quantity < 1 })
}

// nights returns the nights of these lines, line by line.
func (b *Booking) nights() (nights []dynastay.Ref, err error) {
	for _, line := range b.taken() {
		for date := range b.Stay.Dates() {
			night, err := availability.NightRef(line.RoomTypeID, date)
			if err != nil {
				return nil, err
			}
			nights = append(nights, night)
		}
	}
	return nights, nil
}
