package stream

import "github.com/dynastay/dynastay"

// Change is one change of one entity.
type Change[T any] struct {
	Key dynastay.Key
	Old *T // before the change; nil if the entity was created
	New *T // after the change; nil if the entity was deleted
	// Unreadable is the error of decoding the entity as it was before the change, for example an item of other software
	// that this change repaired; Old is then nil too.
	Unreadable error
	Record     Record
}

// Created reports whether the change created the entity.
func (c Change[T]) Created() bool { return !c.Record.Old.Exists() }

// Became reports whether the entity has, since this change, a property that it did not have before, such as a status.
// If the entity as it was before is unknown, because it did not exist or is unreadable, it did not have the property.
func (c Change[T]) Became(is func(*T) bool) bool {
	return c.New != nil && is(c.New) && (c.Old == nil || !is(c.Old))
}

// Decoder decodes the changes of one kind of entity. The repositories return decoders for their entities.
type Decoder[T any] struct {
	table string
	key   dynastay.KeyNames
	is    func(dynastay.Key) bool
	read  func(dynastay.Row) (*T, error)
}

// NewDecoder returns a decoder for the entities in the table of schema s whose key satisfies is; read decodes one. For
// an entity of your own, that is:
//
//	stream.NewDecoder(db, messagesTable, key.Is[messageKey], messages.Value)
func NewDecoder[T any](
	db *dynastay.DB, s *dynastay.Schema, is func(dynastay.Key) bool, read func(dynastay.Row) (*T, error),
) Decoder[T] {
	return Decoder[T]{table: db.TableName(s), key: s.Key, is: is, read: read}
}

// Decode returns the change of an entity; ok is false if the record is of another kind of item. The error matches
// [dynastay.ErrCorrupt] if the entity cannot be decoded as it is after the change.
func (d Decoder[T]) Decode(r Record) (c Change[T], ok bool, err error) {
	key := d.key.From(r.Keys)
	if r.Table != d.table || !d.is(key) {
		return Change[T]{}, false, nil
	}
	c = Change[T]{Key: key, Record: r}
	if r.Old.Exists() {
		c.Old, c.Unreadable = d.read(r.Old)
	}
	if r.New.Exists() {
		c.New, err = d.read(r.New)
	}
	return c, true, err
}
