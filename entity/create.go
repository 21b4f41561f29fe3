package entity

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// Creation is an entity that is about to be created: for operations that create more than it. [Table.CreateOp] is made of it.
type Creation[T any] struct {
	Value *T            // as it will be, its id drawn where it had none
	Extra dynastay.Item // attributes that the entity does not declare; they go over those that it derives
	// Finish completes the value of a preparation, once its times are set. It runs with each preparation. Optional.
	Finish func(*T)

	table  *Table[T]
	agreed func(*dynastay.Input)
	drawn  bool
}

// Creation draws the entity's id where it has none, gives it its times and its first version, and checks it. What is refused
// is the [dynastay.OpSpec.Invalid] of the operation. It sends nothing.
func (t *Table[T]) Creation(v *T) (*Creation[T], error) {
	id := ""
	if t.entity.Prefix != "" {
		id = t.db.NewID(t.entity.Prefix)
	}
	return t.creation(v, id)
}

// creation is a Creation whose id, where the value has none, is the given one.
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
	if e.Prefix != "" && stored.TextOf(item[e.ID]) == "" { // a tagged struct stores "" as such
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

// checkDeclared refuses an entity that would not be found again: its key, a guard or an index key looks at a field that the codec
// does not declare, so that what is stored has another one, and a later update or delete would leave things behind.
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
		now, _ := g.Guard(v) // it is checked where it is claimed
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

// stamp gives the value, whose stored form item is, its times and its first version.
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

// Input writes down what the caller agreed to: the value as it was given, without what the library writes.
func (c *Creation[T]) Input(in *dynastay.Input) { c.agreed(in) }

// agreed writes down a value as it was given to a create or a put; item is its stored form.
func (e *Entity[T]) agreed(given T, item dynastay.Item) func(*dynastay.Input) {
	asked := maps.Clone(item)
	if e.Agreed != nil {
		return func(in *dynastay.Input) {
			_ = e.decode(asked, &given) // the caller may have changed its lists since; what was refused is not compared
			e.Agreed(in, &given)
		}
	}
	for _, name := range e.owned {
		if name != e.ID { // an id that the caller gave is a part of it
			delete(asked, name)
		}
	}
	delete(asked, e.Schema.WriteIDName())
	return func(in *dynastay.Input) { in.Item(asked) }
}

// AddTo adds the action that puts the entity, on condition that it is not there, those of its guards, and those of what follows
// it. The times are those of the present preparation.
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

// idIsInKey reports whether another id would give another key. Only then does an item under a key with a drawn id prove that
// it was put by this write: where the key is made of other things, such as a booking's id, it may be anybody's.
func (e *Entity[T]) idIsInKey(key dynastay.Key, item dynastay.Item) bool {
	other := maps.Clone(item)
	other[e.ID] = stored.Text(stored.TextOf(item[e.ID]) + "0")
	now, err := e.keyOf(other)
	return err == nil && now != key
}

// made notes what finds the entity again: its id, and the key where that does not follow from the id alone.
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

// keyOf is the key that follows from some attributes.
func (e *Entity[T]) keyOf(some dynastay.Item) (dynastay.Key, error) {
	v := new(T)
	if err := e.decode(some, v); err != nil {
		return dynastay.Key{}, err
	}
	return e.Key(v)
}

// restore is what an earlier call with the same idempotency key put.
func (t *Table[T]) restore(ctx context.Context, v *T, made map[string]string) (*T, error) {
	e, key := t.entity, dynastay.Key{PK: made["PK"], SK: made["SK"]}
	if id := made[e.ID]; e.ID != "" && id != "" {
		item, err := e.Codec.Encode(v)
		if err != nil {
			return nil, err
		}
		again := *v // with the id that was drawn then
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
		return v, nil // it was put, and has been taken away since, as a worker does with an outbox message
	}
	return found, err
}

// CreateOp puts an entity that must not be there yet, and claims its unique values; otherwise it is refused with
// [dynastay.ErrAlreadyExists], whose Field names the value that another one has. An empty id is drawn, and what the library
// writes is set. The result is the entity as it is stored, with its write id where the codec declares that. A repetition under
// an idempotency key gives the entity as it is by then; one that has been removed since, as it was given, with the id of then.
//
// Sent alone, without guards, it ends as [dynastay.ErrOutcomeUnknown] where its answer was lost and the item does not show that
// it was done; it is not sent again, because the item may have been there and have been taken away since. Under a
// [dynastay.IdempotencyKey] it can be repeated.
func (t *Table[T]) CreateOp(v *T) *dynastay.Operation[*T] {
	c, err := t.Creation(v)
	return dynastay.NewOp(dynastay.OpSpec[*T]{
		Name: t.entity.Operations + ".Create", Invalid: err, Input: func(in *dynastay.Input) { c.Input(in) },
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*T, error) {
			err := c.AddTo(tx)
			made := *c.Value // what others do with the result is not what the next preparation writes
			return &made, err
		},
		Restore: func(ctx context.Context, made map[string]string) (*T, error) { return t.restore(ctx, c.Value, made) },
	})
}

// Create is [Table.CreateOp], sent. 1 request.
func (t *Table[T]) Create(ctx context.Context, v *T, opts ...dynastay.WriteOption) (*T, error) {
	return dynastay.Do(ctx, t.db, t.CreateOp(v), opts...)
}

// CreateFromOp is [Table.CreateOp] of a value that depends on the results of the operations before it in the same Write: from is
// called while the write is prepared, so a message can name the booking that it goes with; it may be called again. What it
// returns is not known when an idempotency key is looked at: under one, state in agreed what the value is about.
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
