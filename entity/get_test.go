package entity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func TestGetAll(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	one, two := c.create(bag{ID: "1", Owner: "john"}), c.create(bag{ID: "2"})
	all, err := c.GetAll(t.Context(), []dynastay.Key{bagKey("2"), bagKey("missing"), bagKey("1")}, true)
	require.NoError(t, err)
	assert.Equal(t, []*bag{two, nil, one}, all)

	_, err = c.GetAll(t.Context(), []dynastay.Key{{}}, true)
	invalid(t, err, "Keys[0].PK")
	c.foreign("3", dynastay.Item{"Owner": dynastay.Number(1)})
	_, err = c.GetAll(t.Context(), []dynastay.Key{bagKey("1"), bagKey("3")}, true)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.ErrorContains(t, err, "Bag BAG#3/METADATA (Owner)")
}

func TestGet(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	_, err := c.Get(t.Context(), bagKey("1"), false)
	assert.Equal(t, &dynastay.Error{Entity: "Bag", ID: "BAG#1/METADATA", Kind: dynastay.ErrNotFound}, err)
	c.foreign("1", dynastay.Item{"Owner": dynastay.Number(1)})
	_, err = c.Get(t.Context(), bagKey("1"), false)
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
	assert.Equal(t, []bool{true}, readings(func() { require.NoError(t, c.Delete(t.Context(), bagKey("1"))) }))
	assert.Equal(t, []bool{false}, readings(func() { _, _ = c.Get(t.Context(), bagKey("1"), false) }))
}
