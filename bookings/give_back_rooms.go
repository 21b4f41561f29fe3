package bookings

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
)

// mostReturned is the number of nights that one transaction can return: with the booking, it has 100 actions.
const mostReturned = 99

// mostModified is the number of nights that a booking can have after a modification, less one if it has a promo code:
// its cancellation also needs actions for the booking, a refund, the summary of the payments and an idempotency key. A
// booking that has just been created has no more, because its lines and its reference needed actions, too.
const mostModified = 96

// giveBack is an operation that makes a move and returns the rooms.
type giveBack struct {
	move
	invalid error
	input   func(*dynastay.Input)
	refunds []Refund
}

func (r *Repository) giveBackOp(bookingID string, op giveBack) *dynastay.Operation[Cancellation] {
	key, err := keys.Of(keys.Booking{BookingID: bookingID})
	return dynastay.NewOp(dynastay.OpSpec[Cancellation]{
		Name:    op.name,
		Owned:   true,
		Invalid: cmp.Or(err, op.invalid),
		Input: func(in *dynastay.Input) {
			in.Field("booking", bookingID)
			op.input(in)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (c Cancellation, err error) {
			var record func(*account, *Booking) error
			if len(op.refunds) > 0 {
				record = func(a *account, b *Booking) error {
					err := r.refundDue(a, b, op.refunds)
					c.Refunds, c.Due = a.recordedOf(op.refunds), r.dueNow(a, b)
					return err
				}
			}
			done, err := r.move(ctx, tx, key, op.move, record)
			if err != nil {
				return c, err
			}
			c.Booking, c.Payment = done.booking, done.payment
			if record == nil {
				c.Due = r.dueOf(done.rows, c.Booking)
			}
			c.Missing, err = r.giveBack(ctx, tx, c.Booking)
			return c, err
		},
		Restore: func(ctx context.Context, _ map[string]string) (Cancellation, error) {
			now, err := r.recorded(ctx, key)
			if err != nil {
				return Cancellation{}, err
			}
			c := Cancellation{Booking: now.Booking, Due: now.Due}
			if len(op.refunds) > 0 {
				c.Payment, c.Refunds = now.Payment, now.account.recordedOf(op.refunds)
			}
			return c, nil
		},
	})
}

// giveBack adds the actions that return the rooms and the use of the promo code of a booking. Of a no-show, it returns
// the rooms of the nights that are released, and keeps the use of the code: the stay has been sold at its price.
func (r *Repository) giveBack(ctx context.Context, tx *dynastay.Tx, b *Booking) (missing []MissingNight, err error) {
	stay, promo := b.Stay, true
	if b.Status == NoShow {
		stay, promo = b.Released, false
	}
	// Other software may have stored a stay of any length. If there are more nights than a transaction can return, fail
	// before listing them.
	if n := stay.Nights() * len(b.taken()); n > mostReturned {
		return nil, tooManyNights(n)
	}
	nights, err := b.nights(stay)
	if err != nil {
		return nil, err
	}
	// The nights are known only now. Without queueing for them, a cancellation would have to retry over and over while
	// buyers contend for the same nights.
	contest := dynastay.Contest{Items: nights}
	if code, ok := b.promoRef(); ok && promo {
		contest.Items = append(contest.Items, code)
	}
	if err := tx.Contend(ctx, contest); err != nil {
		return nil, err
	}
	if promo {
		b.returnPromo(tx)
	}
	for _, line := range b.taken() {
		for date := range stay.Dates() {
			if tx.Skipped(keys.AvailabilityTable, nights[0].Key) {
				missing = append(missing, MissingNight{RoomTypeID: line.RoomTypeID, Date: date})
			}
			if err := r.nights.GiveBack(tx, b.PropertyID, line.RoomTypeID, date, line.Quantity); err != nil {
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

// taken returns the rooms of each type: a night has one action for all lines. Other software may have stored a line with a
// quantity that is not positive, for which nothing can be returned.
func (b *Booking) taken() (all []availability.Line) {
	for _, line := range b.Lines {
		at := slices.IndexFunc(all, func(l availability.Line) bool { return l.RoomTypeID == line.RoomTypeID })
		switch {
		case line.Quantity < 1:
		case at < 0:
			all = append(all, availability.Line{RoomTypeID: line.RoomTypeID, Quantity: line.Quantity})
		default:
			all[at].Quantity += line.Quantity
		}
	}
	return all
}

// nights returns the nights of these rooms on the dates of a stay, room type by room type.
func (b *Booking) nights(stay dynastay.Stay) (nights []dynastay.Ref, err error) {
	for _, line := range b.taken() {
		for date := range stay.Dates() {
			night, err := availability.NightRef(line.RoomTypeID, date)
			if err != nil {
				return nil, err
			}
			nights = append(nights, night)
		}
	}
	return nights, nil
}
