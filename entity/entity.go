package entity

import (
	"cmp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
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

// Entity is a checked [Spec]. A [Table] reads and writes it.
type Entity[T any] struct {
	Spec[T]
	core *core
}

// New checks a specification. It panics, with the entity's name and the reason, if Name, Schema, Codec or Key is
// missing, an attribute is declared twice, the codec does not declare an attribute that the library writes as a
// top-level attribute, or an index is not in the schema.
func New[T any](s Spec[T]) *Entity[T] {
	s.Operations = cmp.Or(s.Operations, s.Name)
	e := &Entity[T]{Spec: s, core: withoutType(s)}
	e.core.complete()
	return e
}

// Item returns the value's whole stored form: attributes, key and derived attributes. It has no write id, which belongs
// to the write and not to the value.
func (e *Entity[T]) Item(v *T) (dynastay.Item, error) { return e.core.item(v) }

// Value decodes a stored item. Its error names the entity and the attribute.
func (e *Entity[T]) Value(row dynastay.Row) (*T, error) { return as[T](e.core.value(row)) }

// Read decodes a row that does not contain a whole entity, such as a row of an index. Its error matches
// [dynastay.ErrCorrupt], and contains the attribute, name and id.
func Read[T any](name, id string, c Codec[T], row dynastay.Row) (*T, error) {
	v := new(T)
	if err := c.Decode(row, v); err != nil {
		return nil, corrupted(name, id, err)
	}
	return v, nil
}

// Known returns the attributes that the entity declares or derives, without the counters, for [dynastay.Tx.Remove] and
// [dynastay.Unchanged].
func (e *Entity[T]) Known() []string { return slices.Clone(e.core.known) }

// CheckUpdate returns the error for [dynastay.OpSpec.Invalid] of an update with these options, or nil. It rejects
// values of [dynastay.AgreedOn] of more than 4,096 bytes in total, a malformed id in [dynastay.IfWritten],
// [dynastay.IfVersion] for an entity without versions, and options that apply only to deletes.
func (e *Entity[T]) CheckUpdate(opts ...dynastay.UpdateOption) error { return e.core.checkUpdate(opts) }
