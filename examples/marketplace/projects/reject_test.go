package projects_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// A rejection that fails leaves the project listed, even if the item could be deleted.
func TestRejectionThatFails(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(2)
	p := s.post()
	s.bid(p.ID, w[0], "1")
	s.bid(p.ID, w[1], "1")
	_, err := s.repo.Accept(t.Context(), projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("1")})
	require.NoError(t, err)
	db := s.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 2, Base: time.Millisecond, Cap: time.Millisecond}})
	stop := s.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "UpdateItem", Nth: 1, Times: 100, Optional: true})
	n, err := projects.New(db, people.New(db, nil), nil).RejectRest(t.Context(), p.ID)
	require.ErrorIs(t, err, dynastay.ErrThrottled)
	assert.Zero(t, n)
	stop.Stop()
	assert.Len(t, all(t, s.repo.Rejecting()), 1)
	n, err = s.repo.RejectRest(t.Context(), p.ID)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
}
