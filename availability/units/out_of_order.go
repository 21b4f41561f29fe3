package units

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// OutOfOrder is a time in which a unit cannot be used, such as a repair.
type OutOfOrder struct {
	// ID is chosen by whoever takes the unit out of order, such as the number of a work order: it must be valid as [key.ID], and
	// is unique in the unit.
	ID string
	// Asked are the nights that were asked for.
	Asked dynastay.Stay `json:",omitzero"`
	// Nights are those that the unit is out of order: all that were asked for, or fewer if that was ended early, or if the
	// call was interrupted. It has no nights if it was ended before it began.
	Nights  dynastay.Stay `json:",omitzero"`
	Reason  string        // such as "window broken", at most entity.MaxName bytes
	By      string        // who decided it: the id that the platform has for a member of the staff, at most 128 bytes
	At      time.Time     `json:",omitzero"`
	EndedBy string        // who ended it early
	EndedAt time.Time     `json:",omitzero"` // unset if nobody did
}

const attrOutOfOrder = "OutOfOrder"

func declareOutOfOrder(f *entity.Fields, o *OutOfOrder) {
	f.String("Id", &o.ID)
	f.Date("AskedFrom", &o.Asked.CheckIn)
	f.Date("AskedTo", &o.Asked.CheckOut)
	f.Date("From", &o.Nights.CheckIn)
	f.Date("To", &o.Nights.CheckOut)
	f.String("Reason", &o.Reason)
	f.String("By", &o.By)
	f.Time("At", &o.At)
	f.IfSet().String("EndedBy", &o.EndedBy)
	f.IfSet().Time("EndedAt", &o.EndedAt)
}

// mostOutOfOrder is how many times ahead a unit keeps. They are read with it.
const mostOutOfOrder = 20

// Why a unit cannot be taken out of order.
var (
	// ErrOutOfOrderEnded means that somebody has ended it early. With another id, the unit can be taken out of order again.
	ErrOutOfOrderEnded = dynastay.Refusal("it was ended early")
	// ErrOutOfOrderFull means that the unit already has as many times ahead as it can keep.
	ErrOutOfOrderFull = dynastay.Refusal("the unit has 20 times ahead in which it is out of order")
)

// Validate returns a [*dynastay.InvalidError] that names the field. It looks at ID, Asked, Reason and By.
func (o OutOfOrder) Validate() error {
	if err := CheckID("ID", o.ID); err != nil {
		return err
	}
	if err := o.Asked.Validate(); err != nil {
		return dynastay.Within("Nights", err)
	}
	if err := entity.CheckText(o.Reason, entity.MaxName); err != nil {
		return dynastay.Within("Reason", err)
	}
	return CheckBy(o.By)
}

// Step is a part of what is taken out of order, or put back: what one transaction can do.
type Step struct {
	Unit   *Unit         `json:",omitzero"` // as the transaction stores it
	Nights dynastay.Stay `json:",omitzero"` // of one month, or none
	More   bool          // nights are left for another step
}

// TakeOut reads a unit and adds to tx the change by which it is out of order on more of the nights that o asks for: up to the
// end of a month. It is for authors of operations on bookings: the action that takes these nights belongs in the same
// transaction. today is that of the property: what has been over for longer is not kept.
func (r *Repository) TakeOut(
	ctx context.Context, tx *dynastay.Tx, propertyID, unitID string, o OutOfOrder, today dynastay.Date,
) (step Step, err error) {
	step.Unit, err = r.keepOutOfOrder(ctx, tx, propertyID, unitID, func(u *Unit) error {
		at := u.outOfOrder(o.ID)
		switch {
		case at == nil:
			u.OutOfOrder = slices.DeleteFunc(u.OutOfOrder, func(old OutOfOrder) bool { return old.Asked.CheckOut.Before(today) })
			if len(u.OutOfOrder) >= mostOutOfOrder {
				return &dynastay.Error{Entity: "Unit", ID: unitID, Kind: ErrOutOfOrderFull}
			}
			o.Nights = dynastay.Stay{CheckIn: o.Asked.CheckIn, CheckOut: o.Asked.CheckIn}
			o.At = r.db.Now()
			u.OutOfOrder = append(u.OutOfOrder, o)
			at = &u.OutOfOrder[len(u.OutOfOrder)-1]
		case at.Asked != o.Asked:
			return &dynastay.Error{Entity: "OutOfOrder", ID: o.ID, Kind: dynastay.ErrAlreadyExists}
		case !at.EndedAt.IsZero():
			return &dynastay.Error{Entity: "OutOfOrder", ID: o.ID, Kind: ErrOutOfOrderEnded}
		}
		if u.Retired {
			return &dynastay.Error{Entity: "Unit", ID: unitID, Kind: ErrRetired}
		}
		step.Nights = dynastay.Stay{CheckIn: at.Nights.CheckOut, CheckOut: dynastay.MonthOf(at.Nights.CheckOut).CheckOut}
		if step.More = step.Nights.CheckOut.Before(at.Asked.CheckOut); !step.More {
			step.Nights.CheckOut = at.Asked.CheckOut
		}
		at.Nights.CheckOut = step.Nights.CheckOut
		return nil
	})
	return step, err
}

// PutBack is the reverse of [Repository.TakeOut]: the unit is out of order on fewer nights. Of those from a date on, it
// returns the last ones, of one month. It fails with [dynastay.ErrNotFound] if the unit has no such time.
func (r *Repository) PutBack(
	ctx context.Context, tx *dynastay.Tx, propertyID, unitID, id string, from dynastay.Date, by string,
) (step Step, err error) {
	step.Unit, err = r.keepOutOfOrder(ctx, tx, propertyID, unitID, func(u *Unit) error {
		at := u.outOfOrder(id)
		switch {
		case at == nil:
			return &dynastay.Error{Entity: "OutOfOrder", ID: id, Kind: dynastay.ErrNotFound}
		case !from.Before(at.Asked.CheckOut) || !at.EndedAt.IsZero() && !from.Before(at.Nights.CheckOut):
			return nil
		}
		if at.Nights.CheckIn.After(from) {
			from = at.Nights.CheckIn
		}
		if from.Before(at.Nights.CheckOut) {
			step.Nights = dynastay.Stay{CheckIn: dynastay.MonthOf(at.Nights.LastNight()).CheckIn, CheckOut: at.Nights.CheckOut}
			if step.More = from.Before(step.Nights.CheckIn); !step.More {
				step.Nights.CheckIn = from
			}
			at.Nights.CheckOut = step.Nights.CheckIn
		}
		at.EndedBy, at.EndedAt = by, r.db.Now()
		return nil
	})
	return step, err
}

// OutOfOrderAsRead returns the times in which a unit is out of order, none if it does not exist, and makes tx depend on them. It is
// for authors of operations. 1 request.
func (r *Repository) OutOfOrderAsRead(ctx context.Context, tx *dynastay.Tx, propertyID, unitID string) (all []OutOfOrder, err error) {
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil {
		return nil, err
	}
	row, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	as := expression.AttributeNotExists(dynastay.NameOf(keys.PropertiesTable.Key.Partition))
	if row.Exists() {
		u, err := unitEntity.Value(row)
		if err != nil {
			return nil, err
		}
		all, as = u.OutOfOrder, dynastay.Unchanged(keys.PropertiesTable, row, attrOutOfOrder)
	}
	tx.Check(keys.PropertiesTable, key, dynastay.MustCompile(expression.NewBuilder().WithCondition(as)).With(nil),
		func(dynastay.Row) error { return dynastay.ErrOvertaken })
	return all, nil
}

// keepOutOfOrder changes when a unit is out of order. What its version counts does not change.
func (r *Repository) keepOutOfOrder(
	ctx context.Context, tx *dynastay.Tx, propertyID, unitID string, fn func(*Unit) error,
) (*Unit, error) {
	key, err := keys.Of(keys.Unit{PropertyID: propertyID, UnitID: unitID})
	if err != nil {
		return nil, err
	}
	change, err := r.table.Change(ctx, key, func(*Unit) error { return nil })
	if err != nil {
		return nil, err
	}
	if err := change.Keep(fn); err != nil {
		return nil, err
	}
	return change.After, change.AddTo(tx)
}

// mayBePutBack reports whether nights of the unit may still be taken out of order or put back, wherever the property is: those of
// yesterday there are the first ones. They count on the nights of its room type, so that must stay.
func (u *Unit) mayBePutBack(now time.Time) bool {
	first := dynastay.DateOf(now, time.UTC).AddDays(-2)
	return slices.ContainsFunc(u.OutOfOrder, func(o OutOfOrder) bool {
		last := o.Nights.CheckOut
		if o.EndedAt.IsZero() {
			last = o.Asked.CheckOut
		}
		return last.After(first)
	})
}

// outOfOrder returns a time by its id, or nil.
func (u *Unit) outOfOrder(id string) *OutOfOrder {
	for i := range u.OutOfOrder {
		if u.OutOfOrder[i].ID == id {
			return &u.OutOfOrder[i]
		}
	}
	return nil
}
