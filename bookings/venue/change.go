package venue

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// change is a change of a booking, as a call asks for it.
type change struct {
	op        string
	by        Actor
	bookingID string
	version   int                      // of a decision: the version that the caller has seen
	opts      []dynastay.UpdateOption  // of an update; optional
	input     func(in *dynastay.Input) // adds other arguments for idempotency keys; optional
	action    Action
	note      string
	from      []Status             // the statuses in which it is allowed
	may       func(*Booking) error // whether the actor may do it
	fn        func(*Booking) error // of an update
	set       func(*Booking)       // what only the library changes; optional
	// also adds the actions on other items, and may read. It runs before set. It returns the id of the event that the
	// booking gets or loses, or "". Optional.
	also func(ctx context.Context, tx *dynastay.Tx, c *entity.Change[Booking]) (eventID string, err error)
}

// changeOp reads a booking and changes it, with everything that belongs to it.
func (r *Repository) changeOp(m change, invalid error) *dynastay.Operation[*Booking] {
	at, err := bookingKey(m.bookingID)
	if invalid == nil {
		invalid = err
	}
	if invalid == nil {
		invalid = r.booking.CheckUpdate(m.opts...)
	}
	if invalid == nil {
		invalid = checkText("Reason", m.note)
	}
	var counted counts
	return dynastay.NewOp(dynastay.OpSpec[*Booking]{
		Name: m.op, Invalid: invalid, Input: m.agreed(at), Options: m.opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Booking, error) {
			row, err := r.db.Get(ctx, venuekeys.Table, at, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			c, err := r.permitted(at, row, m)
			if err != nil {
				return nil, err
			}
			if m.fn != nil && !c.Changed() {
				return c.After, nil
			}
			if m.fn != nil && c.After.Date.Before(r.today()) {
				return nil, refused(m.op, m.bookingID, ErrPast)
			}
			c.Touch()
			eventID := ""
			if m.also != nil {
				if eventID, err = m.also(ctx, tx, c); err != nil {
					return nil, unusable(m, err)
				}
			}
			if m.set != nil {
				err := c.Keep(func(b *Booking) error {
					b.DecidedBy, b.DecidedAt = m.by.UserID, r.db.Now()
					m.set(b)
					return nil
				})
				if err != nil {
					return nil, err
				}
			}
			err = r.audit(tx, m.by, AuditEntry{
				Action: m.action, UserID: c.After.UserID, BookingID: c.After.ID, EventID: eventID, Note: m.note,
			})
			if err != nil {
				return nil, err
			}
			if err := counted.follow(tx, c.Before, c.After); err != nil {
				return nil, unusable(m, err)
			}
			return c.After, unusable(m, c.AddTo(tx))
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Booking, error) { return r.again(ctx, m.bookingID) },
	})
}

// agreed returns what adds the actor and the caller's arguments for idempotency keys, or nil if the function of an update
// cannot be compared with that of another call.
func (m change) agreed(at dynastay.Key) func(*dynastay.Input) {
	if m.fn != nil {
		return m.by.input(entity.InputOf(at, m.opts...))
	}
	return func(in *dynastay.Input) {
		in.Key(at)
		in.Field("by", m.by.UserID)
		in.Field("version", strconv.Itoa(m.version))
		in.Field("note", m.note)
		if m.input != nil {
			m.input(in)
		}
	}
}

// permitted starts the change of a booking that was read. The status says more than the version, so it comes first: of
// two administrators who approve one booking, the second is told that it is approved.
func (r *Repository) permitted(at dynastay.Key, row dynastay.Row, m change) (*entity.Change[Booking], error) {
	fn := m.fn
	if fn == nil {
		fn = func(*Booking) error { return nil }
	}
	if row.Exists() {
		b, err := r.booking.Value(row)
		if err != nil {
			return nil, err
		}
		if own, err := r.booking.Key(b); err != nil || own != at {
			return nil, &dynastay.Error{
				Op: m.op, Entity: "Booking", ID: m.bookingID, Kind: dynastay.ErrCorrupt, Err: errors.New("the item must contain the id of its key"),
			}
		}
		if err := m.may(b); err != nil {
			return nil, refused(m.op, m.bookingID, err)
		}
		if !slices.Contains(m.from, b.Status) {
			return nil, &dynastay.Error{Op: m.op, Entity: "Booking", ID: m.bookingID, Field: attrStatus, Err: &StatusError{b.Status}}
		}
	}
	read, err := r.bookings.ChangeOf(at, row, func(*Booking) error { return nil }, m.opts...)
	if err != nil {
		return nil, err
	}
	if m.fn == nil && read.Before.Version != m.version {
		return nil, &dynastay.Error{Op: m.op, Entity: "Booking", ID: m.bookingID, Kind: dynastay.ErrVersion}
	}
	// Without the options, because their conditions hold for the item as it was read. If it has changed since, it must
	// be read again before the call can be refused.
	return r.bookings.ChangeOf(at, row, fn)
}

// unusable returns the error for a booking that other software has stored, and from which no event or key can be made.
// It is not about the caller's arguments.
func unusable(m change, err error) error {
	if !errors.Is(err, dynastay.ErrInvalid) {
		return err
	}
	return &dynastay.Error{Op: m.op, Entity: "Booking", ID: m.bookingID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
}
