package bookings

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Recorded is the result of [Repository.RecordPayment], [Repository.ApplyPayment], [Repository.RecordRefund] and
// [Repository.RefundDue].
type Recorded struct {
	// Booking is the booking after the write.
	Booking *Booking        `json:",omitzero"`
	Payment *PaymentSummary `json:",omitzero"`
	// Due is what is to be refunded now of what has been paid: a payment may arrive when the hold has ended, when the
	// booking has been cancelled, or when it has been paid already. [Repository.RefundDue] records the refunds. It is the
	// zero Money if that cannot be computed: [Booking.Settle] says why. A payment that is only authorized is no part of
	// it: release the authorization of a booking that is not going to take place.
	Due     dynastay.Money `json:",omitzero"`
	Refunds []Refund       `json:",omitzero"` // only of RefundDue
}

// RecordPaymentOp records what a payment provider reports about a payment: that it has begun ([PaymentPending]), is
// authorized ([PaymentAuthorized]), has been captured ([PaymentPaid]), or has failed or an authorization has been released
// ([PaymentFailed]). In the same transaction, it updates the summary of the payments and the payment status of the
// booking.
//
// For the notifications of payments before arrival, [Repository.ApplyPaymentOp] also confirms the booking.
//
// Record each notification as it arrives. They may arrive late, in any order and more than once: Payment.At decides
// which one is the latest, and a payment that has been captured remains so. If a notification changes nothing, nothing
// is written. A payment is recorded whatever the status of the booking, because the money has been moved; [Recorded].Due
// is what must be refunded.
//
// The amount must be in the currency of the booking; otherwise, RecordPaymentOp fails with a [*dynastay.InvalidError].
// If the payment is recorded with a different provider, or as paid with a different amount, it fails with a
// [*PaymentError] that matches [ErrPaymentDiffers]; if the booking does not exist, with [dynastay.ErrNotFound].
func (r *Repository) RecordPaymentOp(p Payment) *dynastay.Operation[Recorded] {
	return r.recordOp(r.paying("bookings.RecordPayment", p))
}

// RecordPayment runs [Repository.RecordPaymentOp]. 2 requests: a consistent Query of the booking, and the transaction;
// 1 if nothing changes.
func (r *Repository) RecordPayment(ctx context.Context, p Payment, opts ...dynastay.WriteOption) (Recorded, error) {
	return dynastay.Do(ctx, r.db, r.RecordPaymentOp(p), opts...)
}

// RecordRefundOp records a refund of a payment, or what the provider reports about it: that it has been requested
// ([PaymentPending]), has been made ([PaymentRefunded]) or has failed ([PaymentFailed]). In the same transaction, it updates
// the summary of the payments and the payment status of the booking. A refund counts from the moment when it is
// requested, until it fails.
//
// A repeated notification is recognised by the refund's id. Of several statuses, the furthest one counts, whatever the
// times: a refund that has failed remains so, and one that has been made is not pending again. A refund of more than
// what is left of its payment is refused with a [*PaymentError] that matches [ErrOverRefund], one of a payment that has
// not been made, or whose notification has not arrived yet, with [ErrNotPaid], and one that is recorded with a
// different amount or for a different payment with [ErrPaymentDiffers]. If the booking does not exist, the error is
// [dynastay.ErrNotFound].
func (r *Repository) RecordRefundOp(refund Refund) *dynastay.Operation[Recorded] {
	return r.recordOp(recording{
		name: "bookings.RecordRefund", bookingID: refund.BookingID, invalid: refund.Validate(), agreed: refund.agreed,
		record: func(a *account, b *Booking) error { return r.ledger.refund(a, b, refund) },
	})
}

// RecordRefund runs [Repository.RecordRefundOp]. 2 requests: a consistent Query of the booking, and the transaction; 1
// if nothing changes.
func (r *Repository) RecordRefund(ctx context.Context, refund Refund, opts ...dynastay.WriteOption) (Recorded, error) {
	return dynastay.Do(ctx, r.db, r.RecordRefundOp(refund), opts...)
}

// Payment returns the summary of the payments of a booking, or [dynastay.ErrNotFound] if none has been recorded. It
// accepts [dynastay.Consistent].
//
// Pattern B6: PK = BOOKING#{bookingId}, SK = PAYMENT, 1 request
func (r *Repository) Payment(ctx context.Context, bookingID string, opts ...dynastay.ReadOption) (_ *PaymentSummary, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.Payment")
	defer func() { end(err) }()
	key, err := keys.Of(keys.Payment{BookingID: bookingID})
	if err != nil {
		return nil, err
	}
	row, err := r.db.Get(ctx, keys.BookingsTable, key, opts...)
	if err != nil {
		return nil, err
	}
	if !row.Exists() {
		return nil, &dynastay.Error{Op: "bookings.Payment", Entity: "Payment", ID: bookingID, Kind: dynastay.ErrNotFound}
	}
	return readSummary(row, "")
}

// PaymentHistory is everything that has been recorded about the payments of a booking, oldest first.
type PaymentHistory struct {
	Payments []Payment `json:",omitzero"`
	Refunds  []Refund  `json:",omitzero"`
}

// PaymentHistory returns all payments and refunds of a booking; it is empty if there are none. It accepts
// [dynastay.Consistent]. 1 request, a Query.
func (r *Repository) PaymentHistory(ctx context.Context, bookingID string, opts ...dynastay.ReadOption) (_ PaymentHistory, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.PaymentHistory")
	defer func() { end(err) }()
	at, err := keys.Of(keys.Payment{BookingID: bookingID})
	if err != nil {
		return PaymentHistory{}, err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.BookingsTable, dynastay.Query{
		Partition: at.PK, Consistent: slices.Contains(opts, dynastay.Consistent),
		Range: dynastay.Range{From: at.SK, To: keys.SortKind[keys.BookingRoom]()}, // the payments and the refunds are next to each other
	})
	if err != nil {
		return PaymentHistory{}, err
	}
	a, err := storedOf(rows).account(bookingID, "")
	if err != nil {
		return PaymentHistory{}, err
	}
	slices.SortStableFunc(a.payments, func(p, other Payment) int { return p.CreatedAt.Compare(other.CreatedAt) })
	slices.SortStableFunc(a.refunds, func(r, other Refund) int { return r.CreatedAt.Compare(other.CreatedAt) })
	return PaymentHistory{a.payments, a.refunds}, nil
}

// recording is an operation that changes the payments of a booking.
type recording struct {
	name, bookingID string
	invalid         error
	agreed          func(*dynastay.Input)
	record          func(*account, *Booking) error
	refunds         []Refund                     // those of the result
	edit            func(*Booking, stored) error // changes the booking as well; nil if it does not change
}

// paying records a notification of a payment.
func (r *Repository) paying(name string, p Payment) recording {
	return recording{
		name: name, bookingID: p.BookingID, invalid: p.Validate(), agreed: p.agreed,
		record: func(a *account, b *Booking) error { return r.ledger.pay(a, b, p) },
	}
}

func (r *Repository) recordOp(op recording) *dynastay.Operation[Recorded] {
	key, err := keys.Of(keys.Booking{BookingID: op.bookingID})
	if err == nil {
		err = op.invalid
	}
	return dynastay.NewOp(dynastay.OpSpec[Recorded]{
		Name:    op.name,
		Invalid: err,
		Owned:   true,
		Input: func(in *dynastay.Input) {
			in.Field("booking", op.bookingID)
			op.agreed(in)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Recorded, error) { return r.record(ctx, tx, key, op) },
		Restore: func(ctx context.Context, _ map[string]string) (Recorded, error) {
			now, err := r.recorded(ctx, key)
			if err == nil {
				now.Refunds = now.account.recordedOf(op.refunds)
			}
			return now.Recorded, err
		},
	})
}

// record adds the actions of a recording.
func (r *Repository) record(ctx context.Context, tx *dynastay.Tx, key dynastay.Key, op recording) (done Recorded, err error) {
	rows, err := r.readFor(ctx, tx, key)
	if err != nil {
		return done, err
	}
	change, err := r.table.ChangeOf(key, rows.booking, func(b *Booking) error {
		if op.edit == nil {
			return nil
		}
		return op.edit(b, rows)
	})
	if err != nil {
		return done, err
	}
	if err := rows.addLines(change.After); err != nil {
		return done, err
	}
	done.Booking = change.After
	done.Payment, err = r.ledger.settle(tx, rows, change, func(a *account, b *Booking) error {
		err := op.record(a, b)
		done.Due, done.Refunds = r.dueNow(a, b), a.recordedOf(op.refunds)
		return err
	})
	if err != nil {
		return done, err
	}
	return done, change.AddTo(tx)
}

// recorded reads the result of an earlier call.
func (r *Repository) recorded(ctx context.Context, key dynastay.Key) (now restored, err error) {
	rows, err := r.read(ctx, key, dynastay.Consistent)
	if err != nil {
		return now, err
	}
	if now.Booking, err = r.bookingOf(key, rows); err != nil {
		return now, err
	}
	currency := now.Booking.Total.Currency()
	if now.account, err = rows.account(now.Booking.ID, currency); err != nil {
		return now, err
	}
	if now.Due = r.dueNow(now.account, now.Booking); !rows.summary.Exists() {
		return now, nil
	}
	now.Payment, err = readSummary(rows.summary, currency)
	return now, err
}

// restored is a booking with its payments, as an earlier call left them, or a later one.
type restored struct {
	Recorded
	account *account
}
