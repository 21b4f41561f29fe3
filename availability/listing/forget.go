package listing

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// forget records that the event of an imported reservation was deleted, so that a repeated delivery does not bring it
// back, and a newer one does not take it for there. Whoever completes a deletion does so, in the same transaction.
func (r *Repository) forget(ctx context.Context, tx *dynastay.Tx, h held) error {
	return r.ofReservation(ctx, tx, h.event, func(g *imported) { g.Deleted, g.Pending = true, false })
}

// forgetLater marks a reservation in the first of several transactions that delete its event, as reserve does before
// those of an import: until the last one, its record does not say what its event holds.
func (r *Repository) forgetLater(ctx context.Context, tx *dynastay.Tx, h held) error {
	if h.event.Moving {
		return nil
	}
	return r.ofReservation(ctx, tx, h.event, func(g *imported) { g.Pending = true })
}

// ofReservation adds the action that changes the record of the reservation that has made an event, if there is one.
func (r *Repository) ofReservation(ctx context.Context, tx *dynastay.Tx, e *Event, set func(*imported)) error {
	if e == nil || !e.imported() {
		return nil
	}
	at, err := key.Of(listingkeys.Import{ListingID: e.ListingID, Source: string(e.Source), ExternalID: e.ExternalID})
	if err != nil {
		return nil // software that writes only nights may have stored any id
	}
	row, was, err := r.imported(ctx, at)
	if err != nil || !was.holds() || was.BookingID != e.BookingID {
		return err
	}
	return r.record(tx, at, row, set)
}

// incomplete returns an [*IncompleteError] if the event of a reservation is not complete: also a delivery that changes
// nothing completes it.
func (r *Repository) incomplete(ctx context.Context, g *imported) error {
	if g == nil || !g.Pending {
		return nil
	}
	id, err := listingkeys.BookingEventID(g.BookingID)
	if err != nil {
		return err
	}
	e, err := r.Get(ctx, g.ListingID, id, dynastay.Consistent)
	switch {
	case errors.Is(err, dynastay.ErrNotFound):
		return nil
	case err != nil:
		return err
	case e.Moving:
		return &IncompleteError{ListingID: e.ListingID, EventID: e.ID}
	}
	return nil
}
