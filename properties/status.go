package properties

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// StatusError means that the status of a property does not allow the operation.
type StatusError struct{ Status Status }

// Error returns the status.
func (e *StatusError) Error() string { return "not allowed while the status is " + string(e.Status) }

func refusedBy(op, propertyID string, status Status) error {
	return &dynastay.Error{Op: op, Entity: "Property", ID: propertyID, Field: keys.AttrStatus, Err: &StatusError{status}}
}

// writable refuses to write a property that was read if it must be adopted first, or is being deleted.
func (r *Repository) writable(op string, row dynastay.Row) error {
	if err := r.adoptedAlready(op, row); err != nil {
		return err
	}
	if Status(row.Text(keys.AttrStatus)) == Deleting {
		return refusedBy(op, r.entity.IDOf(keys.PropertiesTable.Key.From(row)), Deleting)
	}
	return nil
}

// move is a change of a property's status.
type move struct {
	op   string
	from []Status
	to   Status
	// sales returns what happens to the sales of the property; nil means nothing.
	sales func(*availability.Repository, availability.House, []string) *availability.SalesMove
}

var (
	approving    = move{"properties.Approve", []Status{Pending, Rejected, Suspended}, Approved, (*availability.Repository).Resume}
	rejecting    = move{"properties.Reject", []Status{Pending}, Rejected, nil}
	resubmitting = move{"properties.Resubmit", []Status{Rejected}, Pending, nil}
	suspending   = move{"properties.Suspend", []Status{Approved}, Suspended, (*availability.Repository).Suspend}
	removing     = move{"properties.Delete", []Status{Pending, Approved, Rejected, Suspended}, Deleting, (*availability.Repository).Suspend}
)

// moved is the result of a move.
type moved struct {
	property *Property
	rooms    []string // all room types, also those that other software added since the property was adopted
	sales    *availability.SalesMove
}

// moveOp changes the status of a property. The search keys, the amenity items and the guards of the room types change in
// the same transaction. A property that already has the status is left as it is.
func (r *Repository) moveOp(m move, propertyID string) *dynastay.Operation[moved] {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	return dynastay.NewOp(dynastay.OpSpec[moved]{
		Name: m.op, Invalid: err,
		Input: func(in *dynastay.Input) { in.Key(key) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (moved, error) {
			row, rows, err := r.toMove(ctx, m, key)
			if err != nil {
				return moved{}, err
			}
			if err := r.adoptedAlready(m.op, row); err != nil {
				return moved{}, err
			}
			c, err := r.table.ChangeOf(key, row, func(*Property) error { return nil })
			if err != nil {
				return moved{}, err
			}
			return r.move(ctx, tx, m, c, roomTypesIn(rows, c.After.roomTypeIDs()))
		},
	})
}

// toMove reads the property and, if its sales move, its room types: other software may have added some that are not on
// the card.
func (r *Repository) toMove(ctx context.Context, m move, key dynastay.Key) (row dynastay.Row, rows []dynastay.Row, err error) {
	if m.sales == nil {
		row, err = r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
		return row, nil, err
	}
	if rows, err = r.rows(ctx, key, dynastay.Consistent); len(rows) > 0 {
		row = rows[0]
	}
	return row, rows, err
}

// roomTypesIn returns the ids of the room types in the rows, and the given ones.
func roomTypesIn(rows []dynastay.Row, ids []string) []string {
	for _, row := range rows {
		// No nights can be sold under an id that cannot be in a key.
		room, err := keys.Parse[keys.RoomType](keys.PropertiesTable.Key.From(row))
		if err == nil && !slices.Contains(ids, room.RoomTypeID) {
			ids = append(ids, room.RoomTypeID)
		}
	}
	return ids
}

func (r *Repository) move(ctx context.Context, tx *dynastay.Tx, m move, c *entity.Change[Property], rooms []string) (moved, error) {
	now := moved{property: c.After, rooms: rooms}
	if c.After.Status != m.to && !slices.Contains(m.from, c.After.Status) {
		return now, refusedBy(m.op, c.After.ID, c.After.Status)
	}
	if m.to == Approved && len(c.After.rooms) == 0 {
		return now, dynastay.Invalid("Status", "cannot be approved without a room type")
	}
	if m.sales != nil {
		// Even if the property has the status already: an earlier call may not have finished with the nights.
		now.sales = m.sales(r.nights, c.After.house(), rooms)
		if err := now.sales.Add(ctx, tx); err != nil {
			return now, err
		}
	}
	err := c.Keep(func(p *Property) error {
		p.Status = m.to
		return nil
	})
	if err != nil {
		return now, err
	}
	if !c.Changed() && m.sales != nil {
		check(tx, c.Row, r.entity.Known()) // the guards must not move without their property
	}
	return now, c.AddTo(tx)
}

// setStatus changes the status, and then the nights.
func (r *Repository) setStatus(ctx context.Context, m move, propertyID string) (*Property, error) {
	now, err := r.moveTo(ctx, m, propertyID)
	return now.property, err
}

func (r *Repository) moveTo(ctx context.Context, m move, propertyID string) (moved, error) {
	now, err := adopted(ctx, r, propertyID, func() (moved, error) { return dynastay.Do(ctx, r.db, r.moveOp(m, propertyID)) })
	if err != nil || now.sales == nil {
		return now, err
	}
	if _, err := now.sales.Finish(ctx); err != nil {
		return moved{}, err
	}
	return now, nil
}

// Approve makes a property visible in searches: one that waits for approval, one that was rejected, and one that was
// suspended, whose sales it reopens. The nights then have the prices, restrictions and stop-sells of the host, and sales
// that the host had closed with [availability.Repository.CloseSales] stay closed. An approved property needs at least
// one room type.
//
// The status, the search keys and the guards of the room types change in one transaction. The nights of a property that
// was suspended follow, in transactions of at most 99. If Approve fails in between, or the program ends, call it again:
// it finishes what is left, also if the status is approved already.
//
// Approve fails with a [*StatusError] if the property is being deleted, and with [availability.ErrClosed] if another
// caller suspended the property at the same time. 3 requests; for a property that was suspended, also those of
// [availability.Repository.ReopenSales] for its nights.
func (r *Repository) Approve(ctx context.Context, propertyID string) (*Property, error) {
	return r.setStatus(ctx, approving, propertyID)
}

// Reject refuses a property that waits for approval. Otherwise it fails with a [*StatusError]. 2 requests.
func (r *Repository) Reject(ctx context.Context, propertyID string) (*Property, error) {
	return r.setStatus(ctx, rejecting, propertyID)
}

// Resubmit puts a rejected property back among those that wait for approval, in the place of its creation. Otherwise it
// fails with a [*StatusError]. 2 requests.
func (r *Repository) Resubmit(ctx context.Context, propertyID string) (*Property, error) {
	return r.setStatus(ctx, resubmitting, propertyID)
}

// Suspend takes an approved property out of the searches and off sale, until [Repository.Approve] is called. Once
// Suspend has returned without an error, no booking of the property succeeds, even with a quote from before. Bookings
// that exist are not affected. The host can still change the property, its prices and its stop-sells, but cannot close
// or reopen its sales.
//
// The status, the search keys and the guards of the room types change in one transaction. The nights follow, in
// transactions of at most 99, and can be sold until their turn. If Suspend fails in between, or the program ends, call
// it again: it finishes what is left.
//
// Suspend fails with a [*StatusError] if the property is neither approved nor suspended, and with
// [availability.ErrReopened] if another caller approved it again at the same time. 3 requests, and those of
// [availability.Repository.CloseSales] for the nights.
func (r *Repository) Suspend(ctx context.Context, propertyID string) (*Property, error) {
	return r.setStatus(ctx, suspending, propertyID)
}
