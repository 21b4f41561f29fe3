package dynastay

import (
	"unicode/utf8"

	"github.com/dynastay/dynastay/internal/stored"
)

// Key is a key of a table or of an index: a partition value and a sort value, both text. SK is empty if there is no
// sort key.
type Key struct {
	PK, SK string
}

// String returns the key for messages, in the form "PK/SK".
func (k Key) String() string {
	if k.SK == "" {
		return k.PK
	}
	return k.PK + "/" + k.SK
}

// KeyNames are the names of a key's attributes, such as PK and SK, or GSI1PK and GSI1SK. Both attributes are strings in
// DynamoDB. Sort is empty if there is no sort key.
type KeyNames struct {
	Partition, Sort string
}

// Of returns the key as a map of attributes, as requests require it.
func (n KeyNames) Of(k Key) Item {
	item := Item{n.Partition: Text(k.PK)}
	if n.Sort != "" {
		item[n.Sort] = Text(k.SK)
	}
	return item
}

// Check returns an [*InvalidError] for the field "Key.PK" or "Key.SK" if DynamoDB would reject the key because the
// value is empty, or would store a different key because the value is not valid UTF-8.
func (n KeyNames) Check(k Key) error {
	switch {
	case k.PK == "":
		return Invalid("Key.PK", "must not be empty")
	case n.Sort != "" && k.SK == "":
		return Invalid("Key.SK", "must not be empty")
	case !utf8.ValidString(k.PK):
		return Invalid("Key.PK", stored.NotUTF8)
	case !utf8.ValidString(k.SK):
		return Invalid("Key.SK", stored.NotUTF8)
	}
	return nil
}

// From returns the key of a row; a missing attribute is read as "".
func (n KeyNames) From(row Row) Key {
	k := Key{PK: row.Text(n.Partition)}
	if n.Sort != "" {
		k.SK = row.Text(n.Sort)
	}
	return k
}

// Schema describes one table: its key, indexes and settings. It is plain data; package provision creates the table.
type Schema struct {
	Name    string // without the prefix and suffix of [Options]
	Key     KeyNames
	Indexes []Index
	TTL     string // the time-to-live attribute; "" for none
	WriteID string // the attribute for the item's write id, see [WriteID]; default: WriteId. No entity may store anything else in it
	Stream  bool   // whether the table has a stream, with the view type NEW_AND_OLD_IMAGES
}

// Index is one global secondary index.
type Index struct {
	Name    string
	Key     KeyNames
	Project Projection
	Include []string // the attributes of ProjectInclude, as top-level names
}

// Projection selects the attributes that an index copies.
type Projection int

// The projections. Every change to an attribute that an index copies costs a write unit, so choose the smallest
// projection that is sufficient for the readers of the index.
const (
	ProjectAll Projection = iota
	ProjectKeys
	ProjectInclude
)

// WriteIDName returns the name of the attribute for the item's write id.
func (s *Schema) WriteIDName() string {
	if s.WriteID == "" {
		return "WriteId"
	}
	return s.WriteID
}

// Index returns the index with that name; ok is false if there is none.
func (s *Schema) Index(name string) (index Index, ok bool) {
	for _, index := range s.Indexes {
		if index.Name == name {
			return index, true
		}
	}
	return Index{}, false
}
