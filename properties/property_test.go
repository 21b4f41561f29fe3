package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

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
