package entity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// Unique is a value that only one entity may have, such as an e-mail address. It is protected by a guard, an item in
// the entity's table whose key is made from the value. The guard is claimed when the entity is created, moved when the
// value changes, and released when the entity is deleted, always in the same transaction. The first update of an entity
// that other software wrote claims its value as well, unless the value belongs to another entity. An index cannot do
// that: it lags behind the table, so two callers that query it at the same time both find the value free.
//
// One Write cannot both release and claim the same value, because a transaction writes an item only once. Release the
// value first, in a separate Write. If an entity is deleted by other means, for example by its time to live, its guard
// remains, and the value stays taken.
type Unique[T any] struct {
	Field string // the entity's own name for the value, for errors and [Table.Find], such as "Email"
	// Guard returns the key of the guard. Return the zero Key for an entity that has no such value or no longer has
	// one, such as a card that was revoked. Guard should depend on as few fields as possible, because the entity that
	// is passed to Find must have all of them.
	Guard func(*T) (dynastay.Key, error)
	// Owner are the names of the attributes that the guard copies from the entity: all those that the entity's key is
	// made from.
	Owner []string
	// Mark are other attributes of the guard, such as the kind of item. Optional.
	Mark map[string]string
	// Index is the index in which the value is looked up first, and Partition returns the value's partition in that
	// index. Without an index, the value is looked up by its guard.
	Index     string
	Partition func(*T) (string, error)
	// Taken returns the error for a value that belongs to another entity. Default: [dynastay.ErrAlreadyExists] with the
	// Field. If the program generates the value, return [dynastay.ErrOvertaken]: the operation is then prepared again,
	// and can generate another value.
	Taken func(*T) error
}

// unique is a [Unique] without its type.
type unique struct {
	Field     string
	Guard     func(any) (dynastay.Key, error)
	Owner     []string
	Mark      map[string]string
	Index     string
	Partition func(any) (string, error)
	Taken     func(any) error
}

// guard is a Unique with its conditions.
// See docs/decisions/0008-entities.md for why it belongs to the entity.
type guard struct {
	unique
	e          *core
	free       dynastay.Expr
	freeOrOurs *dynastay.Compiled
}

func (e *core) newGuard(u unique) guard {
	if u.Field == "" || u.Guard == nil || len(u.Owner) == 0 {
		e.panics("Unique %q: Field, Guard and Owner are required", u.Field)
	}
	if _, ok := e.Schema.Index(u.Index); u.Index != "" && !ok {
		e.panics("Unique %s: table %s has no index %s", u.Field, e.Schema.Name, u.Index)
	}
	if u.Index != "" && u.Partition == nil {
		e.panics("Unique %s: Partition is required if Index is set", u.Field)
	}
	if _, err := e.guardOf(u.Field); err == nil {
		e.panics("Unique %s is declared twice", u.Field)
	}
	for _, name := range append([]string{e.Schema.Key.Partition, e.Schema.Key.Sort}, u.Owner...) {
		if _, twice := u.Mark[name]; twice {
			e.panics("Unique %s: Mark must not contain %s, which is part of the guard's key or of Owner", u.Field, name)
		}
	}
	// The guard may also be ours: other software may have given two entities the same value, and the guard then belongs
	// to the other entity, or is missing.
	freeOrOurs := expression.AttributeNotExists(dynastay.NameOf(e.Schema.Key.Partition)).Or(is(u.Owner))
	return guard{
		unique: u, e: e, free: dynastay.IfNew(e.Schema),
		freeOrOurs: dynastay.MustCompile(expression.NewBuilder().WithCondition(freeOrOurs)),
	}
}

func (g guard) key(v any) (dynastay.Key, error) {
	key, err := g.Guard(v)
	if err == nil && key != (dynastay.Key{}) {
		err = g.e.Schema.Key.Check(key)
	}
	return key, g.e.inOwnWords(v, err)
}

// owner returns the attributes of the entity that the guard contains, which are enough to find it.
func (g guard) owner(v any) (dynastay.Item, error) {
	item, err := g.e.Codec.Encode(v)
	if err != nil {
		return nil, err
	}
	owner := dynastay.Item{}
	for _, name := range g.Owner {
		if item[name] != nil {
			owner[name] = item[name]
		}
	}
	key, err := g.e.Key(v)
	if err != nil {
		return nil, err
	}
	if found, err := g.e.keyOf(owner); err != nil || found != key {
		return nil, &dynastay.Error{Entity: g.e.Name, ID: g.e.idOf(key), Err: g.noOwner()}
	}
	return owner, nil
}

// noOwner is a programming error.
func (g guard) noOwner() error {
	return fmt.Errorf("Unique %s: Owner must name all attributes that the entity's key is made from; "+
		"otherwise the guard does not lead to the entity", g.Field)
}

func (g guard) item(key dynastay.Key, owner dynastay.Item) dynastay.Item {
	item := g.e.Schema.Key.Of(key)
	for name, text := range g.Mark {
		item[name] = stored.Text(text)
	}
	maps.Copy(item, owner)
	return item
}

func (g guard) put(tx *dynastay.Tx, key dynastay.Key, owner dynastay.Item, condition dynastay.Expr, v any, operation string) {
	tx.Put(g.e.Schema, g.item(key, owner)).If(condition, func(dynastay.Row) error {
		if g.Taken != nil {
			return g.Taken(v)
		}
		at, _ := g.e.Key(v)
		return &dynastay.Error{
			Op: g.e.Operations + "." + operation, Entity: g.e.Name, ID: g.e.idOf(at), Field: g.Field, Kind: dynastay.ErrAlreadyExists,
		}
	})
}

// move claims, moves or releases the value: before is nil for a new entity, after is nil for a deleted one.
func (g guard) move(tx *dynastay.Tx, before, after any, operation string) error {
	var old, now dynastay.Key
	var keyless, err error
	if before != nil {
		if old, keyless = g.key(before); keyless != nil {
			old = dynastay.Key{} // other software stored a value for which no guard can exist
		}
	}
	if after != nil {
		if now, err = g.key(after); err != nil && keyless == nil {
			return err
		}
	}
	if old == now || err != nil {
		return nil // the same value, or another spelling of it
	}
	if now != (dynastay.Key{}) {
		owner, err := g.owner(after)
		if err != nil {
			return err
		}
		condition := g.free
		if before != nil {
			condition = g.freeOrOurs.With(owner)
		}
		g.put(tx, now, owner, condition, after, operation)
	}
	if old == (dynastay.Key{}) {
		return nil
	}
	owner, err := g.owner(before)
	if err != nil {
		return err
	}
	// A guard that is missing, or that belongs to another entity because of other software, is not released.
	tx.Delete(g.e.Schema, old).If(g.freeOrOurs.With(owner), func(dynastay.Row) error { return dynastay.ErrSkip })
	return nil
}

// adopt claims a value that did not change, for an entity that other software wrote without a guard. A value that
// belongs to another entity is left to that entity: refusing the update would not give the value to this one.
func (g guard) adopt(tx *dynastay.Tx, before, after any) error {
	old, err := g.key(before)
	now, nowErr := g.key(after)
	if err != nil || nowErr != nil || old != now || now == (dynastay.Key{}) {
		return nil // move has claimed it, or no guard can exist
	}
	owner, err := g.owner(after)
	if err != nil {
		return err
	}
	tx.Put(g.e.Schema, g.item(now, owner)).If(g.freeOrOurs.With(owner), func(dynastay.Row) error { return dynastay.ErrSkip })
	return nil
}

// Find returns the entity that has the same unique value as like in the given field (see [Unique]), or fails with
// [dynastay.ErrNotFound]. Only the fields that Guard and Partition of the Unique depend on must be set in like. It
// finds an entity from the moment that the entity has the value. It queries the index first, which is almost always
// right, but accepts the result only if it is exactly one entity that still has the value. Otherwise a consistent read
// of the guard decides. 2 requests, and up to 2 more while the index lags; without an index, or with
// [dynastay.Consistent], always 2, both consistent reads.
func (t *Table[T]) Find(ctx context.Context, field string, like *T, opts ...dynastay.ReadOption) (*T, error) {
	return FindWith(ctx, t, field, like, t.Get, func(v *T) *T { return v }, opts...)
}

// FindWith is like [Table.Find] but returns an R, such as an entity together with the items that belong to it. load
// reads R by the entity's key, or fails with [dynastay.ErrNotFound]; of returns the entity within R.
func FindWith[T, R any](
	ctx context.Context, t *Table[T], field string, like *T,
	load func(context.Context, dynastay.Key, ...dynastay.ReadOption) (R, error), of func(R) *T, opts ...dynastay.ReadOption,
) (R, error) {
	found, err := t.core.find(ctx, field, like,
		func(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (any, error) {
			return load(ctx, key, opts...)
		},
		func(r any) any { return of(r.(R)) }, opts)
	r, _ := found.(R)
	return r, err
}

// find is [FindWith].
func (t *table) find(
	ctx context.Context, field string, like any,
	load func(context.Context, dynastay.Key, ...dynastay.ReadOption) (any, error), of func(any) any, opts []dynastay.ReadOption,
) (_ any, err error) {
	g, err := t.guardOf(field)
	if err != nil {
		return nil, err
	}
	at, err := g.key(like)
	if err != nil {
		return nil, err
	}
	if at == (dynastay.Key{}) {
		return nil, dynastay.Invalid(field, "is required")
	}
	notFound := &dynastay.Error{
		Op: g.e.Operations + ".Find", Entity: g.e.Name, ID: at.PK, Field: field, Kind: dynastay.ErrNotFound,
	}
	ctx, end := t.db.Begin(ctx, notFound.Op)
	defer func() { end(err) }()
	carries := func(r any) bool {
		now, err := g.key(of(r))
		return err == nil && now == at
	}
	if g.Index != "" && !slices.Contains(opts, dynastay.Consistent) {
		found, err := g.look(ctx, t, like)
		if err != nil {
			return nil, err
		}
		if len(found) == 1 {
			switch r, err := load(ctx, found[0]); {
			case err == nil && carries(r):
				return r, nil
			case err != nil && !errors.Is(err, dynastay.ErrNotFound):
				return nil, err
			}
		}
	}
	row, err := t.db.Get(ctx, g.e.Schema, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	if !row.Exists() {
		return nil, notFound
	}
	key, err := g.keyOfOwner(row)
	if err != nil {
		return nil, err
	}
	switch r, err := load(ctx, key, dynastay.Consistent); {
	case errors.Is(err, dynastay.ErrNotFound):
		return nil, notFound
	case err != nil:
		return nil, err
	case carries(r):
		return r, nil
	}
	return nil, notFound // the entity gave up the value between the two reads
}

func (e *core) guardOf(field string) (guard, error) {
	for _, g := range e.guards {
		if g.Field == field {
			return g, nil
		}
	}
	// A programming error: the field is not the caller's input.
	return guard{}, &dynastay.Error{Entity: e.Name, Err: fmt.Errorf("the Spec has no Unique with Field %s", field)}
}

// look queries the index.
func (g guard) look(ctx context.Context, t *table, like any) ([]dynastay.Key, error) {
	partition, err := g.Partition(like)
	if err != nil {
		return nil, g.e.inOwnWords(like, err)
	}
	page, err := dynastay.ListOf(t.db, g.e.Schema, dynastay.Query{
		Name: g.e.Operations + ".Find." + g.Field, Index: g.Index, Partition: partition,
	}, func(_ context.Context, row dynastay.Row) (dynastay.Key, error) {
		return g.e.Schema.Key.From(row), nil
	}).Page(ctx, dynastay.Paging{Limit: 2})
	return page.Items, err
}

// keyOfOwner returns the key of the entity that a guard belongs to.
func (g guard) keyOfOwner(row dynastay.Row) (dynastay.Key, error) {
	owner := dynastay.Item{}
	for _, name := range g.Owner {
		if v := row.Value(name); !v.IsNull() {
			owner[name] = v.Stored()
		}
	}
	key, err := g.e.keyOf(owner)
	if err != nil {
		at := g.e.Schema.Key.From(row)
		return key, &dynastay.Error{Entity: "Guard", ID: at.String(), Kind: dynastay.ErrCorrupt, Err: unreadable(err)}
	}
	return key, nil
}
