package venue

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

const (
	opCreateEvent = "venue.CreateEvent"
	opUpdateEvent = "venue.UpdateEvent"
	opDeleteEvent = "venue.DeleteEvent"
)

// CreateEventOp creates an event without a booking, such as a concert of the venue's own or its maintenance. Date,
// Slot, Type and Title are required. The ID is generated; CreatedBy, the times and the version are set. If other
// events hold the slot, or one that overlaps it, CreateEventOp fails with [*SlotTaken]. It fails with [ErrNotAllowed]
// unless by is an administrator, with [ErrPast] if the date is before today at the venue, and with
// [dynastay.ErrInvalid].
func (r *Repository) CreateEventOp(by Actor, e Event) *dynastay.Operation[*Event] {
	e.ID, e.BookingID, e.CreatedBy = r.db.NewID(r.event.Prefix), "", by.UserID
	err := by.admin()
	if err == nil {
		err = e.validate()
	}
	return dynastay.NewOp(dynastay.OpSpec[*Event]{
		Name: opCreateEvent, Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Field("by", by.UserID)
			in.Field("date", e.Date.String())
			in.Field("slot", string(e.Slot))
			in.Field("type", string(e.Type))
			in.Field("title", e.Title)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Event, error) {
			if e.Date.Before(r.today()) {
				return nil, refusedEvent(opCreateEvent, e.Ref(), ErrPast)
			}
			made, err := r.take(ctx, tx, e, nil)
			if err != nil {
				return nil, err
			}
			return made, r.audit(tx, by, AuditEntry{Action: EventCreated, EventID: made.ID, Note: made.Title})
		},
		Restore: func(ctx context.Context, made map[string]string) (*Event, error) {
			again := e
			again.ID = made[attrEventID]
			return r.eventAgain(ctx, again)
		},
	})
}

// CreateEvent runs [Repository.CreateEventOp]. 1 request, and 1 more after a refusal.
func (r *Repository) CreateEvent(ctx context.Context, by Actor, e Event, opts ...dynastay.WriteOption) (*Event, error) {
	return dynastay.Do(ctx, r.db, r.CreateEventOp(by, e), opts...)
}

// UpdateEventOp changes an event. It passes the stored event to fn, which may change Title and, unless the event is
// that of a booking, Type. fn may be called more than once; its errors are returned unchanged. It fails with
// [ErrNotAllowed] unless by is an administrator, with [dynastay.ErrNotFound] if the slot does not hold that event, with
// [dynastay.ErrVersion] if the condition of [dynastay.IfVersion] does not hold, and with [dynastay.ErrInvalid].
func (r *Repository) UpdateEventOp(
	by Actor, which EventRef, fn func(*Event) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Event] {
	at, err := r.eventArguments(by, which, opts)
	return dynastay.NewOp(dynastay.OpSpec[*Event]{
		Name: opUpdateEvent, Invalid: err, Input: by.input(agreedOn(entity.InputOf(at, opts...), which)), Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Event, error) {
			row, err := r.readEvent(ctx, opUpdateEvent, at, which)
			if err != nil {
				return nil, err
			}
			if e, err := r.event.Value(row); err != nil {
				return nil, err
			} else if own, err := r.event.Key(e); err != nil || own != at {
				return nil, corruptEvent(opUpdateEvent, which)
			}
			c, err := r.events.ChangeOf(at, row, fn, opts...)
			if err != nil {
				return nil, err
			}
			if !c.Changed() {
				return c.After, nil
			}
			err = r.audit(tx, by, AuditEntry{
				Action: EventUpdated, UserID: c.After.userID(), BookingID: c.After.BookingID, EventID: c.After.ID, Note: c.After.Title,
			})
			if err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Event, error) {
			return r.eventAgain(ctx, Event{ID: which.ID, Date: which.Date, Slot: which.Slot})
		},
	})
}

// UpdateEvent runs [Repository.UpdateEventOp]. 2 requests: a consistent read and the write.
func (r *Repository) UpdateEvent(
	ctx context.Context, by Actor, which EventRef, fn func(*Event) error, opts ...dynastay.UpdateOption,
) (*Event, error) {
	return dynastay.Do(ctx, r.db, r.UpdateEventOp(by, which, fn, opts...))
}

// DeleteEventOp deletes an event with its lock code, which frees the slot. The event of a booking is refused with
// [ErrOfBooking]: cancel the booking instead. It fails with [ErrNotAllowed] unless by is an administrator, with
// [dynastay.ErrNotFound] if the slot does not hold that event, and with [dynastay.ErrVersion] if the condition of
// [dynastay.IfVersion] does not hold.
func (r *Repository) DeleteEventOp(
	by Actor, which EventRef, opts ...dynastay.UpdateOption,
) *dynastay.Operation[struct{}] {
	at, err := r.eventArguments(by, which, opts)
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: opDeleteEvent, Invalid: err, Options: opts,
		Input: by.input(func(in *dynastay.Input) {
			in.Key(at)
			in.Field("event", which.ID)
			if add := entity.InputOf(at, opts...); add != nil {
				add(in)
			}
		}),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			row, err := r.readEvent(ctx, opDeleteEvent, at, which)
			if err != nil {
				return struct{}{}, err
			}
			e := r.heldBy(row)
			if err := r.notOfBooking(ctx, e, which); err != nil {
				return struct{}{}, err
			}
			if len(opts) > 0 { // otherwise an event that cannot be read can be deleted too
				if _, err := r.events.ChangeOf(at, row, func(*Event) error { return nil }, opts...); err != nil {
					return struct{}{}, err
				}
			}
			gone, err := tx.Remove(venuekeys.Table, row, r.event.Known()...)
			if err != nil {
				return struct{}{}, err
			}
			gone.Else(overtaken)
			revoke(tx, which.ID)
			return struct{}{}, r.audit(tx, by, AuditEntry{
				Action: EventDeleted, UserID: e.userID(), BookingID: e.BookingID, EventID: which.ID, Note: e.Title,
			})
		},
	})
}

// DeleteEvent runs [Repository.DeleteEventOp]. 2 requests: a consistent read and the write.
func (r *Repository) DeleteEvent(
	ctx context.Context, by Actor, which EventRef, opts ...dynastay.UpdateOption,
) error {
	_, err := dynastay.Do(ctx, r.db, r.DeleteEventOp(by, which, opts...))
	return err
}

// eventArguments checks the arguments of an operation on an event, and returns the key of the event.
func (r *Repository) eventArguments(by Actor, which EventRef, opts []dynastay.UpdateOption) (dynastay.Key, error) {
	if err := by.admin(); err != nil {
		return dynastay.Key{}, err
	}
	if err := venuekeys.CheckEventID(which.ID); err != nil {
		return dynastay.Key{}, dynastay.Within("ID", err)
	}
	at, err := eventKey(which.Date, which.Slot)
	if err != nil {
		return at, err
	}
	return at, r.event.CheckUpdate(opts...)
}

// readEvent reads an event that must be the one that the caller means: another one may have taken the slot since, at
// the same version.
func (r *Repository) readEvent(ctx context.Context, op string, at dynastay.Key, which EventRef) (dynastay.Row, error) {
	row, err := r.db.Get(ctx, venuekeys.Table, at, dynastay.Consistent)
	if err == nil && row.Text(attrEventID) != which.ID {
		err = &dynastay.Error{Op: op, Entity: "Event", ID: which.ID, Kind: dynastay.ErrNotFound}
	}
	return row, err
}

// notOfBooking refuses the event of a booking that is approved. Other software may have left an event of another one;
// such a booking cannot be approved before its slot is free.
func (r *Repository) notOfBooking(ctx context.Context, e *Event, which EventRef) error {
	b, err := r.Booking(ctx, e.BookingID, dynastay.Consistent)
	switch {
	case errors.Is(err, dynastay.ErrNotFound) || errors.Is(err, dynastay.ErrInvalid): // "" is invalid: no booking
		return nil
	case err == nil && b.Status != Approved:
		return nil
	case err == nil:
		err = refusedEvent(opDeleteEvent, which, ErrOfBooking)
	}
	return err
}

// agreedOn adds the id of an event to the input of an operation; nil remains nil.
func agreedOn(input func(*dynastay.Input), which EventRef) func(*dynastay.Input) {
	if input == nil {
		return nil
	}
	return func(in *dynastay.Input) {
		input(in)
		in.Field("event", which.ID)
	}
}

// eventAgain reads an event for the result of a repeated call, without its write id: that may be of another caller's
// write. If it was deleted since, the result is the event as it was given.
func (r *Repository) eventAgain(ctx context.Context, given Event) (*Event, error) {
	at, err := eventKey(given.Date, given.Slot)
	if err != nil {
		return nil, err
	}
	row, err := r.db.Get(ctx, venuekeys.Table, at, dynastay.Consistent)
	if err != nil || row.Text(attrEventID) != given.ID {
		return &given, err
	}
	e, err := r.event.Value(row)
	if err == nil {
		e.WriteID = ""
	}
	return e, err
}

func corruptEvent(op string, which EventRef) error {
	return &dynastay.Error{
		Op: op, Entity: "Event", ID: which.ID, Kind: dynastay.ErrCorrupt, Err: errors.New("the item must contain the date and the slot of its key"),
	}
}

func refusedEvent(op string, which EventRef, reason error) error {
	return &dynastay.Error{Op: op, Entity: "Event", ID: which.ID, Err: reason}
}

// revoke adds the action that deletes the lock code of an event, if it has one: nobody may open the doors for an event
// that does not take place. Other software may have stored an id for which there can be no code.
func revoke(tx *dynastay.Tx, eventID string) {
	if at, err := key.Of(venuekeys.LockCode{EventID: eventID}); err == nil {
		tx.Delete(venuekeys.Table, at)
	}
}
