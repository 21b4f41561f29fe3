package projects_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// Every call that is repeated with its idempotency key does nothing more, and returns what it has made as it is now;
// the key with other arguments is refused, whichever of them it is.
func TestReplays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	s.signUp("user_other", people.Buyer)
	w := s.workers(2)
	keyed := func(k string) dynastay.WriteOption { return dynastay.IdempotencyKey(k) }
	post := func(p projects.Project) (*projects.Project, error) { return s.repo.Post(ctx, p, keyed("post")) }
	var p *projects.Project
	project := func(do func() (*projects.Project, error)) *projects.Project {
		t.Helper()
		made, err := do()
		require.NoError(t, err)
		assert.NotEmpty(t, made.WriteID)
		again, err := do()
		require.NoError(t, err)
		made.WriteID = "" // of the second call there is none
		assert.Equal(t, made, again)
		return made
	}
	bid := func(do func() (*projects.Bid, error)) {
		t.Helper()
		made, err := do()
		require.NoError(t, err)
		assert.NotEmpty(t, made.WriteID)
		again, err := do()
		require.NoError(t, err)
		made.WriteID = ""
		assert.Equal(t, made, again)
	}
	refused := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}

	p = project(func() (*projects.Project, error) { return post(foundation) })
	another := foundation
	another.BuyerID = "user_other"
	refused(first(post(another)))
	another = foundation
	another.Title = "Walls"
	refused(first(post(another)))
	given := foundation
	given.Status, given.Bids, given.AcceptedBidID, given.AcceptedWorkerID = projects.Completed, 7, "b", "w"
	given.CancelledBy, given.CancelReason = buyer, "Ill"
	got, err := post(given)
	require.NoError(t, err, "what the library sets is not part of the input")
	assert.Equal(t, p.ID, got.ID)
	got, err = s.repo.Post(ctx, given)
	require.NoError(t, err)
	assert.Equal(t, []any{projects.Open, 0, "", "", string(""), ""},
		[]any{got.Status, got.Bids, got.AcceptedBidID, got.AcceptedWorkerID, got.CancelledBy, got.CancelReason})

	bid(func() (*projects.Bid, error) { return s.repo.Bid(ctx, offer(p.ID, w[0], "1"), keyed("bid")) })
	second := s.post()
	s.bid(second.ID, w[1], "1")
	refused(first(s.repo.Bid(ctx, offer(p.ID, w[1], "1"), keyed("bid"))))
	refused(first(s.repo.Bid(ctx, offer(second.ID, w[0], "1"), keyed("bid"))))
	refused(first(s.repo.Bid(ctx, offer(p.ID, w[0], "2"), keyed("bid"))))

	change := func(title string) (*projects.Project, error) {
		op := s.repo.UpdateOp(p.ID, func(p *projects.Project) error { p.Title = title; return nil }, dynastay.AgreedOn(title))
		return dynastay.Do(ctx, s.DB.DB, op, keyed("update"))
	}
	project(func() (*projects.Project, error) { return change("Walls") })
	refused(first(change("Roof")))
	revise := func(quote string) (*projects.Bid, error) {
		op := s.repo.ReviseOp(p.ID, w[0], func(b *projects.Bid) error { b.Quote = zar(quote); return nil }, dynastay.AgreedOn(quote))
		return dynastay.Do(ctx, s.DB.DB, op, keyed("revise"))
	}
	bid(func() (*projects.Bid, error) { return revise("2") })
	refused(first(revise("3")))

	s.bid(p.ID, w[1], "1")
	withdraw := func(id string) (*projects.Bid, error) { return s.repo.Withdraw(ctx, p.ID, id, keyed("withdraw")) }
	bid(func() (*projects.Bid, error) { return withdraw(w[1]) })
	refused(first(withdraw(w[0])))

	accept := func(id, quote string) (*projects.Project, error) {
		return s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: id, Quote: zar(quote)}, keyed("accept"))
	}
	project(func() (*projects.Project, error) { return accept(w[0], "2") })
	project(func() (*projects.Project, error) { return s.repo.Complete(ctx, p.ID, keyed("complete")) })
	refused(first(accept(w[1], "2")))
	refused(first(accept(w[0], "1")))
	refused(first(s.repo.Complete(ctx, second.ID, keyed("complete"))))

	cancel := func(by, reason string) (*projects.Project, error) {
		return s.repo.Cancel(ctx, projects.Cancellation{ProjectID: second.ID, By: by, Reason: reason}, keyed("cancel"))
	}
	project(func() (*projects.Project, error) { return cancel(buyer, "Ill") })
	refused(first(cancel(w[0], "Ill")))
	refused(first(cancel(buyer, "")))
	assert.Equal(t, 3, s.profile(buyer).Projects)
	assert.Equal(t, 1, s.profile(w[0]).Jobs)
}
