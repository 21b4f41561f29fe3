package listing

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/condition"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// intent is what a call wants of an event.
type intent struct {
	op    string
	at    dynastay.Key
	stay  dynastay.Stay // the nights that the event will hold; the zero Stay if it will be deleted
	event *Event        // the event to create if there is none; nil if it must exist
	// check refuses an event as it was read. Optional.
	check func(*Event) error
	asked []dynastay.UpdateOption
	// mine is the error if one of the nights is already held by the event itself. Optional.
	mine error
	// still reports whether the reservation is as it was read. Otherwise the nights that are taken may be its own by
	// now, because another delivery has been imported. Optional.
	still func(context.Context) (bool, error)
	// last is true for the last of several transactions: the event must be on its way.
	last bool
	// also adds further actions to all transactions but the last. Optional.
	also func(context.Context, *dynastay.Tx, held) error
	// before runs before the first of several transactions. Optional.
	before func(context.Context) error
	drawn  bool // the id of the event was drawn, so that a repeated call has another one
	// input adds what the caller has given, for idempotency keys. Optional.
	input func(*dynastay.Input)
}

// of returns the intent of an operation on an event that must exist.
func (r *Repository) of(op, listingID, eventID string, stay dynastay.Stay, opts []dynastay.UpdateOption) (intent, error) {
	in := intent{op: op, stay: stay, asked: opts}
	var err error
	if in.at, err = listingkeys.Event(listingID, eventID); err != nil {
		return in, err
	}
	in.input = func(to *dynastay.Input) {
		to.Key(in.at)
		to.Field("stay", in.stay.String())
		for _, value := range condition.Of(opts).Agreed {
			to.Field("agreed", value)
		}
	}
	return in, r.event.CheckUpdate(slices.Concat(opts, []dynastay.UpdateOption{mayBeMissing})...)
}

// mayBeMissing hides OrMissing from a check that refuses it. A delete allows it.
var mayBeMissing = condition.Func(func(s *condition.Set) { s.Missing = false })

// writtenBefore drops the condition on a write id.
var writtenBefore = condition.Func(func(s *condition.Set) { s.Written = nil })

// inPart hides an idempotency key from a transaction that is not the last one, which is the one that has it.
var inPart = condition.Func(func(s *condition.Set) { s.Whole = false })

func (in intent) fail(kind error) error {
	return &dynastay.Error{Op: in.op, Entity: "Event", ID: listingkeys.EventIDOf(in.at), Kind: kind}
}

// op carries out an intent in one transaction, see apply.
func (r *Repository) op(in intent, most int) *dynastay.Operation[*Event] {
	return dynastay.NewOp(dynastay.OpSpec[*Event]{
		Name: in.op, Input: in.input, Options: in.asked, Contest: r.contest(in),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Event, error) {
			h, err := r.read(ctx, in.at)
			if err != nil {
				return nil, err
			}
			return r.apply(tx, h, in, most)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Event, error) {
			return r.again(ctx, in.at)
		},
	})
}

// apply adds the actions that carry out an intent, and returns the event afterwards, or nil if it is deleted. It fails
// with a partsError if more nights change than most; 0 means no limit.
func (r *Repository) apply(tx *dynastay.Tx, h held, in intent, most int) (*Event, error) {
	if err := r.permitted(h, in); err != nil || h.event == nil && in.event == nil {
		return nil, err
	}
	take, free := h.moves(in.stay)
	if most > 0 && h.writes(take, free) > most {
		return nil, &partsError{in}
	}
	after, err := r.setEvent(tx, h, in, func(e *Event) {
		e.Stay, e.Moving, e.Target = in.stay, false, dynastay.Stay{}
		if in.event != nil { // an import takes a reservation over from a feed
			e.Feed, e.UID = in.event.Feed, in.event.UID
		}
	})
	if err != nil {
		return nil, err
	}
	return after, r.moveNights(tx, h, in.at, after, take, free)
}

// permitted checks what the caller requires of the event as it was read.
func (r *Repository) permitted(h held, in intent) error {
	asked := condition.Of(in.asked)
	switch {
	case h.event == nil && in.event == nil && !asked.Missing:
		return in.fail(dynastay.ErrNotFound)
	case h.event == nil:
		return nil
	case !h.row.Exists() && (asked.Written != nil || asked.Version != nil && *asked.Version != 0): // it has no version
		return in.fail(dynastay.ErrVersion)
	case in.last && !h.moving(in.stay): // another caller has changed it
		return in.fail(dynastay.ErrContention)
	}
	if in.check != nil {
		if err := in.check(h.event); err != nil {
			return err
		}
	}
	if h.row.Exists() && len(in.asked) > 0 { // a change of several transactions is refused before the first one
		if _, err := r.events.ChangeOf(in.at, h.row, func(*Event) error { return nil }, in.asked...); err != nil {
			return err
		}
	}
	if h.event.Moving && !h.moving(in.stay) {
		return &IncompleteError{ListingID: h.event.ListingID, EventID: h.event.ID}
	}
	return nil
}

// create adds the actions that create an event, without reading anything. It fails with a partsError if the event has
// more nights than most; 0 means no limit.
func (r *Repository) create(tx *dynastay.Tx, in intent, most int) (*Event, error) {
	if most > 0 && in.stay.Nights() > most {
		return nil, &partsError{in}
	}
	after, err := r.putEvent(tx, *in.event, 1, func(dynastay.Row) error { return in.fail(dynastay.ErrAlreadyExists) })
	if err != nil {
		return nil, err
	}
	return after, r.takeNights(tx, after, datesOf(in.stay), dynastay.IfNew(listingkeys.Table))
}

// putEvent adds the action that puts a new item for an event.
func (r *Repository) putEvent(tx *dynastay.Tx, e Event, version int, exists dynastay.Failed) (*Event, error) {
	e.CreatedAt, e.UpdatedAt, e.Version = r.db.Now(), r.db.Now(), version
	item, err := r.event.Item(&e)
	if err != nil {
		return nil, err
	}
	e.WriteID = tx.Put(listingkeys.Table, item).Identified().If(dynastay.IfNew(listingkeys.Table), exists).WriteID()
	return &e, nil
}

// setEvent adds the action on the item of the event, in which all changes of one event meet: it is conditional on the
// item as it was read. It returns nil for an event that has nothing any more, and is deleted.
func (r *Repository) setEvent(tx *dynastay.Tx, h held, in intent, set func(*Event)) (*Event, error) {
	made := in.event
	if h.event != nil {
		made = h.event
	}
	after := *made
	if set(&after); !h.row.Exists() {
		return r.adopt(tx, in.at, after)
	}
	c, err := r.events.ChangeOf(in.at, h.row, func(e *Event) error {
		e.Stay, e.Feed, e.UID = after.Stay, after.Feed, after.UID
		return nil
	}, in.asked...)
	if err != nil {
		return nil, err
	}
	if after.none() {
		gone, err := tx.Remove(listingkeys.Table, h.row, r.event.Known()...)
		if err == nil {
			gone.Else(overtaken)
		}
		return nil, err
	}
	err = c.Keep(func(e *Event) error {
		e.Moving, e.Target, e.Back = after.Moving, after.Target, after.Back
		return nil
	})
	if err != nil {
		return nil, err
	}
	if after.Moving {
		c.Renew() // two callers that write parts of the same change must not both write this one
	}
	return c.After, c.AddTo(tx)
}

// adopt adds the action on the item of an event that has none yet. An event that is deleted without ever having had one
// must not get one at the same time.
func (r *Repository) adopt(tx *dynastay.Tx, at dynastay.Key, after Event) (*Event, error) {
	if after.none() {
		tx.Check(listingkeys.Table, at, dynastay.IfNew(listingkeys.Table), overtaken)
		return nil, nil
	}
	version := 1
	if after.Moving {
		version = 0 // until it is complete
	}
	return r.putEvent(tx, after, version, overtaken)
}

// none reports whether an event holds nothing, and is not on its way to anything.
func (e *Event) none() bool { return !e.Moving && e.Stay == dynastay.Stay{} }

func overtaken(dynastay.Row) error { return dynastay.ErrOvertaken }

// moveNights adds the actions that take and free nights. A night that the event is to free but does not hold any more
// is left as it is: only other software can have taken it away. If the event has no item yet, nothing but its nights
// shows that they are still its own, so all of them are written again.
func (r *Repository) moveNights(tx *dynastay.Tx, h held, event dynastay.Key, after *Event, take, free []dynastay.Date) error {
	id := dynastay.Item{"event": dynastay.Text(listingkeys.EventIDOf(event))}
	for _, date := range free {
		at, err := key.Of(listingkeys.Night{ListingID: listingOf(event), Date: date})
		if err != nil {
			return err
		}
		release := tx.Delete(listingkeys.Table, at).If(ofEvent.With(id), overtaken)
		if h.row.Exists() {
			release.Else(func(dynastay.Row) error { return dynastay.ErrSkip })
		}
	}
	if after == nil {
		return nil
	}
	if _, err := key.Partition(listingkeys.NightByHost{HostID: after.HostID}); err != nil {
		return &dynastay.Error{Entity: "Event", ID: after.ID, Field: "hostId", Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
	}
	if !h.row.Exists() {
		var kept []dynastay.Date
		for _, date := range h.nights {
			if after.Stay.Contains(date) || after.Moving && !slices.Contains(free, date) {
				kept = append(kept, date)
			}
		}
		if err := r.takeNights(tx, after, kept, ofEvent.With(id)); err != nil {
			return err
		}
	}
	return r.takeNights(tx, after, take, freeOrOwn.With(id))
}

// takeNights adds the actions that take nights, under a condition. If it fails, the contest determines the error.
func (r *Repository) takeNights(tx *dynastay.Tx, e *Event, take []dynastay.Date, condition dynastay.Expr) error {
	for _, date := range take {
		item, err := r.night.Item(e.night(date, r.db.Now()))
		if err != nil {
			return err
		}
		tx.Put(listingkeys.Table, item).If(condition, nil)
	}
	return nil
}

var (
	eventIs = expression.Equal(dynastay.NameOf(attrEventID), dynastay.Param("event"))
	ofEvent = dynastay.MustCompile(expression.NewBuilder().WithCondition(eventIs))
	// freeOrOwn also accepts a night that is the event's already: other software may have written it.
	freeOrOwn = dynastay.MustCompile(expression.NewBuilder().WithCondition(
		expression.AttributeNotExists(dynastay.NameOf(listingkeys.Table.Key.Partition)).Or(eventIs)))
)

// listingOf returns the listing of an event.
func listingOf(at dynastay.Key) string {
	if booking, err := key.Parse[listingkeys.BookingEvent](at); err == nil {
		return booking.ListingID
	}
	block, _ := key.Parse[listingkeys.BlockEvent](at) // any other key was refused
	return block.ListingID
}
