package dynastay

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// UpdateOption narrows an update or a delete.
type UpdateOption func(*updateOptions)

type updateOptions struct {
	version *int
	agreed  []string
}

// AgreedOn states what an update is about, so that it can be written under an [IdempotencyKey]: the function itself
// cannot be compared with that of another call. The values have at most 4,096 bytes together.
func AgreedOn(values ...string) UpdateOption {
	return func(o *updateOptions) { o.agreed = append([]string{}, values...) }
}

// InputOf is the [OpSpec.Input] of an update with these options: the key and what was agreed on, nil without
// [AgreedOn].
func InputOf(key Key, opts ...UpdateOption) func(*Input) {
	var o updateOptions
	for _, option := range opts {
		option(&o)
	}
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

// Change is an entity before and after an update's function, and what that makes of the stored item.
type Change[T any] struct {
	Before, After *T
	Item          Item // as it was read

	entity *Entity[T]
	key    Key
	opts   updateOptions
	diff   *difference
	now    time.Time
}

// Change reads the entity, consistently, and lets fn change it; [Change.AddTo] then writes the difference. What fn left
// alone, attributes that the library does not know among it, keeps whatever value others give it at the same time. What
// fn changed is written only over the value that fn saw: where another update has changed it since, fn runs again on
// the new value, so that an increment is never lost. Every derived attribute that depends on a change is computed anew,
// conditional on its other inputs. fn's errors pass unchanged; it must not write through the same DB itself, for it may
// run while its own write has others wait. 1 request.
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
	c := &Change[T]{Item: stored, entity: e, key: key, now: t.db.Now()}
	for _, option := range opts {
		option(&c.opts)
	}
	if v := c.opts.version; v != nil && versionOf(stored[e.Version]) != *v {
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
	if c.diff, err = e.difference(c); err != nil || c.diff.empty() {
		return c, err
	}
	return c, e.stamp(c.After, stored, c.now)
}

// Changed reports whether there is anything to write.
func (c *Change[T]) Changed() bool { return !c.diff.empty() }

// IfAsRead makes the write conditional on more attributes being what they were when it was prepared. It is for
// operations that derive other items from them.
func (c *Change[T]) IfAsRead(paths ...string) {
	for _, path := range paths {
		c.diff.asRead[path] = true
	}
}

// AddTo adds the action that writes the difference. Nothing is added where nothing changed.
func (c *Change[T]) AddTo(tx *Tx) error {
	if !c.Changed() {
		return nil
	}
	action, err := c.entity.updateAction(c.key, c.diff, c.now, c.opts)
	if err == nil {
		tx.Add(action.Returned(c.took))
	}
	return err
}

// took is the stored entity after a plain update, with what others wrote at the same time. The update is done by then,
// so an item that cannot be read leaves After as it was, and what is no attribute stays.
func (c *Change[T]) took(stored Item) {
	after := *c.After
	if err := c.entity.Codec.Decode(stored, &after); err == nil {
		*c.After = after
	}
}

// stamp shows the caller the version and the time that the write will leave.
func (e *Entity[T]) stamp(v *T, stored Item, now time.Time) error {
	item, err := e.Codec.Encode(v)
	if err != nil {
		return err
	}
	if e.Version != "" {
		item[e.Version] = num(strconv.Itoa(versionOf(stored[e.Version]) + 1))
	}
	if e.Touched != "" {
		item[e.Touched] = str(instant(now))
	}
	return e.Codec.Decode(item, v)
}

func versionOf(v types.AttributeValue) int {
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	version, _ := strconv.Atoi(n.Value)
	return version
}

// difference is what an update writes, by path, and what that is conditional on.
type difference struct {
	stored Item
	set    map[string]types.AttributeValue
	remove map[string]bool
	asRead map[string]bool
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
	for _, own := range []string{e.Version, e.Touched} {
		delete(before, own)
		delete(after, own)
	}
	d := &difference{stored: c.Item, set: map[string]types.AttributeValue{}, remove: map[string]bool{}, asRead: map[string]bool{}}
	d.compare("", before, after)
	if d.empty() {
		return d, nil
	}
	// Not only increments ask for it. Derived attributes are compared with the item as read: had another update changed
	// the same input, those that seem to stay would be left with what that update made of them.
	for path := range d.set {
		d.asRead[path] = true
	}
	for path := range d.remove {
		d.asRead[path] = true
	}
	return d, e.derive(c, after, d)
}

// derive adds the derived attributes that moved, and the conditions that keep them right.
func (e *Entity[T]) derive(c *Change[T], after Item, d *difference) error {
	changed := slices.Collect(maps.Keys(d.set))
	changed = slices.AppendSeq(changed, maps.Keys(d.remove))
	depends := func(input string) bool {
		return slices.ContainsFunc(changed, func(path string) bool {
			return path == input || strings.HasPrefix(path, input+".") || strings.HasPrefix(input, path+".")
		})
	}
	whole := map[string]Item{} // maps that are not stored yet, and so cannot take a value inside
	for _, attribute := range e.Derived {
		v, err := attribute.of(c.After, after)
		if err != nil {
			return err
		}
		moved := !equal(at(c.Item, attribute.Name), v)
		if !moved && !slices.ContainsFunc(attribute.From, depends) {
			continue
		}
		// Even a value that stays the same was computed from inputs that another update may be about to change.
		for _, input := range attribute.From {
			d.asRead[input] = true
		}
		missing := d.missingMap(attribute.Name)
		switch {
		case !moved: // unless another update is about to repair what it finds stale
			d.asRead[attribute.Name] = true
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
		d.set[path], d.asRead[path] = &types.AttributeValueMemberM{Value: inner}, true
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

// updateAction builds the request, its parts in a fixed order, so that equal updates are equal requests.
func (e *Entity[T]) updateAction(key Key, d *difference, now time.Time, o updateOptions) (Action, error) {
	var update expression.UpdateBuilder
	for _, path := range slices.Sorted(maps.Keys(d.set)) {
		update = update.Set(NameOf(path), expression.Value(d.set[path]))
	}
	for _, path := range slices.Sorted(maps.Keys(d.remove)) {
		update = update.Remove(NameOf(path))
	}
	if e.Touched != "" {
		update = update.Set(NameOf(e.Touched), expression.Value(str(instant(now))))
	}
	switch _, null := d.stored[e.Version].(*types.AttributeValueMemberNULL); {
	case e.Version == "":
	case null: // ADD refuses a NULL
		update = update.Set(NameOf(e.Version), expression.Value(num("1")))
		d.asRead[e.Version] = true
	default:
		update = update.Add(NameOf(e.Version), expression.Value(num("1")))
	}
	condition := expression.AttributeExists(NameOf(e.Schema.Key.Partition))
	for _, path := range slices.Sorted(maps.Keys(d.asRead)) {
		condition = condition.And(AsRead(path, d.stored))
	}
	if o.version != nil {
		condition = condition.And(AsRead(e.Version, d.stored))
	}
	expr, err := build(expression.NewBuilder().WithUpdate(update).WithCondition(condition))
	if err != nil {
		return Action{}, err
	}
	failed := func(old Item) error {
		switch {
		case old == nil:
			return e.fail(key, ErrNotFound)
		case o.version != nil && versionOf(old[e.Version]) != *o.version:
			return e.fail(key, ErrVersion)
		}
		return ErrOvertaken
	}
	shows := func(stored Item) bool {
		return d.shows(stored) && (e.Touched == "" || text(stored[e.Touched]) == instant(now))
	}
	return Update(e.Schema, key, expr, failed).Shows(d.stored, shows), nil
}

// shows reports whether a stored item has all that the update writes.
func (d *difference) shows(stored Item) bool {
	for path, v := range d.set {
		if !equal(at(stored, path), v) {
			return false
		}
	}
	for path := range d.remove {
		if !isNull(at(stored, path)) {
			return false
		}
	}
	return stored != nil
}
