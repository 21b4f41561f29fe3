package properties

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// UpdateOp updates a property. It passes the stored property to fn, which may change any field except those that the
// library manages: the id, the prices, the counts, the rating, the amenities, the times and the version. Only the
// changed attributes are written, on condition that the property has not changed since fn was called. Attributes that
// are unknown to the library are kept, and if two callers update the property at the same time, both changes are kept.
// All index keys, the card, the guard of the slug and the index rows of the amenities are updated in the same
// transaction. fn may be called more than once.
//
// The status can change between pending, approved and rejected. The status of an approved property cannot be changed
// here, because taking a property off sale affects every night that it has opened.
//
// UpdateOp fails with [dynastay.ErrNotFound] if the property does not exist, with [dynastay.ErrVersion] if it is not at
// the version of [dynastay.IfVersion], with [dynastay.ErrAlreadyExists] and Field "Slug" if the new slug belongs to a
// different property, and with [dynastay.ErrCorrupt] and Field "Card" if other software wrote the property without a
// card.
func (r *Repository) UpdateOp(propertyID string, fn func(*Property) error, opts ...dynastay.UpdateOption) *dynastay.Operation[*Property] {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err == nil {
		err = r.entity.CheckUpdate(opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*Property]{
		Name:    "properties.Update",
		Invalid: err,
		Input:   entity.InputOf(key, opts...),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Property, error) {
			c, err := r.table.Change(ctx, key, func(p *Property) error {
				before := p.Status
				if err := fn(p); err != nil {
					return err
				}
				return mayBecome(before, p.Status)
			}, opts...)
			if err != nil {
				return nil, err
			}
			if c.Changed() {
				err = fits(c)
			}
			if err == nil {
				err = c.AddTo(tx)
			}
			return c.After, err
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Property, error) {
			return r.table.Get(ctx, key, dynastay.Consistent)
		},
	})
}

// Update runs [Repository.UpdateOp]. 2 requests: a consistent GetItem, and the write.
func (r *Repository) Update(ctx context.Context, propertyID string, fn func(*Property) error, opts ...dynastay.UpdateOption) (*Property, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(propertyID, fn, opts...))
}

func mayBecome(before, after Status) error {
	switch {
	case before == after:
		return nil
	case before != Pending && before != Rejected:
		return dynastay.Invalid("Status", "cannot be changed from %s by an update", before)
	case !slices.Contains([]Status{Pending, Approved, Rejected}, after):
		return dynastay.Invalid("Status", "must be pending, approved or rejected")
	}
	return nil
}

// fits refuses a change that would make the card too large, and any change of a property without a card.
func fits(c *entity.Change[Property]) error {
	stored := c.Row.Value(keys.AttrCard)
	if stored.Kind() != dynastay.KindMap {
		return &dynastay.Error{Op: "properties.Update", Entity: "Property", ID: c.After.ID, Field: keys.AttrCard, Kind: dynastay.ErrCorrupt}
	}
	card := CardOf(c.After, nil)
	var rooms Card
	if err := cardCodec.Decode(stored.Map(), &rooms); err != nil {
		return &dynastay.Error{Entity: "Card", ID: c.After.ID, Kind: dynastay.ErrCorrupt, Err: err}
	}
	card.Rooms = rooms.Rooms
	_, err := card.stored()
	return err
}
