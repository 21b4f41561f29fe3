package projects_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// cost is in requests, read units, and write units on the table and on its indexes.
type cost dyntest.Bill

// metered returns a site, and a function that compares what a call costs.
func metered(t *testing.T) (s *site, costs func(what string, want cost, do func() error)) {
	s = newSite(t)
	return s, func(what string, want cost, do func() error) {
		t.Helper()
		s.Clock.Advance(time.Minute)
		dyntest.Costs(t, s.DB, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
}

func first[T any](_ T, err error) error { return err }

func page[T any](t *testing.T, l dynastay.List[T], want int) func() error {
	return func() error {
		p, err := l.Page(t.Context(), dynastay.Paging{})
		assert.Len(t, p.Items, want)
		return err
	}
}

// The costs in the documentation. A profile has rows in two indexes, which contain everything of it.
func TestCosts(t *testing.T) {
	t.Parallel()
	s, costs := metered(t)
	ctx := t.Context()
	w := s.workers(4)
	var p *projects.Project
	costs("Post", cost{2, 1, 6, 3}, func() (err error) { p, err = s.repo.Post(ctx, foundation); return err })
	for _, id := range w[:3] {
		costs("Bid", cost{2, 3, 6, 2}, func() error { return first(s.repo.Bid(ctx, offer(p.ID, id, "65000"))) })
	}
	costs("Update", cost{2, 1, 1, 1}, func() error {
		return first(s.repo.Update(ctx, p.ID, func(p *projects.Project) error { p.Title = "Foundation"; return nil }))
	})
	costs("Revise", cost{2, 2, 1, 1}, func() error {
		return first(s.repo.Revise(ctx, p.ID, w[0], func(b *projects.Bid) error { b.Quote = zar("64000"); return nil }))
	})
	costs("Withdraw", cost{2, 2, 4, 3}, func() error { return first(s.repo.Withdraw(ctx, p.ID, w[2])) })
	costs("Bid again", cost{2, 3, 4, 3}, func() error { return first(s.repo.Bid(ctx, offer(p.ID, w[2], "63000"))) })
	costs("Project", cost{1, 0.5, 0, 0}, func() error { return first(s.repo.Project(ctx, p.ID)) })
	costs("BidOf", cost{1, 0.5, 0, 0}, func() error { return first(s.repo.BidOf(ctx, p.ID, w[0])) })
	costs("ByStatus", cost{1, 0.5, 0, 0}, page(t, s.repo.ByStatus(projects.Open), 1))
	costs("BidsByStatus", cost{1, 0.5, 0, 0}, page(t, s.repo.BidsByStatus(projects.Pending), 3))
	costs("Bids", cost{2, 1.5, 0, 0}, page(t, s.repo.Bids(p.ID), 3))
	costs("BidsOf", cost{2, 2.5, 0, 0}, page(t, s.repo.BidsOf(w[0]), 1))
	costs("ProjectsOf", cost{2, 1, 0, 0}, page(t, s.repo.ProjectsOf(buyer), 1))
	costs("RejectRest of an open project", cost{1, 1, 0, 0}, func() error { return first(s.repo.RejectRest(ctx, p.ID)) })
	costs("Accept", cost{2, 2, 6, 5}, func() error {
		return first(s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("64000")}))
	})
	costs("Rejecting", cost{1, 0.5, 0, 0}, page(t, s.repo.Rejecting(), 1))
	costs("RejectRest of two bids", cost{5, 2, 3, 5}, func() error { return first(s.repo.RejectRest(ctx, p.ID)) })
	costs("Complete", cost{3, 2, 4, 4}, func() error { return first(s.repo.Complete(ctx, p.ID)) })

	p = s.post()
	costs("Cancel by the buyer", cost{2, 1, 4, 3}, func() error {
		return first(s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: buyer}))
	})
	p = s.post()
	s.bid(p.ID, w[3], "65000")
	_, err := s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[3], Quote: zar("65000")})
	require.NoError(t, err)
	costs("Cancel by the worker", cost{3, 2, 4, 4}, func() error {
		return first(s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: w[3]}))
	})
}
