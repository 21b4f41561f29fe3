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

// The number of shards is raised in the documented order. At every moment, every process lists every property once, and
// a page that follows one from before the change continues there.
func TestListsWhileShardsAreRaised(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	before := properties.New(db.DB, nil)
	reading := properties.New(db.DB, &properties.Options{
		TypeShards: key.Shards{Write: 1, Read: 3}, FeaturedShards: key.Shards{Write: 1, Read: 2},
	})
	writing := properties.New(db.DB, &properties.Options{
		TypeShards: key.Shards{Write: 3, Read: 3}, FeaturedShards: key.Shards{Write: 2, Read: 2},
	})
	lists := map[string]func(*properties.Repository) cardList{
		"ByType": func(r *properties.Repository) cardList {
			return r.ByType(properties.TypeQuery{Type: properties.Hotel})
		},
		"Featured": (*properties.Repository).Featured,
	}
	var all []string
	add := func(repo *properties.Repository, n int) {
		for range n {
			id := fmt.Sprintf("p%02d", len(all))
			create(t, repo, grand(id, func(p *properties.Property) { p.FeaturedScore = len(all) / 3 }))
			all = append([]string{id}, all...) // the highest score and the highest id first
		}
	}
	check := func(repos ...*properties.Repository) {
		t.Helper()
		for name, list := range lists {
			for _, repo := range repos {
				assert.Equal(t, all, ids(listed(t, list(repo))), name)
			}
		}
	}
	touch := func(repo *properties.Repository, id string) {
		_, err := repo.Update(t.Context(), id, edit(func(p *properties.Property) { p.FeaturedScore++ }))
		require.NoError(t, err)
		_, err = repo.Update(t.Context(), id, edit(func(p *properties.Property) { p.FeaturedScore-- }))
		require.NoError(t, err)
	}

	add(before, 9)
	check(before, reading)
	cursors := map[string]dynastay.Cursor{}
	for name, list := range lists {
		page, err := list(before).Page(t.Context(), dynastay.Paging{Limit: 4})
		require.NoError(t, err)
		assert.Equal(t, all[:4], ids(page.Items))
		cursors[name] = page.Next
	}

	for _, id := range []string{"p01", "p04", "p08"} {
		touch(writing, id)
	}
	for name, list := range lists {
		page, err := list(reading).Page(t.Context(), dynastay.Paging{After: cursors[name]})
		require.NoError(t, err)
		assert.Equal(t, all[4:], ids(page.Items), name)
	}
	add(writing, 6)
	add(reading, 3)
	check(reading, writing)
	touch(reading, "p04") // by a process that does not write to the shards yet
	touch(writing, "p16")
	check(reading, writing)

	partitions := map[string]int{}
	for _, id := range all {
		row := dynastay.RowOf(stored(t, db, id))
		partitions[row.Text("GSI4PK")]++
		partitions[row.Text("GSI5PK")]++
	}
	assert.Len(t, partitions, 3+2, "some rows are in each shard")
	for name, shards := range map[string]int{"ByType": 3, "Featured": 2} {
		stop := db.Faults.Record()
		_, err := lists[name](reading).Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		assert.Len(t, stop(), shards, name)
	}
}
