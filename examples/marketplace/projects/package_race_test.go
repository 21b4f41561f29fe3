package projects_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// meanwhile lets another process do something just before the next transaction is written.
func (s *site) meanwhile(do func(context.Context, *projects.Repository) error) {
	s.Faults.Inject(dyntest.Before(func(ctx context.Context) { assert.NoError(s.t, do(ctx, s.open())) }),
		dyntest.When{Operation: "TransactWriteItems", Nth: 1})
}

// The project is closed after it was read for a bid or a withdrawal, and before that is written.
func TestBidsAreOvertakenByTheEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(3)
	for end, c := range map[projects.Status]func(id string) func(context.Context, *projects.Repository) error{
		projects.InProgress: func(id string) func(context.Context, *projects.Repository) error {
			return func(ctx context.Context, repo *projects.Repository) error {
				return first(repo.Accept(ctx, projects.Acceptance{ProjectID: id, WorkerID: w[0], Quote: zar("1")}))
			}
		},
		projects.Cancelled: func(id string) func(context.Context, *projects.Repository) error {
			return func(ctx context.Context, repo *projects.Repository) error {
				return first(repo.Cancel(ctx, projects.Cancellation{ProjectID: id, By: buyer}))
			}
		},
	} {
		for name, do := range map[string]func(id string) error{
			"Bid":       func(id string) error { return first(s.repo.Bid(t.Context(), offer(id, w[2], "1"))) },
			"Bid again": func(id string) error { return first(s.repo.Bid(t.Context(), offer(id, w[1], "1"))) },
			"Withdraw":  func(id string) error { return first(s.repo.Withdraw(t.Context(), id, w[0])) },
		} {
			p := s.post()
			s.bid(p.ID, w[0], "1")
			s.bid(p.ID, w[1], "1")
			_, err := s.repo.Withdraw(t.Context(), p.ID, w[1])
			require.NoError(t, err)
			s.meanwhile(c(p.ID))
			err = do(p.ID)
			var closed *projects.StatusError
			require.ErrorAs(t, err, &closed, name)
			assert.Equal(t, projects.StatusError{ProjectID: p.ID, Status: end}, *closed, name)
			now, bids := s.stored(p.ID)
			assert.Equal(t, 1, now.Bids, name)
			assert.Len(t, bids, 2, name)
			assert.Equal(t, projects.Withdrawn, bids[w[1]].Status, name)
		}
	}
}

// A bid is accepted after it was read for a list, and before its project is read.
func TestAcceptanceWithinAList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(2)
	p := s.post()
	s.bid(p.ID, w[0], "1")
	s.bid(p.ID, w[1], "1")
	s.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := s.direct().Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[1], Quote: zar("1")})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "GetItem", Nth: 1})
	bids := all(t, s.repo.Bids(p.ID))
	require.Len(t, bids, 2)
	assert.Equal(t, []projects.BidStatus{projects.Rejected, projects.Accepted}, []projects.BidStatus{bids[0].Status, bids[1].Status})
}

// A project without a number of bids gets one while the bids are counted for another.
func TestBidsAreCountedTwice(t *testing.T) {
	t.Parallel()
	s := other(t, dynastay.Item{"bidCount": null}, nil)
	w := s.workers(2)
	s.meanwhile(func(ctx context.Context, repo *projects.Repository) error {
		return first(repo.Bid(ctx, offer("proj001", w[0], "1")))
	})
	_, err := s.repo.Bid(t.Context(), offer("proj001", w[1], "1"))
	require.NoError(t, err)
	p, bids := s.stored("proj001")
	assert.Equal(t, 3, p.Bids)
	assert.Len(t, bids, 3)
}

// A bid is revised after it was read to be rejected: it is read again, consistently, and rejected as it is.
func TestRejectionIsOvertakenByARevision(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(2)
	p := s.post()
	s.bid(p.ID, w[0], "1")
	s.bid(p.ID, w[1], "1")
	// The revision has read both before the acceptance, and is written after the rejection has read the bid.
	s.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := s.direct().Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("1")})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	_, err := s.repo.Revise(t.Context(), p.ID, w[1], func(b *projects.Bid) error { b.Quote = zar("2"); return nil })
	require.NoError(t, err, "the bid has lost, but the revision came first")

	item := s.item("PROJECT#"+p.ID, "BID#"+w[1])
	s.Faults.Inject(dyntest.Before(func(context.Context) {
		s.put(item, dynastay.Item{"proposal": text("Better"), "writeId": nil})
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	stop := s.Faults.Record()
	n, err := s.repo.RejectRest(t.Context(), p.ID)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	reads := 0
	for _, request := range stop() {
		if request.Operation == "GetItem" {
			reads++
			assert.Contains(t, string(request.Body), `"ConsistentRead":true`)
		}
	}
	assert.Equal(t, 2, reads)
	_, bids := s.stored(p.ID)
	assert.Equal(t, projects.Rejected, bids[w[1]].Status)
	assert.Equal(t, "Better", bids[w[1]].Proposal)
	assert.Equal(t, zar("2"), bids[w[1]].Quote)
}

// Calls of one process that contend for a project, a buyer or a worker queue: no write is refused or in conflict.
func TestCallsQueue(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	w := s.workers(8)
	s.Faults.Conflicts(time.Millisecond)
	together := func(what string, calls ...func() error) {
		t.Helper()
		stop := s.Faults.Record()
		errs := make([]error, len(calls))
		require.NoError(t, s.DB.DB.Each(ctx, len(calls), func(_ context.Context, i int) error {
			errs[i] = calls[i]()
			return nil
		}))
		made, writes := 0, 0
		for _, err := range errs {
			var closed *projects.StatusError
			if !errors.As(err, &closed) {
				require.NoError(t, err, what)
				made++
			}
		}
		for _, request := range stop() {
			if request.Operation == "TransactWriteItems" || request.Operation == "UpdateItem" {
				writes++
			}
		}
		assert.Equal(t, made, writes, what)
	}
	each := func(do func(id string) error) (calls []func() error) {
		for _, id := range w {
			calls = append(calls, func() error { return do(id) })
		}
		return calls
	}
	together("Post", each(func(string) error { return first(s.repo.Post(ctx, foundation)) })...)
	p := s.post()
	together("Bid", each(func(id string) error { return first(s.repo.Bid(ctx, offer(p.ID, id, "1"))) })...)
	together("Withdraw", each(func(id string) error { return first(s.repo.Withdraw(ctx, p.ID, id)) })...)
	together("Bid again", each(func(id string) error { return first(s.repo.Bid(ctx, offer(p.ID, id, "1"))) })...)
	accept := func(id string) error {
		return first(s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: id, Quote: zar("1")}))
	}
	together("Accept", each(accept)...)
	cancel := func(string) error {
		return first(s.repo.Cancel(ctx, projects.Cancellation{ProjectID: p.ID, By: buyer}))
	}
	together("Cancel", each(cancel)...)
	var ids []string
	for range 8 {
		p = s.post()
		s.bid(p.ID, w[0], "1")
		require.NoError(t, accept(w[0]))
		ids = append(ids, p.ID)
	}
	var complete []func() error
	for _, id := range ids {
		complete = append(complete, func() error { return first(s.repo.Complete(ctx, id)) })
	}
	together("Complete", complete...)
	assert.Equal(t, 8, s.profile(w[0]).Jobs)
}
