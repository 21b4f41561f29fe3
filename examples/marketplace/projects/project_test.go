package projects_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// A project from the post to its completion, in all lists at every step.
func TestLifeOfAProject(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(3)
	p, err := s.repo.Post(ctx, foundation)
	require.NoError(t, err)
	assert.Equal(t, projects.Open, p.Status)
	assert.Equal(t, 1, p.Version)
	assert.Equal(t, 1, s.profile(buyer).Projects)
	assert.Equal(t, p.ID, all(t, s.repo.ByStatus(projects.Open))[0].ID)
	assert.Equal(t, p.ID, all(t, s.repo.ProjectsOf(buyer))[0].ID)

	for i, quote := range []string{"65000", "70000.50", "60000"} {
		s.Clock.Advance(time.Minute)
		b, err := s.repo.Bid(ctx, offer(p.ID, w[i], quote))
		require.NoError(t, err)
		assert.Equal(t, projects.Pending, b.Status)
		assert.Equal(t, "Mr "+w[i], b.WorkerName)
	}
	_, err = s.repo.Bid(ctx, offer(p.ID, w[0], "1"))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	pending := all(t, s.repo.BidsByStatus(projects.Pending))
	require.Len(t, pending, 3)
	assert.Equal(t, w[2], pending[0].WorkerID, "the newest first")
	assert.Equal(t, 3, all(t, s.repo.ByStatus(projects.Open))[0].Bids)

	_, err = s.repo.Withdraw(ctx, p.ID, w[2])
	require.NoError(t, err)
	_, err = s.repo.Withdraw(ctx, p.ID, w[2])
	var bid *projects.BidStatusError
	require.ErrorAs(t, err, &bid)
	assert.Equal(t, projects.Withdrawn, bid.Status)
	again, err := s.repo.Bid(ctx, offer(p.ID, w[2], "59000"))
	require.NoError(t, err)
	assert.Equal(t, pending[0].ID, again.ID)
	assert.Equal(t, pending[0].CreatedAt, again.CreatedAt)
	assert.Equal(t, zar("59000"), again.Quote)
	assert.Len(t, all(t, s.repo.BidsOf(w[2])), 1)
	_, err = s.repo.Revise(ctx, p.ID, w[0], func(b *projects.Bid) error { b.Quote = zar("64000"); return nil })
	require.NoError(t, err)

	p, err = s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("64000")})
	require.NoError(t, err)
	assert.Equal(t, projects.InProgress, p.Status)
	assert.Equal(t, w[0], p.AcceptedWorkerID)
	assert.Equal(t, 3, p.Bids)
	lost := func() {
		t.Helper()
		want := map[string]projects.BidStatus{w[0]: projects.Accepted, w[1]: projects.Rejected, w[2]: projects.Rejected}
		for _, b := range all(t, s.repo.Bids(p.ID)) {
			assert.Equal(t, want[b.WorkerID], b.Status, b.WorkerID)
		}
		for id, status := range want {
			mine := all(t, s.repo.BidsOf(id))
			require.Len(t, mine, 1)
			assert.Equal(t, status, mine[0].Status)
			assert.Equal(t, projects.InProgress, mine[0].Project.Status)
		}
	}
	lost() // from the first moment
	waiting := all(t, s.repo.Rejecting())
	require.Len(t, waiting, 1)
	assert.Equal(t, projects.Rejection{ProjectID: p.ID, At: s.Clock.Now()}, *waiting[0])
	n, err := s.repo.RejectRest(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	lost()
	assert.Empty(t, all(t, s.repo.Rejecting()))
	assert.Empty(t, all(t, s.repo.BidsByStatus(projects.Pending)))
	assert.Len(t, all(t, s.repo.BidsByStatus(projects.Rejected)), 2)

	p, err = s.repo.Complete(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, projects.Completed, p.Status)
	done := s.profile(w[0])
	assert.Equal(t, []any{1, 1, 1.0}, []any{done.Jobs, done.Ended, done.CompletionRate})
	assert.Empty(t, all(t, s.repo.ByStatus(projects.Open)))
	assert.Len(t, all(t, s.repo.ByStatus(projects.Completed)), 1)
}
