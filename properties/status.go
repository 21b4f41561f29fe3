package properties

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
)

// StatusError means that the status of a property does not allow the operation. It is returned within a
// [*dynastay.Error] that names the property.
type StatusError struct{ Status Status }

// Error returns the status.
func (e *StatusError) Error() string { return "not allowed while the status is " + string(e.Status) }

// Is makes it match [dynastay.ErrRefused].
func (*StatusError) Is(target error) bool { return target == dynastay.ErrRefused }

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
// See docs/decisions/0011-properties.md for why an update has no status.
type move struct {
	op   string
	from []Status
	to   Status
	// sales returns what happens to the sales of the property; nil means nothing.
	sales func(*availability.Repository, availability.House, []string) *availability.SalesMove
}

var (
	approving    = move{"properties.Approve", []Status{Pending, Rejected, Suspended}, Approved, (*availability.Repository).ResumeSales}
	rejecting    = move{"properties.Reject", []Status{Pending}, Rejected, nil}
	resubmitting = move{"properties.Resubmit", []Status{Rejected}, Pending, nil}
	suspending   = move{"properties.Suspend", []Status{Approved}, Suspended, (*availability.Repository).SuspendSales}
	removing     = move{"properties.Delete", []Status{Pending, Approved, Rejected, Suspended}, Deleting, (*availability.Repository).SuspendSales}
)

// moved is the result of a move.
type moved struct {
	property *Property
	rooms    []string // all room types, also those that other software added since the property was adopted
	sales    *availability.SalesMove
}

// moveOp changes the status of a property. The search keys, the amenity items and the guards of the room types change
// in the same transaction. A property that already has the status is left as it is.
func (r *Repository) moveOp(m move, propertyID string, opts []dynastay.UpdateOption) *dynastay.Operation[moved] {
	return dynastay.NewOp(dynastay.OpSpec[moved]{
		Name: m.op, Invalid: r.checkMove(propertyID, opts), Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (moved, error) { return r.move(ctx, tx, m, propertyID, opts) },
	})
}

// statusOp is moveOp for callers, who do not see the sales.
func (r *Repository) statusOp(m move, propertyID string, opts []dynastay.UpdateOption) *dynastay.Operation[*Property] {
	return dynastay.NewOp(dynastay.OpSpec[*Property]{
		Name: m.op, Invalid: r.checkMove(propertyID, opts), Options: opts,
		Input: func(in *dynastay.Input) { in.Field("property", propertyID) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Property, error) {
			now, err := r.move(ctx, tx, m, propertyID, opts)
			return now.property, err
		},
		Restore: r.restoreProperty(propertyID),
	})
}

func (r *Repository) checkMove(propertyID string, opts []dynastay.UpdateOption) error {
	if _, err := keys.Of(keys.Property{PropertyID: propertyID}); err != nil {
		return err
	}
	return r.entity.CheckUpdate(opts...)
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

func (r *Repository) move(
	ctx context.Context, tx *dynastay.Tx, m move, propertyID string, opts []dynastay.UpdateOption,
) (now moved, err error) {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return now, err
	}
	row, rows, err := r.toMove(ctx, m, key)
	if err != nil {
		return now, err
	}
	if err := r.adoptedAlready(m.op, row); err != nil {
		return now, err
	}
	c, err := r.table.ChangeOf(key, row, func(*Property) error { return nil }, opts...)
	if err != nil {
		return now, err
	}
	now.property, now.rooms = c.After, roomTypesIn(rows, c.After.roomTypeIDs())
	if c.After.Status != m.to && !slices.Contains(m.from, c.After.Status) {
		return now, refusedBy(m.op, propertyID, c.After.Status)
	}
	if m.to == Approved && len(c.After.rooms) == 0 {
		return now, dynastay.Invalid("Status", "cannot be approved without a room type")
	}
	if m.sales != nil {
		// Even if the property has the status already: an earlier call may not have finished with the nights.
		now.sales = m.sales(r.nights, c.After.house(), now.rooms)
		if err := now.sales.Add(ctx, tx); err != nil {
			return now, err
		}
	}
	err = c.Keep(func(p *Property) error {
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

// setStatus changes the status, and then the nights, if there is anything to do about them.
func (r *Repository) setStatus(ctx context.Context, m move, propertyID string, opts ...dynastay.UpdateOption) (*Property, error) {
	if m.sales == nil {
		return adopted(ctx, r, propertyID, m.op, func(ctx context.Context) (*Property, error) {
			return dynastay.Do(ctx, r.db, r.statusOp(m, propertyID, opts))
		})
	}
	now, err := r.moveTo(ctx, m, propertyID, opts...)
	return now.property, err
}

func (r *Repository) moveTo(ctx context.Context, m move, propertyID string, opts ...dynastay.UpdateOption) (_ moved, err error) {
	ctx, end := r.db.Begin(ctx, m.op)
	defer func() { end(err) }()
	now, err := adopted(ctx, r, propertyID, m.op, func(ctx context.Context) (moved, error) {
		return dynastay.Do(ctx, r.db, r.moveOp(m, propertyID, opts))
	})
	if err != nil || now.sales == nil {
		return now, err
	}
	if _, err := now.sales.Finish(ctx); err != nil {
		return moved{}, err
	}
	return now, nil
}

// Approve makes a property visible in searches, whether it waits for approval, was rejected, or was suspended. It puts
// a suspended property back on sale: the prices, restrictions and stop-sells of the host apply again, and sales that
// the host closed with [availability.Repository.CloseSales] stay closed. If the property has no room types, Approve
// fails with a [*dynastay.InvalidError].
//
// The status, the search keys and the guards of the room types change in one transaction. The nights of a property that
// was suspended follow, in transactions of at most 99. If Approve fails in between, or the program ends, call it again:
// it finishes what is left, even if the status is already approved. So it refuses a [dynastay.IdempotencyKey], which
// ApproveOp takes.
//
// Approve fails with [dynastay.ErrNotFound] if the property does not exist, with [dynastay.ErrVersion] if it is not at
// the version of [dynastay.IfVersion], for example because its host has changed it since it was reviewed (writes of
// room types, images and amenities do not change the version), with a [*StatusError] if it is being deleted, and with
// [availability.ErrClosed] if another caller suspended the property at the same time. 3 requests; for a property that
// was suspended, also those of [availability.Repository.ReopenSales] for its nights.
func (r *Repository) Approve(ctx context.Context, propertyID string, opts ...dynastay.UpdateOption) (*Property, error) {
	return r.setStatus(ctx, approving, propertyID, opts...)
}

// ApproveOp is the first step of [Repository.Approve], for a transaction that also writes something else, such as an
// entry of an audit log. For a property that was suspended, call Approve after the write; it continues with the nights.
// ApproveOp returns [ErrForeign] instead of adopting the property.
func (r *Repository) ApproveOp(propertyID string, opts ...dynastay.UpdateOption) *dynastay.Operation[*Property] {
	return r.statusOp(approving, propertyID, opts)
}

// Reject refuses a property that waits for approval, and does nothing if it is already rejected. In any other status,
// it fails with a [*StatusError]. 2 requests.
func (r *Repository) Reject(ctx context.Context, propertyID string, opts ...dynastay.UpdateOption) (*Property, error) {
	return r.setStatus(ctx, rejecting, propertyID, opts...)
}

// RejectOp is [Repository.Reject] as an operation, for example together with a message that says why. It returns
// [ErrForeign] instead of adopting the property.
func (r *Repository) RejectOp(propertyID string, opts ...dynastay.UpdateOption) *dynastay.Operation[*Property] {
	return r.statusOp(rejecting, propertyID, opts)
}

// Resubmit puts a rejected property back among those that wait for approval, still ordered by the time of its creation.
// It does nothing if the property already waits. In any other status, it fails with a [*StatusError]. 2 requests.
func (r *Repository) Resubmit(ctx context.Context, propertyID string, opts ...dynastay.UpdateOption) (*Property, error) {
	return r.setStatus(ctx, resubmitting, propertyID, opts...)
}

// ResubmitOp is [Repository.Resubmit] as an operation. It returns [ErrForeign] instead of adopting the property.
func (r *Repository) ResubmitOp(propertyID string, opts ...dynastay.UpdateOption) *dynastay.Operation[*Property] {
	return r.statusOp(resubmitting, propertyID, opts)
}

// Suspend takes an approved property out of the searches and off sale, until [Repository.Approve] is called. Once
// Suspend has returned without an error, no booking of the property succeeds, even with an earlier quote. Existing
// bookings are not affected. The host can still change the property, its prices and its stop-sells, but cannot close or
// reopen its sales.
//
// The status, the search keys and the guards of the room types change in one transaction. The nights follow, in
// transactions of at most 99, and each can still be sold until it is marked. If Suspend fails in between, or the
// program ends, call it again: it finishes what is left. So it refuses a [dynastay.IdempotencyKey], which SuspendOp
// takes.
//
// Suspend fails with [dynastay.ErrNotFound] if the property does not exist, with a [*StatusError] if it is neither
// approved nor suspended, and with [availability.ErrReopened] if another caller approved it again at the same time. 3
// requests, and those of [availability.Repository.CloseSales] for the nights.
func (r *Repository) Suspend(ctx context.Context, propertyID string, opts ...dynastay.UpdateOption) (*Property, error) {
	return r.setStatus(ctx, suspending, propertyID, opts...)
}

// SuspendOp is the first step of [Repository.Suspend], for a transaction that also writes something else. Call Suspend
// after the write; it continues with the nights, which can be sold until then. SuspendOp returns [ErrForeign] instead of
// adopting the property.
func (r *Repository) SuspendOp(propertyID string, opts ...dynastay.UpdateOption) *dynastay.Operation[*Property] {
	return r.statusOp(suspending, propertyID, opts)
}
