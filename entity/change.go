package entity

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/condition"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/internal/stored"
)

// maxAgreed limits the total size of the values of [dynastay.AgreedOn], which are hashed with every call.
const maxAgreed = 4096

// checkUpdate is [Entity.CheckUpdate].
func (e *core) checkUpdate(opts []dynastay.UpdateOption) error {
	if condition.Of(opts).Missing {
		return dynastay.Invalid("OrMissing", "applies only to deletes; an update requires an existing %s", e.Name)
	}
	return e.check(condition.Of(opts))
}

func (e *core) check(s condition.Set) error {
	if s.Version != nil && e.Version == "" {
		return dynastay.Invalid("IfVersion", "is not supported: %s has no version", e.Name)
	}
	size := 0
	for _, value := range s.Agreed {
		size += len(value)
	}
	if size > maxAgreed {
		return dynastay.Invalid("AgreedOn", "must be at most %d bytes in total, got %d", maxAgreed, size)
	}
	if s.Written != nil {
		return dynastay.WriteID(*s.Written).Validate()
	}
	return nil
}

// InputOf returns the [dynastay.OpSpec.Input] of an update with these options: the key and the values of
// [dynastay.AgreedOn]. Without that option it returns nil, so that the update cannot be written with an idempotency
// key.
func InputOf(key dynastay.Key, opts ...dynastay.UpdateOption) func(*dynastay.Input) {
	agreed := condition.Of(opts).Agreed
	if agreed == nil {
		return nil
	}
	return func(in *dynastay.Input) {
		in.Key(key)
		for _, value := range agreed {
			in.Field("agreed", value)
		}
	}
}

// Change holds an entity before and after an update's function, and the difference to write. Once [Change.AddTo] has
// been called, After has the version, time and write id of the write. The fields are for reading: what is written is
// what the functions of the update and of [Change.Keep] have made.
type Change[T any] struct {
	Before, After *T
	Row           dynastay.Row // as it was read
	*change
}

// change is a [Change] without its type.
type change struct {
	before, after any
	row           dynastay.Row

	entity *core
	key    dynastay.Key
	asked  condition.Set
	diff   *difference
	edited bool // by the update's function, or by Touch
	renew  bool // a new write id is written, even if nothing changed
	whole  bool // everything derived is written, even if nothing changed
	now    time.Time
	deltas expression.UpdateBuilder
	also   expression.ConditionBuilder
}

// Change reads the entity consistently and lets fn change it; [Change.AddTo] then writes the difference, on condition
// that the item has not changed since it was read. So attributes that the library does not know are preserved, and
// nothing derived can be stale. If two callers change an entity at the same time, neither change is lost: the one that
// was overtaken reads again, and its fn runs again on the new value. Errors from fn are returned unchanged. fn must not
// change what the library writes itself. It must not write through the same DB either: other writes may be waiting for
// this one, and fn would wait for them. 1 request.
func (t *Table[T]) Change(
	ctx context.Context, key dynastay.Key, fn func(*T) error, opts ...dynastay.UpdateOption,
) (*Change[T], error) {
	c, err := t.core.change(ctx, key, func(v any) error { return fn(v.(*T)) }, opts)
	return typed[T](c, err)
}

// ChangeOf is like [Table.Change] but takes a row that was already read consistently.
func (t *Table[T]) ChangeOf(
	key dynastay.Key, row dynastay.Row, fn func(*T) error, opts ...dynastay.UpdateOption,
) (*Change[T], error) {
	c, err := t.core.changeOf(key, row, func(v any) error { return fn(v.(*T)) }, opts)
	return typed[T](c, err)
}

// typed returns a change with its type; nil for nil.
func typed[T any](c *change, err error) (*Change[T], error) {
	if c == nil {
		return nil, err
	}
	return &Change[T]{Before: c.before.(*T), After: c.after.(*T), Row: c.row, change: c}, err
}

// Keep lets the author of an operation change the attributes in [Spec.Kept], which the update's function cannot change.
// Call it before [Change.AddTo]. If fn changes anything else, Keep returns an error. If the update's function changed
// nothing, the version and the time of the update stay as they are. The result is not validated.
func (c *Change[T]) Keep(fn func(*T) error) error {
	return c.keep(func(v any) error { return fn(v.(*T)) })
}

// change is [Table.Change].
func (t *table) change(ctx context.Context, key dynastay.Key, fn func(any) error, opts []dynastay.UpdateOption) (*change, error) {
	row, err := t.db.Get(ctx, t.Schema, key, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	return t.changeOf(key, row, fn, opts)
}

// changeOf is [Table.ChangeOf].
func (t *table) changeOf(key dynastay.Key, row dynastay.Row, fn func(any) error, opts []dynastay.UpdateOption) (*change, error) {
	e := t.core
	c, err := t.before(key, row, condition.Of(opts))
	if err != nil {
		return nil, err
	}
	if c.after, err = e.value(row); err != nil {
		return nil, err
	}
	if err := fn(c.after); err != nil {
		return nil, err
	}
	if err := c.kept(); err != nil {
		return nil, err
	}
	c.edited = c.Changed()
	if e.Validate != nil && c.edited {
		if err := e.Validate(c.after); err != nil {
			return nil, err
		}
	}
	if now, err := e.Key(c.after); err != nil {
		return nil, e.inOwnWords(c.after, err)
	} else if now != key {
		return nil, dynastay.Invalid("", "the key of %s %s cannot be changed", e.Name, shown.Masked(key.String()))
	}
	return c, e.derive(c)
}

// keep is [Change.Keep].
func (c *change) keep(fn func(any) error) error {
	e := c.entity
	given, err := e.Codec.Encode(c.after)
	if err != nil {
		return err
	}
	if err := fn(c.after); err != nil {
		return err
	}
	after, err := e.Codec.Encode(c.after)
	if err != nil {
		return err
	}
	for _, item := range []dynastay.Item{given, after} {
		for name := range item {
			if !slices.Contains(e.Kept, name) && !stored.Equal(given[name], after[name]) {
				return &dynastay.Error{Entity: e.Name, Field: name, Err: errNotKept}
			}
		}
	}
	before, err := e.Codec.Encode(c.before)
	if err != nil {
		return err
	}
	c.compare(before, after)
	return e.derive(c)
}

// errNotKept is a programming error.
var errNotKept = errors.New("Change.Keep must change only attributes in Spec.Kept")

// before starts a change if the item meets the caller's conditions.
func (t *table) before(key dynastay.Key, row dynastay.Row, asked condition.Set) (*change, error) {
	e := t.core
	switch {
	case !row.Exists():
		return nil, e.fail(key, dynastay.ErrNotFound)
	case !e.meets(row, asked):
		return nil, e.fail(key, dynastay.ErrVersion)
	}
	c := &change{row: row, entity: e, key: key, asked: asked, now: t.db.Now()}
	var err error
	c.before, err = e.value(row)
	return c, err
}

// Also adds to the action a change of counters (see [Spec.Counters]) and a condition on them. If nothing else changed,
// neither is sent. A counter may have changed since the item was read; if the condition does not hold, the operation
// is prepared again. After does not show the change. The zero value of either argument adds nothing.
func (c *change) Also(deltas expression.UpdateBuilder, condition expression.ConditionBuilder) {
	c.deltas, c.also = deltas, condition
}

// Whole makes the change write everything that is derived from the entity, including the guards of its unique values,
// even if nothing else changed. The version and the time of the update then stay as they are. It is for items that
// other software wrote. Call it before [Change.AddTo].
func (c *change) Whole() error {
	c.whole = true
	return c.entity.derive(c)
}

// Drop removes a map as a whole, including what other software stored in it. The update's function must have cleared
// the declared fields in the map, and nothing derived may be in it; otherwise Drop returns an error. Call it before
// [Change.AddTo], and after [Change.Keep].
func (c *change) Drop(name string) error {
	whole := dynastay.PathOf(name)
	within := func(path string) bool { return strings.HasPrefix(path, whole+".") }
	for path := range c.diff.set {
		if within(path) {
			return &dynastay.Error{Entity: c.entity.Name, Field: path, Err: errNotCleared}
		}
	}
	if c.diff.after[name] != nil {
		return &dynastay.Error{Entity: c.entity.Name, Field: name, Err: errNotCleared}
	}
	maps.DeleteFunc(c.diff.remove, func(path string, _ bool) bool { return within(path) })
	if c.diff.storedMap(whole) {
		c.diff.remove[whole] = true
	}
	return nil
}

// errNotCleared is a programming error.
var errNotCleared = errors.New("Change.Drop requires a map in which nothing is set or derived")

// Touch makes the change write a new version, time and write id even if the entity itself has not changed. It is for
// operations that change other items of the entity, so that what was decided from the entity as it was is overtaken.
// Call it before [Change.AddTo].
func (c *change) Touch() { c.edited = true }

// Renew is like [Change.Touch] for what is not an edit: the version and the time stay as they are, so a person who is
// editing the entity is not told that somebody else has changed it.
func (c *change) Renew() { c.renew = true }

// Changed reports whether there is anything to write.
func (c *change) Changed() bool { return c.whole || c.edited || c.renew || !c.diff.empty() }

// Attributes returns the names of the attributes that [Change.AddTo] writes, in order, without the version, the time of the
// update and the write id. What is within a map has the name of the map.
func (c *change) Attributes() (names []string) {
	for _, path := range slices.AppendSeq(slices.Collect(maps.Keys(c.diff.set)), maps.Keys(c.diff.remove)) {
		name, _, _ := stored.Step(path)
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// AddTo adds the action that writes the difference, the actions of the guards, and those of [Spec.Follow]. If nothing
// changed, it adds no actions. It returns an error if a [dynastay.WriteOption] was passed to the change, but not in
// [dynastay.OpSpec.Options], without which it would have no effect.
func (c *change) AddTo(tx *dynastay.Tx) error {
	if c.asked.Whole {
		if err := condition.PassedOn(tx); err != nil {
			return err
		}
	}
	if !c.Changed() {
		return nil
	}
	e := c.entity
	item, err := c.stamp()
	if err != nil {
		return err
	}
	for _, g := range e.guards {
		err := g.move(tx, c.before, c.after, "Update")
		if err == nil && (c.whole || writtenBy(e.Schema, c.row) == "") {
			// Without a write id, it is the first update of an item that other software wrote.
			err = g.adopt(tx, c.before, c.after)
		}
		if err != nil {
			return err
		}
	}
	if e.Follow != nil {
		if err := e.Follow(tx, c.before, c.after); err != nil {
			return err
		}
	}
	action, err := tx.RewriteIf(e.Schema, c.row, c.update(), c.also, e.known...)
	if err != nil {
		return err
	}
	action.Else(e.overtaken(c.key, c.asked))
	if item[e.Schema.WriteIDName()], err = action.WriteID().MarshalDynamoDBAttributeValue(); err != nil {
		return err
	}
	return e.decode(item, c.after)
}

// overtaken returns the error for an item that has changed since it was read.
func (e *core) overtaken(key dynastay.Key, asked condition.Set) dynastay.Failed {
	return func(old dynastay.Row) error {
		switch {
		case !old.Exists() && asked.Missing:
			return dynastay.ErrOvertaken // by another delete
		case !old.Exists():
			return e.fail(key, dynastay.ErrNotFound)
		case !e.meets(old, asked):
			return e.fail(key, dynastay.ErrVersion)
		}
		return dynastay.ErrOvertaken
	}
}

// meets reports whether a stored item meets the caller's conditions.
func (e *core) meets(row dynastay.Row, asked condition.Set) bool {
	if asked.Version != nil && row.Int(e.Version) != *asked.Version {
		return false
	}
	return asked.Written == nil || writtenBy(e.Schema, row) == dynastay.WriteID(*asked.Written)
}

// writtenBy returns the write id of a stored item, or "" if it has none.
func writtenBy(s *dynastay.Schema, row dynastay.Row) (id dynastay.WriteID) {
	v := row.Value(s.WriteIDName())
	if v.Kind() == dynastay.KindBinary {
		_ = id.UnmarshalDynamoDBAttributeValue(v.Stored()) // cannot fail for binary
	}
	return id
}

// kept returns an error if the function changed what the library writes itself.
func (c *change) kept() error {
	e := c.entity
	before, err := e.Codec.Encode(c.before)
	if err != nil {
		return err
	}
	after, err := e.Codec.Encode(c.after)
	if err != nil {
		return err
	}
	for _, name := range e.owned {
		if !stored.Equal(before[name], after[name]) {
			return dynastay.Invalid(e.fieldOf(c.after, name), "is managed by the library and cannot be changed")
		}
	}
	if c.compare(before, after); !c.Changed() {
		// Drops a write id that the function set. Not a copy of Before, whose slices Keep would change as well.
		read, err := e.value(c.row)
		if err != nil {
			return err
		}
		e.set(c.after, read)
	}
	return nil
}

// compare sets the difference between two encoded forms.
func (c *change) compare(before, after dynastay.Item) {
	delete(before, c.entity.Schema.WriteIDName())
	delete(after, c.entity.Schema.WriteIDName())
	c.diff = &difference{
		stored: c.row.Item(), after: after, keyed: c.entity.keyed,
		set: map[string]types.AttributeValue{}, remove: map[string]bool{},
	}
	c.diff.compare("", before, after)
}

// stamp sets in After the version and the time that the write will store, and returns its encoded form.
func (c *change) stamp() (dynastay.Item, error) {
	e := c.entity
	item, err := e.Codec.Encode(c.after)
	if err != nil {
		return nil, err
	}
	if e.Version != "" && c.edited {
		item[e.Version] = c.nextVersion()
	}
	if e.Updated != "" && c.edited {
		item[e.Updated] = dynastay.Instant(c.now)
	}
	return item, e.decode(item, c.after)
}

func (c *change) nextVersion() types.AttributeValue {
	return dynastay.Number(c.row.Int(c.entity.Version) + 1)
}

// update returns the update expression, with its parts in a fixed order, so that equal updates are equal requests
// except for their ids.
func (c *change) update() expression.UpdateBuilder {
	u := c.deltas
	for _, path := range slices.Sorted(maps.Keys(c.diff.set)) {
		u = u.Set(dynastay.NameOf(path), expression.Value(c.diff.set[path]))
	}
	for _, path := range slices.Sorted(maps.Keys(c.diff.remove)) {
		u = u.Remove(dynastay.NameOf(path))
	}
	if c.entity.Updated != "" && c.edited {
		u = u.Set(dynastay.NameOf(c.entity.Updated), expression.Value(dynastay.Instant(c.now)))
	}
	if c.entity.Version != "" && c.edited {
		u = u.Set(dynastay.NameOf(c.entity.Version), expression.Value(c.nextVersion()))
	}
	return u
}
