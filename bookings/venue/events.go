package venue

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	keys "github.com/dynastay/dynastay/keys/venue"
)

const (
	opCreateEvent = "venue.CreateEvent"
	opUpdateEvent = "venue.UpdateEvent"
	opDeleteEvent = "venue.DeleteEvent"
)

// CreateEventOp creates an event without a booking, such as a concert of the venue's own or its maintenance. Date,
// Slot, Type and Title are required. An empty ID is generated; CreatedBy, the times and the version are set. If other
// events hold the slot, or one that overlaps it, CreateEventOp fails with [*SlotTaken]. It fails with [ErrNotAllowed]
// unless by is an administrator, with [ErrPast] if the date is before today at the venue, and with
// [dynastay.ErrInvalid].
func (r *Repository) CreateEventOp(by Actor, e Event) *dynastay.Operation[*Event] {
	drawn := e.ID == ""
	if drawn {
		e.ID = r.db.NewID(r.event.Prefix)
	}
	e.BookingID, e.CreatedBy = "", by.UserID
	err := by.admin()
	if err == nil {
		err = e.validate()
	}
	return dynastay.NewOp(dynastay.OpSpec[*Event]{
		Name: opCreateEvent, Invalid: err,
		Input: func(in *dynastay.Input) {
			if !drawn {
				in.Field("event", e.ID)
			}
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
			at, err := eventKey(e.Date, e.Slot)
			if err != nil {
				return nil, err
			}
			tx.Made("PK", at.PK)
			tx.Made("SK", at.SK)
			return made, r.audit(tx, by, AuditEntry{Action: EventCreated, EventID: made.ID, Note: made.Title})
		},
		Restore: func(ctx context.Context, made map[string]string) (*Event, error) {
			return r.eventAgain(ctx, dynastay.Key{PK: made["PK"], SK: made["SK"]})
		},
	})
}

// CreateEvent runs [Repository.CreateEventOp]. 1 request, and 1 more after a refusal.
func (r *Repository) CreateEvent(ctx context.Context, by Actor, e Event, opts ...dynastay.WriteOption) (*Event, error) {
	return dynastay.Do(ctx, r.db, r.CreateEventOp(by, e), opts...)
}

// UpdateEventOp changes an event. It passes the stored event to fn, which may change Title and, unless the event is that
// of a booking, Type. fn may be called more than once; its errors are returned unchanged. It fails with [ErrNotAllowed]
// unless by is an administrator, with [dynastay.ErrNotFound] if the slot does not hold that event, with
// [dynastay.ErrVersion] if the condition of [dynastay.IfVersion] does not hold, and with [dynastay.ErrInvalid].
func (r *Repository) UpdateEventOp(
	by Actor, which EventRef, fn func(*Event) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Event] {
	at, err := r.eventArguments(by, which, opts)
	return dynastay.NewOp(dynastay.OpSpec[*Event]{
		Name: opUpdateEvent, Invalid: err, Input: entity.InputOf(at, opts...),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Event, error) {
			c, err := r.changeEvent(ctx, opUpdateEvent, at, which, fn, opts)
			if err != nil {
				return nil, err
			}
			if !c.Changed() {
				return c.After, nil
			}
			if err := r.audit(tx, by, AuditEntry{Action: EventUpdated, EventID: c.After.ID, Note: c.After.Title}); err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Event, error) { return r.eventAgain(ctx, at) },
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
		Name: opDeleteEvent, Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Key(at)
			in.Field("event", which.ID)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			c, err := r.changeEvent(ctx, opDeleteEvent, at, which, func(*Event) error { return nil }, opts)
			if err != nil {
				return struct{}{}, err
			}
			if c.Before.BookingID != "" {
				return struct{}{}, refusedEvent(opDeleteEvent, which, ErrOfBooking)
			}
			gone, err := tx.Remove(keys.Table, c.Row, r.event.Known()...)
			if err != nil {
				return struct{}{}, err
			}
			gone.Else(overtaken)
			revoke(tx, c.Before.ID)
			return struct{}{}, r.audit(tx, by, AuditEntry{Action: EventDeleted, EventID: c.Before.ID, Note: c.Before.Title})
		},
		Restore: func(context.Context, map[string]string) (struct{}, error) { return struct{}{}, nil },
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
	if err := keys.CheckEventID(which.ID); err != nil {
		return dynastay.Key{}, dynastay.Within("ID", err)
	}
	at, err := eventKey(which.Date, which.Slot)
	if err != nil {
		return at, err
	}
	return at, r.event.CheckUpdate(opts...)
}

// changeEvent starts a change of an event that must be the one that the caller means: another one may have taken the
// slot since, at the same version.
func (r *Repository) changeEvent(
	ctx context.Context, op string, at dynastay.Key, which EventRef, fn func(*Event) error, opts []dynastay.UpdateOption,
) (*entity.Change[Event], error) {
	row, err := r.db.Get(ctx, keys.Table, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	if row.Text(attrEventID) != which.ID {
		return nil, refusedEvent(op, which, dynastay.ErrNotFound)
	}
	return r.events.ChangeOf(at, row, fn, opts...)
}

// eventAgain reads an event for the result of a repeated call, without its write id: that may be of another caller's
// write.
func (r *Repository) eventAgain(ctx context.Context, at dynastay.Key) (*Event, error) {
	e, err := r.events.Get(ctx, at, dynastay.Consistent)
	if err == nil {
		e.WriteID = ""
	}
	return e, err
}

func refusedEvent(op string, which EventRef, reason error) error {
	return &dynastay.Error{Op: op, Entity: "Event", ID: which.ID, Err: reason}
}

// revoke adds the action that deletes the lock code of an event, if it has one: nobody may open the doors for an event
// that does not take place. Other software may have stored an id for which there can be no code.
func revoke(tx *dynastay.Tx, eventID string) {
	if at, err := key.Of(keys.LockCode{EventID: eventID}); err == nil {
		tx.Delete(keys.Table, at)
	}
}
