package venue

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// LockCode opens the doors for an event. It is deleted with the event. It is stored as it is given, and the stream of
// the table contains it.
type LockCode struct {
	EventID    string
	Date       dynastay.Date `json:",omitzero"`
	Slot       Slot
	Code       string    // at most entity.MaxName bytes
	ValidFrom  time.Time `json:",omitzero"` // to the millisecond, like ValidUntil
	ValidUntil time.Time `json:",omitzero"` // after ValidFrom

	CreatedAt time.Time `json:",omitzero"`
	WriteID   dynastay.WriteID
}

const opSetLockCode = "venue.SetLockCode"

func newLockCodes() *entity.Entity[LockCode] {
	return entity.New(entity.Spec[LockCode]{
		Name: "LockCode", Operations: "venue", Schema: venuekeys.Table, Created: "createdAt",
		Key: func(c *LockCode) (dynastay.Key, error) { return key.Of(venuekeys.LockCode{EventID: c.EventID}) },
		Codec: entity.Declare(func(f *entity.Fields, c *LockCode) {
			f.Const("entityType", "LockCode")
			f.String(attrEventID, &c.EventID)
			f.Date("date", &c.Date)
			entity.String(f, "timeSlot", &c.Slot)
			f.String("code", &c.Code)
			f.Time("validFrom", &c.ValidFrom)
			f.Time("validUntil", &c.ValidUntil)
			f.Time("createdAt", &c.CreatedAt)
			f.WriteID(venuekeys.AttrWriteID, &c.WriteID)
		}),
	})
}

// asStored returns the code with its times as they are stored, so that ValidUntil is after ValidFrom there too.
func (c LockCode) asStored() LockCode {
	c.ValidFrom, c.ValidUntil = c.ValidFrom.UTC().Truncate(time.Millisecond), c.ValidUntil.UTC().Truncate(time.Millisecond)
	return c
}

// checkCode checks a code and its times, also whether they can be stored. An approval may have no code.
func (r *Repository) checkCode(c *LockCode, required bool) error {
	if !required && c.ValidFrom.IsZero() && c.ValidUntil.IsZero() {
		return nil
	}
	if err := entity.CheckText(c.Code, entity.MaxName); err != nil {
		return dynastay.Within("Code", err)
	}
	switch {
	case c.Code == "":
		return dynastay.Invalid("Code", "is required")
	case c.ValidFrom.IsZero():
		return dynastay.Invalid("ValidFrom", "is required")
	case !c.ValidUntil.After(c.ValidFrom):
		return dynastay.Invalid("ValidUntil", "must be after ValidFrom")
	}
	_, err := r.code.Item(c)
	return err
}

func (c *LockCode) input(in *dynastay.Input) {
	in.Field("code", c.Code)
	in.Field("from", c.ValidFrom.Format(time.RFC3339Nano))
	in.Field("until", c.ValidUntil.Format(time.RFC3339Nano))
}

// ofEvent is the condition that an event is the one with an id.
var ofEvent = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(dynastay.NameOf(attrEventID).Equal(dynastay.Param("event"))))

// SetLockCodeOp stores the code of an event, and replaces an earlier one. EventID, Date and Slot say which event; the
// transaction checks that it still takes place. It fails with [ErrNotAllowed] unless by is an administrator, with
// [dynastay.ErrNotFound] if the slot does not hold that event, and with [dynastay.ErrInvalid].
func (r *Repository) SetLockCodeOp(by Actor, c LockCode) *dynastay.Operation[*LockCode] {
	c = c.asStored()
	at, err := r.codeArguments(by, &c)
	return dynastay.NewOp(dynastay.OpSpec[*LockCode]{
		Name: opSetLockCode, Invalid: err,
		Input: by.input(func(in *dynastay.Input) {
			in.Field("event", c.EventID)
			in.Key(at)
			c.input(in)
		}),
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*LockCode, error) {
			tx.Check(venuekeys.Table, at, ofEvent.With(dynastay.Item{"event": dynastay.Text(c.EventID)}), func(dynastay.Row) error {
				return &dynastay.Error{Op: opSetLockCode, Entity: "Event", ID: c.EventID, Kind: dynastay.ErrNotFound}
			})
			set := c
			set.CreatedAt = r.db.Now()
			return &set, r.putCode(tx, by, &set, AuditEntry{})
		},
		Restore: func(ctx context.Context, _ map[string]string) (*LockCode, error) {
			set, err := r.LockCode(ctx, c.EventID, dynastay.Consistent)
			if errors.Is(err, dynastay.ErrNotFound) { // it was deleted with its event
				return &c, nil
			}
			if err == nil {
				set.WriteID = ""
			}
			return set, err
		},
	})
}

// SetLockCode runs [Repository.SetLockCodeOp]. 1 request.
func (r *Repository) SetLockCode(ctx context.Context, by Actor, c LockCode, opts ...dynastay.WriteOption) (*LockCode, error) {
	return dynastay.Do(ctx, r.db, r.SetLockCodeOp(by, c), opts...)
}

func (r *Repository) codeArguments(by Actor, c *LockCode) (dynastay.Key, error) {
	if err := by.admin(); err != nil {
		return dynastay.Key{}, err
	}
	if _, err := key.Of(venuekeys.LockCode{EventID: c.EventID}); err != nil {
		return dynastay.Key{}, err
	}
	at, err := eventKey(c.Date, c.Slot)
	if err != nil {
		return at, err
	}
	return at, r.checkCode(c, true)
}

// putCode adds the actions that store a code, and record it without the code itself. e says whose event it is, if that
// is known.
func (r *Repository) putCode(tx *dynastay.Tx, by Actor, c *LockCode, e AuditEntry) error {
	item, err := r.code.Item(c)
	if err != nil {
		return err
	}
	c.WriteID = tx.Put(venuekeys.Table, item).Identified().WriteID()
	e.Action, e.EventID = LockCodeSet, c.EventID
	return r.audit(tx, by, e)
}

// LockCode reads the code of an event, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent],
// which a door needs: otherwise a code that has just been deleted may still be found.
//
// Pattern V10: VenueBooking, PK = EVENT#{eventId}, SK = LOCKCODE, 1 request
func (r *Repository) LockCode(ctx context.Context, eventID string, opts ...dynastay.ReadOption) (_ *LockCode, err error) {
	ctx, end := r.db.Begin(ctx, "venue.LockCode")
	defer func() { end(err) }()
	at, err := key.Of(venuekeys.LockCode{EventID: eventID})
	if err != nil {
		return nil, err
	}
	return r.codes.Get(ctx, at, opts...)
}

// LockCodesOn reads the codes of the events of a day, in the order of the day; events without a code are left out. opts
// may contain [dynastay.Consistent], see [Repository.LockCode]. 2 requests; 1 if there are no events.
func (r *Repository) LockCodesOn(ctx context.Context, date dynastay.Date, opts ...dynastay.ReadOption) (_ []*LockCode, err error) {
	ctx, end := r.db.Begin(ctx, "venue.LockCodesOn")
	defer func() { end(err) }()
	events, err := r.EventsOn(ctx, date, opts...)
	if err != nil {
		return nil, err
	}
	var at []dynastay.Key
	for _, e := range events {
		if one, err := key.Of(venuekeys.LockCode{EventID: e.ID}); err == nil {
			at = append(at, one)
		}
	}
	found, err := r.codes.GetAll(ctx, at, opts...)
	return slices.DeleteFunc(found, func(c *LockCode) bool { return c == nil }), err
}
