package dynastay

import (
	"context"
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
)

// Table reads and writes one kind of entity. The repositories are made of it, and so can a service's own entities be.
// Its methods with Op at the end make operations for [DB.Write]; the ones without are the same, sent alone.
type Table[T any] struct {
	db     *DB
	entity *Entity[T]
	absent Expr
}

// NewTable binds an entity to a DB. It sends nothing.
func NewTable[T any](db *DB, e *Entity[T]) *Table[T] {
	return &Table[T]{db: db, entity: e, absent: IfNew(e.Schema)}
}

// Get reads one entity, or fails with [ErrNotFound]. A consistent read sees every acknowledged write, at twice the
// units. 1 request.
func (t *Table[T]) Get(ctx context.Context, key Key, consistent bool) (*T, error) {
	item, err := t.db.Get(ctx, t.entity.Schema, key, consistent)
	if err != nil {
		return nil, err
	}
	if item == nil {
		return nil, t.entity.fail(key, ErrNotFound)
	}
	return t.entity.Value(item)
}

// GetAll reads entities by their keys, in the order of the keys, nil where there is none. 1 request for every 100
// different keys, and more where DynamoDB leaves some unprocessed; see [DB.GetAll].
func (t *Table[T]) GetAll(ctx context.Context, keys []Key, consistent bool) ([]*T, error) {
	items, err := t.db.GetAll(ctx, t.entity.Schema, keys, consistent)
	if err != nil {
		return nil, err
	}
	all := make([]*T, len(items))
	for i, item := range items {
		if item == nil {
			continue
		}
		if all[i], err = t.entity.Value(item); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Query reads one page of entities, of the table or of an index that copies them whole. Another index is refused: what it
// holds would be taken for an entity, and stored as one. Its rows are for [QueryPage]. 1 request.
func (t *Table[T]) Query(ctx context.Context, q Query) (Page[*T], error) {
	if index, ok := t.entity.Schema.Index(q.Index); ok && index.Project != ProjectAll {
		return Page[*T]{}, Invalid("Index", "%s does not hold whole entities; QueryPage reads its rows", q.Index)
	}
	return QueryPage(ctx, t.db, t.entity.Schema, q, t.entity.Value)
}

// CreateOp puts an entity that must not be there yet; otherwise it is refused with [ErrAlreadyExists]. The result is the
// entity as it is stored, with its write id where the codec declares that. Sent alone, it ends as [ErrOutcomeUnknown] where
// its answer was lost and the item does not show that it was done; it is not sent again, because the item may have been
// there and have been taken away since. Under an [IdempotencyKey] it can be repeated.
func (t *Table[T]) CreateOp(v *T) *Operation[*T] {
	return t.putOp(t.entity.Name+".Create", v, t.absent, func(key Key) error {
		return t.entity.fail(key, ErrAlreadyExists)
	})
}

// Create is [Table.CreateOp], sent. 1 request.
func (t *Table[T]) Create(ctx context.Context, v *T, opts ...WriteOption) (*T, error) {
	return Do(ctx, t.db, t.CreateOp(v), opts...)
}

// PutOp puts an entity, over whatever is there, unknown attributes and all. [Table.UpdateOp] is the gentle form.
func (t *Table[T]) PutOp(v *T) *Operation[*T] {
	return t.putOp(t.entity.Name+".Put", v, Expr{}, nil)
}

// Put is [Table.PutOp], sent. 1 request.
func (t *Table[T]) Put(ctx context.Context, v *T, opts ...WriteOption) (*T, error) {
	return Do(ctx, t.db, t.PutOp(v), opts...)
}

func (t *Table[T]) putOp(name string, v *T, expr Expr, failed func(Key) error) *Operation[*T] {
	item, err := t.entity.Item(v)
	key := t.entity.Schema.Key.From(item)
	return NewOp(OpSpec[*T]{
		Name: name, Invalid: err,
		Input: func(in *Input) {
			if t.entity.Agreed != nil {
				t.entity.Agreed(in, v)
			} else {
				in.Item(item)
			}
		},
		Prepare: func(_ context.Context, tx *Tx) (*T, error) {
			put := Put(t.entity.Schema, item, expr, func(Item) error { return failed(key) }).withID(tx.stamp)
			tx.Add(put)
			tx.Made("PK", key.PK)
			tx.Made("SK", key.SK)
			return t.entity.as(v, put.item)
		},
		Restore: func(ctx context.Context, made map[string]string) (*T, error) {
			stored, err := t.again(ctx, Key{made["PK"], made["SK"]})
			if errors.Is(err, ErrNotFound) {
				return v, nil // it was put, and has been taken away since, as a worker does with an outbox message
			}
			return stored, err
		},
	})
}

// UpdateOp changes an entity as [Table.Change] does.
func (t *Table[T]) UpdateOp(key Key, fn func(*T) error, opts ...UpdateOption) *Operation[*T] {
	return NewOp(OpSpec[*T]{
		Name:    t.entity.Name + ".Update",
		Invalid: t.entity.CheckUpdate(opts...),
		Input:   InputOf(key, opts...),
		Prepare: func(ctx context.Context, tx *Tx) (*T, error) {
			c, err := t.Change(ctx, key, fn, opts...)
			if err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*T, error) { return t.again(ctx, key) },
	})
}

// again reads the result of an earlier call. It hands out no write id: the item may be another caller's by now, and the id
// would let the one who repeats a call release a lock that is not his any more.
func (t *Table[T]) again(ctx context.Context, key Key) (*T, error) {
	item, err := t.db.Get(ctx, t.entity.Schema, key, true)
	switch {
	case err != nil:
		return nil, err
	case item == nil:
		return nil, t.entity.fail(key, ErrNotFound)
	}
	delete(item, t.entity.Schema.writeID())
	return t.entity.Value(item)
}

// Update is [Table.UpdateOp], sent. 2 requests: a consistent read and the write.
func (t *Table[T]) Update(ctx context.Context, key Key, fn func(*T) error, opts ...UpdateOption) (*T, error) {
	return Do(ctx, t.db, t.UpdateOp(key, fn, opts...))
}

// DeleteOp removes an entity, or is refused with [ErrNotFound], and with [ErrVersion] under [IfVersion] and [IfWritten].
//
// Sent alone, its answer may be lost for good, and then it ends as [ErrOutcomeUnknown]: that the entity is gone does not say
// who took it. It is not sent again, for it might remove what another caller has made meanwhile. Under [IfWritten] a caller
// can repeat it at will.
func (t *Table[T]) DeleteOp(key Key, opts ...UpdateOption) *Operation[struct{}] {
	e, o := t.entity, optionsOf(opts)
	condition := expression.AttributeExists(NameOf(e.Schema.Key.Partition))
	if o.version != nil {
		is := expression.Equal(NameOf(e.Version), expression.Value(N(*o.version)))
		if *o.version == 0 {
			is = is.Or(Absent(e.Version))
		}
		condition = condition.And(is)
	}
	if o.written != nil {
		id, _ := o.written.stored() // refused below where it is none
		condition = condition.And(AsRead(e.Schema.writeID(), Item{e.Schema.writeID(): id}))
	}
	expr, err := build(expression.NewBuilder().WithCondition(condition))
	if invalid := e.CheckUpdate(opts...); invalid != nil {
		err = invalid
	}
	return NewOp(OpSpec[struct{}]{
		Name: e.Name + ".Delete", Invalid: err,
		Input: func(in *Input) {
			in.Key(key)
			if o.version != nil {
				in.Field("version", strconv.Itoa(*o.version))
			}
			if o.written != nil {
				in.Field("written", string(*o.written))
			}
		},
		Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
			tx.Add(Delete(e.Schema, key, expr, func(old Item) error {
				if old == nil {
					return e.fail(key, ErrNotFound)
				}
				return e.fail(key, ErrVersion)
			}))
			return struct{}{}, nil
		},
	})
}

// Delete is [Table.DeleteOp], sent. 1 request.
func (t *Table[T]) Delete(ctx context.Context, key Key, opts ...UpdateOption) error {
	_, err := Do(ctx, t.db, t.DeleteOp(key, opts...))
	return err
}
