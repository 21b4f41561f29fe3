package entity_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// openForeignCattery returns a cattery with a cat that other software has stored, as it was read.
func openForeignCattery(t *testing.T) (*cattery, dynastay.Row) {
	c := openCattery(t)
	c.cat("tom", "Tom", "")
	row, err := c.db.Get(t.Context(), cats, catKey("tom"))
	require.NoError(t, err)
	return c, row
}

// An item of other software gets its guard, what is derived, and a write id, once.
func TestAdoptRow(t *testing.T) {
	t.Parallel()
	c, row := openForeignCattery(t)
	adopted, err := c.AdoptRow(t.Context(), row)
	require.NoError(t, err)
	assert.True(t, adopted)
	c.assertStored(map[string]string{"tom": "tom"}, map[string]string{"tom": "Tom"})
	stored, err := c.db.Get(t.Context(), cats, catKey("tom"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, dynastay.KindBinary, stored.Value("WriteId").Kind())

	for name, read := range map[string]dynastay.Row{"as it was": row, "as it is": stored} {
		adopted, err = c.AdoptRow(t.Context(), read)
		require.NoError(t, err, name)
		assert.False(t, adopted, name)
	}
	again, err := c.db.Get(t.Context(), cats, catKey("tom"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, stored, again)

	c.remove(catKey("tom"))
	adopted, err = c.AdoptRow(t.Context(), row)
	require.NoError(t, err)
	assert.False(t, adopted, "it was deleted meanwhile")
}

// While an item is adopted, other software changes it. Nothing of that is lost.
func TestAdoptRowIsConditional(t *testing.T) {
	t.Parallel()
	c, row := openForeignCattery(t)
	c.db.Faults.Inject(dyntest.Before(func(context.Context) { c.cat("tom", "Thomas", "") }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	adopted, err := c.AdoptRow(t.Context(), row)
	require.NoError(t, err)
	assert.True(t, adopted)
	c.assertStored(map[string]string{"thomas": "tom"}, map[string]string{"tom": "Thomas"})
}

// An item is deleted between the read and the write.
func TestAdoptRowOfAnItemThatIsDeleted(t *testing.T) {
	t.Parallel()
	c, row := openForeignCattery(t)
	c.db.Faults.Inject(dyntest.Before(func(context.Context) { c.remove(catKey("tom")) }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	adopted, err := c.AdoptRow(t.Context(), row)
	require.NoError(t, err)
	assert.False(t, adopted)
	c.assertStored(map[string]string{}, map[string]string{})
}
