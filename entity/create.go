package entity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// Creation is an entity that is about to be created. It is for operations that also create other items.
// [Table.CreateOp] is built on it.
type Creation[T any] struct {
	Value *T            // the entity as it will be stored, with a generated id if it had none
	Extra dynastay.Item // attributes that the entity does not declare; they override derived ones
	// Finish completes the value after its times are set. It runs with each preparation. Optional.
	Finish func(*T)
	// At is when the entity was created, if that was earlier and elsewhere: it becomes the times of the creation and of the
	// update. The zero time means now.
	At time.Time

	core *creation
}

// creation is a [Creation] without its type.
type creation struct {
	table  *table
	agreed func(*dynastay.Input)
	drawn  bool
	at     time.Time
}

// Creation generates the entity's id if it has none, sets its times and its first version, and validates it. Its error
// is meant for [dynastay.OpSpec.Invalid] of the operation. It sends no requests.
func (t *Table[T]) Creation(v *T) (*Creation[T], error) {
	if v == nil {
		return nil, t.core.isNil()
	}
	c, made, err := t.core.creation(v, t.core.newID())
	value, _ := as[T](made, nil)
	return &Creation[T]{Value: value, core: c}, err
}

// Input adds what the caller agreed to: the value as it was given, without what the library writes.
func (c *Creation[T]) Input(in *dynastay.Input) { c.core.agreed(in) }

// AddTo adds the action that puts the entity, on condition that it does not exist, the actions of its guards, and those
// of [Spec.Follow]. The times are those of the current preparation. It calls [dynastay.Tx.Made] with the entity's id,
// and with its PK and SK if the id does not determine the key. So the operation needs a [dynastay.OpSpec.Restore], and
// cannot add two entities that record different values under one of these names.
func (c *Creation[T]) AddTo(tx *dynastay.Tx) error {
	c.core.at = c.At
	return c.core.addTo(tx, c.Value, c.Extra, func() {
		if c.Finish != nil {
			c.Finish(c.Value)
		}
	})
}

func (e *core) isNil() error { return dynastay.Invalid("", "%s is nil", e.Name) }

// newID returns an id for a value that has none, or "" if the entity has no generated ids.
func (t *table) newID() string {
	if t.Prefix == "" {
		return ""
	}
	return t.db.NewID(t.Prefix)
}

// creation returns a creation, and a copy of the value that has the given id if it had none.
func (t *table) creation(given any, id string) (*creation, any, error) {
	c, made := &creation{table: t}, t.clone(given)
	item, err := t.Codec.Encode(given)
	c.agreed = t.agreedOn(t.clone(given), item)
	if err != nil {
		return c, made, err
	}
	if t.Prefix != "" && stored.TextOf(item[t.ID]) == "" { // a tagged struct stores "" as is
		item[t.ID], c.drawn = stored.Text(id), true
	}
	if err := c.stamp(item, made); err != nil {
		return c, made, err
	}
	if item, err = t.item(made); err != nil {
		return c, made, err
	}
	return c, made, t.checkDeclared(made, item)
}

// checkDeclared returns an error for an entity that could not be found again: its key, a guard or an index key depends
// on a field that the codec does not declare. The stored entity would have a different key or guard, and a later update
// or delete would leave items behind.
func (e *core) checkDeclared(v any, item dynastay.Item) error {
	read := e.blank()
	err := e.decode(item, read)
	again, keyErr := e.Key(read)
	lost := ""
	switch key := e.Schema.Key.From(dynastay.RowOf(item)); {
	case err != nil:
		return err
	case keyErr != nil || again != key:
		lost = "its key"
	}
	for _, g := range e.guards {
		now, _ := g.Guard(v) // the error is reported when the guard is claimed
		if again, _ := g.Guard(read); again != now {
			lost = "the guard of " + g.Field
		}
	}
	for _, d := range e.derived {
		if d.copied != "" {
			continue
		}
		if again, err := d.Value(read); err != nil || !stored.Equal(again, stored.At(item, d.Name)) {
			lost = d.Name
		}
	}
	if lost == "" {
		return nil
	}
	return &dynastay.Error{Entity: e.Name, Err: fmt.Errorf("%s depends on a field that the codec does not declare", lost)}
}

// stamp sets the times and the first version of the value; item is the value's stored form.
func (c *creation) stamp(item dynastay.Item, v any) error {
	e, now := c.table, dynastay.Instant(c.table.db.Now())
	if !c.at.IsZero() {
		now = dynastay.Instant(c.at)
	}
	for _, name := range []string{e.Created, e.Updated} {
		if name != "" {
			item[name] = now
		}
	}
	if e.Version != "" {
		item[e.Version] = dynastay.Number(1)
	}
	return e.decode(item, v)
}

// agreedOn returns the input of a create or a put of the given value, which it keeps; item is its stored form.
func (e *core) agreedOn(given any, item dynastay.Item) func(*dynastay.Input) {
	asked := maps.Clone(item)
	if e.Agreed != nil {
		return func(in *dynastay.Input) {
			_ = e.decode(asked, given) // the caller may have changed its lists since; invalid input is never compared
			e.Agreed(in, given)
		}
	}
	for _, name := range e.owned {
		if name != e.ID { // an id that the caller gave is part of the input
			delete(asked, name)
		}
	}
	delete(asked, e.Schema.WriteIDName())
	return func(in *dynastay.Input) { in.Item(asked) }
}

// addTo is [Creation.AddTo].
func (c *creation) addTo(tx *dynastay.Tx, v any, extra dynastay.Item, finish func()) error {
	e := c.table
	if c.at.After(e.db.Now()) {
		return dynastay.Invalid(e.fieldOf(v, e.Created), "must not be in the future")
	}
	item, err := e.Codec.Encode(v)
	if err == nil {
		err = c.stamp(item, v)
	}
	if err != nil {
		return err
	}
	finish()
	if item, err = e.item(v); err != nil {
		return err
	}
	maps.Copy(item, extra)
	key := e.Schema.Key.From(dynastay.RowOf(item))
	put := tx.Put(e.Schema, item).Identified().If(e.absent, func(dynastay.Row) error {
		return &dynastay.Error{Op: e.Operations + ".Create", Entity: e.Name, ID: e.idOf(key), Kind: dynastay.ErrAlreadyExists}
	})
	if c.drawn && e.idIsInKey(key, item) {
		put.Drawn()
	}
	e.made(tx, key, item)
	for _, g := range e.guards {
		if err := g.move(tx, nil, v, "Create"); err != nil {
			return err
		}
	}
	if e.Follow != nil {
		if err := e.Follow(tx, nil, v); err != nil {
			return err
		}
	}
	if item[e.Schema.WriteIDName()], err = put.WriteID().MarshalDynamoDBAttributeValue(); err != nil {
		return err
	}
	return e.decode(item, v)
}

// idIsInKey reports whether a different id would give a different key. Only then does an item whose key has a generated
// id prove that this write put it. If the key consists of other values, such as a booking's id, any write may have put
// the item.
func (e *core) idIsInKey(key dynastay.Key, item dynastay.Item) bool {
	other := maps.Clone(item)
	other[e.ID] = stored.Text(stored.TextOf(item[e.ID]) + "0")
	now, err := e.keyOf(other)
	return err == nil && now != key
}

// made records what is needed to find the entity again: its id, and its key if the id alone does not determine it.
func (e *core) made(tx *dynastay.Tx, key dynastay.Key, item dynastay.Item) {
	id := stored.TextOf(item[e.ID])
	if id != "" {
		tx.Made(e.ID, id)
	}
	if found, err := e.keyOf(dynastay.Item{e.ID: item[e.ID]}); id == "" || err != nil || found != key {
		tx.Made("PK", key.PK)
		tx.Made("SK", key.SK)
	}
}

// keyOf returns the key that some attributes determine.
func (e *core) keyOf(some dynastay.Item) (dynastay.Key, error) {
	v := e.blank()
	if err := e.decode(some, v); err != nil {
		return dynastay.Key{}, err
	}
	return e.Key(v)
}

// restore returns what an earlier call with the same idempotency key put.
func (t *table) restore(ctx context.Context, v any, made map[string]string) (any, error) {
	key := dynastay.Key{PK: made["PK"], SK: made["SK"]}
	if id := made[t.ID]; t.ID != "" && id != "" {
		item, err := t.Codec.Encode(v)
		if err != nil {
			return nil, err
		}
		v = t.clone(v) // with the id that was generated then
		item[t.ID] = stored.Text(id)
		if err := t.decode(item, v); err != nil {
			return nil, err
		}
		if key.PK == "" {
			if key, err = t.keyOf(dynastay.Item{t.ID: item[t.ID]}); err != nil {
				return nil, err
			}
		}
	}
	found, err := t.again(ctx, key)
	if errors.Is(err, dynastay.ErrNotFound) {
		return v, nil // it was put and has since been deleted, as a worker deletes an outbox message
	}
	return found, err
}

// CreateOp puts an entity that must not exist yet, and claims its unique values. It fails with
// [dynastay.ErrAlreadyExists] if the entity exists, or if another entity has one of the values; [dynastay.Error.Field]
// then names the value. If the id is empty, it is generated; the attributes that the library writes are set. The result
// is the entity as it is stored, including its write id if the codec declares it. A retry with the same idempotency key
// returns the entity in its current state or, if it has since been deleted, as it was given, with the id that was
// generated then.
//
// If the operation is written alone, the entity has no guards, the response is lost, and the item does not show whether
// it was written, the error is [dynastay.ErrOutcomeUnknown]. It is not sent again, because the item may have existed
// and have been deleted since. With a [dynastay.IdempotencyKey] the caller can retry.
func (t *Table[T]) CreateOp(v *T) *dynastay.Operation[*T] {
	if v == nil {
		return op[T](dynastay.OpSpec[any]{Name: t.core.Operations + ".Create", Invalid: t.core.isNil()})
	}
	return op[T](t.core.create(v))
}

func (t *table) create(given any) dynastay.OpSpec[any] {
	c, v, err := t.creation(given, t.newID())
	return dynastay.OpSpec[any]{
		Name: t.Operations + ".Create", Invalid: err, Input: c.agreed,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (any, error) {
			err := c.addTo(tx, v, nil, func() {})
			return t.clone(v), err // so that changes to the result do not affect the next preparation
		},
		Restore: func(ctx context.Context, made map[string]string) (any, error) { return t.restore(ctx, v, made) },
	}
}

// Create runs [Table.CreateOp]. 1 request.
func (t *Table[T]) Create(ctx context.Context, v *T, opts ...dynastay.WriteOption) (*T, error) {
	return dynastay.Do(ctx, t.core.db, t.CreateOp(v), opts...)
}

// CreateFromOp is like [Table.CreateOp] for a value that depends on the results of earlier operations in the same
// Write. For example, a message can contain the id of the booking that it belongs to. from is called while the write is
// prepared, and may be called again. Its result is not known when an idempotency key is compared, so with a key, pass
// in agreed the values that identify the result.
func (t *Table[T]) CreateFromOp(from func() (*T, error), agreed ...string) *dynastay.Operation[*T] {
	return op[T](t.core.createFrom(func() (any, error) {
		v, err := from()
		if err == nil && v == nil {
			return nil, t.core.isNil()
		}
		return v, err
	}, agreed))
}

func (t *table) createFrom(from func() (any, error), agreed []string) dynastay.OpSpec[any] {
	id := t.newID()
	var input func(*dynastay.Input)
	if len(agreed) > 0 {
		input = func(in *dynastay.Input) {
			for _, value := range agreed {
				in.Field("agreed", value)
			}
		}
	}
	return dynastay.OpSpec[any]{
		Name: t.Operations + ".Create", Input: input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (any, error) {
			given, err := from()
			if err != nil {
				return nil, err
			}
			c, v, err := t.creation(given, id)
			if err != nil {
				return nil, err
			}
			return v, c.addTo(tx, v, nil, func() {})
		},
		Restore: func(ctx context.Context, made map[string]string) (any, error) { return t.restore(ctx, t.blank(), made) },
	}
}
