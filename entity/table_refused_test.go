package entity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// An index that does not copy the entities whole is refused: what it holds would be taken for them.
func TestQueryOfAnIndex(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Indexes = map[string]func(*bag) (dynastay.Key, error){"ByOwner": func(b *bag) (dynastay.Key, error) {
			return dynastay.Key{PK: "OWNER#" + b.Owner, SK: "BAG#" + b.ID}, nil
		}}
	})
	made := c.create(bag{ID: "1", Owner: "john"})
	c.create(bag{ID: "2", Owner: "jane"})
	page, err := c.List(dynastay.Query{Name: "bags.ByOwner", Index: "ByOwner", Partition: "OWNER#john"}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Equal(t, []*bag{made}, page.Items)

	cats := openCattery(t)
	assert.Empty(t, cats.sent(func() {
		_, err := cats.List(dynastay.Query{Name: "cats.ByName", Index: byName.Name, Partition: "NAME#tom"}).Page(t.Context(), dynastay.Paging{})
		assert.Equal(t, "ByName does not project all attributes; use dynastay.ListOf to read its rows", invalid(t, err, "Index"))
	}))
}

// Otherwise, items that depend on the entity would be left behind.
func TestPutIsRefused(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*entity.Spec[bag]){"guarded": guarded, "followed": followed} {
		c := openCloakroom(t, edit)
		assert.Empty(t, c.sent(func() {
			_, err := c.Put(t.Context(), &bag{ID: "1"})
			reason := invalid(t, err, "")
			assert.Equal(t, "Bag cannot be put because other items depend on it; use Create or Update instead", reason, name)
		}))
	}
}

// A change to what the library writes is refused with the field's name, and nothing is written.
func TestKeptFieldsAreRefused(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	made := c.create(bag{ID: "1", Owner: "john", Weight: 7, Moves: 3})
	for field, edit := range map[string]func(*bag){
		"ID":        func(b *bag) { b.ID = "2" },
		"CreatedAt": func(b *bag) { b.CreatedAt = noon.Add(time.Hour) },
		"UpdatedAt": func(b *bag) { b.UpdatedAt = time.Time{} },
		"Version":   func(b *bag) { b.Version++ },
		"Weight":    func(b *bag) { b.Weight = 0 },
		"Moves":     func(b *bag) { b.Moves++ },
	} {
		assert.Equal(t, []string{"GetItem"}, c.sent(func() {
			_, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "jane"; edit(b); return nil })
			assert.EqualError(t, err, "invalid "+field+": is managed by the library and cannot be changed")
		}))
	}
	read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, read)
}

// A bag's key that is made of another field does not change either.
func TestKeyIsRefused(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Key = func(b *bag) (dynastay.Key, error) {
			if strings.Contains(b.Owner, "#") {
				return dynastay.Key{}, dynastay.Invalid("owner", "holds a #")
			}
			return bagKey(b.Owner), nil
		}
	})
	c.create(bag{Owner: "john@example.com"})
	for owner, says := range map[string]string{
		"jane": "invalid: the key of Bag BAG#***/METADATA cannot be changed", "#": "invalid Owner: holds a #",
	} {
		assert.Equal(t, []string{"GetItem"}, c.sent(func() {
			_, err := c.Update(t.Context(), bagKey("john@example.com"), func(b *bag) error { b.Owner = owner; return nil })
			assert.EqualError(t, err, says)
		}))
	}
}

// Options that are not for updates are refused before any request.
func TestUpdateRefusesOptions(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	e := bagOf(func(s *entity.Spec[bag]) { s.Version = "" })
	unversioned := entity.NewTable(c.db.DB, e)
	update := func(table *entity.Table[bag], option dynastay.UpdateOption) error {
		_, err := table.Update(t.Context(), bagKey("1"), func(*bag) error { return errBoom }, option)
		return err
	}
	assert.Empty(t, c.sent(func() {
		assert.Equal(t, "applies only to deletes; an update requires an existing Bag", invalid(t, update(c.Table, dynastay.OrMissing()), "OrMissing"))
		assert.Equal(t, "is not supported: Bag has no version", invalid(t, update(unversioned, dynastay.IfVersion(1)), "IfVersion"))
		invalid(t, update(c.Table, dynastay.IfWritten("x")), "WriteID")
		assert.Equal(t, "must be at most 4096 bytes in total, got 4097",
			invalid(t, update(c.Table, dynastay.AgreedOn(strings.Repeat("a", 4096), "b")), "AgreedOn"))
	}))
	assert.ErrorIs(t, update(c.Table, dynastay.AgreedOn(strings.Repeat("a", 4096))), dynastay.ErrNotFound)
	assert.NoError(t, e.CheckUpdate(dynastay.IfWritten("AAAAAAAAAAAAAAAA")))
}

// Unsupported options are refused before any request.
func TestDeleteRefuses(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) { s.Version = "" })
	assert.Empty(t, c.sent(func() {
		err := c.Delete(t.Context(), bagKey("1"), dynastay.IfVersion(1))
		assert.Equal(t, "is not supported: Bag has no version", invalid(t, err, "IfVersion"))
		invalid(t, c.Delete(t.Context(), bagKey("1"), dynastay.IfWritten("x")), "WriteID")
	}))
}

// An unreadable item does not show what depends on it, so it is not deleted.
func TestDeleteOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, guarded)
	c.foreign("1", dynastay.Item{"Owner": dynastay.Number(1)})
	err := c.Delete(t.Context(), bagKey("1"))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.NotNil(t, c.item(bagKey("1")))
}

// Another item's key is not a badge's: whoever deletes a door's guard by it lets the door have a second badge.
func TestDeleteOfAnotherItem(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, badgesTable))
	badges := entity.NewTable(db.DB, entity.New(badgeSpec("")))
	_, err := badges.Create(t.Context(), &badge{ID: "1", Door: "front", Holder: "ada"})
	require.NoError(t, err)
	err = badges.Delete(t.Context(), dynastay.Key{PK: "DOOR#front"})
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorContains(t, err, "DOOR#front must be the key of a Badge")
	_, err = badges.Create(t.Context(), &badge{ID: "2", Door: "front", Holder: "bob"})
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
}

// An index in which an entity has no key holds none of it.
func TestListOfAnIndexWithoutAKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, badgesTable))
	badges := entity.NewTable(db.DB, entity.New(badgeSpec("")))
	_, err := badges.List(dynastay.Query{Index: "Other", Partition: "x"}).Page(t.Context(), dynastay.Paging{})
	assert.EqualError(t, err, "invalid Index: Other is not an index of Badge")
	_, err = badges.List(dynastay.Query{Index: "ByHolder", Partition: "x"}).Page(t.Context(), dynastay.Paging{})
	assert.NoError(t, err)

	type tagged struct {
		ID    string `dynamodbav:"badgeId"`
		Other string `dynamodbav:"otherPK"`
	}
	own := entity.NewTable(db.DB, entity.New(entity.Spec[tagged]{
		Name: "Tagged", Schema: badgesTable, Codec: entity.Tagged[tagged](),
		Key: func(v *tagged) (dynastay.Key, error) { return dynastay.Key{PK: v.ID}, nil },
	}))
	_, err = own.List(dynastay.Query{Index: "Other", Partition: "x"}).Page(t.Context(), dynastay.Paging{})
	assert.NoError(t, err, "it declares the index's key itself")
}
