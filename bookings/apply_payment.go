package bookings

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
)

// ApplyPaymentOp does what a payment provider's notification means for a booking, whatever its status: it records the
// payment, as [Repository.RecordPaymentOp] does, and confirms a pending booking if the payment is authorized or paid.
// It is all that the handler of a provider's notifications needs.
//
//   - If the booking is pending and its hold has not ended, the payment is recorded; if the payment is authorized or
//     paid, the booking is confirmed.
//   - If it is confirmed, checked in, completed or a no-show, the payment is recorded; Due is what exceeds the total.
//   - If it is cancelled, the payment is recorded; Due is what its policies return.
//   - If it is expired, or its hold has ended, the payment is recorded, but the booking is not confirmed; Due is all
//     that was paid.
//
// A notification that is repeated changes nothing, and is answered as the first one: with the booking as it is, its
// payments and what is due. Any authorized or paid amount confirms the booking, so that a deposit is enough. A payment
// that was recorded as failed after the time of the notification does not confirm it. Neither is a booking confirmed that
// has been anonymised. It fails with the errors of RecordPaymentOp, so a payment that is reported as paid with another
// amount than before is refused with [ErrPaymentDiffers], and then the booking is not confirmed either.
func (r *Repository) ApplyPaymentOp(p Payment) *dynastay.Operation[Recorded] {
	op := r.paying("bookings.ApplyPayment", p)
	op.edit = func(b *Booking, rows stored) error {
		now := r.db.Now()
		if confirm.check(b, now) != nil {
			return nil
		}
		// A copy of the account says what the payment comes to, before the booking is changed.
		a, err := rows.account(b.ID, b.Total.Currency())
		if err != nil {
			return err
		}
		if err := r.ledger.pay(a, b, p); err != nil {
			return err
		}
		if status := a.payments[a.payment(normalID(p.ProviderTransactionID))].Status; slices.Contains(confirming, status) {
			confirm.apply(b, now)
		}
		return nil
	}
	return r.recordOp(op)
}

// confirming are the statuses of a payment that confirm a booking.
var confirming = []PaymentStatus{PaymentAuthorized, PaymentPaid}

// ApplyPayment runs [Repository.ApplyPaymentOp]. 2 requests: a consistent Query of the booking, and the transaction; 1
// if nothing changes.
func (r *Repository) ApplyPayment(ctx context.Context, p Payment, opts ...dynastay.WriteOption) (Recorded, error) {
	return dynastay.Do(ctx, r.db, r.ApplyPaymentOp(p), opts...)
}
