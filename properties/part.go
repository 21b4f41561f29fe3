package properties

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// partSpec says what an operation changes that belongs to a property: room types, amenities.
type partSpec[R any] struct {
	invalid error
	input   func(*dynastay.Input)
	// prepare changes the property with Keep, so that its version stays the same, and adds the actions for other items.
	prepare func(context.Context, *dynastay.Tx, *entity.Change[Property]) (R, error)
	restore func(context.Context, map[string]string) (R, error)
}

// partOp reads the property, prepares the change of the part, and writes the property in the same transaction: what is
// derived from its parts must not be out of date.
// See docs/decisions/0011-properties.md for why no stream does that later.
func partOp[R any](r *Repository, op, propertyID string, s partSpec[R]) *dynastay.Operation[R] {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err == nil {
		err = s.invalid
	}
	return dynastay.NewOp(dynastay.OpSpec[R]{
		Name: op, Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Key(key)
			s.input(in)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (R, error) {
			var none R
			row, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
			if err != nil {
				return none, err
			}
			c, err := r.part(op, key, row)
			if err != nil {
				return none, err
			}
			made, err := s.prepare(ctx, tx, c)
			if err != nil {
				return none, err
			}
			return made, c.AddTo(tx)
		},
		Restore: s.restore,
	})
}

// part starts a write of something that belongs to a property.
func (r *Repository) part(op string, key dynastay.Key, row dynastay.Row) (*entity.Change[Property], error) {
	if err := r.writable(op, row); err != nil {
		return nil, err
	}
	return r.table.ChangeOf(key, row, func(*Property) error { return nil })
}

func (r *Repository) restoreProperty(propertyID string) func(context.Context, map[string]string) (*Property, error) {
	return func(ctx context.Context, _ map[string]string) (*Property, error) {
		return r.Get(ctx, propertyID, dynastay.Consistent)
	}
}
