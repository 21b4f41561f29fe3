package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

func TestShardsReachTheKeys(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	opts := properties.Options{
		TypeShards: key.Shards{Write: 2, Read: 2}, FeaturedShards: key.Shards{Write: 3, Read: 3}, PendingShards: key.Shards{Write: 5, Read: 5},
	}
	repo := properties.New(db.DB, &opts)
	suffix := func(id string, count int) string {
		if n := key.ShardOf(id, count); n > 0 {
			return fmt.Sprint("#SHARD#", n)
		}
		return ""
	}
	sharded := 0
	for i := range 8 {
		id := fmt.Sprint("p", i)
		create(t, repo, grand(id, func(p *properties.Property) { p.Featured = true }))
		row := dynastay.RowOf(stored(t, db, id))
		assert.Equal(t, "TYPE#hotel"+suffix(id, 2), row.Text("GSI4PK"))
		assert.Equal(t, "FEATURED"+suffix(id, 3), row.Text("GSI5PK"))
		id = fmt.Sprint("q", i)
		create(t, repo, grand(id, pending))
		pendingKey := dynastay.RowOf(stored(t, db, id)).Text("GSI11PK")
		assert.Equal(t, "STATUS#pending"+suffix(id, 5), pendingKey)
		if pendingKey != "STATUS#pending" {
			sharded++
		}
	}
	assert.Positive(t, sharded)

	for field, shards := range map[string]*key.Shards{
		"TypeShards": &opts.TypeShards, "FeaturedShards": &opts.FeaturedShards, "PendingShards": &opts.PendingShards,
	} {
		was := *shards
		shards.Write++
		want := "properties.New: Options." + field + ": " + shards.Validate().Error()
		assert.PanicsWithValue(t, want, func() { properties.New(db.DB, &opts) })
		*shards = was
	}
}

// The error of a damaged card names the property. The other cards and the following pages are still returned.
func TestDamagedCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		create(t, repo, grand(id))
	}
	set(t, db, keyOf("c"), "SET Card.StarRating = :s", dynastay.Item{":s": dynastay.Text("five")})
	list := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"})
	page, err := list.Page(t.Context(), dynastay.Paging{Limit: 3})
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	require.Len(t, unreadable.Items, 1)
	assert.ErrorContains(t, unreadable.Items[0], "Card c (StarRating): unreadable item")
	assert.Equal(t, []string{"e", "d", "b"}, ids(page.Items))
	page, err = list.Page(t.Context(), dynastay.Paging{After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, ids(page.Items))
}
