package properties

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// UpdateOp changes a property. fn gets it as it is stored and changes what it likes, except what the library keeps: the id,
// prices, counts, ratings, amenities, times and version. Only the difference is written, over the property that fn saw:
// attributes that the library does not know stay, and two callers who change it at once both succeed. Every index key, the
// card, the slug's guard and the amenities follow in the same transaction. fn may run again.
//
// The status moves between pending, approved and rejected. An approved property stays approved here: taking it off sale
// touches every night that it has opened.
//
// Refused with [dynastay.ErrNotFound], [dynastay.ErrVersion] under [dynastay.IfVersion], [dynastay.ErrAlreadyExists]
// with Field "Slug" where the new slug belongs to another property, and [dynastay.ErrCorrupt] with Field "Card" where
// other software wrote the property without a card.
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

// Update is [Repository.UpdateOp], sent: 2 requests, a consistent GetItem and the write.
func (r *Repository) Update(ctx context.Context, propertyID string, fn func(*Property) error, opts ...dynastay.UpdateOption) (*Property, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(propertyID, fn, opts...))
}

func mayBecome(before, after Status) error {
	open := []Status{Pending, Approved, Rejected}
	if before != after && (before == Approved || !slices.Contains(open, before) || !slices.Contains(open, after)) {
		return dynastay.Invalid("Status", "cannot be changed to this value by an update")
	}
	return nil
}

// fits refuses a change that makes the card too large, and one of a property without a card.
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
