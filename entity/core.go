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

// core is a specification without its type: each value that it is given is a *T. It does all the work of entities and
// tables, because Go compiles the methods of a generic type once for each type, in each package that mentions it, and
// every package of a service mentions its repositories.
// See docs/decisions/0008-entities.md.
type core struct {
	Name, Operations                      string
	Schema                                *dynastay.Schema
	Codec                                 codec
	Key                                   func(any) (dynastay.Key, error)
	IDOf                                  func(dynastay.Key) string
	Validate                              func(any) error
	Indexes                               map[string]func(any) (dynastay.Key, error)
	Unique                                []unique
	Follow                                func(tx *dynastay.Tx, before, after any) error
	ID, Prefix, Created, Updated, Version string
	Kept, Counters                        []string
	Agreed                                func(*dynastay.Input, any)

	getting, gettingAll string // the operations of reads, made once

	blank func() any
	clone func(any) any
	set   func(to, from any) // *to = *from

	derived []derived // what the specification derives; once complete, the index keys before it
	known   []string  // the declared and derived attributes, without the counters
	owned   []string  // what an update's function must not change
	keyed   []string  // the maps whose keys are data
	guards  []guard
}

// codec is a [Codec] without its type. Without names, the codec is not one of [Declare]; without attributes, those that
// it has are unknown.
type codec struct {
	Encode     func(any) (dynastay.Item, error)
	Decode     func(dynastay.Row, any) error
	names      func(any) *names
	attributes func() []string
}

// derived is a [Derived] without its type.
type derived struct {
	Name   string
	Value  func(any) (types.AttributeValue, error)
	copied string
}

// of returns the value for an entity whose encoded form is item; nil means absent.
func (d derived) of(v any, item dynastay.Item) (types.AttributeValue, error) {
	if d.copied != "" {
		return stored.At(item, d.copied), nil
	}
	return d.Value(v)
}

func withoutType[T any](s Spec[T]) *core {
	c := &core{
		Name: s.Name, Operations: s.Operations, Schema: s.Schema, Key: untyped(s.Key), IDOf: s.IDOf,
		ID: s.ID, Prefix: s.Prefix, Created: s.Created, Updated: s.Updated, Version: s.Version, Kept: s.Kept, Counters: s.Counters,
		Indexes: map[string]func(any) (dynastay.Key, error){},
		getting: s.Operations + ".Get", gettingAll: s.Operations + ".GetAll",
		blank: func() any { return new(T) },
		clone: func(v any) any { c := *v.(*T); return &c },
		set:   func(to, from any) { *to.(*T) = *from.(*T) },
	}
	if s.Codec != nil {
		c.Codec.Encode = untyped(s.Codec.Encode)
		c.Codec.Decode = func(row dynastay.Row, v any) error { return s.Codec.Decode(row, v.(*T)) }
	}
	if d, ok := s.Codec.(declared[T]); ok {
		c.Codec.names = func(v any) *names { return d.names(v.(*T)) }
	}
	if a, ok := s.Codec.(interface{ attributes() []string }); ok {
		c.Codec.attributes = a.attributes
	}
	if s.Validate != nil {
		c.Validate = func(v any) error { return s.Validate(v.(*T)) }
	}
	if s.Follow != nil {
		c.Follow = func(tx *dynastay.Tx, before, after any) error {
			was, _ := before.(*T)
			is, _ := after.(*T)
			return s.Follow(tx, was, is)
		}
	}
	if s.Agreed != nil {
		c.Agreed = func(in *dynastay.Input, v any) { s.Agreed(in, v.(*T)) }
	}
	for name, key := range s.Indexes {
		c.Indexes[name] = untyped(key)
	}
	for _, d := range s.Derived {
		c.derived = append(c.derived, derived{d.Name, untyped(d.Value), d.copied})
	}
	for _, u := range s.Unique {
		own := unique{
			Field: u.Field, Guard: untyped(u.Guard), Owner: u.Owner, Mark: u.Mark, Index: u.Index, Partition: untyped(u.Partition),
		}
		if u.Taken != nil {
			own.Taken = func(v any) error { return u.Taken(v.(*T)) }
		}
		c.Unique = append(c.Unique, own)
	}
	return c
}

// untyped returns a function that takes a *T as any; nil for nil.
func untyped[T, R any](f func(*T) (R, error)) func(any) (R, error) {
	if f == nil {
		return nil
	}
	return func(v any) (R, error) { return f(v.(*T)) }
}

// as returns a value of core with its type; nil for nil.
func as[T any](v any, err error) (*T, error) {
	typed, _ := v.(*T)
	return typed, err
}

// complete checks the specification, see [New].
func (e *core) complete() {
	for _, part := range []struct {
		name    string
		missing bool
	}{{"Name", e.Name == ""}, {"Schema", e.Schema == nil}, {"Codec", e.Codec.Encode == nil}, {"Key", e.Key == nil}} {
		if part.missing {
			e.panics("%s is required", part.name)
		}
	}
	var indexKeys []derived
	for _, name := range slices.Sorted(maps.Keys(e.Indexes)) {
		indexKeys = append(indexKeys, e.indexKey(name, e.Indexes[name])...)
	}
	e.derived = append(indexKeys, e.derived...)
	for _, name := range append(append([]string{e.ID, e.Created, e.Updated, e.Version}, e.Kept...), e.Counters...) {
		if slices.Contains(e.owned, name) {
			e.panics("attribute %s must not be used for more than one of ID, Created, Updated, Version, Kept and Counters", name)
		}
		if name != "" {
			e.owned = append(e.owned, name)
		}
	}
	if e.Prefix != "" && e.ID == "" {
		e.panics("ID is required if Prefix is set")
	}
	e.checkNames()
	e.checkStamps()
	e.known = e.allKnown()
	for _, u := range e.Unique {
		e.guards = append(e.guards, e.newGuard(u))
	}
}

func (e *core) panics(format string, args ...any) {
	panic("entity.New: " + cmp.Or(e.Name, "Spec") + ": " + fmt.Sprintf(format, args...))
}

// checkNames panics if two declarations would write the same attribute, or if an attribute that the library writes is
// not declared.
func (e *core) checkNames() {
	written := map[string]bool{}
	if e.Codec.names != nil {
		n := e.Codec.names(e.blank())
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
		if slices.ContainsFunc(e.derived, func(d derived) bool { return d.Name == name }) {
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
func (e *core) allKnown() []string {
	known := map[string]bool{}
	add := func(path string) {
		name, _, _ := stored.Step(path)
		name, _, _ = strings.Cut(name, "[") // an attribute of an element of a list
		known[name] = true
	}
	if e.Codec.attributes != nil {
		for _, path := range e.Codec.attributes() {
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
func (e *core) mayBeIn(index dynastay.Index) bool {
	return e.Codec.attributes == nil || slices.Contains(e.known, index.Key.Partition)
}

// checkStamps panics if the codec does not preserve what the library writes: because an attribute has a different kind,
// for example a time stored as a number, or because a struct has it under a different name.
func (e *core) checkStamps() {
	stamps := dynastay.Item{}
	for name, v := range map[string]types.AttributeValue{
		e.ID: stored.Text("x"), e.Version: dynastay.Number(1),
		e.Created: dynastay.Instant(time.Unix(1, 0)), e.Updated: dynastay.Instant(time.Unix(1, 0)),
	} {
		if name != "" {
			stamps[name] = v
		}
	}
	v := e.blank()
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
func (e *core) indexKey(name string, key func(any) (dynastay.Key, error)) []derived {
	index, ok := e.Schema.Index(name)
	if !ok {
		e.panics("table %s has no index %s", e.Schema.Name, name)
	}
	if key == nil {
		e.panics("Indexes[%q] is nil", name)
	}
	part := func(attribute string, take func(dynastay.Key) string) derived {
		return derived{Name: attribute, Value: func(v any) (types.AttributeValue, error) {
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
	all := []derived{part(index.Key.Partition, func(k dynastay.Key) string { return k.PK })}
	if index.Key.Sort != "" {
		all = append(all, part(index.Key.Sort, func(k dynastay.Key) string { return k.SK }))
	}
	return all
}

// inOwnWords replaces the field of an error from a key by the entity's own name for it: the key's field UserID is built
// from the attribute UserId, and the entity may call it ID.
func (e *core) inOwnWords(v any, err error) error {
	var invalid *dynastay.InvalidError
	if e.Codec.names == nil || !errors.As(err, &invalid) {
		return err
	}
	n := e.Codec.names(v)
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
func (e *core) fieldOf(v any, attribute string) string {
	if e.Codec.names != nil {
		if own, ok := e.Codec.names(v).field(v, attribute); ok {
			return own
		}
	}
	return attribute
}

// item is [Entity.Item].
func (e *core) item(v any) (dynastay.Item, error) {
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

func (e *core) value(row dynastay.Row) (any, error) {
	v := e.blank()
	if err := e.Codec.Decode(row, v); err != nil {
		return nil, corrupted(e.Name, e.idOf(e.Schema.Key.From(row)), err)
	}
	return v, nil
}

// corrupted returns the error of a stored item that cannot be decoded.
func corrupted(name, id string, err error) error {
	failure := &dynastay.Error{Entity: name, ID: id, Kind: dynastay.ErrCorrupt, Err: unreadable(err)}
	if inner, ok := err.(*dynastay.Error); ok && inner.Kind == dynastay.ErrCorrupt {
		failure.Field, failure.Err = inner.Field, inner.Err
	}
	return failure
}

func (e *core) idOf(key dynastay.Key) string {
	if e.IDOf != nil {
		return e.IDOf(key)
	}
	return key.String()
}

func (e *core) fail(key dynastay.Key, kind error) error {
	return &dynastay.Error{Entity: e.Name, ID: e.idOf(key), Kind: kind}
}

// decode sets the fields of *v from the item, and does not change fields that the codec does not declare.
func (e *core) decode(item dynastay.Item, v any) error {
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
