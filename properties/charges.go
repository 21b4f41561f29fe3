package properties

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/condition"
	"github.com/dynastay/dynastay/keys"
)

// Charges reads the taxes, the fees and the deposits of a property. If it has none, the list is empty; its Version is 0 if
// there never were any. Charges does not look whether the property exists. It accepts [dynastay.Consistent].
//
// Pattern charges: Properties, PK = RATES#{propertyId}, SK = CHARGES, 1 request
func (r *Repository) Charges(ctx context.Context, propertyID string, opts ...dynastay.ReadOption) (_ *charges.List, err error) {
	ctx, end := r.db.Begin(ctx, "properties.Charges")
	defer func() { end(err) }()
	key, err := keys.Of(keys.PropertyCharges{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	list, err := r.charges.Get(ctx, key, opts...)
	if errors.Is(err, dynastay.ErrNotFound) {
		return &charges.List{PropertyID: propertyID}, nil
	}
	return list, err
}

const opUpdateCharges = "properties.UpdateCharges"

// UpdateChargesOp passes the charges of a property to fn, which may change them, and writes the list as a whole. If the
// property has none yet, the list is empty, and what fn adds is created. If fn changes nothing, nothing is written. fn may be
// called more than once; its errors are returned unchanged. What has been booked or quoted keeps its charges.
//
// It fails with [dynastay.ErrNotFound] if the property does not exist, with [dynastay.ErrVersion] if the list is not at the
// version of [dynastay.IfVersion], which is 0 if there never was one, with [dynastay.ErrCorrupt] if the list cannot be
// decoded, with a [*StatusError] if the property is being deleted, and with [ErrForeign]. A [*dynastay.InvalidError] names
// the field that [charges.List.Validate] refuses, "Currency" if fn changes the currency to another one than that of the room
// types, and "Charges" if the list has more than 600 bytes on the property's card, where each charge takes 10 to 40, without its name.
func (r *Repository) UpdateChargesOp(
	propertyID string, fn func(*charges.List) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*charges.List] {
	property, err := keys.Of(keys.Property{PropertyID: propertyID})
	key, keyErr := keys.Of(keys.PropertyCharges{PropertyID: propertyID})
	if err == nil {
		err = keyErr
	}
	if err == nil {
		err = r.chargesEntity.CheckUpdate(opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*charges.List]{
		Name: opUpdateCharges, Invalid: err, Input: entity.InputOf(key, opts...), Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*charges.List, error) {
			row, err := r.db.Get(ctx, keys.PropertiesTable, property, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			p, err := r.part(opUpdateCharges, property, row)
			if err != nil {
				return nil, err
			}
			row, err = r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if !row.Exists() {
				return r.firstCharges(tx, p, fn, opts)
			}
			c, err := r.charges.ChangeOf(key, row, fn, opts...)
			if err != nil {
				return nil, err
			}
			if c.Changed() {
				if err := r.putOnCard(tx, p, c.Before, c.After); err != nil {
					return nil, err
				}
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*charges.List, error) {
			return r.Charges(ctx, propertyID, dynastay.Consistent)
		},
	})
}

// firstCharges creates the list of a property that has none.
func (r *Repository) firstCharges(
	tx *dynastay.Tx, p *entity.Change[Property], fn func(*charges.List) error, opts []dynastay.UpdateOption,
) (*charges.List, error) {
	id := p.Before.ID
	if asked := condition.Of(opts); asked.Version != nil && *asked.Version != 0 || asked.Written != nil {
		return nil, &dynastay.Error{Op: opUpdateCharges, Entity: "Charges", ID: id, Kind: dynastay.ErrVersion}
	}
	l := &charges.List{PropertyID: id}
	if err := fn(l); err != nil {
		return nil, err
	}
	if l.PropertyID != id {
		return nil, dynastay.Invalid("PropertyID", "is managed by the library and cannot be changed")
	}
	if len(l.Charges) == 0 {
		return &charges.List{PropertyID: id}, nil
	}
	l.CreatedAt = r.db.Now()
	l.UpdatedAt, l.Version = l.CreatedAt, 1
	item, err := r.chargesEntity.Item(l)
	if err != nil {
		return nil, err
	}
	if err := r.putOnCard(tx, p, &charges.List{}, l); err != nil {
		return nil, err
	}
	tx.Put(keys.PropertiesTable, item).Identified().If(absent, func(dynastay.Row) error { return dynastay.ErrOvertaken })
	return l, nil
}

// putOnCard writes the property with the card of changed charges, and renews it: of two callers that add the first charge, and
// of one that adds a charge and one that deletes the property, the second reads again.
func (r *Repository) putOnCard(tx *dynastay.Tx, p *entity.Change[Property], before, after *charges.List) error {
	rooms, currency := p.Before.rooms, after.Currency()
	if currency != before.Currency() && currency != "" && len(rooms) > 0 && currency != rooms[0].BasePrice.Currency() {
		return dynastay.Invalid("Currency", "must be %s, the currency of the room types, got %s", rooms[0].BasePrice.Currency(), currency)
	}
	if err := checkCardCharges(after); err != nil {
		return err
	}
	p.Renew()
	err := p.Keep(func(p *Property) error {
		p.HasCharges, p.charges = true, after
		return nil
	})
	if err != nil {
		return err
	}
	return p.AddTo(tx)
}

// UpdateCharges runs [Repository.UpdateChargesOp], after [Repository.Adopt] if it is needed. 3 requests.
func (r *Repository) UpdateCharges(
	ctx context.Context, propertyID string, fn func(*charges.List) error, opts ...dynastay.UpdateOption,
) (*charges.List, error) {
	return adopted(ctx, r, propertyID, opUpdateCharges, func(ctx context.Context) (*charges.List, error) {
		return dynastay.Do(ctx, r.db, r.UpdateChargesOp(propertyID, fn, opts...))
	})
}
