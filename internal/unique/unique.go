// Package unique finds an entity by a value that only one entity can have, such as a slug or a booking reference.
//
// The index that the value stands in is read first: it is the cheaper way and almost always right. But it lags behind
// the table, so after a value has moved it may show the old owner, both, or none. Its answer counts only if it is
// exactly one entity that still carries the value; otherwise one consistent read of the value's guard decides.
package unique

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// Lookup says where a unique value stands.
type Lookup[T any] struct {
	Schema *dynastay.Schema
	Name   string // of the query
	Index  string
	Row    dynastay.Key // of the value in the index; its sort value is not looked at
	Guard  dynastay.Key
	// Owner is the primary key of the entity that a guard names.
	Owner func(guard dynastay.Item) (dynastay.Key, error)
	// Load reads the entity, or fails with [dynastay.ErrNotFound].
	Load func(ctx context.Context, key dynastay.Key, consistent bool) (*T, error)
	// Carries tells whether the entity has the value.
	Carries func(*T) bool
	// NotFound is the error for a value that nobody has.
	NotFound error
}

// Find returns the entity: 2 requests, or 4 while the index lags.
func (l Lookup[T]) Find(ctx context.Context, db *dynastay.DB) (*T, error) {
	rows, err := dynastay.QueryPage(ctx, db, l.Schema, dynastay.Query{
		Name: l.Name, Index: l.Index, Partition: l.Row.PK, Paging: dynastay.Paging{Limit: 2},
	}, func(row dynastay.Item) (dynastay.Key, error) { return l.Schema.Key.From(row), nil })
	if err != nil {
		return nil, err
	}
	if len(rows.Items) == 1 {
		switch found, err := l.Load(ctx, rows.Items[0], false); {
		case err == nil && l.Carries(found):
			return found, nil
		case err != nil && !errors.Is(err, dynastay.ErrNotFound):
			return nil, err
		}
	}
	guard, err := db.Get(ctx, l.Schema, l.Guard, true)
	if err != nil {
		return nil, err
	}
	if guard == nil {
		return nil, l.NotFound
	}
	key, err := l.Owner(guard)
	if err != nil {
		return nil, err
	}
	found, err := l.Load(ctx, key, true)
	switch {
	case errors.Is(err, dynastay.ErrNotFound):
		return nil, l.NotFound
	case err != nil:
		return nil, err
	case !l.Carries(found):
		return nil, l.NotFound // it gave the value up between the two reads
	}
	return found, nil
}
