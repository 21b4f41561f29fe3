package listing

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

const (
	opImport      = "listing.Import"
	bookingPrefix = "bk_" // of drawn booking ids
)

// ImportOp brings the calendar up to date with one delivery of a channel. Each revision of a reservation is imported
// once: a delivery that is repeated, or that is older than what was imported, changes nothing, and the [Outcome] says
// so. If a cancellation arrives before the booking, the booking is outdated when it arrives.
//
// If other events hold some of the nights, it fails with [*Taken], and nothing changes: a reservation whose dates have
// changed keeps its old nights. The guest has booked at the channel nevertheless, so a person must decide. The same
// revision can be delivered again.
//
// It fails with [*RevisionError] if the revision was imported before with other dates; if it was imported both as
// cancelled and as not cancelled, it is cancelled. It fails with [dynastay.ErrAlreadyExists] if the BookingID is that
// of another event of the listing, and with a [*dynastay.InvalidError] if the reservation was imported with another
// BookingID.
//
// It needs one action for each night that is taken or freed, two for the event and the reservation, and one for an
// idempotency key. A transaction has at most 100 actions; [Repository.Import] also imports longer stays. Only Import
// adopts the nights of a reservation that other software has written.
func (r *Repository) ImportOp(d Reservation) *dynastay.Operation[Imported] {
	return r.importOp(d, delivery{drawn: r.db.NewID(bookingPrefix)})
}

// Import runs [Repository.ImportOp]. 2 requests for a reservation that holds no nights yet: a consistent read of what
// was imported, and the write. 1 for a delivery that changes nothing, 2 for one that changes only the revision, and 3
// for others; 2 more after a refusal, and 1 more after a change of several transactions that was broken off. If more than 97 nights change, it takes several transactions, see the package
// documentation.
func (r *Repository) Import(ctx context.Context, d Reservation, opts ...dynastay.WriteOption) (imported Imported, err error) {
	ctx, end := r.db.Begin(ctx, "listing.Import")
	defer func() { end(err) }()
	how := delivery{most: mostNights, drawn: r.db.NewID(bookingPrefix)}
	for range maxSettles {
		imported, err = whole(ctx, r, func(last bool) (Imported, error) {
			how.last = last
			return dynastay.Do(ctx, r.db, r.importOp(d, how), opts...)
		})
		bookingID, own := d.held(err)
		switch {
		case own && how.adopt == "":
			how.adopt = bookingID
		case errors.Is(err, errOvertaken): // by another delivery, which may be a newer one
		default:
			return imported, err
		}
	}
	return imported, err
}

// delivery is how a reservation is imported.
type delivery struct {
	most  int    // the number of nights that may change in the transaction; 0 means no limit
	adopt string // the booking id of an event that may exist, although nothing was imported
	drawn string // the booking id if there is no other
	last  bool   // it is the last of several transactions
}

// errOvertaken is the cause if another delivery of a reservation was imported between the transactions of this one.
var errOvertaken = errors.New("another revision was imported at the same time")

// errOwn is the cause if the nights of a reservation that was not imported are already those of its booking.
var errOwn = errors.New("its nights were not written by an import")

// held returns the booking id of the nights that a refusal names, if they are the reservation's own: other software has
// written them, or an import that was broken off has taken them.
func (d Reservation) held(err error) (bookingID string, own bool) {
	if errors.Is(err, errOwn) {
		return d.BookingID, true
	}
	var taken *Taken
	if !errors.As(err, &taken) {
		return "", false
	}
	bookingID = taken.Nights[0].BookingID
	if bookingID == "" || d.BookingID != "" && d.BookingID != bookingID {
		return "", false
	}
	return bookingID, !slices.ContainsFunc(taken.Nights, func(n *Night) bool {
		return n.Source != d.Source || n.ExternalID != d.ExternalID || n.BookingID != bookingID
	})
}

func (r *Repository) importOp(d Reservation, how delivery) *dynastay.Operation[Imported] {
	invalid := d.validate()
	at, _ := key.Of(listingkeys.Import{ListingID: d.ListingID, Source: string(d.Source), ExternalID: d.ExternalID}) // see validate
	if k, err := key.Parse[listingkeys.Import](at); err == nil {
		d.ExternalID = k.ExternalID // in its normal form
	}
	return dynastay.NewOp(dynastay.OpSpec[Imported]{
		Name: opImport, Invalid: invalid, Input: d.agreed,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Imported, error) {
			row, was, err := r.imported(ctx, at)
			if err != nil {
				return Imported{}, err
			}
			outcome, err := was.compare(d)
			if err != nil || outcome != "" {
				if left := r.incomplete(ctx, was); left != nil {
					return Imported{}, left
				}
			}
			if err != nil {
				return Imported{}, &dynastay.Error{Op: opImport, Entity: "Reservation", ID: d.ExternalID, Err: err}
			}
			if outcome != "" {
				return importedAs(outcome, was.BookingID, nil), nil
			}
			bookingID, err := was.bookingID(d, how)
			if err != nil {
				return Imported{}, err
			}
			event, moved, err := r.setReservation(ctx, tx, d, at, was, bookingID, how)
			if err != nil {
				return Imported{}, err
			}
			return importedAs(was.outcome(d, moved), bookingID, event), r.record(tx, at, row, func(g *imported) {
				g.BookingID, g.Revision, g.Stay = bookingID, d.Revision, d.Stay
				g.Cancelled, g.Deleted, g.Pending = d.Cancelled, false, false
				if d.Cancelled {
					g.Stay = dynastay.Stay{}
				}
			})
		},
		Restore: func(ctx context.Context, _ map[string]string) (Imported, error) {
			_, was, err := r.imported(ctx, at)
			if err != nil || was == nil {
				return Imported{}, err
			}
			outcome, err := was.compare(d)
			if err != nil || outcome == "" {
				outcome = Repeated
			}
			return importedAs(outcome, was.BookingID, nil), nil
		},
	})
}

// imported reads what was imported; it returns nil if nothing was.
func (r *Repository) imported(ctx context.Context, at dynastay.Key) (dynastay.Row, *imported, error) {
	row, err := r.db.Get(ctx, listingkeys.Table, at, dynastay.Consistent)
	if err != nil || !row.Exists() {
		return row, nil, err
	}
	was, err := r.reservation.Value(row)
	return row, was, err
}

// bookingID returns the booking id of a delivery, "" if it is unknown: the reservation was cancelled before it was
// imported.
func (g *imported) bookingID(d Reservation, how delivery) (string, error) {
	switch {
	case g != nil && g.BookingID != "" && d.BookingID != "" && d.BookingID != g.BookingID:
		return "", dynastay.Invalid("BookingID", "must be %s, with which the reservation was imported", g.BookingID)
	case g != nil && g.BookingID != "":
		return g.BookingID, nil
	case how.adopt != "":
		return how.adopt, nil
	case d.BookingID != "" || d.Cancelled:
		return d.BookingID, nil
	}
	return how.drawn, nil
}

// outcome returns what a delivery does that must be written. moved reports whether the event has other nights than the
// delivery: an import that was not completed may have moved it.
func (g *imported) outcome(d Reservation, moved bool) Outcome {
	switch {
	case !moved && (d.Cancelled && g != nil && g.Cancelled || !d.Cancelled && g.holds() && g.Stay == d.Stay):
		return Unchanged
	case d.Cancelled:
		return Cancelled
	case g.holds():
		return Changed
	}
	return Created
}

func importedAs(outcome Outcome, bookingID string, event *Event) Imported {
	eventID, err := listingkeys.BookingEventID(bookingID)
	if err != nil {
		eventID = "" // it has none
	}
	return Imported{Outcome: outcome, BookingID: bookingID, EventID: eventID, Event: event}
}

// setReservation adds the actions on the event of a reservation and on its nights. moved reports whether the event has
// had others.
func (r *Repository) setReservation(
	ctx context.Context, tx *dynastay.Tx, d Reservation, at dynastay.Key, was *imported, bookingID string, how delivery,
) (event *Event, moved bool, err error) {
	pending := was != nil && was.Pending
	if bookingID == "" || !pending && (was.outcome(d, false) == Unchanged || d.Cancelled && was != nil && !was.holds()) {
		return nil, false, nil // no event has to change
	}
	event = d.event(bookingID)
	in := intent{op: opImport, asked: []dynastay.UpdateOption{dynastay.OrMissing()}, last: how.last}
	in.at, _ = listingkeys.Event(d.ListingID, event.ID) // validated, drawn or stored
	in.before = func(ctx context.Context) error { return r.reserve(ctx, at, bookingID) }
	in.also = func(_ context.Context, tx *dynastay.Tx, _ held) error {
		tx.Check(listingkeys.Table, at, isPending.With(dynastay.Item{"revision": dynastay.Number(was.revision())}), overtakenBy)
		return nil
	}
	exists := &dynastay.Error{Op: opImport, Entity: "Event", ID: event.ID, Kind: dynastay.ErrAlreadyExists}
	in.check = func(e *Event) error {
		if e.Source != d.Source || e.ExternalID != d.ExternalID {
			return exists
		}
		return nil
	}
	if !d.Cancelled {
		in.stay, in.event = d.Stay, event
	}
	fresh := how.adopt == "" && !was.mayHold() && !d.Cancelled && !how.last
	if fresh {
		own := *exists
		own.Err = errOwn
		in.mine = &own
	}
	in.still = func(ctx context.Context) (bool, error) {
		_, now, err := r.imported(ctx, at)
		return now.writeID() == was.writeID(), err
	}
	if err := tx.Contend(ctx, *r.contest(in)); err != nil {
		return nil, false, err
	}
	if fresh {
		event, err = r.create(tx, in, how.most)
		return event, true, err
	}
	h, err := r.read(ctx, in.at)
	if err != nil {
		return nil, false, err
	}
	event, err = r.apply(tx, h, in, how.most)
	return event, h.elsewhere(in.stay), err
}

// isPending holds as long as no delivery has been imported since the reservation was marked, and no deletion completed.
var isPending = dynastay.MustCompile(expression.NewBuilder().WithCondition(
	expression.Equal(dynastay.NameOf(attrRevision), dynastay.Param("revision")).
		And(expression.Equal(dynastay.NameOf(attrPending), expression.Value(true)))))

func overtakenBy(dynastay.Row) error { return errOvertaken }

// reserve records before the first of several transactions that they may leave the event of a reservation incomplete,
// so that any later delivery finds what they have written. If the first one then fails, the record stays. It holds no
// revision and no night, and the next delivery writes over it.
func (r *Repository) reserve(ctx context.Context, at dynastay.Key, bookingID string) error {
	_, err := dynastay.Do(ctx, r.db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: opImport,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			row, was, err := r.imported(ctx, at)
			switch {
			case err != nil || was != nil && was.Pending && was.BookingID == bookingID:
				return struct{}{}, err
			case was != nil && was.BookingID != "" && was.BookingID != bookingID:
				return struct{}{}, errOvertaken
			}
			return struct{}{}, r.record(tx, at, row, func(g *imported) { g.BookingID, g.Pending = bookingID, true })
		},
	}))
	return err
}

// record adds the action that writes what was imported.
func (r *Repository) record(tx *dynastay.Tx, at dynastay.Key, row dynastay.Row, set func(*imported)) error {
	if row.Exists() {
		c, err := r.imports.ChangeOf(at, row, func(g *imported) error { set(g); return nil })
		if err != nil {
			return err
		}
		c.Renew() // what others have decided from the record is overtaken, even if nothing in it changes
		return c.AddTo(tx)
	}
	k, err := key.Parse[listingkeys.Import](at)
	if err != nil {
		return err
	}
	now := r.db.Now()
	g := &imported{ListingID: k.ListingID, Source: Source(k.Source), ExternalID: k.ExternalID, CreatedAt: now, UpdatedAt: now}
	set(g)
	item, err := r.reservation.Item(g)
	if err == nil {
		// Another delivery of the reservation may have been imported at the same time.
		tx.Put(listingkeys.Table, item).Identified().If(dynastay.IfNew(listingkeys.Table), overtaken)
	}
	return err
}
