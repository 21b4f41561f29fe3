package projects_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// A worker who leaves a project has ended a job without completing it; a buyer's cancellation does not count.
func TestCancellations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(1)[0]
	begin := func() *projects.Project {
		p := s.post()
		s.bid(p.ID, w, "65000")
		p, err := s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w, Quote: zar("65000")})
		require.NoError(t, err)
		return p
	}
	p := begin()
	_, err := s.repo.Complete(ctx, p.ID)
	require.NoError(t, err)
	p = begin()
	p, err = s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: w, Reason: "Ill"})
	require.NoError(t, err)
	assert.Equal(t, []any{projects.Cancelled, w, "Ill"}, []any{p.Status, p.CancelledBy, p.CancelReason})
	p = begin()
	_, err = s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: buyer})
	require.NoError(t, err)
	done := s.profile(w)
	assert.Equal(t, []any{1, 2, 0.5}, []any{done.Jobs, done.Ended, done.CompletionRate})

	p = s.post()
	s.bid(p.ID, w, "65000")
	for _, id := range []string{w, "nobody"} {
		_, err = s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: id})
		require.ErrorIs(t, err, projects.ErrNotParty, "a worker cannot cancel a project that is open")
	}
	_, err = s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: buyer})
	require.NoError(t, err)
	assert.Equal(t, projects.Rejected, all(t, s.repo.Bids(p.ID))[0].Status)
	n, err := s.repo.RejectRest(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	_, bids := s.stored(p.ID)
	assert.Equal(t, projects.Rejected, bids[w].Status)
}
