package projects_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/keys/key"
)

// A page whose partition is sharded has all of it.
func TestShards(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	repo := projects.New(s.DB.DB, s.people, &projects.Options{Shards: key.Shards{Write: 3, Read: 3}})
	w := s.workers(1)[0]
	shards, shardsOfBids := map[string]bool{}, map[string]bool{}
	for range 12 {
		p, err := repo.Post(t.Context(), foundation)
		require.NoError(t, err)
		_, err = repo.Bid(t.Context(), offer(p.ID, w, "1"))
		require.NoError(t, err)
		row, err := s.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "PROJECT#" + p.ID, SK: "METADATA"})
		require.NoError(t, err)
		shards[row.Text("GSI2PK")] = true
		row, err = s.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "PROJECT#" + p.ID, SK: "BID#" + w})
		require.NoError(t, err)
		shardsOfBids[row.Text("GSI2PK")] = true
	}
	assert.Greater(t, len(shards), 1)
	assert.Greater(t, len(shardsOfBids), 1)
	assert.Len(t, all(t, repo.ByStatus(projects.Open)), 12)
	assert.Len(t, all(t, repo.BidsByStatus(projects.Pending)), 12)
}

// The newest comes first, in every list.
func TestListsAreInOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(1)[0]
	older := s.post()
	s.Clock.Advance(time.Minute)
	newer := s.post()
	s.bid(older.ID, w, "1")
	s.Clock.Advance(time.Minute)
	s.bid(newer.ID, w, "1")
	want := []string{newer.ID, older.ID}
	for _, list := range []dynastay.List[*projects.Project]{s.repo.ByStatus(projects.Open), s.repo.ProjectsOf(buyer)} {
		found := all(t, list)
		require.Len(t, found, 2)
		assert.Equal(t, want, []string{found[0].ID, found[1].ID})
	}
	pending := all(t, s.repo.BidsByStatus(projects.Pending))
	assert.Equal(t, want, []string{pending[0].ProjectID, pending[1].ProjectID})
	mine := all(t, s.repo.BidsOf(w))
	assert.Equal(t, want, []string{mine[0].ProjectID, mine[1].ProjectID})
}
