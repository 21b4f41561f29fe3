package properties

import (
	"context"
	"errors"
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

func refusedBy(op string, p *Property) error {
	return &dynastay.Error{Op: op, Entity: "Property", ID: p.ID, Field: "Status", Err: &StatusError{p.Status}}
}

// writable refuses to write a property that is being deleted, and one that must be adopted first.
func writable(op string, c *entity.Change[Property]) error {
	switch {
	case isForeign(c):
		return &dynastay.Error{Op: op, Entity: "Property", ID: c.Before.ID, Err: ErrForeign}
	case c.Before.Status == Deleting:
		return refusedBy(op, c.Before)
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
			row, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
			if err != nil {
				return moved{}, err
			}
			c, err := r.table.ChangeOf(key, row, func(*Property) error { return nil })
			if err != nil {
				return moved{}, err
			}
			if isForeign(c) {
				return moved{}, writable(m.op, c)
			}
			return r.move(ctx, tx, m, c)
		},
	})
}

func (r *Repository) move(ctx context.Context, tx *dynastay.Tx, m move, c *entity.Change[Property]) (moved, error) {
	now := moved{property: c.After}
	if c.After.Status != m.to && !slices.Contains(m.from, c.After.Status) {
		return now, refusedBy(m.op, c.After)
	}
	if m.to == Approved && len(c.After.rooms) == 0 {
		return now, noRoomType(m.op, c.After)
	}
	if m.sales != nil {
		// Even if the property has the status already: an earlier call may not have finished with the nights.
		now.sales = m.sales(r.nights, c.After.house(), c.After.roomTypeIDs())
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
	return now, c.AddTo(tx)
}
