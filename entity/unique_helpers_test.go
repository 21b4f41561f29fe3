package entity_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/wire"
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
	raw.Put(c.t, c.db, cats, item)
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
	raw.Delete(c.t, c.db, cats, key)
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
	guards, names = map[string]string{}, map[string]string{}
	for _, item := range raw.All(c.t, c.db, cats) {
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
	return wire.Operations(stop())
}

func assertNotFound(t *testing.T, err error, name string) {
	t.Helper()
	assert.Equal(t, &dynastay.Error{Op: "cats.Find", Entity: "Cat", ID: "NAME#" + name, Field: "Name", Kind: dynastay.ErrNotFound}, err)
}

func assertTaken(t *testing.T, err error, operation, id string) {
	t.Helper()
	assert.Equal(t, &dynastay.Error{Op: operation, Entity: "Cat", ID: id, Field: "Name", Kind: dynastay.ErrAlreadyExists}, err)
}

func (c *cattery) rename(id, name string) error {
	_, err := c.Update(c.t.Context(), catKey(id), call(name))
	return err
}
