package entity_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

var (
	byName = dynastay.Index{Name: "ByName", Key: dynastay.KeyNames{Partition: "NamePK", Sort: "NameSK"}, Project: dynastay.ProjectKeys}
	cats   = &dynastay.Schema{
		Name: "Cats", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}, Indexes: []dynastay.Index{byName},
	}
)

// cat has a name that no other cat has, whatever its case; a stray has none.
type cat struct {
	ID, Name string
	Lives    int
}

func catKey(id string) dynastay.Key { return dynastay.Key{PK: "CAT#" + id, SK: "METADATA"} }

func guardKey(name string) dynastay.Key { return dynastay.Key{PK: "NAME#" + name, SK: "GUARD"} }

// guardOf takes no name with a "#" in it, as keys do not.
func guardOf(c *cat) (dynastay.Key, error) {
	switch name := strings.ToLower(strings.TrimSpace(c.Name)); {
	case name == "":
		return dynastay.Key{}, nil
	case strings.Contains(name, "#"):
		return guardKey(name), dynastay.Invalid("CALLED", "holds a #")
	default:
		return guardKey(name), nil
	}
}

func catSpec(edits ...func(*entity.Spec[cat])) *entity.Entity[cat] {
	spec := entity.Spec[cat]{
		Name: "Cat", Operations: "cats", Schema: cats,
		Key:  func(c *cat) (dynastay.Key, error) { return catKey(c.ID), nil },
		IDOf: func(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "CAT#") },
		Codec: entity.Declare(func(f *entity.Fields, c *cat) {
			f.String("CatId", &c.ID)
			f.String("Called", &c.Name)
			f.Int("Lives", &c.Lives)
		}),
		Unique: []entity.Unique[cat]{{
			Field: "Name", Guard: guardOf, Owner: []string{"CatId"}, Mark: map[string]string{"Kind": "Guard"},
			Index: byName.Name,
			Partition: func(c *cat) (string, error) {
				at, err := guardOf(c)
				return at.PK, err
			},
		}},
	}
	for _, edit := range edits {
		edit(&spec)
	}
	return entity.New(spec)
}

// cattery is a table in which the index shows what a test wants it to show, whatever the cats' names are: a lagging index
// is one whose keys do not follow from the names.
type cattery struct {
	t  *testing.T
	db *dyntest.DB
	*entity.Table[cat]
	// before is called before each reading of a cat.
	before func(id string, consistent bool)
	loads  []string
}

func openCattery(t *testing.T, edits ...func(*entity.Spec[cat])) *cattery {
	t.Helper()
	db := dyntest.New(t, dyntest.OnlyTables(cats))
	return &cattery{t: t, db: db, Table: entity.NewTable(db.DB, catSpec(edits...))}
}

func (c *cattery) put(key dynastay.Key, attributes dynastay.Item) {
	c.t.Helper()
	item := cats.Key.Of(key)
	for name, v := range attributes {
		item[name] = v
	}
	_, err := c.db.Engine.Client().PutItem(c.t.Context(), &dynamodb.PutItemInput{TableName: aws.String(c.db.TableName(cats)), Item: item})
	require.NoError(c.t, err)
}

// cat puts a cat that has a name, and is in the index under another one, "" for none, as other software would.
func (c *cattery) cat(id, name, indexed string) {
	c.t.Helper()
	item := dynastay.Item{"CatId": dynastay.Text(id), "Called": dynastay.Text(name)}
	if indexed != "" {
		item["NamePK"], item["NameSK"] = dynastay.Text("NAME#"+indexed), dynastay.Text("CAT")
	}
	c.put(catKey(id), item)
}

func (c *cattery) guard(name, id string) {
	c.t.Helper()
	c.put(guardKey(name), dynastay.Item{"CatId": dynastay.Text(id)})
}

func (c *cattery) remove(key dynastay.Key) {
	c.t.Helper()
	_, err := c.db.Engine.Client().DeleteItem(c.t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(c.db.TableName(cats)), Key: cats.Key.Of(key),
	})
	require.NoError(c.t, err)
}

func (c *cattery) load(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*cat, error) {
	id := strings.TrimPrefix(key.PK, "CAT#")
	if c.before != nil {
		c.before(id, slices.Contains(opts, dynastay.Consistent))
	}
	if slices.Contains(opts, dynastay.Consistent) {
		id += " consistently"
	}
	c.loads = append(c.loads, id)
	return c.Get(ctx, key, opts...)
}

func (c *cattery) find(name string) (*cat, error) {
	return entity.FindWith(c.t.Context(), c.Table, "Name", &cat{Name: name}, c.load, func(found *cat) *cat { return found })
}

// stored is what the table has: the owners of the guards by the names that they guard, and the cats' names by their ids.
func (c *cattery) stored() (guards, names map[string]string) {
	c.t.Helper()
	out, err := c.db.Engine.Client().Scan(c.t.Context(), &dynamodb.ScanInput{
		TableName: aws.String(c.db.TableName(cats)), ConsistentRead: aws.Bool(true),
	})
	require.NoError(c.t, err)
	guards, names = map[string]string{}, map[string]string{}
	for _, item := range out.Items {
		row := dynastay.RowOf(item)
		if name, guard := strings.CutPrefix(row.Text("PK"), "NAME#"); guard {
			guards[name] = row.Text("CatId")
		} else {
			names[row.Text("CatId")] = row.Text("Called")
		}
	}
	return guards, names
}

func (c *cattery) assertStored(guards, names map[string]string) {
	c.t.Helper()
	gotGuards, gotNames := c.stored()
	assert.Equal(c.t, guards, gotGuards, "the guards")
	assert.Equal(c.t, names, gotNames, "the cats")
}

// sent are the operations of the requests that f sends.
func (c *cattery) sent(f func()) (operations []string) {
	stop := c.db.Faults.Record()
	f()
	for _, r := range stop() {
		operations = append(operations, r.Operation)
	}
	return operations
}

func assertNotFound(t *testing.T, err error, name string) {
	t.Helper()
	assert.Equal(t, &dynastay.Error{Op: "cats.Find", Entity: "Cat", ID: "NAME#" + name, Field: "Name", Kind: dynastay.ErrNotFound}, err)
}

func assertTaken(t *testing.T, err error, operation, id string) {
	t.Helper()
	assert.Equal(t, &dynastay.Error{Op: operation, Entity: "Cat", ID: id, Field: "Name", Kind: dynastay.ErrAlreadyExists}, err)
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		cattery  func(c *cattery)
		want     string // the id, "" for nobody
		loads    []string
		requests int
	}{
		{"as almost always", func(c *cattery) {
			c.cat("tom", "Tom", "tom")
			c.guard("tom", "tom")
		}, "tom", []string{"tom"}, 2},
		{"without a guard", func(c *cattery) { c.cat("tom", "Tom", "tom") }, "tom", []string{"tom"}, 2},
		{"nobody", func(*cattery) {}, "", nil, 2},
		{"the index does not show the new owner yet", func(c *cattery) {
			c.cat("tom", "Tom", "")
			c.guard("tom", "tom")
		}, "tom", []string{"tom consistently"}, 3},
		{"the index still shows the old owner", func(c *cattery) {
			c.cat("old", "Oldie", "tom")
			c.cat("tom", "Tom", "")
			c.guard("tom", "tom")
		}, "tom", []string{"old", "tom consistently"}, 4},
		{"the index still shows the old owner, and nobody has the name now", func(c *cattery) {
			c.cat("old", "Oldie", "tom")
		}, "", []string{"old"}, 3},
		{"the index still shows the old owner, whose name no guard can have", func(c *cattery) {
			c.cat("old", "Old#ie", "tom")
			c.cat("tom", "Tom", "")
			c.guard("tom", "tom")
		}, "tom", []string{"old", "tom consistently"}, 4},
		{"the index shows both", func(c *cattery) {
			c.cat("old", "Oldie", "tom")
			c.cat("tom", "Tom", "tom")
			c.guard("tom", "tom")
		}, "tom", []string{"tom consistently"}, 3},
		{"the index still shows one that is gone", func(c *cattery) {
			c.cat("tom", "Tom", "tom")
			c.guard("tom", "tom")
			c.before = func(string, bool) { c.remove(catKey("tom")) }
		}, "", []string{"tom", "tom consistently"}, 4},
		{"the guard's owner is gone", func(c *cattery) { c.guard("tom", "tom") }, "", []string{"tom consistently"}, 3},
		{"the owner gives the name up after the guard was read", func(c *cattery) {
			c.cat("tom", "Tom", "")
			c.guard("tom", "tom")
			c.before = func(string, bool) { c.cat("tom", "Thomas", "") }
		}, "", []string{"tom consistently"}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := openCattery(t)
			test.cattery(c)
			var got *cat
			var err error
			sent := c.sent(func() { got, err = c.find(" TOM ") })
			assert.Equal(t, test.loads, c.loads)
			assert.Len(t, sent, test.requests)
			assert.Equal(t, "Query", sent[0])
			if test.want == "" {
				assertNotFound(t, err, "tom")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, &cat{ID: test.want, Name: "Tom"}, got)
		})
	}
}

// Find reads the entity itself. Without an index it asks the guard at once.
func TestFindWithoutAnIndex(t *testing.T) {
	t.Parallel()
	c := openCattery(t, func(s *entity.Spec[cat]) { s.Unique[0].Index, s.Unique[0].Partition = "", nil })
	made, err := c.Create(t.Context(), &cat{ID: "tom", Name: "Tom"})
	require.NoError(t, err)
	var got *cat
	assert.Equal(t, []string{"GetItem", "GetItem"}, c.sent(func() { got, err = c.Find(t.Context(), "Name", &cat{Name: "tom"}) }))
	require.NoError(t, err)
	assert.Equal(t, made, got)
	_, err = c.Find(t.Context(), "Name", &cat{Name: "kit"})
	assertNotFound(t, err, "kit")
}

// What cannot be looked up is refused before any request, with the entity's own field name.
func TestFindRefuses(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	boom := errors.New("boom")
	broken := entity.NewTable(c.db.DB, catSpec(func(s *entity.Spec[cat]) {
		s.Unique[0].Partition = func(*cat) (string, error) { return "", boom }
	}))
	assert.Empty(t, c.sent(func() {
		_, err := c.Find(t.Context(), "Lives", &cat{Lives: 7})
		assert.EqualError(t, err, "Cat: the Spec has no Unique with Field Lives")
		assert.NotErrorIs(t, err, dynastay.ErrInvalid, "it is the program's mistake, not its caller's")
		_, err = c.Find(t.Context(), "Name", &cat{Name: "t#m"})
		assert.EqualError(t, err, "invalid Name: holds a #")
		_, err = c.Find(t.Context(), "Name", &cat{})
		assert.EqualError(t, err, "invalid Name: is required")
		_, err = broken.Find(t.Context(), "Name", &cat{Name: "Tom"})
		assert.Same(t, boom, err)
	}))
}

// Only ErrNotFound leads to a read of the guard; any other error is returned to the caller.
func TestFindFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	loading := func(c *cattery, failing bool) error { // fails with boom in the reading that is failing
		_, err := entity.FindWith(t.Context(), c.Table, "Name", &cat{Name: "Tom"},
			func(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (*cat, error) {
				if slices.Contains(opts, dynastay.Consistent) == failing {
					return nil, boom
				}
				return c.Get(ctx, key, opts...)
			}, func(found *cat) *cat { return found })
		return err
	}
	c := openCattery(t)
	c.cat("tom", "Tom", "tom")
	c.guard("tom", "tom")
	assert.Equal(t, []string{"Query"}, c.sent(func() { assert.Same(t, boom, loading(c, false)) }), "the guard is not asked")
	c.cat("tom", "Tom", "")
	assert.Equal(t, []string{"Query", "GetItem"}, c.sent(func() { assert.Same(t, boom, loading(c, true)) }))

	for operation, requests := range map[string]int{"Query": 1, "GetItem": 2} {
		denied := c.db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: operation, Nth: 1})
		var api smithy.APIError
		assert.Len(t, c.sent(func() {
			_, err := c.find("Tom")
			assert.ErrorAs(t, err, &api, operation)
			assert.NotErrorIs(t, err, dynastay.ErrNotFound, operation)
		}), requests, operation)
		assert.Equal(t, 1, denied.Hits())
	}
	assert.Empty(t, c.loads)
}

// A guard without an owner, or with an owner that is not text, is corrupt.
func TestCorruptGuard(t *testing.T) {
	t.Parallel()
	c := openCattery(t, func(s *entity.Spec[cat]) {
		s.Key = func(c *cat) (dynastay.Key, error) {
			if c.ID == "" {
				return dynastay.Key{}, dynastay.Invalid("CatId", "is required")
			}
			return catKey(c.ID), nil
		}
	})
	for name, owner := range map[string]dynastay.Item{
		"nobody": {}, "a number": {"CatId": dynastay.Number(7)},
	} {
		c.put(guardKey("tom"), owner)
		_, err := c.find("Tom")
		assert.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid, "%s: the caller is not to blame", name)
	}
}
