package bookings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
)

var confirm = move{
	name: "bookings.Confirm", verb: "confirm", from: []Status{Pending},
	ready: func(b *Booking, now time.Time) error { return cmp.Or(awaited(b), holdOpen(b, now)) },
	apply: func(b *Booking, now time.Time) {
		b.Status, b.ConfirmedAt, b.HoldExpiresAt = Confirmed, now, time.Time{}
	},
}

// ConfirmOp confirms a pending booking, whose rooms are then no longer held for a limited time. If the hold has ended,
// it fails with a [*StatusError] that matches [ErrHoldEnded], even if nobody has taken the rooms since.
//
// The payments, if any, are recorded in the same transaction, as [Repository.RecordPaymentOp] does, or not at all.
// Payment.BookingID may be empty. A failed payment is refused with a [*dynastay.InvalidError]. For the notifications of
// a payment provider, which are repeated and may arrive late, use [Repository.ApplyPaymentOp], which records the payment
// whatever the status of the booking.
func (r *Repository) ConfirmOp(bookingID string, payments []Payment) *dynastay.Operation[*Booking] {
	payments = slices.Clone(payments)
	var invalid error
	for i, p := range payments {
		own, err := ofBooking(p.BookingID, bookingID)
		payments[i].BookingID = own
		switch {
		case err == nil && p.Status == PaymentFailed:
			err = dynastay.Invalid("Status", "must be one of pending, authorized, paid")
		case err == nil:
			err = payments[i].Validate()
		}
		if invalid == nil {
			invalid = dynastay.Within(fmt.Sprintf("Payments[%d]", i), err)
		}
	}
	return r.moveOp(bookingID, confirm, invalid, func(in *dynastay.Input) {
		for _, p := range payments {
			p.agreed(in)
		}
	}, func(a *account, b *Booking) error {
		for i, p := range payments {
			if err := r.ledger.pay(a, b, p); err != nil {
				return dynastay.Within(fmt.Sprintf("Payments[%d]", i), err)
			}
		}
		return nil
	})
}

// Confirm runs [Repository.ConfirmOp]. 2 requests: a consistent Query of the booking, and the update, which is a
// transaction if there are payments.
func (r *Repository) Confirm(
	ctx context.Context, bookingID string, payments []Payment, opts ...dynastay.WriteOption,
) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.ConfirmOp(bookingID, payments), opts...)
}

// ofBooking returns the booking of a payment or a refund, which may be left empty if it is clear.
func ofBooking(own, bookingID string) (string, error) {
	if own != "" && own != bookingID {
		return own, dynastay.Invalid("BookingID", "must be empty or that of the booking")
	}
	return bookingID, nil
}
