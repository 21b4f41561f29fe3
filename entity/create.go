package entity

import (
	"context"
	"errors"
	"fmt"
	"maps"

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

	table  *Table[T]
	agreed func(*dynastay.Input)
	drawn  bool
}

// Creation generates the entity's id if it has none, sets its times and its first version, and validates it. Its error
// is meant for [dynastay.OpSpec.Invalid] of the operation. It sends no requests.
func (t *Table[T]) Creation(v *T) (*Creation[T], error) {
	id := ""
	if t.entity.Prefix != "" {
		id = t.db.NewID(t.entity.Prefix)
	}
	return t.creation(v, id)
}

// creation returns a Creation that uses the given id if the value has none.
func (t *Table[T]) creation(v *T, id string) (*Creation[T], error) {
	if v == nil {
		return nil, dynastay.Invalid("", "%s is nil", t.entity.Name)
	}
	e, made := t.entity, *v
	c := &Creation[T]{table: t, Value: &made}
	item, err := e.Codec.Encode(v)
	c.agreed = e.agreed(*v, item)
	if err != nil {
		return c, err
	}
	if e.Prefix != "" && stored.TextOf(item[e.ID]) == "" { // a tagged struct stores "" as is
		item[e.ID], c.drawn = stored.Text(id), true
	}
	if err := c.stamp(item); err != nil {
		return c, err
	}
	if item, err = e.Item(c.Value); err != nil {
		return c, err
	}
	return c, e.checkDeclared(c.Value, item)
}

// checkDeclared returns an error for an entity that could not be found again: its key, a guard or an index key depends
// on a field that the codec does not declare. The stored entity would have a different key or guard, and a later update
// or delete would leave items behind.
func (e *Entity[T]) checkDeclared(v *T, item dynastay.Item) error {
	read := new(T)
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
func (c *Creation[T]) stamp(item dynastay.Item) error {
	e, now := c.table.entity, dynastay.Instant(c.table.db.Now())
	for _, name := range []string{e.Created, e.Updated} {
		if name != "" {
			item[name] = now
		}
	}
	if e.Version != "" {
		item[e.Version] = dynastay.Number(1)
	}
	return e.decode(item, c.Value)
}

// Input adds what the caller agreed to: the value as it was given, without what the library writes.
func (c *Creation[T]) Input(in *dynastay.Input) { c.agreed(in) }

// agreed returns the input of a create or a put of the given value; item is its stored form.
func (e *Entity[T]) agreed(given T, item dynastay.Item) func(*dynastay.Input) {
	asked := maps.Clone(item)
	if e.Agreed != nil {
		return func(in *dynastay.Input) {
			_ = e.decode(asked, &given) // the caller may have changed its lists since; invalid input is never compared
			e.Agreed(in, &given)
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

// AddTo adds the action that puts the entity, on condition that it does not exist, the actions of its guards, and those
// of [Spec.Follow]. The times are those of the current preparation. It calls [dynastay.Tx.Made] with the entity's id,
// and with its PK and SK if the id does not determine the key. So the operation needs a [dynastay.OpSpec.Restore], and
// cannot add two entities that record different values under one of these names.
func (c *Creation[T]) AddTo(tx *dynastay.Tx) error {
	e := c.table.entity
	item, err := e.Codec.Encode(c.Value)
	if err == nil {
		err = c.stamp(item)
	}
	if err != nil {
		return err
	}
	if c.Finish != nil {
		c.Finish(c.Value)
	}
	if item, err = e.Item(c.Value); err != nil {
		return err
	}
	maps.Copy(item, c.Extra)
	key := e.Schema.Key.From(dynastay.RowOf(item))
	put := tx.Put(e.Schema, item).Identified().If(c.table.absent, func(dynastay.Row) error {
		return &dynastay.Error{Op: e.Operations + ".Create", Entity: e.Name, ID: e.idOf(key), Kind: dynastay.ErrAlreadyExists}
	})
	if c.drawn && e.idIsInKey(key, item) {
		put.Drawn()
	}
	e.made(tx, key, item)
	for _, g := range e.guards {
		if err := g.move(tx, nil, c.Value, "Create"); err != nil {
			return err
		}
	}
	if e.Follow != nil {
		if err := e.Follow(tx, nil, c.Value); err != nil {
			return err
		}
	}
	if item[e.Schema.WriteIDName()], err = put.WriteID().MarshalDynamoDBAttributeValue(); err != nil {
		return err
	}
	return e.decode(item, c.Value)
}

// idIsInKey reports whether a different id would give a different key. Only then does an item whose key has a generated
// id prove that this write put it. If the key consists of other values, such as a booking's id, any write may have put
// the item.
func (e *Entity[T]) idIsInKey(key dynastay.Key, item dynastay.Item) bool {
	other := maps.Clone(item)
	other[e.ID] = stored.Text(stored.TextOf(item[e.ID]) + "0")
	now, err := e.keyOf(other)
	return err == nil && now != key
}

// made records what is needed to find the entity again: its id, and its key if the id alone does not determine it.
func (e *Entity[T]) made(tx *dynastay.Tx, key dynastay.Key, item dynastay.Item) {
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
func (e *Entity[T]) keyOf(some dynastay.Item) (dynastay.Key, error) {
	v := new(T)
	if err := e.decode(some, v); err != nil {
		return dynastay.Key{}, err
	}
	return e.Key(v)
}

// restore returns what an earlier call with the same idempotency key put.
func (t *Table[T]) restore(ctx context.Context, v *T, made map[string]string) (*T, error) {
	e, key := t.entity, dynastay.Key{PK: made["PK"], SK: made["SK"]}
	if id := made[e.ID]; e.ID != "" && id != "" {
		item, err := e.Codec.Encode(v)
		if err != nil {
			return nil, err
		}
		again := *v // with the id that was generated then
		item[e.ID] = stored.Text(id)
		if err := e.decode(item, &again); err != nil {
			return nil, err
		}
		v = &again
		if key.PK == "" {
			if key, err = e.keyOf(dynastay.Item{e.ID: item[e.ID]}); err != nil {
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
	c, err := t.Creation(v)
	return dynastay.NewOp(dynastay.OpSpec[*T]{
		Name: t.entity.Operations + ".Create", Invalid: err, Input: func(in *dynastay.Input) { c.Input(in) },
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*T, error) {
			err := c.AddTo(tx)
			made := *c.Value // so that changes to the result do not affect the next preparation
			return &made, err
		},
		Restore: func(ctx context.Context, made map[string]string) (*T, error) { return t.restore(ctx, c.Value, made) },
	})
}

// Create runs [Table.CreateOp]. 1 request.
func (t *Table[T]) Create(ctx context.Context, v *T, opts ...dynastay.WriteOption) (*T, error) {
	return dynastay.Do(ctx, t.db, t.CreateOp(v), opts...)
}

// CreateFromOp is like [Table.CreateOp] for a value that depends on the results of earlier operations in the same
// Write. For example, a message can contain the id of the booking that it belongs to. from is called while the write is
// prepared, and may be called again. Its result is not known when an idempotency key is compared, so with a key, pass
// in agreed the values that identify the result.
func (t *Table[T]) CreateFromOp(from func() (*T, error), agreed ...string) *dynastay.Operation[*T] {
	id := ""
	if t.entity.Prefix != "" {
		id = t.db.NewID(t.entity.Prefix)
	}
	var input func(*dynastay.Input)
	if len(agreed) > 0 {
		input = func(in *dynastay.Input) {
			for _, value := range agreed {
				in.Field("agreed", value)
			}
		}
	}
	return dynastay.NewOp(dynastay.OpSpec[*T]{
		Name: t.entity.Operations + ".Create", Input: input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*T, error) {
			v, err := from()
			if err != nil {
				return nil, err
			}
			c, err := t.creation(v, id)
			if err != nil {
				return nil, err
			}
			return c.Value, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, made map[string]string) (*T, error) { return t.restore(ctx, new(T), made) },
	})
}
