package users

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// read reads an item consistently and starts a change of it.
func read[T any](
	ctx context.Context, db *dynastay.DB, t *entity.Table[T], e *entity.Entity[T], at dynastay.Key,
	fn func(*T) error, opts ...dynastay.UpdateOption,
) (*entity.Change[T], error) {
	row, err := db.Get(ctx, e.Schema, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	return changeOf(t, e, at, row, fn, opts...)
}

// changeOf starts a change of an item that was read. Other software may have stored an item without the ids that are in
// its key. A change derives the key from them, so such an item cannot be written.
func changeOf[T any](
	t *entity.Table[T], e *entity.Entity[T], at dynastay.Key, row dynastay.Row,
	fn func(*T) error, opts ...dynastay.UpdateOption,
) (*entity.Change[T], error) {
	if row.Exists() {
		v, err := e.Value(row)
		if err != nil {
			return nil, err
		}
		if own, err := e.Key(v); err != nil || own != at {
			return nil, &dynastay.Error{Entity: e.Name, ID: e.IDOf(at), Kind: dynastay.ErrCorrupt, Err: errOtherIDs}
		}
	}
	return t.ChangeOf(at, row, fn, opts...)
}

var errOtherIDs = errors.New("the item must contain the ids that are in its key")

// overtaken is the error for an item that has changed since it was read.
func overtaken(dynastay.Row) error { return dynastay.ErrOvertaken }
