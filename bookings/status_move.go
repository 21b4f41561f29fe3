package bookings

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// The reasons why the time does not allow an operation on a booking. The [*StatusError] that is returned matches them.
var (
	ErrHoldEnded = dynastay.Refusal("the hold has ended")
	ErrHoldOpen  = dynastay.Refusal("the hold has not ended yet")
	ErrTooEarly  = dynastay.Refusal("the stay has not begun")
	ErrTooLate   = dynastay.Refusal("the stay is over")
	// ErrStillExpected is why a no-show cannot be recorded yet, see [Options].NoShowAfter.
	ErrStillExpected = dynastay.Refusal("the guests may still arrive on the day of arrival")
	ErrAnotherDay    = dynastay.Refusal("the day of the check-in or check-out is over")
	ErrReleased      = dynastay.Refusal("nights of the booking have been released")
	ErrNotOverdue    = dynastay.Refusal("nothing of the booking was due and has not been paid")
)

// ErrAnonymised is the reason why a booking cannot be confirmed, checked in, given rooms or modified after
// [Eraser.Erase]. The [*StatusError] that is returned matches it.
var ErrAnonymised = dynastay.Refusal("the booking has been anonymised")

// move is a change of a booking's status.
type move struct {
	name string // of the method
	verb string // for errors
	from []Status
	// ready returns an error if the time does not allow the move.
	ready func(b *Booking, now time.Time) error
	apply func(b *Booking, now time.Time)
	touch bool // the lines change, but the booking itself may not
}

func anyTime(*Booking, time.Time) error { return nil }

// awaited returns an error if no guest is known who could arrive.
func awaited(b *Booking) error {
	if b.anonymised() {
		return ErrAnonymised
	}
	return nil
}

func holdOpen(b *Booking, now time.Time) error {
	if b.holdEnded(now) {
		return ErrHoldEnded
	}
	return nil
}

func begun(b *Booking, now time.Time) error {
	if b.today(now).Before(b.Stay.CheckIn) {
		return ErrTooEarly
	}
	return nil
}

// notOver allows the day of departure.
func notOver(b *Booking, now time.Time) error {
	if b.today(now).After(b.Stay.CheckOut) {
		return ErrTooLate
	}
	return nil
}

func during(b *Booking, now time.Time) error { return cmp.Or(begun(b, now), notOver(b, now)) }

// check returns the error if the booking cannot make the move.
func (m move) check(b *Booking, now time.Time) error {
	if !slices.Contains(m.from, b.Status) {
		return &StatusError{BookingID: b.ID, Status: b.Status, Op: m.verb}
	}
	if err := m.ready(b, now); err != nil {
		return &StatusError{BookingID: b.ID, Status: b.Status, Op: m.verb, Err: err}
	}
	return nil
}

// moveOp is an operation that makes a move and changes nothing but the booking's own item and, if record is not nil,
// its payments.
func (r *Repository) moveOp(
	bookingID string, m move, invalid error, input func(*dynastay.Input), record func(*account, *Booking) error,
) *dynastay.Operation[*Booking] {
	return r.movingOp(bookingID, m, invalid, input, record, nil)
}

// linesOp is an operation that makes a move, and lets also add the actions on what belongs to the booking's lines.
func (r *Repository) linesOp(
	bookingID string, m move, invalid error, input func(*dynastay.Input), also func(context.Context, *dynastay.Tx, moved) error,
) *dynastay.Operation[*Booking] {
	return r.movingOp(bookingID, m, invalid, input, nil, also)
}

func (r *Repository) movingOp(
	bookingID string, m move, invalid error, input func(*dynastay.Input), record func(*account, *Booking) error,
	also func(context.Context, *dynastay.Tx, moved) error,
) *dynastay.Operation[*Booking] {
	key, err := keys.Of(keys.Booking{BookingID: bookingID})
	return dynastay.NewOp(dynastay.OpSpec[*Booking]{
		Name:    m.name,
		Invalid: cmp.Or(err, invalid),
		Owned:   true,
		Input: func(in *dynastay.Input) {
			in.Field("booking", bookingID)
			if input != nil {
				input(in)
			}
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Booking, error) {
			done, err := r.move(ctx, tx, key, m, record)
			if err == nil && also != nil {
				err = also(ctx, tx, done)
			}
			return done.booking, err
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Booking, error) {
			return r.Get(ctx, bookingID, dynastay.Consistent)
		},
	})
}

// moved is a booking after a move.
type moved struct {
	rows    stored   // as they were read
	before  *Booking // without its lines
	booking *Booking
	payment *PaymentSummary // if the move records a payment or a refund
}

// move adds the update of the booking, which is conditional on the booking as it was read. What else follows from the
// booking, its lines and its payments needs no condition of its own: no write changes them without also changing the
// booking.
func (r *Repository) move(
	ctx context.Context, tx *dynastay.Tx, key dynastay.Key, m move, record func(*account, *Booking) error,
) (done moved, err error) {
	rows, err := r.readFor(ctx, tx, key)
	if err != nil {
		return done, err
	}
	now := r.db.Now()
	change, err := r.table.ChangeOf(key, rows.booking, func(b *Booking) error {
		if err := m.check(b, now); err != nil {
			return err
		}
		m.apply(b, now)
		return nil
	})
	if err != nil {
		return done, err
	}
	if m.touch {
		change.Touch()
	}
	done.rows, done.before, done.booking = rows, change.Before, change.After
	if err := rows.addLines(done.booking); err != nil {
		return done, err
	}
	before := *done.before
	before.Lines = done.booking.Lines
	if err := r.followUnits(ctx, tx, &before, done.booking, now); err != nil {
		return done, err
	}
	if record != nil {
		if done.payment, err = r.ledger.settle(tx, rows, change, record); err != nil {
			return done, err
		}
	}
	return done, change.AddTo(tx)
}
