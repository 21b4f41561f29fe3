package entity

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

// Spec declares how entities of one type are stored. Name, Schema, Codec and Key are required.
type Spec[T any] struct {
	Name string // such as "Booking", for errors
	// Operations is the prefix of the operations' names, such as "bookings" in bookings.Create. Default: Name.
	Operations string
	Schema     *dynastay.Schema
	Codec      Codec[T]
	// Key derives the primary key. The codec must declare every field that Key depends on, under any name, because an
	// entity is read from its attributes and never from its key. If the codec declares a key attribute itself, as in a
	// table whose key is "id", that counts as the declaration.
	Key func(*T) (dynastay.Key, error)
	// IDOf returns the id to show in errors for an entity with the given key. Default: the text of the key.
	IDOf func(dynastay.Key) string
	// Validate checks a value before it is created, put or updated; its id and times are already set. Stored values are
	// never validated when they are read. Optional.
	Validate func(*T) error

	// Indexes derive the keys of the entity's rows in indexes, by index name. Return the zero Key to keep the entity
	// out of the index.
	Indexes map[string]func(*T) (dynastay.Key, error)
	// Derived are other attributes that are derived from the entity. Every update keeps them up to date.
	Derived []Derived[T]
	// Unique are the values that only one entity may have.
	Unique []Unique[T]
	// Follow adds the actions that keep other items in step with the entity, in the transaction of every create, update
	// and delete: before is nil for a create, after is nil for a delete and otherwise has the times and the version of
	// the write. The transaction is conditional on before being what is stored. Optional.
	Follow func(tx *dynastay.Tx, before, after *T) error

	// The names of the attributes that the library writes itself; "" for none. The codec must declare them too.
	ID      string // the entity's id
	Prefix  string // prefix of the id that a create generates if it is empty, such as "bkg_"; "" generates none
	Created string // the time of the create
	Updated string // the time of the create and of every update
	Version string // 1 after the create, incremented by every update; the codec declares it with IfSet
	// Kept are attributes that only special operations write, such as a count. Like the attributes above, they cannot
	// be changed by an update's function, and are not part of the input that an idempotency key compares: an operation
	// whose caller gives one of them must add it to its Input. A create stores the values that the entity has.
	Kept []string
	// Counters are attributes that are written without reading the item first, as increments or maxima, see
	// [dynastay.Tx.Update], independently of updates and without a new write id. They are protected in the same way as
	// Kept. No derived attribute, index key, guard or copy may depend on them, because an update does not notice that
	// they change.
	Counters []string

	// Agreed adds the arguments of a create or a put that a repeated call with the same [dynastay.IdempotencyKey] must
	// have in common with the first one. Default: the stored form of the value as it was given, without what the
	// library writes.
	Agreed func(*dynastay.Input, *T)
}

// Derived declares an attribute that is computed from others. It must not depend on [Spec.Counters].
type Derived[T any] struct {
	Name   string // the attribute, or a path such as "Card.Name"
	Value  func(*T) (types.AttributeValue, error)
	copied string
}

// CopyOf returns a Derived that copies another attribute, for example Name to Card.Name.
func CopyOf[T any](name, from string) Derived[T] { return Derived[T]{Name: name, copied: from} }

// TTL returns a Derived for the time-to-live attribute, see [dynastay.Schema]. DynamoDB deletes the item within a few
// days after that time. With the zero time, the item does not expire.
func TTL[T any](name string, at func(*T) time.Time) Derived[T] {
	return Derived[T]{Name: name, Value: func(v *T) (types.AttributeValue, error) {
		if at(v).IsZero() {
			return nil, nil
		}
		return dynastay.Number(int(at(v).Unix())), nil
	}}
}

// of returns the value for an entity whose encoded form is item; nil means absent.
func (d Derived[T]) of(v *T, item dynastay.Item) (types.AttributeValue, error) {
	if d.copied != "" {
		return stored.At(item, d.copied), nil
	}
	return d.Value(v)
}

// Entity is a checked [Spec]. A [Table] reads and writes it.
type Entity[T any] struct {
	Spec[T]
	derived []Derived[T] // including the index keys
	known   []string     // the declared and derived attributes, without the counters
	owned   []string     // what an update's function must not change
	keyed   []string     // the maps whose keys are data
	guards  []guard[T]
}

// New checks a specification. It panics, with the entity's name and the reason, if Name, Schema, Codec or Key is
// missing, an attribute is declared twice, the codec does not declare an attribute that the library writes as a
// top-level attribute, or an index is not in the schema.
func New[T any](s Spec[T]) *Entity[T] {
	e := &Entity[T]{Spec: s}
	if e.Operations == "" {
		e.Operations = s.Name
	}
	for _, part := range []struct {
		name    string
		missing bool
	}{{"Name", s.Name == ""}, {"Schema", s.Schema == nil}, {"Codec", s.Codec == nil}, {"Key", s.Key == nil}} {
		if part.missing {
			e.panics("%s is required", part.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Indexes)) {
		e.derived = append(e.derived, e.indexKey(name, s.Indexes[name])...)
	}
	e.derived = append(e.derived, s.Derived...)
	for _, name := range append(append([]string{s.ID, s.Created, s.Updated, s.Version}, s.Kept...), s.Counters...) {
		if slices.Contains(e.owned, name) {
			e.panics("attribute %s must not be used for more than one of ID, Created, Updated, Version, Kept and Counters", name)
		}
		if name != "" {
			e.owned = append(e.owned, name)
		}
	}
	if s.Prefix != "" && s.ID == "" {
		e.panics("ID is required if Prefix is set")
	}
	e.checkNames()
	e.checkStamps()
	e.known = e.allKnown()
	for _, u := range s.Unique {
		e.guards = append(e.guards, e.newGuard(u))
	}
	return e
}

func (e *Entity[T]) panics(format string, args ...any) {
	panic("entity.New: " + cmp.Or(e.Name, "Spec") + ": " + fmt.Sprintf(format, args...))
}

// checkNames panics if two declarations would write the same attribute, or if an attribute that the library writes is
// not declared.
func (e *Entity[T]) checkNames() {
	written := map[string]bool{}
	if d, ok := e.Codec.(declared[T]); ok {
		n := d.names(new(T))
		e.keyed = n.keyed
		if len(n.twice) > 0 {
			e.panics("attribute %s is declared twice", n.twice[0])
		}
		for _, name := range n.currencies {
			if _, twice := n.pointers[name]; twice {
				e.panics("attribute %s is declared twice, once as a currency", name)
			}
			written[name] = true
		}
		needed := slices.Clone(e.owned)
		for _, u := range e.Unique {
			needed = append(needed, u.Owner...)
		}
		for _, name := range needed {
			// An attribute within a map is not a top-level attribute of the item, and would not be protected.
			if _, there := n.pointers[name]; !there || strings.Contains(name, ".") {
				e.panics("the codec does not declare attribute %s", name)
			}
		}
		for name := range n.pointers {
			written[name] = true
		}
		for name, wanted := range map[string]reflect.Type{
			e.Created: reflect.TypeFor[*time.Time](), e.Updated: reflect.TypeFor[*time.Time](), e.Version: reflect.TypeFor[*int](),
		} {
			if name != "" && reflect.TypeOf(n.pointers[name]) != wanted {
				e.panics("attribute %s must have the type %v, got %s", name, wanted.Elem(), strings.TrimPrefix(fmt.Sprintf("%T", n.pointers[name]), "*"))
			}
		}
	}
	for _, name := range []string{e.Schema.Key.Partition, e.Schema.Key.Sort} {
		if slices.ContainsFunc(e.derived, func(d Derived[T]) bool { return d.Name == name }) {
			e.panics("attribute %s is part of the table's key and cannot be derived", name)
		}
	}
	for _, d := range e.derived {
		switch {
		case written[d.Name]:
			e.panics("attribute %s is declared twice", d.Name)
		case d.Name == "" || d.Value == nil && d.copied == "":
			e.panics("Derived %q: Name and Value are required", d.Name)
		}
		written[d.Name] = true
	}
}

// allKnown returns the attributes that must not have changed in an item without a write id. This includes attributes
// that the item did not have, because other software may add them before the item is written.
// See docs/decisions/0004-derived-attributes.md for why the whole item counts.
func (e *Entity[T]) allKnown() []string {
	known := map[string]bool{}
	add := func(path string) {
		name, _, _ := stored.Step(path)
		name, _, _ = strings.Cut(name, "[") // an attribute of an element of a list
		known[name] = true
	}
	if c, ok := e.Codec.(interface{ attributes() []string }); ok {
		for _, path := range c.attributes() {
			add(path)
		}
	}
	for _, d := range e.derived {
		add(d.Name)
	}
	for _, name := range append([]string{e.Schema.Key.Partition, e.Schema.Key.Sort, e.Schema.WriteIDName()}, e.Counters...) {
		delete(known, name)
	}
	return slices.Sorted(maps.Keys(known))
}

// mayBeIn reports whether the entity can have a row in an index: it derives the index key, or declares the key's
// attributes.
func (e *Entity[T]) mayBeIn(index dynastay.Index) bool {
	_, names := e.Codec.(interface{ attributes() []string })
	return !names || slices.Contains(e.known, index.Key.Partition)
}

// checkStamps panics if the codec does not preserve what the library writes: because an attribute has a different kind,
// for example a time stored as a number, or because a struct has it under a different name.
func (e *Entity[T]) checkStamps() {
	stamps := dynastay.Item{}
	for name, v := range map[string]types.AttributeValue{
		e.ID: stored.Text("x"), e.Version: dynastay.Number(1),
		e.Created: dynastay.Instant(time.Unix(1, 0)), e.Updated: dynastay.Instant(time.Unix(1, 0)),
	} {
		if name != "" {
			stamps[name] = v
		}
	}
	v := new(T)
	if err := e.decode(stamps, v); err != nil {
		e.panics("the codec cannot decode the attributes that the library writes: %v", err)
	}
	item, err := e.Codec.Encode(v)
	if err != nil {
		return // an empty entity does not have to be storable
	}
	for name, stamp := range stamps {
		if !stored.Equal(item[name], stamp) {
			e.panics("the codec does not preserve attribute %s, which the library writes", name)
		}
	}
}

// indexKey derives the key attributes of an index. Its errors name the index and the attribute.
func (e *Entity[T]) indexKey(name string, key func(*T) (dynastay.Key, error)) []Derived[T] {
	index, ok := e.Schema.Index(name)
	if !ok {
		e.panics("table %s has no index %s", e.Schema.Name, name)
	}
	if key == nil {
		e.panics("Indexes[%q] is nil", name)
	}
	part := func(attribute string, take func(dynastay.Key) string) Derived[T] {
		return Derived[T]{Name: attribute, Value: func(v *T) (types.AttributeValue, error) {
			k, err := key(v)
			if err == nil && k == (dynastay.Key{}) {
				return nil, nil
			}
			if text := take(k); err == nil && text == "" {
				err = dynastay.Invalid(attribute, "must not be empty")
			} else if err == nil {
				return stored.Text(text), nil
			}
			return nil, &dynastay.Error{Entity: name, Field: attribute, Err: e.inOwnWords(v, err)}
		}}
	}
	all := []Derived[T]{part(index.Key.Partition, func(k dynastay.Key) string { return k.PK })}
	if index.Key.Sort != "" {
		all = append(all, part(index.Key.Sort, func(k dynastay.Key) string { return k.SK }))
	}
	return all
}

// inOwnWords replaces the field of an error from a key by the entity's own name for it: the key's field UserID is built
// from the attribute UserId, and the entity may call it ID.
func (e *Entity[T]) inOwnWords(v *T, err error) error {
	var invalid *dynastay.InvalidError
	d, ok := e.Codec.(declared[T])
	if !ok || !errors.As(err, &invalid) {
		return err
	}
	n := d.names(v)
	for name := range n.pointers {
		if !strings.EqualFold(name, invalid.Field) {
			continue
		}
		if own, ok := n.field(v, name); ok {
			return &dynastay.InvalidError{Field: own, Reason: invalid.Reason, Err: invalid.Err}
		}
	}
	return err
}

// fieldOf returns the entity's own name for an attribute.
func (e *Entity[T]) fieldOf(v *T, attribute string) string {
	if d, ok := e.Codec.(declared[T]); ok {
		if own, ok := d.names(v).field(v, attribute); ok {
			return own
		}
	}
	return attribute
}

// Item returns the value's whole stored form: attributes, key and derived attributes. It has no write id, which belongs
// to the write and not to the value.
func (e *Entity[T]) Item(v *T) (dynastay.Item, error) {
	if e.Validate != nil {
		if err := e.Validate(v); err != nil {
			return nil, err
		}
	}
	key, err := e.Key(v)
	if err == nil {
		err = e.Schema.Key.Check(key)
	}
	if err != nil {
		return nil, e.inOwnWords(v, err)
	}
	item, err := e.Codec.Encode(v)
	if err != nil {
		return nil, err
	}
	delete(item, e.Schema.WriteIDName())
	for name, part := range e.Schema.Key.Of(key) {
		if item[name] != nil && !stored.Equal(item[name], part) {
			return nil, &dynastay.Error{Entity: e.Name, Field: name, Err: errOtherKey}
		}
	}
	for _, d := range e.derived {
		value, err := d.of(v, item)
		if err != nil {
			return nil, err
		}
		if value != nil {
			stored.Place(item, d.Name, value)
		}
	}
	maps.Copy(item, e.Schema.Key.Of(key))
	return item, nil
}

// errOtherKey is a programming error.
var errOtherKey = errors.New("the key attribute that the codec declares must equal the one that Spec.Key returns")

// Value decodes a stored item. Its error names the entity and the attribute.
func (e *Entity[T]) Value(row dynastay.Row) (*T, error) {
	return Read(e.Name, e.idOf(e.Schema.Key.From(row)), e.Codec, row)
}

// Read decodes a row that does not contain a whole entity, such as a row of an index. Its error matches
// [dynastay.ErrCorrupt], and contains the attribute, name and id.
func Read[T any](name, id string, c Codec[T], row dynastay.Row) (*T, error) {
	v := new(T)
	if err := c.Decode(row, v); err != nil {
		failure := &dynastay.Error{Entity: name, ID: id, Kind: dynastay.ErrCorrupt, Err: unreadable(err)}
		if inner, ok := err.(*dynastay.Error); ok && inner.Kind == dynastay.ErrCorrupt {
			failure.Field, failure.Err = inner.Field, inner.Err
		}
		return nil, failure
	}
	return v, nil
}

// Known returns the attributes that the entity declares or derives, without the counters, for [dynastay.Tx.Remove] and
// [dynastay.Unchanged].
func (e *Entity[T]) Known() []string { return slices.Clone(e.known) }

func (e *Entity[T]) idOf(key dynastay.Key) string {
	if e.IDOf != nil {
		return e.IDOf(key)
	}
	return key.String()
}

func (e *Entity[T]) fail(key dynastay.Key, kind error) error {
	return &dynastay.Error{Entity: e.Name, ID: e.idOf(key), Kind: kind}
}

// decode sets the fields of *v from the item, and does not change fields that the codec does not declare.
func (e *Entity[T]) decode(item dynastay.Item, v *T) error {
	return e.Codec.Decode(dynastay.RowOf(item), v)
}

// is the condition that every one of the attributes has its parameter's value.
func is(attributes []string) expression.ConditionBuilder {
	condition := dynastay.NameOf(attributes[0]).Equal(dynastay.Param(attributes[0]))
	for _, name := range attributes[1:] {
		condition = condition.And(dynastay.NameOf(name).Equal(dynastay.Param(name)))
	}
	return condition
}
