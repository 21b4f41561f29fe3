package bookings

import (
	"cmp"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/keytext"
	"github.com/dynastay/dynastay/keys"
)

// ledger writes the payments and refunds of bookings.
type ledger struct {
	db        *dynastay.DB
	payments  *entity.Table[Payment]
	refunds   *entity.Table[Refund]
	summaries *entity.Table[PaymentSummary]
}

func newLedger(db *dynastay.DB) ledger {
	return ledger{
		db, entity.NewTable(db, paymentEntity), entity.NewTable(db, refundEntity), entity.NewTable(db, summaryEntity),
	}
}

// pay records a notification of a payment in the account of a booking.
func (l ledger) pay(a *account, b *Booking, p Payment) error {
	if b.Total.IsSet() && p.Amount.Currency() != b.Total.Currency() {
		return dynastay.Invalid("Amount", "must be in %s, the currency of the booking", b.Total.Currency())
	}
	if i := a.payment(normalID(p.ProviderTransactionID)); p.At.IsZero() && i >= 0 && a.payments[i].Status == p.Status {
		p.At = a.payments[i].At // the status is not new
	}
	p.ID = cmp.Or(p.ID, l.db.NewID("pay_"))
	p.ProviderTransactionID = normalID(p.ProviderTransactionID)
	p.At, p.CreatedAt = l.moment(p.At), l.moment(time.Time{})
	if b.anonymised() {
		p.Card, p.FailureReason = Card{}, ""
	}
	return a.pay(p)
}

// refund records a notification of a refund in the account of a booking.
func (l ledger) refund(a *account, b *Booking, r Refund) error {
	r.Status, r.ProviderTransactionID = cmp.Or(r.Status, PaymentRefunded), normalID(r.ProviderTransactionID)
	r.At, r.CreatedAt = l.moment(r.At), l.moment(time.Time{})
	if b.anonymised() {
		r.Reason, r.FailureReason = "", ""
	}
	return a.refund(r)
}

// normalID returns the provider's id in the form that keys compare. An id that has passed Validate has one.
func normalID(id string) string {
	normal, _ := keytext.Normal(id)
	return normal
}

// moment returns a time as it is stored. The zero time means now.
func (l ledger) moment(at time.Time) time.Time {
	if at.IsZero() {
		at = l.db.Now()
	}
	return at.UTC().Truncate(time.Millisecond)
}

// settle lets record, if it is not nil, change the account of a booking, and adds the actions that write what it has
// changed. It also gives the booking, which must have its lines, the payment status that follows, and by when the rest is due.
// The summary is nil if no payment has been recorded.
//
// Together with any payment, the booking's own item is written, as with any line: the condition on it keeps two writes
// that have read the same account from both being carried out. It does not get a new version, because nobody has edited
// it.
func (l ledger) settle(
	tx *dynastay.Tx, rows stored, booking *entity.Change[Booking], record func(*account, *Booking) error,
) (*PaymentSummary, error) {
	a, err := rows.account(booking.After.ID, booking.After.Total.Currency())
	if err != nil {
		return nil, err
	}
	before := account{payments: slices.Clone(a.payments), refunds: slices.Clone(a.refunds)}
	if record == nil && a.understood() != nil {
		return nil, nil // the status stays as other software has set it
	}
	if record != nil {
		if err := record(a, booking.After); err != nil {
			return nil, err
		}
	}
	if len(a.payments) == 0 {
		return nil, nil
	}
	summary, err := a.summary(booking.After.Total)
	if err != nil {
		return nil, err
	}
	paid, err := summary.Paid.Sub(summary.Refunded)
	if err != nil {
		return nil, a.corrupt(err)
	}
	due := booking.After.dueAt(paid)
	if slices.Equal(a.payments, before.payments) && slices.Equal(a.refunds, before.refunds) &&
		booking.After.PaymentStatus.normal() == summary.Status && booking.After.DueAt.Equal(due) {
		return summary, nil
	}
	booking.Renew()
	err = booking.Keep(func(b *Booking) error {
		b.PaymentStatus, b.DueAt = summary.Status, due
		return nil
	})
	if err == nil {
		err = writeAll(tx, l.payments, paymentEntity, rows.payments, a.payments)
	}
	if err == nil {
		err = writeAll(tx, l.refunds, refundEntity, rows.refunds, a.refunds)
	}
	if err == nil {
		var row []dynastay.Row
		if rows.summary.Exists() {
			row = append(row, rows.summary)
		}
		err = writeAll(tx, l.summaries, summaryEntity, row, []PaymentSummary{*summary})
	}
	return summary, err
}

// writeAll adds the actions that write what differs from the rows. The first values are those of the rows, the others
// are new.
func writeAll[T any](tx *dynastay.Tx, table *entity.Table[T], e *entity.Entity[T], rows []dynastay.Row, values []T) error {
	for i, v := range values {
		if i < len(rows) {
			change, err := table.ChangeOf(e.Schema.Key.From(rows[i]), rows[i], func(stored *T) error {
				*stored = v
				return nil
			})
			if err == nil {
				err = change.AddTo(tx)
			}
			if err != nil {
				return err
			}
			continue
		}
		item, err := e.Item(&v)
		if err != nil {
			return err
		}
		tx.Put(e.Schema, item).Identified().If(absent, overtaken)
	}
	return nil
}

var absent = dynastay.IfNew(keys.BookingsTable)
