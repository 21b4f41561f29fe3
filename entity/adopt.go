package entity

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// AdoptRow makes an item that other software has written one of the table's. It writes the index keys, the guards of the
// unique values and the write id, even if the item had others, and nothing else: the version and the times stay as they
// are. It does nothing to an item with a write id, so software that goes on writing items must remove it; the item is then
// adopted again. It reports whether it has written something: not for an item that was deleted meanwhile. It fails with
// [dynastay.ErrCorrupt] for an item of which the table could not store a change either. A unique value that belongs to another
// entity is left to that one. If other software has changed a unique value, the guard of the former one is left too.
//
// The row may be of any read, also of an old one, and have its key only. AdoptRow is for the Each of a walk of package
// migrate. 2 requests; none for a row with a write id.
func (t *Table[T]) AdoptRow(ctx context.Context, row dynastay.Row) (adopted bool, err error) {
	return t.core.adoptRow(ctx, row)
}

func (t *table) adoptRow(ctx context.Context, row dynastay.Row) (bool, error) {
	if writtenBy(t.Schema, row) != "" {
		return false, nil
	}
	return t.writeDerived(ctx, t.Schema.Key.From(row), func(row dynastay.Row) bool { return writtenBy(t.Schema, row) == "" })
}

// writeDerived writes everything that is derived from an item that needs it. It reports whether it has written something.
func (t *table) writeDerived(ctx context.Context, key dynastay.Key, needs func(dynastay.Row) bool) (bool, error) {
	wrote, err := dynastay.Do(ctx, t.db, dynastay.NewOp(dynastay.OpSpec[bool]{
		Name: t.Operations + ".Adopt",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (bool, error) {
			c, err := t.change(ctx, key, func(any) error { return nil }, nil)
			if err != nil || !needs(c.row) {
				return false, err
			}
			if err := c.Whole(); err != nil {
				return false, err
			}
			return true, c.AddTo(tx)
		},
	}))
	var invalid *dynastay.InvalidError
	switch {
	case errors.Is(err, dynastay.ErrNotFound): // it was deleted meanwhile
		return false, nil
	case errors.As(err, &invalid): // what other software has stored is no argument of the caller
		return false, &dynastay.Error{
			Op: t.Operations + ".Adopt", Entity: t.Name, ID: t.idOf(key), Field: invalid.Field, Kind: dynastay.ErrCorrupt, Err: errors.New(invalid.Reason),
		}
	}
	return wrote, err
}
