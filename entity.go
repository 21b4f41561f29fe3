package dynastay

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Entity describes how values of one type are stored in a table: their attributes, their key, and the attributes that
// are derived from others.
type Entity[T any] struct {
	Name string // such as "Booking", for errors
	// ID is the id that a key stands for, in errors. Default: the key's text. Optional.
	ID     func(Key) string
	Schema *Schema
	Codec  Codec[T]
	// Key derives the primary key. The codec declares every field that Key looks at, under whatever name, for an entity
	// is read out of its attributes and never out of its key. Where a key attribute is one of the entity's own, as in a
	// table whose key is "id", that is its declaration. Under an idempotency key the record keeps the keys of what was
	// put for 30 days, so a key should not hold personal data.
	Key func(*T) (Key, error)
	// Validate refuses a value before it is written. Reading never validates: what is stored is stored. Optional.
	Validate func(*T) error
	// Derived are the attributes that follow from others: index keys and copies. An update keeps them right.
	Derived []Derived[T]
	// Counters are the attributes that deltas and maxima write (see [Update]), past every update and without a new write
	// id: an update's function may not change them, and nothing derived may follow from them. Optional.
	Counters []string
	// Version is the attribute that counts the updates, "" for none. The codec declares it too, with IfSet. A put stores
	// what the value holds; every update adds one.
	Version string
	// Agreed writes down, for an [IdempotencyKey], what the caller of a put agreed to. Default: the whole stored form; an
	// entity whose id or time is drawn anew for each call then has another input each time. Optional.
	Agreed func(*Input, *T)
	// Touched is the attribute that takes the time of every update, not of puts; "" for none. The codec declares it too.
	Touched string
}

// Derived is an attribute that follows from others, but not from [Entity.Counters].
type Derived[T any] struct {
	Name   string // the attribute, or a path such as "Card.Name"
	Value  func(*T) (types.AttributeValue, error)
	copied string
}

// CopyOf derives an attribute that is a copy of another, such as Card.Name of Name.
func CopyOf[T any](name, from string) Derived[T] { return Derived[T]{Name: name, copied: from} }

// of is the value for an entity whose encoded form is item; nil is "absent".
func (d Derived[T]) of(v *T, item Item) (types.AttributeValue, error) {
	if d.copied != "" {
		return at(item, d.copied), nil
	}
	return d.Value(v)
}

// IndexKey derives the key attributes of an index. A zero Key leaves the item out of the index. It is meant for package
// variables and panics where the schema has no such index.
func IndexKey[T any](s *Schema, index string, key func(*T) (Key, error)) []Derived[T] {
	found, ok := s.Index(index)
	if !ok {
		panic("dynastay.IndexKey: " + s.Name + " has no index " + index)
	}
	names := found.Key
	part := func(take func(Key) string) func(*T) (types.AttributeValue, error) {
		return func(v *T) (types.AttributeValue, error) {
			k, err := key(v)
			if err != nil || k == (Key{}) {
				return nil, err
			}
			return str(take(k)), names.check(k)
		}
	}
	all := []Derived[T]{{Name: names.Partition, Value: part(func(k Key) string { return k.PK })}}
	if names.Sort != "" {
		all = append(all, Derived[T]{Name: names.Sort, Value: part(func(k Key) string { return k.SK })})
	}
	return all
}

// Item is the value's whole stored form: attributes, key, derived attributes. It has no write id: that is of the write, not
// of the value.
func (e *Entity[T]) Item(v *T) (Item, error) {
	if e.Validate != nil {
		if err := e.Validate(v); err != nil {
			return nil, err
		}
	}
	key, err := e.Key(v)
	if err == nil {
		err = e.Schema.Key.check(key)
	}
	if err != nil {
		return nil, err
	}
	item, err := e.Codec.Encode(v)
	if err != nil {
		return nil, err
	}
	delete(item, e.Schema.writeID())
	for _, d := range e.Derived {
		value, err := d.of(v, item)
		if err != nil {
			return nil, err
		}
		if value != nil {
			place(item, d.Name, value)
		}
	}
	for name, value := range e.Schema.Key.Of(key) {
		item[name] = value
	}
	return item, nil
}

// place sets a value at a path, making the maps on the way.
func place(item Item, path string, v types.AttributeValue) {
	for {
		first, rest, nested := step(path)
		if !nested {
			item[first] = v
			return
		}
		m, ok := item[first].(*types.AttributeValueMemberM)
		if !ok {
			m = &types.AttributeValueMemberM{Value: Item{}}
			item[first] = m
		}
		item, path = m.Value, rest
	}
}

// Value reads a stored item. A failure says which entity and attribute it was.
func (e *Entity[T]) Value(item Item) (*T, error) {
	v := new(T)
	if err := e.Codec.Decode(item, v); err != nil {
		failure := &Error{Entity: e.Name, ID: e.idOf(e.Schema.Key.From(item)), Kind: ErrCorrupt, Err: unreadable(err)}
		if inner, ok := err.(*Error); ok && inner.Kind == ErrCorrupt {
			failure.Field, failure.Err = inner.Field, inner.Err
		}
		return nil, failure
	}
	return v, nil
}

func (e *Entity[T]) idOf(key Key) string {
	if e.ID != nil {
		return e.ID(key)
	}
	return key.String()
}

func (e *Entity[T]) fail(key Key, kind error) error {
	return &Error{Entity: e.Name, ID: e.idOf(key), Kind: kind}
}

// as is a copy of a value as it reads once the item is stored.
func (e *Entity[T]) as(v *T, item Item) (*T, error) {
	stored := *v
	if err := e.Codec.Decode(item, &stored); err != nil {
		return nil, err
	}
	return &stored, nil
}
