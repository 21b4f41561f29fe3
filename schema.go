package dynastay

import (
	"unicode/utf8"

	"github.com/dynastay/dynastay/internal/stored"
)

// Key is a primary key, of a table or of an index: a partition value and a sort value, both text. SK is empty where
// the table has no sort key.
type Key struct {
	PK, SK string
}

// String is the key for messages and maps: "PK/SK".
func (k Key) String() string {
	if k.SK == "" {
		return k.PK
	}
	return k.PK + "/" + k.SK
}

// KeyNames are the names of a key's attributes, such as PK and SK, or GSI1PK and GSI1SK. Both are strings in
// DynamoDB. Sort is empty for a table without a sort key.
type KeyNames struct {
	Partition, Sort string
}

// Of is the key in the form that requests take.
func (n KeyNames) Of(k Key) Item {
	item := Item{n.Partition: Text(k.PK)}
	if n.Sort != "" {
		item[n.Sort] = Text(k.SK)
	}
	return item
}

// Check refuses a key that DynamoDB would, for it takes no empty text in one, or that it would store as another.
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

// From reads the key out of a row; a missing attribute reads as "".
func (n KeyNames) From(row Row) Key {
	k := Key{PK: row.Text(n.Partition)}
	if n.Sort != "" {
		k.SK = row.Text(n.Sort)
	}
	return k
}

// Schema is one table: its key, indexes and settings. It is plain data; [Schema.Create] makes the table.
type Schema struct {
	Name    string // without the prefix and suffix of [Options]
	Key     KeyNames
	Indexes []Index
	TTL     string // the attribute with the time to live, "" for none
	WriteID string // the attribute with the item's write id, see [WriteID]; default: WriteId. No entity keeps anything else in it
	Stream  bool   // NEW_AND_OLD_IMAGES
}

// Index is one global secondary index.
type Index struct {
	Name    string
	Key     KeyNames
	Project Projection
	Include []string // the attributes of ProjectInclude, top-level names
}

// Projection says which attributes an index copies.
type Projection int

// The projections. An attribute that an index copies costs it a write unit whenever it changes, so the smaller one is
// chosen wherever its readers can do with it.
const (
	ProjectAll Projection = iota
	ProjectKeys
	ProjectInclude
)

// WriteIDName is the name of the attribute with the item's write id.
func (s *Schema) WriteIDName() string {
	if s.WriteID == "" {
		return "WriteId"
	}
	return s.WriteID
}

// Index is the index of that name; ok is false where there is none.
func (s *Schema) Index(name string) (index Index, ok bool) {
	for _, index := range s.Indexes {
		if index.Name == name {
			return index, true
		}
	}
	return Index{}, false
}
