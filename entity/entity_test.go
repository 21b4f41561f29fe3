package entity_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

func TestNewPanics(t *testing.T) {
	t.Parallel()
	// more declares further attributes.
	more := func(declare func(f *entity.Fields, b *bag)) func(*entity.Spec[bag]) {
		return func(s *entity.Spec[bag]) {
			s.Codec = entity.Declare(func(f *entity.Fields, b *bag) {
				declareBag(f, b)
				declare(f, b)
			})
		}
	}
	derived := func(names ...string) func(*entity.Spec[bag]) {
		return func(s *entity.Spec[bag]) {
			for _, name := range names {
				s.Derived = append(s.Derived, entity.Derived[bag]{
					Name: name, Value: func(*bag) (types.AttributeValue, error) { return nil, nil },
				})
			}
		}
	}
	indexed := func(names ...string) func(*entity.Spec[bag]) {
		return func(s *entity.Spec[bag]) {
			s.Indexes = map[string]func(*bag) (dynastay.Key, error){}
			for _, name := range names {
				s.Indexes[name] = func(*bag) (dynastay.Key, error) { return dynastay.Key{}, nil }
			}
		}
	}
	var s string
	var m dynastay.Money
	type element struct{ A, B string }
	for name, test := range map[string]struct {
		says string // "" where nothing is amiss
		edit func(*entity.Spec[bag])
	}{
		"nothing amiss": {"", func(*entity.Spec[bag]) {}},
		"no Name":       {"Spec: Name is required", func(s *entity.Spec[bag]) { s.Name = "" }},
		"no Schema":     {"Bag: Schema is required", func(s *entity.Spec[bag]) { s.Schema = nil }},
		"no Codec":      {"Bag: Codec is required", func(s *entity.Spec[bag]) { s.Codec = nil }},
		"no Key":        {"Bag: Key is required", func(s *entity.Spec[bag]) { s.Key = nil }},

		"a time of text": {"Bag: attribute Owner must have the type time.Time, got string", func(s *entity.Spec[bag]) { s.Created = "Owner" }},
		"an update's time of a number": {"Bag: attribute Weight must have the type time.Time, got int", func(s *entity.Spec[bag]) {
			s.Kept, s.Updated = nil, "Weight"
		}},
		"a version of text": {"Bag: attribute Owner must have the type int, got string", func(s *entity.Spec[bag]) { s.Version = "Owner" }},

		"an attribute twice": {"Bag: attribute Owner is declared twice", more(func(f *entity.Fields, _ *bag) { f.String("Owner", &s) })},
		"a constant twice":   {"Bag: attribute Owner is declared twice", more(func(f *entity.Fields, _ *bag) { f.Const("Owner", "x") })},
		"in a map": {"Bag: attribute In.A is declared twice", more(func(f *entity.Fields, _ *bag) {
			f.Map("In", func(f *entity.Fields) { f.String("A", &s); f.String("A", &s) })
		})},
		"a map twice": {"Bag: attribute In is declared twice", more(func(f *entity.Fields, _ *bag) {
			f.Map("In", func(f *entity.Fields) {})
			f.Map("In", func(f *entity.Fields) {})
		})},
		"inside and outside a map": {"", more(func(f *entity.Fields, _ *bag) {
			f.Map("In", func(f *entity.Fields) { f.String("Owner", &s) })
		})},
		"in an element": {"Bag: attribute Parts[0].A is declared twice", more(func(f *entity.Fields, _ *bag) {
			entity.List(f, "Parts", new([]element), func(f *entity.Fields, e *element) { f.String("A", &e.A); f.String("A", &e.B) })
		})},
		"a currency that is an attribute": {
			"Bag: attribute Owner is declared twice, once as a currency", more(func(f *entity.Fields, _ *bag) { f.Money("Fee", "Owner", &m) }),
		},
		"in a map, a currency that is an attribute": {
			"Bag: attribute In.A is declared twice, once as a currency", more(func(f *entity.Fields, _ *bag) {
				f.Map("In", func(f *entity.Fields) { f.String("A", &s); f.Money("Fee", "A", &m) })
			}),
		},
		"a currency of two amounts": {
			"", more(func(f *entity.Fields, _ *bag) { f.Money("Fee", "Currency", &m); f.Money("Tip", "Currency", &m) }),
		},
		"derived twice":               {"Bag: attribute Sum is declared twice", derived("Sum", "Sum")},
		"derived and declared":        {"Bag: attribute Owner is declared twice", derived("Owner")},
		"derived side by side":        {"", derived("Sum.A", "Sum.B")},
		"two indexes with a key":      {"Bag: attribute OwnerPK is declared twice", indexed("ByOwner", "ByOwnerAndTime")},
		"derived, and an index's key": {"Bag: attribute Shelf is declared twice", func(s *entity.Spec[bag]) { indexed("ByShelf")(s); derived("Shelf")(s) }},
		"an index that is not there":  {"Bag: table Bags has no index ByAge", indexed("ByAge")},
		"two indexes":                 {"", indexed("ByOwner", "ByShelf")},
		"derived, and a currency": {"Bag: attribute Currency is declared twice", func(s *entity.Spec[bag]) {
			more(func(f *entity.Fields, _ *bag) { f.Money("Fee", "Currency", &m) })(s)
			derived("Currency")(s)
		}},

		"ID":       {"Bag: the codec does not declare attribute X", func(s *entity.Spec[bag]) { s.ID = "X" }},
		"Created":  {"Bag: the codec does not declare attribute X", func(s *entity.Spec[bag]) { s.Created = "X" }},
		"Updated":  {"Bag: the codec does not declare attribute X", func(s *entity.Spec[bag]) { s.Updated = "X" }},
		"Version":  {"Bag: the codec does not declare attribute X", func(s *entity.Spec[bag]) { s.Version = "X" }},
		"Kept":     {"Bag: the codec does not declare attribute X", func(s *entity.Spec[bag]) { s.Kept = []string{"Weight", "X"} }},
		"Counters": {"Bag: the codec does not declare attribute X", func(s *entity.Spec[bag]) { s.Counters = []string{"Moves", "X"} }},
		"Kept, in a map": {"Bag: the codec does not declare attribute In.A", func(s *entity.Spec[bag]) {
			more(func(f *entity.Fields, _ *bag) { f.Map("In", func(f *entity.Fields) { f.String("A", &s.Name) }) })(s)
			s.Kept = []string{"In.A"}
		}},
		"a map that is kept": {"", func(s *entity.Spec[bag]) {
			more(func(f *entity.Fields, _ *bag) { f.Map("In", func(f *entity.Fields) {}) })(s)
			s.Kept = []string{"In"}
		}},
		"Owner": {"Bag: the codec does not declare attribute X", func(s *entity.Spec[bag]) {
			s.Unique = []entity.Unique[bag]{{Field: "Owner", Owner: []string{"BagId", "X"}, Guard: s.Key}}
		}},
		"a Prefix without an ID": {"Bag: ID is required if Prefix is set", func(s *entity.Spec[bag]) { s.ID = "" }},
		"an ID without a Prefix": {"", func(s *entity.Spec[bag]) { s.Prefix = "" }},
		"nothing that the library keeps": {"", func(s *entity.Spec[bag]) {
			s.ID, s.Prefix, s.Created, s.Updated, s.Version, s.Kept, s.Counters = "", "", "", "", "", nil, nil
		}},
		"two uses of an attribute":            {"Bag: attribute BagId must not be used for more than one of ID, Created, Updated, Version, Kept and Counters", func(s *entity.Spec[bag]) { s.Created = "BagId" }},
		"counted and kept":                    {"Bag: attribute Weight must not be used for more than one of ID, Created, Updated, Version, Kept and Counters", func(s *entity.Spec[bag]) { s.Counters = s.Kept }},
		"the partition of the key is derived": {"Bag: attribute PK is part of the table's key and cannot be derived", derived("PK")},
		"the rest of the key is derived":      {"Bag: attribute SK is part of the table's key and cannot be derived", derived("SK")},
		"derived without a name":              {`Bag: Derived "": Name and Value are required`, derived("")},
		"derived from nothing": {`Bag: Derived "A": Name and Value are required`, func(s *entity.Spec[bag]) {
			s.Derived = []entity.Derived[bag]{{Name: "A"}}
		}},
		"a copy": {"", func(s *entity.Spec[bag]) { s.Derived = []entity.Derived[bag]{entity.CopyOf[bag]("A", "Owner")} }},
		"an index without a function": {`Bag: Indexes["ByShelf"] is nil`, func(s *entity.Spec[bag]) {
			s.Indexes = map[string]func(*bag) (dynastay.Key, error){"ByShelf": nil}
		}},
		"a time as a number": {
			"Bag: the codec cannot decode the attributes that the library writes: item (CreatedAt): unreadable item: must be a number, got text",
			func(s *entity.Spec[bag]) {
				s.Codec = entity.Declare(func(f *entity.Fields, b *bag) {
					f.String("BagId", &b.ID)
					f.Unix("CreatedAt", &b.CreatedAt)
				})
				s.Updated, s.Version, s.Kept, s.Counters = "", "", nil, nil
			},
		},
		"an attribute that is not kept": {"Bag: the codec does not preserve attribute BagId, which the library writes", func(s *entity.Spec[bag]) {
			s.Codec = entity.Declare(func(f *entity.Fields, b *bag) {
				id := b.ID
				f.String("BagId", &id)
			})
			s.Created, s.Updated, s.Version, s.Kept, s.Counters = "", "", "", nil, nil
		}},
		"a tagged struct without it": {"Bag: the codec does not preserve attribute BagId, which the library writes", func(s *entity.Spec[bag]) {
			s.Codec, s.Created, s.Updated, s.Version = entity.Tagged[bag](), "", "", ""
		}},
		"a tagged struct": {"", func(s *entity.Spec[bag]) {
			s.Codec, s.ID, s.Kept, s.Counters = entity.Tagged[bag](), "ID", nil, nil
		}},
		"an empty bag cannot be stored": {"", more(func(f *entity.Fields, b *bag) {
			if b.Owner == "" && !f.Decoding() {
				f.Fail("Owner", errBoom)
			}
		})},
		"a unique value in an index, without its partition": {"Bag: Unique Shelf: Partition is required if Index is set", func(s *entity.Spec[bag]) {
			guarded(s)
			s.Unique[0].Index = "ByShelf"
		}},
		"a unique value twice": {"Bag: Unique Shelf is declared twice", func(s *entity.Spec[bag]) {
			guarded(s)
			s.Unique = append(s.Unique, s.Unique[0])
		}},
		"a mark that is the key": {"Bag: Unique Shelf: Mark must not contain SK, which is part of the guard's key or of Owner", func(s *entity.Spec[bag]) {
			guarded(s)
			s.Unique[0].Mark = map[string]string{"SK": "x"}
		}},
		"a mark that is the owner": {"Bag: Unique Shelf: Mark must not contain BagId, which is part of the guard's key or of Owner", func(s *entity.Spec[bag]) {
			guarded(s)
			s.Unique[0].Mark = map[string]string{"BagId": "x"}
		}},
	} {
		made := func() { bagOf(test.edit) }
		if test.says == "" {
			assert.NotPanics(t, made, name)
		} else {
			assert.PanicsWithValue(t, "entity.New: "+test.says, made, name)
		}
	}
}

// The operations are named by Operations, or else by Name.
func TestOperationsDefault(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "bags", bagOf().Operations)
	assert.Equal(t, "Bag", bagOf(func(s *entity.Spec[bag]) { s.Operations = "" }).Operations)
}

// step is a call of Follow; nil values are "".
type step struct{ before, after string }

func ownerOf(b *bag) string {
	if b == nil {
		return ""
	}
	return b.ID + ":" + b.Owner
}

// logged has a log item follow each bag, and tells the calls.
func logged(steps *[]step) func(*entity.Spec[bag]) {
	return func(s *entity.Spec[bag]) {
		s.Follow = func(tx *dynastay.Tx, before, after *bag) error {
			*steps = append(*steps, step{ownerOf(before), ownerOf(after)})
			if after == nil {
				tx.Delete(bagTable, logKey(before.ID))
				return nil
			}
			if after.Owner == "errBoom" {
				return errBoom
			}
			item := bagTable.Key.Of(logKey(after.ID))
			item["Owner"] = dynastay.Text(after.Owner)
			tx.Put(bagTable, item)
			return nil
		}
	}
}

func logKey(id string) dynastay.Key { return dynastay.Key{PK: "BAG#" + id, SK: "LOG"} }

// What follows an entity is written in the transaction of every create, update and delete, and of nothing else.
func TestFollow(t *testing.T) {
	t.Parallel()
	var steps []step
	c := openCloakroom(t, logged(&steps))
	owner := func(name string) func(*bag) error { return func(b *bag) error { b.Owner = name; return nil } }
	update := func(fn func(*bag) error) (err error) {
		_, err = c.Update(t.Context(), bagKey("1"), fn)
		return err
	}
	log := func() string { return dynastay.RowOf(c.item(logKey("1"))).Text("Owner") }

	assert.Equal(t, []string{"TransactWriteItems"}, c.sent(func() { c.create(bag{ID: "1", Owner: "john"}) }))
	assert.Equal(t, "john", log())
	assert.Equal(t, []string{"GetItem", "TransactWriteItems"}, c.sent(func() { require.NoError(t, update(owner("jane"))) }))
	assert.Equal(t, "jane", log())
	assert.Equal(t, []string{"GetItem"}, c.sent(func() { require.NoError(t, update(owner("jane"))) }), "nothing changed")
	assert.Equal(t, []step{{"", "1:john"}, {"1:john", "1:jane"}}, steps)

	c.before("TransactWriteItems", func(ctx context.Context) {
		_, err := c.elsewhere().Update(ctx, bagKey("1"), owner("jack"))
		assert.NoError(t, err)
	})
	require.NoError(t, update(owner("jim")))
	assert.Equal(t, []step{{"1:jane", "1:jim"}, {"1:jack", "1:jim"}}, steps[2:], "before is what is stored")

	assert.Equal(t, []string{"GetItem", "TransactWriteItems"}, c.sent(func() { require.NoError(t, c.Delete(t.Context(), bagKey("1"))) }))
	assert.Equal(t, step{"1:jim", ""}, steps[4])
	assert.Nil(t, c.item(logKey("1")))
	assert.ErrorIs(t, c.Delete(t.Context(), bagKey("1")), dynastay.ErrNotFound)
	assert.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing()))
	assert.Len(t, steps, 5, "there is nothing to follow")
}

// Its errors pass unchanged, and nothing is written.
func TestFollowFails(t *testing.T) {
	t.Parallel()
	var steps []step
	c := openCloakroom(t, logged(&steps))
	_, err := c.Create(t.Context(), &bag{ID: "1", Owner: "errBoom"})
	assert.Same(t, errBoom, err)
	assert.Empty(t, c.ids())
	c.create(bag{ID: "1", Owner: "john"})
	_, err = c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "errBoom"; return nil })
	assert.Same(t, errBoom, err)
	assert.Equal(t, dynastay.Text("john"), c.item(bagKey("1"))["Owner"])

	failing := entity.NewTable(c.db.DB, bagOf(func(s *entity.Spec[bag]) {
		s.Follow = func(*dynastay.Tx, *bag, *bag) error { return errBoom }
	}))
	assert.Same(t, errBoom, failing.Delete(t.Context(), bagKey("1")))
	assert.NotNil(t, c.item(bagKey("1")))
}

// What follows an entity can have a copy of it, with the times and the version that are written.
func TestFollowSeesWhatIsWritten(t *testing.T) {
	t.Parallel()
	var after []bag
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Follow = func(_ *dynastay.Tx, _, now *bag) error {
			after = append(after, *now)
			return nil
		}
	})
	c.create(bag{ID: "1", Owner: "john"})
	c.db.Clock.Advance(time.Minute)
	changed, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "jane"; return nil })
	require.NoError(t, err)
	changed.WriteID = after[1].WriteID // only the write itself has its id
	assert.Equal(t, *changed, after[1])
	assert.Equal(t, []int{1, 2}, []int{after[0].Version, after[1].Version})
	assert.Equal(t, noon, after[0].UpdatedAt)
	assert.Equal(t, noon.Add(time.Minute), after[1].UpdatedAt)
}

// The time to live follows from a time; without one the item stays.
func TestTTL(t *testing.T) {
	t.Parallel()
	e := bagOf(func(s *entity.Spec[bag]) {
		s.Derived = append(s.Derived, entity.TTL("ExpiresAt", func(b *bag) time.Time { return b.CreatedAt }))
	})
	item, err := e.Item(&bag{ID: "1", CreatedAt: noon})
	require.NoError(t, err)
	assert.Equal(t, dynastay.Number(int(noon.Unix())), item["ExpiresAt"])
	item, err = e.Item(&bag{ID: "1"})
	require.NoError(t, err)
	assert.NotContains(t, item, "ExpiresAt")
}

// The stored form of a value has no write id, though the value may have one, and no key that DynamoDB would refuse.
func TestItem(t *testing.T) {
	t.Parallel()
	spec := entity.Spec[tagged]{
		Name: "Tagged", Schema: bagTable, Codec: entity.Tagged[tagged](),
		Key: func(v *tagged) (dynastay.Key, error) { return dynastay.Key{PK: "TAGGED#" + v.ID, SK: v.Beside}, nil },
	}
	item, err := entity.New(spec).Item(&tagged{ID: "1", Beside: "x", WriteID: "AAAAAAAAAAAAAAAA"})
	require.NoError(t, err)
	assert.NotContains(t, item, "WriteId")
	assert.Equal(t, dynastay.Text("1"), item["ID"])
	_, err = entity.New(spec).Item(&tagged{ID: "1"})
	assert.Equal(t, "must not be empty", invalid(t, err, "Key.SK"))
}
