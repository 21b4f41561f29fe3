package entity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

func TestGetAll(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	one, two := c.create(bag{ID: "1", Owner: "john"}), c.create(bag{ID: "2"})
	all, err := c.GetAll(t.Context(), []dynastay.Key{bagKey("2"), bagKey("missing"), bagKey("1")}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []*bag{two, nil, one}, all)

	_, err = c.GetAll(t.Context(), []dynastay.Key{{}}, dynastay.Consistent)
	invalid(t, err, "Keys[0].PK")
	c.foreign("3", dynastay.Item{"Owner": dynastay.Number(1)})
	_, err = c.GetAll(t.Context(), []dynastay.Key{bagKey("1"), bagKey("3")}, dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.ErrorContains(t, err, "Bag BAG#3/METADATA (Owner)")
}

func TestGet(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	_, err := c.Get(t.Context(), bagKey("1"))
	assert.Equal(t, &dynastay.Error{Entity: "Bag", ID: "BAG#1/METADATA", Kind: dynastay.ErrNotFound}, err)
	c.foreign("1", dynastay.Item{"Owner": dynastay.Number(1)})
	_, err = c.Get(t.Context(), bagKey("1"))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}

// What a write rests on is read consistently, and so is what a repetition answers with.
func TestReadingsAreConsistent(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, guarded)
	readings := func(f func()) (consistent []bool) {
		stop := c.db.Faults.Record()
		f()
		for _, r := range stop() {
			if r.Operation == "GetItem" {
				consistent = append(consistent, strings.Contains(string(r.Body), `"ConsistentRead":true`))
			}
		}
		return consistent
	}
	create := func() {
		_, err := c.Create(t.Context(), &bag{ID: "1"}, keyed)
		require.NoError(t, err)
	}
	create()
	assert.Equal(t, []bool{true}, readings(create), "the record comes with the refusal")
	assert.Equal(t, []bool{true}, readings(func() {
		_, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "x"; return nil })
		require.NoError(t, err)
	}))
	_, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Shelf = "3"; return nil })
	require.NoError(t, err)
	assert.Equal(t, []bool{true, true}, readings(func() {
		_, err := c.Find(t.Context(), "Shelf", &bag{Shelf: "3"})
		require.NoError(t, err)
	}), "the guard and the bag")
	assert.Equal(t, []bool{true}, readings(func() { require.NoError(t, c.Delete(t.Context(), bagKey("1"))) }))
	assert.Equal(t, []bool{false}, readings(func() { _, _ = c.Get(t.Context(), bagKey("1")) }))
}

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
		assert.Equal(t, "ByName does not project all attributes; use dynastay.List to read its rows", invalid(t, err, "Index"))
	}))
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
