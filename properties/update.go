package properties

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// UpdateOp updates a property. It passes the stored property to fn, which may change any field except those that have
// methods of their own or that the library manages: the id, the status, the primary image, the prices, the counts, the
// rating, the amenities, the times and the version. Only the changed attributes are written, on condition that the
// property has not changed since it was read; if fn changes nothing, nothing is written. Attributes that are unknown to
// the library are kept, and if two callers update the property at the same time, both changes are kept. All index keys,
// the card, the guard of the slug and the index rows of the amenities are updated in the same transaction. fn may be
// called more than once; its errors are returned unchanged.
//
// UpdateOp fails with [dynastay.ErrNotFound] if the property does not exist, with [dynastay.ErrVersion] if it is not at
// the version of [dynastay.IfVersion], with [dynastay.ErrAlreadyExists] and Field "Slug" if the new slug belongs to a
// different property, with a [*StatusError] if the property is being deleted, and with [ErrForeign].
func (r *Repository) UpdateOp(
	propertyID string, fn func(*Property) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Property] {
	const op = "properties.Update"
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err == nil {
		err = r.entity.CheckUpdate(opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*Property]{
		Name:    op,
		Invalid: err,
		Input:   entity.InputOf(key, opts...),
		Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Property, error) {
			row, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if err := r.writable(op, row); err != nil {
				return nil, err
			}
			c, err := r.table.ChangeOf(key, row, fn, opts...)
			if err != nil {
				return nil, err
			}
			if err := c.After.fits("AmenityIDs", c.Before); err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: r.restoreProperty(propertyID),
	})
}

// Update runs [Repository.UpdateOp], after [Repository.Adopt] if it is needed. 2 requests: a consistent GetItem, and
// the write.
func (r *Repository) Update(
	ctx context.Context, propertyID string, fn func(*Property) error, opts ...dynastay.UpdateOption,
) (*Property, error) {
	return adopted(ctx, r, propertyID, "properties.Update", func(ctx context.Context) (*Property, error) {
		return dynastay.Do(ctx, r.db, r.UpdateOp(propertyID, fn, opts...))
	})
}
