package dynastay

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// UpdateOption narrows an update or a delete.
type UpdateOption func(*updateOptions)

type updateOptions struct {
	version *int
	written *WriteID
	agreed  []string
}

func optionsOf(opts []UpdateOption) (o updateOptions) {
	for _, option := range opts {
		option(&o)
	}
	return o
}

// maxAgreed bounds what an update states with [AgreedOn], all values together: it is hashed with every call.
const maxAgreed = 4096

// CheckUpdate is the [OpSpec.Invalid] of an update or a delete with these options. It refuses values of [AgreedOn] that have
// more than 4,096 bytes together, an [IfWritten] of what is no write id, and an [IfVersion] where there are no versions.
func (e *Entity[T]) CheckUpdate(opts ...UpdateOption) error {
	o, size := optionsOf(opts), 0
	if o.version != nil && e.Version == "" {
		return Invalid("IfVersion", "asks for a version, and a %s has none", e.Name)
	}
	for _, value := range o.agreed {
		size += len(value)
	}
	if size > maxAgreed {
		return Invalid("AgreedOn", "has %d bytes, the most is %d", size, maxAgreed)
	}
	if o.written == nil {
		return nil
	}
	_, err := o.written.stored()
	return err
}

// AgreedOn states what an update is about, so that it can be written under an [IdempotencyKey]: the function itself
// cannot be compared with that of another call. The values have at most 4,096 bytes together.
func AgreedOn(values ...string) UpdateOption {
	return func(o *updateOptions) { o.agreed = append([]string{}, values...) }
}

// InputOf is the [OpSpec.Input] of an update with these options: the key and what was agreed on, nil without
// [AgreedOn].
func InputOf(key Key, opts ...UpdateOption) func(*Input) {
	o := optionsOf(opts)
	if o.agreed == nil {
		return nil
	}
	return func(in *Input) {
		in.Key(key)
		for _, value := range o.agreed {
			in.Field("agreed", value)
		}
	}
}

// IfVersion lets the write happen only on the version that the caller has seen, for example the one that a form was
// filled in from; otherwise it fails with [ErrVersion].
func IfVersion(version int) UpdateOption { return func(o *updateOptions) { o.version = &version } }

// Change is an entity before and after an update's function, and what that makes of the stored item. After shows the version,
// time and write id of the write once [Change.AddTo] was called.
type Change[T any] struct {
	Before, After *T
	Item          Item // as it was read

	entity *Entity[T]
	key    Key
	opts   updateOptions
	diff   *difference
	now    time.Time
}

// Change reads the entity, consistently, and lets fn change it; [Change.AddTo] then writes the difference, on condition that
// the item still is the one that was read. So attributes that the library does not know stay, nothing derived can be
// stale, and of two callers who change an entity at once neither is lost: the one who was overtaken reads again, and its fn
// runs again on the new value. fn's errors pass unchanged. fn must not write through the same DB itself, for it may run
// while its own write has others wait. 1 request.
func (t *Table[T]) Change(ctx context.Context, key Key, fn func(*T) error, opts ...UpdateOption) (*Change[T], error) {
	stored, err := t.db.Get(ctx, t.entity.Schema, key, true)
	if err != nil {
		return nil, err
	}
	return t.ChangeOf(key, stored, fn, opts...)
}

// ChangeOf is [Table.Change] of an item that was read already, consistently; nil is "not found".
func (t *Table[T]) ChangeOf(key Key, stored Item, fn func(*T) error, opts ...UpdateOption) (*Change[T], error) {
	e := t.entity
	if stored == nil {
		return nil, e.fail(key, ErrNotFound)
	}
	c := &Change[T]{Item: stored, entity: e, key: key, opts: optionsOf(opts), now: t.db.Now()}
	if !e.meets(stored, c.opts) {
		return nil, e.fail(key, ErrVersion)
	}
	var err error
	if c.Before, err = e.Value(stored); err != nil {
		return nil, err
	}
	if c.After, err = e.Value(stored); err != nil {
		return nil, err
	}
	if err := fn(c.After); err != nil {
		return nil, err
	}
	if e.Validate != nil {
		if err := e.Validate(c.After); err != nil {
			return nil, err
		}
	}
	if now, err := e.Key(c.After); err != nil {
		return nil, err
	} else if now != key {
		return nil, Invalid("", "the key of %s %s cannot change", e.Name, masked(key.String()))
	}
	if c.diff, err = e.difference(c); err == nil && c.diff.empty() {
		*c.After = *c.Before // what the function set of the version or the time is not stored
	}
	return c, err
}

// Changed reports whether there is anything to write.
func (c *Change[T]) Changed() bool { return !c.diff.empty() }

// AddTo adds the action that writes the difference. Nothing is added where nothing changed.
func (c *Change[T]) AddTo(tx *Tx) error {
	if !c.Changed() {
		return nil
	}
	action, err := c.entity.updateAction(c, tx.stamp)
	if err != nil {
		return err
	}
	tx.Add(action)
	return c.show(tx.stamp)
}

// meets reports whether the caller's conditions hold for a stored item.
func (e *Entity[T]) meets(stored Item, o updateOptions) bool {
	if o.version != nil && versionOf(stored[e.Version]) != *o.version {
		return false
	}
	if o.written == nil {
		return true
	}
	id, err := o.written.stored()
	return err == nil && equal(stored[e.Schema.writeID()], id)
}

// show gives After the version, the time and the write id that the write will leave.
func (c *Change[T]) show(id stamp) error {
	e := c.entity
	item, err := e.Codec.Encode(c.After)
	if err != nil {
		return err
	}
	item[e.Schema.writeID()] = id.over(c.Item[e.Schema.writeID()])
	if e.Version != "" {
		item[e.Version] = c.nextVersion()
	}
	if e.Touched != "" {
		item[e.Touched] = str(instant(c.now))
	}
	return e.Codec.Decode(item, c.After)
}

func (c *Change[T]) nextVersion() types.AttributeValue {
	return num(strconv.Itoa(versionOf(c.Item[c.entity.Version]) + 1))
}

func versionOf(v types.AttributeValue) int {
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	version, _ := strconv.Atoi(n.Value)
	return version
}

// difference is what an update writes, by path.
type difference struct {
	stored Item
	before Item // in the codec's form
	set    map[string]types.AttributeValue
	remove map[string]bool
}

func (e *Entity[T]) difference(c *Change[T]) (*difference, error) {
	before, err := e.Codec.Encode(c.Before)
	if err != nil {
		return nil, err
	}
	after, err := e.Codec.Encode(c.After)
	if err != nil {
		return nil, err
	}
	for _, name := range e.Counters {
		if !equal(before[name], after[name]) {
			return nil, Invalid(name, "is counted by writes of its own, and no update changes it")
		}
	}
	for _, own := range []string{e.Version, e.Touched, e.Schema.writeID()} {
		delete(after, own) // it is not for the function to change
		if v, there := before[own]; there {
			after[own] = v
		}
	}
	d := &difference{stored: c.Item, before: before, set: map[string]types.AttributeValue{}, remove: map[string]bool{}}
	d.compare("", before, after)
	if d.empty() {
		return d, nil
	}
	return d, e.derive(c, after, d)
}

// derive adds the derived attributes that moved, and those that other software left stale.
func (e *Entity[T]) derive(c *Change[T], after Item, d *difference) error {
	whole := map[string]Item{} // maps that are not stored yet, and so cannot take a value inside
	for _, attribute := range e.Derived {
		v, err := attribute.of(c.After, after)
		if err != nil {
			return err
		}
		missing := d.missingMap(attribute.Name)
		switch {
		case equal(at(c.Item, attribute.Name), v):
		case v == nil:
			d.remove[attribute.Name] = true
		case missing != "":
			if whole[missing] == nil {
				whole[missing] = d.wholeMap(missing)
			}
			place(whole[missing], attribute.Name[len(missing)+1:], v)
		default:
			d.set[attribute.Name] = v
		}
	}
	for path, inner := range whole {
		d.set[path] = &types.AttributeValueMemberM{Value: inner}
	}
	return nil
}

// missingMap is the outermost map on the way to a path that is not stored, "" where all are.
func (d *difference) missingMap(path string) string {
	for i := range path {
		if path[i] == '.' && !d.storedMap(path[:i]) {
			return path[:i]
		}
	}
	return ""
}

// wholeMap is what the codec puts in the map, as a copy to add to.
func (d *difference) wholeMap(path string) Item {
	if declared, ok := d.set[path].(*types.AttributeValueMemberM); ok {
		return copyMaps(declared.Value)
	}
	return Item{}
}

func copyMaps(item Item) Item {
	copied := make(Item, len(item))
	for name, v := range item {
		if m, ok := v.(*types.AttributeValueMemberM); ok {
			v = &types.AttributeValueMemberM{Value: copyMaps(m.Value)}
		}
		copied[name] = v
	}
	return copied
}

// compare walks two encoded forms. Maps are compared attribute by attribute, so that what others keep in them stays;
// a list is one value.
func (d *difference) compare(path string, before, after Item) {
	for name, old := range before {
		now, there := after[name]
		at := path + PathOf(name)
		oldMap, wasMap := old.(*types.AttributeValueMemberM)
		nowMap, isMap := now.(*types.AttributeValueMemberM)
		switch {
		case wasMap && (isMap || !there) && !d.storedMap(at):
			// What is not stored has a form because numbers and booleans are written as zeros.
			if isMap && !equal(old, now) {
				d.set[at] = now
			}
		case wasMap && (isMap || !there):
			inner := Item{}
			if isMap {
				inner = nowMap.Value
			}
			d.compare(at+".", oldMap.Value, inner)
		case !there:
			d.remove[at] = true
		case !equal(old, now):
			d.set[at] = now
		}
	}
	for name, now := range after {
		if _, there := before[name]; there {
			continue
		}
		at := path + PathOf(name)
		if nowMap, isMap := now.(*types.AttributeValueMemberM); isMap && d.storedMap(at) {
			d.compare(at+".", Item{}, nowMap.Value)
			continue
		}
		d.set[at] = now
	}
}

func (d *difference) storedMap(path string) bool {
	_, ok := at(d.stored, path).(*types.AttributeValueMemberM)
	return ok
}

func (d *difference) empty() bool { return len(d.set)+len(d.remove) == 0 }

// updateAction builds the request, its parts in a fixed order, so that equal updates are equal requests but for their ids.
func (e *Entity[T]) updateAction(c *Change[T], id stamp) (Action, error) {
	d, own := c.diff, e.Schema.writeID()
	update := expression.Set(NameOf(own), expression.Value(id.over(c.Item[own])))
	for _, path := range slices.Sorted(maps.Keys(d.set)) {
		update = update.Set(NameOf(path), expression.Value(d.set[path]))
	}
	for _, path := range slices.Sorted(maps.Keys(d.remove)) {
		update = update.Remove(NameOf(path))
	}
	if e.Touched != "" {
		update = update.Set(NameOf(e.Touched), expression.Value(str(instant(c.now))))
	}
	if e.Version != "" {
		update = update.Set(NameOf(e.Version), expression.Value(c.nextVersion()))
	}
	expr, err := build(expression.NewBuilder().WithUpdate(update).WithCondition(e.asRead(c)))
	if err != nil {
		return Action{}, err
	}
	action := Update(e.Schema, c.key, expr, func(old Item) error {
		switch {
		case old == nil:
			return e.fail(c.key, ErrNotFound)
		case !e.meets(old, c.opts):
			return e.fail(c.key, ErrVersion)
		}
		return ErrOvertaken
	})
	action.stamp, action.read = id, c.Item
	return action, nil
}

// asRead is the condition that the item is the one that was read, apart from what is counted. Its write id says so in one
// comparison. Without one, other software wrote the item, and all that the entity declares or derives is compared.
func (e *Entity[T]) asRead(c *Change[T]) expression.ConditionBuilder {
	own := e.Schema.writeID()
	condition := expression.AttributeExists(NameOf(e.Schema.Key.Partition)).And(AsRead(own, c.Item))
	if stampsOf(c.Item[own]).own == (stamp{}) {
		for _, name := range slices.Sorted(maps.Keys(e.known(c.diff))) {
			condition = condition.And(AsRead(PathOf(name), c.Item))
		}
	}
	return condition
}

// known are the names of the attributes that the entity declares or derives, without those that are counted.
func (e *Entity[T]) known(d *difference) map[string]bool {
	known := map[string]bool{e.Version: true, e.Touched: true}
	for name := range d.before {
		known[name] = true
	}
	add := func(path string) {
		name, _, _ := step(path)
		known[name] = true
	}
	for path := range d.set {
		add(path) // what is not there yet
	}
	for _, attribute := range e.Derived {
		add(attribute.Name)
	}
	for _, name := range append([]string{"", e.Schema.Key.Partition, e.Schema.Key.Sort}, e.Counters...) {
		delete(known, name)
	}
	return known
}
