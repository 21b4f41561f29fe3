package entity

import (
	"context"
	"maps"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/condition"
	"github.com/dynastay/dynastay/internal/shown"
)

// Table reads and writes one kind of entity. The repositories are built on it, and it also serves a service's own
// entities. Methods whose names end in Op return operations for [dynastay.DB.Write]; the methods without Op send the
// same operation alone.
type Table[T any] struct{ core *table }

// table is a [Table] without its type.
type table struct {
	*core
	db     *dynastay.DB
	absent dynastay.Expr
}

// NewTable binds an entity to a DB. It sends no requests.
func NewTable[T any](db *dynastay.DB, e *Entity[T]) *Table[T] {
	return &Table[T]{&table{core: e.core, db: db, absent: dynastay.IfNew(e.Schema)}}
}

// op returns an operation with its type.
func op[T any](s dynastay.OpSpec[any]) *dynastay.Operation[*T] {
	own := dynastay.OpSpec[*T]{Name: s.Name, Invalid: s.Invalid, Input: s.Input, Options: s.Options}
	if s.Prepare != nil {
		own.Prepare = func(ctx context.Context, tx *dynastay.Tx) (*T, error) { return as[T](s.Prepare(ctx, tx)) }
	}
	if s.Restore != nil {
		own.Restore = func(ctx context.Context, made map[string]string) (*T, error) { return as[T](s.Restore(ctx, made)) }
	}
	return dynastay.NewOp(own)
}

// Get reads one entity, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent]. 1 request.
func (t *Table[T]) Get(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*T, error) {
	return as[T](t.core.get(ctx, key, opts))
}

func (t *table) get(ctx context.Context, key dynastay.Key, opts []dynastay.ReadOption) (_ any, err error) {
	ctx, end := t.db.Begin(ctx, t.getting)
	defer func() { end(err) }()
	row, err := t.db.Get(ctx, t.Schema, key, opts...)
	if err != nil {
		return nil, err
	}
	if !row.Exists() {
		return nil, t.fail(key, dynastay.ErrNotFound)
	}
	return t.value(row)
}

// GetAll reads entities by their keys. The result is in the order of the keys, with nil for an entity that does not
// exist. An unreadable entity is also nil and does not hide the others: GetAll then returns a
// [*dynastay.UnreadableError] together with the result. 1 request for every 100 different keys, and more if DynamoDB
// leaves some unprocessed; see [dynastay.DB.GetAll].
func (t *Table[T]) GetAll(ctx context.Context, keys []dynastay.Key, opts ...dynastay.ReadOption) ([]*T, error) {
	all := make([]*T, len(keys))
	read, err := t.core.getAll(ctx, keys, opts, func(i int, v any) { all[i] = v.(*T) })
	if !read {
		return nil, err
	}
	return all, err
}

// getAll reports whether the entities were read, and calls take for each that exists and is readable.
func (t *table) getAll(
	ctx context.Context, keys []dynastay.Key, opts []dynastay.ReadOption, take func(i int, v any),
) (read bool, err error) {
	ctx, end := t.db.Begin(ctx, t.gettingAll)
	defer func() { end(err) }()
	rows, err := t.db.GetAll(ctx, t.Schema, keys, opts...)
	if err != nil {
		return false, err
	}
	var unreadable []error
	for i, row := range rows {
		if !row.Exists() {
			continue
		}
		if v, err := t.value(row); err != nil {
			unreadable = append(unreadable, err)
		} else {
			take(i, v)
		}
	}
	if len(unreadable) > 0 {
		return true, &dynastay.UnreadableError{Items: unreadable}
	}
	return true, nil
}

// List returns a list of entities, from the table or from an index that projects all attributes. Any other index is
// refused, because its incomplete rows could be mistaken for entities and stored as such. Read its rows with
// [dynastay.ListOf] and [Read]. 1 request per page.
func (t *Table[T]) List(q dynastay.Query) dynastay.List[*T] {
	if err := t.core.mayList(q.Index); err != nil {
		return dynastay.NoList[*T](err)
	}
	return dynastay.ListOf(t.core.db, t.core.Schema, q, func(_ context.Context, row dynastay.Row) (*T, error) {
		return as[T](t.core.value(row))
	})
}

// mayList returns an error for an index that has no whole entities.
func (e *core) mayList(name string) error {
	switch index, ok := e.Schema.Index(name); {
	case ok && index.Project != dynastay.ProjectAll:
		return dynastay.Invalid("Index", "%s does not project all attributes; use dynastay.ListOf to read its rows", name)
	case ok && !e.mayBeIn(index):
		return dynastay.Invalid("Index", "%s is not an index of %s", name, e.Name)
	}
	return nil
}

// PutOp puts an entity as it is given and replaces an existing item, including its unknown attributes. It sets neither
// an id nor times. It refuses an entity with unique values or a [Spec.Follow], because replacing such an entity without
// reading it would leave its guards and other items wrong; use [Table.CreateOp] and [Table.UpdateOp] instead.
func (t *Table[T]) PutOp(v *T) *dynastay.Operation[*T] {
	if v == nil {
		return op[T](dynastay.OpSpec[any]{Name: t.core.Operations + ".Put", Invalid: t.core.isNil()})
	}
	return op[T](t.core.put(v))
}

func (t *table) put(v any) dynastay.OpSpec[any] {
	e, given := t.core, t.clone(v)
	item, err := e.item(v)
	if len(e.guards) > 0 || e.Follow != nil {
		err = dynastay.Invalid("", "%s cannot be put because other items depend on it; use Create or Update instead", e.Name)
	}
	key := e.Schema.Key.From(dynastay.RowOf(item))
	return dynastay.OpSpec[any]{
		Name: e.Operations + ".Put", Invalid: err,
		Input: e.agreedOn(e.clone(given), item),
		Prepare: func(_ context.Context, tx *dynastay.Tx) (any, error) {
			put := tx.Put(e.Schema, item).Identified()
			e.made(tx, key, item)
			made, shown := e.clone(given), maps.Clone(item)
			var err error
			if shown[e.Schema.WriteIDName()], err = put.WriteID().MarshalDynamoDBAttributeValue(); err != nil {
				return nil, err
			}
			return made, e.decode(shown, made)
		},
		Restore: func(ctx context.Context, made map[string]string) (any, error) { return t.restore(ctx, given, made) },
	}
}

// Put runs [Table.PutOp]. 1 request.
func (t *Table[T]) Put(ctx context.Context, v *T, opts ...dynastay.WriteOption) (*T, error) {
	return dynastay.Do(ctx, t.core.db, t.PutOp(v), opts...)
}

// UpdateOp reads the entity, lets fn change it, and writes the difference, as described for [Table.Change]; fn may run
// again. It fails with [dynastay.ErrNotFound], and with [dynastay.ErrVersion] if the condition of [dynastay.IfVersion]
// or [dynastay.IfWritten] does not hold. The result has the version, the time and the write id that were written.
func (t *Table[T]) UpdateOp(key dynastay.Key, fn func(*T) error, opts ...dynastay.UpdateOption) *dynastay.Operation[*T] {
	return op[T](t.core.update(key, func(v any) error { return fn(v.(*T)) }, opts))
}

func (t *table) update(key dynastay.Key, fn func(any) error, opts []dynastay.UpdateOption) dynastay.OpSpec[any] {
	return dynastay.OpSpec[any]{
		Name:    t.Operations + ".Update",
		Invalid: t.checkUpdate(opts),
		Input:   InputOf(key, opts...),
		Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (any, error) {
			c, err := t.change(ctx, key, fn, opts)
			if err != nil {
				return nil, err
			}
			return c.after, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (any, error) { return t.again(ctx, key) },
	}
}

// again reads the result of an earlier call. It does not return a write id: the item may belong to another caller by
// now, and the id would let the caller that retries release a lock that it no longer holds.
func (t *table) again(ctx context.Context, key dynastay.Key) (any, error) {
	row, err := t.db.Get(ctx, t.Schema, key, dynastay.Consistent)
	switch {
	case err != nil:
		return nil, err
	case !row.Exists():
		return nil, t.fail(key, dynastay.ErrNotFound)
	}
	item := maps.Clone(row.Item())
	delete(item, t.Schema.WriteIDName())
	return t.value(dynastay.RowOf(item))
}

// Update runs [Table.UpdateOp]. 2 requests: a consistent read and the write.
func (t *Table[T]) Update(ctx context.Context, key dynastay.Key, fn func(*T) error, opts ...dynastay.UpdateOption) (*T, error) {
	return dynastay.Do(ctx, t.core.db, t.UpdateOp(key, fn, opts...))
}

// DeleteOp deletes an entity and the guards of its unique values. It fails with [dynastay.ErrNotFound], unless
// [dynastay.OrMissing] is given, and with [dynastay.ErrVersion] if the condition of [dynastay.IfVersion] or
// [dynastay.IfWritten] does not hold.
//
// If it is sent alone and its response is lost, the error may be [dynastay.ErrOutcomeUnknown]: the absence of the
// entity does not show which call deleted it. The delete is not sent again, because it might delete what another caller
// has created in the meantime. With [dynastay.IfWritten] the caller can safely retry.
func (t *Table[T]) DeleteOp(key dynastay.Key, opts ...dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	return t.core.deletion(key, opts)
}

func (t *table) deletion(key dynastay.Key, opts []dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	e, asked := t.core, condition.Of(opts)
	prepare := t.deleteUnseen(key, opts)
	if len(e.guards) > 0 || e.Follow != nil {
		prepare = t.deleteSeen(key, opts)
	}
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: e.Operations + ".Delete", Invalid: e.check(asked), Options: opts,
		Input: func(in *dynastay.Input) {
			in.Key(key)
			if asked.Version != nil {
				in.Field("version", strconv.Itoa(*asked.Version))
			}
			if asked.Written != nil {
				in.Field("written", *asked.Written)
			}
			if asked.Missing {
				in.Field("or missing", "")
			}
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) { return struct{}{}, prepare(ctx, tx) },
	})
}

// deleteUnseen deletes an entity that has no guards or other items, without reading it.
func (t *table) deleteUnseen(key dynastay.Key, opts []dynastay.UpdateOption) func(context.Context, *dynastay.Tx) error {
	return func(_ context.Context, tx *dynastay.Tx) error {
		e, asked := t.core, condition.Of(opts)
		there := expression.AttributeExists(dynastay.NameOf(e.Schema.Key.Partition))
		condition := there
		if asked.Version != nil {
			is := expression.Equal(dynastay.NameOf(e.Version), expression.Value(dynastay.Number(*asked.Version)))
			if *asked.Version == 0 {
				is = is.Or(dynastay.Absent(e.Version))
			}
			condition = condition.And(is)
		}
		if asked.Written != nil {
			id, err := dynastay.WriteID(*asked.Written).MarshalDynamoDBAttributeValue()
			if err != nil {
				return err
			}
			condition = condition.And(expression.Equal(dynastay.NameOf(e.Schema.WriteIDName()), expression.Value(id)))
		}
		gone := tx.Delete(e.Schema, key)
		switch {
		case asked.Missing && asked.Version == nil && asked.Written == nil:
			return nil
		case asked.Missing:
			condition = condition.Or(expression.Not(there))
		}
		gone.If(dynastay.MustCompile(expression.NewBuilder().WithCondition(condition)).With(nil), func(old dynastay.Row) error {
			if !old.Exists() {
				return e.fail(key, dynastay.ErrNotFound)
			}
			return e.fail(key, dynastay.ErrVersion)
		})
		return nil
	}
}

// deleteSeen reads the entity first, which shows what else must be deleted.
func (t *table) deleteSeen(key dynastay.Key, opts []dynastay.UpdateOption) func(context.Context, *dynastay.Tx) error {
	return func(ctx context.Context, tx *dynastay.Tx) error {
		e, asked := t.core, condition.Of(opts)
		row, err := t.db.Get(ctx, e.Schema, key, dynastay.Consistent)
		if err != nil || !row.Exists() && asked.Missing {
			return err
		}
		c, err := t.before(key, row, asked)
		if err != nil {
			return err
		}
		if own, err := e.Key(c.before); err != nil || own != key {
			return dynastay.Invalid("", "%s must be the key of a %s", shown.Masked(key.String()), e.Name)
		}
		for _, g := range e.guards {
			if err := g.move(tx, c.before, nil, "Delete"); err != nil {
				return err
			}
		}
		if e.Follow != nil {
			if err := e.Follow(tx, c.before, nil); err != nil {
				return err
			}
		}
		gone, err := tx.Remove(e.Schema, row, e.known...)
		if err != nil {
			return err
		}
		gone.Else(e.overtaken(key, asked))
		return nil
	}
}

// Delete runs [Table.DeleteOp]. 1 request; 2 if the entity has guards or a [Spec.Follow].
func (t *Table[T]) Delete(ctx context.Context, key dynastay.Key, opts ...dynastay.UpdateOption) error {
	_, err := dynastay.Do(ctx, t.core.db, t.DeleteOp(key, opts...))
	return err
}
