package bookings

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// mostAnonymised is the number of payments, refunds and lines that are anonymised in one transaction, with the booking and
// the guards of its two references, which the first update after a write of other software claims.
const mostAnonymised = 97

// personal are the attributes of payments, of refunds, of the summary and of lines that say something about a person.
var personal = []string{"CardBrand", "CardLast4", "ChildAges", "Data", "FailureReason", "Reason"}

func (b *Booking) anonymised() bool { return !b.AnonymisedAt.IsZero() }

// EraseGuest anonymises a booking that has no user, as [Eraser.Erase] does with those of a user. If the booking does not
// exist or belongs to a user, EraseGuest fails with [dynastay.ErrNotFound], and if it is not over, with an
// [*UpcomingError]. If it is anonymised already, EraseGuest does nothing. 2 requests: a consistent Query of the booking,
// and the write; 2 more for every 97 further payments, refunds and lines with ages of children or data.
func (r *Repository) EraseGuest(ctx context.Context, bookingID string) (err error) {
	ctx, end := r.db.Begin(ctx, "bookings.EraseGuest")
	defer func() { end(err) }()
	_, err = r.anonymise(ctx, bookingID, func(booking dynastay.Row) (bool, error) {
		switch {
		case !booking.Exists(), booking.Text("UserId") != "", booking.Text("GSI1PK") != "":
			return false, &dynastay.Error{Op: "bookings.Erase", Entity: "Booking", ID: bookingID, Kind: dynastay.ErrNotFound}
		}
		return booking.Value("AnonymisedAt").IsNull(), nil
	})
	return err
}

// anonymise anonymises a booking if it is one of those that are to be. It reports whether there was anything to do.
func (r *Repository) anonymise(
	ctx context.Context, bookingID string, affected func(booking dynastay.Row) (bool, error),
) (done bool, err error) {
	for more := true; more && err == nil; {
		a := &anonymisation{Repository: r, affected: affected}
		_, err = dynastay.Do(ctx, r.db, a.op(bookingID))
		done, more = err == nil && a.done, a.more
	}
	return done, err
}

// anonymisation is one transaction.
type anonymisation struct {
	*Repository
	affected func(booking dynastay.Row) (bool, error)

	done bool // nothing of the person is left
	more bool // it takes another transaction
}

func (a *anonymisation) op(bookingID string) *dynastay.Operation[struct{}] {
	key, err := keys.Of(keys.Booking{BookingID: bookingID})
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "bookings.Erase", Invalid: err,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			return struct{}{}, a.prepare(ctx, tx, key)
		},
	})
}

// prepare adds the actions of the next transaction. All of them depend on the booking as it was read: whatever adds a
// payment or a refund, or changes the status or the dates, also writes the booking.
func (a *anonymisation) prepare(ctx context.Context, tx *dynastay.Tx, key dynastay.Key) error {
	a.done, a.more = false, false
	rows, err := a.read(ctx, key, dynastay.Consistent)
	if err != nil {
		return err
	}
	if is, err := a.affected(rows.booking); err != nil || !is {
		return err
	}
	left := rows.personal()
	a.more = len(left) > mostAnonymised
	a.done = !a.more
	now := a.db.Now()
	change, err := a.table.ChangeOf(key, rows.booking, func(b *Booking) error {
		if !b.over(now) {
			return &UpcomingError{UserID: rows.booking.Text("UserId"), BookingIDs: []string{idOf(key)}}
		}
		if a.done {
			b.UserID, b.Guest, b.SpecialRequests, b.CancellationReason, b.Data = "", Guest{}, "", "", nil
			b.AnonymisedAt = now
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := finish(change, a.done); err != nil {
		return err
	}
	for _, row := range left[:min(len(left), mostAnonymised)] {
		if at := keys.BookingsTable.Key.From(row); isLine(at) {
			tx.Update(keys.BookingsTable, at, anonymousLine.With(nil)).Else(overtaken)
		} else if err := anonymiseRow(tx, row); err != nil {
			return err
		}
	}
	return change.AddTo(tx)
}

// finish completes the change of the booking's own item.
func finish(change *entity.Change[Booking], last bool) error {
	if !last {
		change.Renew()
		return nil
	}
	return errors.Join(change.Drop("GuestInfo"), change.Drop("Data")) // with what other software stored in them
}

// personal returns the payments, the refunds, the summary and the lines that say something about a person.
func (s stored) personal() []dynastay.Row {
	all := slices.Concat(s.payments, s.refunds, s.lines)
	if s.summary.Exists() {
		all = append(all, s.summary)
	}
	return slices.DeleteFunc(all, func(row dynastay.Row) bool {
		return !slices.ContainsFunc(personal, func(name string) bool { return !row.Value(name).IsNull() })
	})
}

// anonymousLine is the update of a line, which has no write id: the condition on the booking protects it.
var anonymousLine = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(lineExists).
	WithUpdate(expression.Remove(dynastay.NameOf("ChildAges")).Remove(dynastay.NameOf("Data"))))

// anonymiseRow adds the action that removes what a payment, a refund or a summary says about a person. It does not
// decode the item, because nothing else of it may change.
func anonymiseRow(tx *dynastay.Tx, row dynastay.Row) error {
	var update expression.UpdateBuilder
	for _, name := range personal {
		update = update.Remove(dynastay.NameOf(name))
	}
	action, err := tx.Rewrite(keys.BookingsTable, row, update, personal...)
	if err == nil {
		action.Else(overtaken)
	}
	return err
}
