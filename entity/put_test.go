package entity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// A put stores the value as it is given, and replaces an existing item.
func TestPut(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.foreign("1", dynastay.Item{"Unknown": dynastay.Text("x"), "Owner": dynastay.Number(1)})
	given := bag{ID: "1", Owner: "john", Weight: 7, Moves: 3, Version: 9, CreatedAt: noon.AddDate(-1, 0, 0)}
	v := given
	var made *bag
	assert.Equal(t, []string{"PutItem"}, c.sent(func() {
		var err error
		made, err = c.Put(t.Context(), &v)
		require.NoError(t, err)
	}))
	assert.Equal(t, given, v)
	assert.Len(t, made.WriteID, 16)
	given.WriteID = made.WriteID
	assert.Equal(t, &given, made)
	read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, read)
	assert.NotContains(t, c.item(bagKey("1")), "Unknown")
	assert.Equal(t, dynastay.Text("john/"), c.item(bagKey("1"))["Search"])

	assert.Empty(t, c.sent(func() {
		_, err := c.Put(t.Context(), &bag{Shelf: notUTF8})
		invalid(t, err, "Shelf")
		_, err = c.Put(t.Context(), nil)
		assert.EqualError(t, err, "bags.Put: invalid: Bag is nil")
	}))
	made, err = c.Put(t.Context(), &bag{Owner: "nobody"})
	require.NoError(t, err)
	assert.Empty(t, made.ID, "no id is drawn")
}

// A put that is repeated under a key has the first one's result.
func TestPutIsReplayed(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	put := func() *bag {
		v, err := c.Put(t.Context(), &bag{ID: "1", Owner: "john"}, keyed)
		require.NoError(t, err)
		return v
	}
	put()
	assert.Equal(t, map[string]string{"BagId": "1"}, c.made())
	c.relabelled(t.Context(), "1", "fragile")
	again := put()
	assert.Equal(t, []string{"fragile"}, again.Labels)
	assert.Empty(t, again.WriteID)
	require.NoError(t, c.Delete(t.Context(), bagKey("1")))
	assert.Equal(t, &bag{ID: "1", Owner: "john"}, put())
	assert.Empty(t, c.ids())
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
