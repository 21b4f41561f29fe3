package projects_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

// The worker changes the quote after the acceptance has read it, and before it is written.
func TestQuoteThatChangesDuringTheAcceptance(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(1)[0]
	p := s.post()
	s.bid(p.ID, w, "65000")
	revise := func(b *projects.Bid) error { b.Quote = zar("75000"); return nil }
	s.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := s.open().Revise(ctx, p.ID, w, revise)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	seen := projects.Acceptance{ProjectID: p.ID, WorkerID: w, Quote: zar("65000")}
	_, err := s.repo.Accept(t.Context(), seen)
	var changed *projects.QuoteError
	require.ErrorAs(t, err, &changed)
	assert.Equal(t, projects.QuoteError{ProjectID: p.ID, WorkerID: w, Seen: zar("65000"), Now: zar("75000")}, *changed)
	now, bids := s.stored(p.ID)
	assert.Equal(t, projects.Open, now.Status)
	assert.Equal(t, projects.Pending, bids[w].Status)
	assert.Empty(t, all(t, s.repo.Rejecting()))

	_, err = s.repo.Accept(t.Context(), seen)
	require.ErrorAs(t, err, &changed)
	seen.Quote = zar("75000")
	_, err = s.repo.Accept(t.Context(), seen)
	require.NoError(t, err)
}

// Other changes of the bid or of the project do not matter: the acceptance is prepared again.
func TestAcceptanceThatIsOvertaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(2)
	p := s.post()
	s.bid(p.ID, w[0], "65000")
	for _, meanwhile := range []func(ctx context.Context, repo *projects.Repository) error{
		func(ctx context.Context, repo *projects.Repository) error {
			_, err := repo.Revise(ctx, p.ID, w[0], func(b *projects.Bid) error { b.Proposal = "Better"; return nil })
			return err
		},
		func(ctx context.Context, repo *projects.Repository) error {
			_, err := repo.Bid(ctx, offer(p.ID, w[1], "1"))
			return err
		},
	} {
		s.Faults.Inject(dyntest.Before(func(ctx context.Context) { assert.NoError(t, meanwhile(ctx, s.open())) }),
			dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	}
	_, err := s.repo.Accept(t.Context(), projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("65000")})
	require.NoError(t, err)
	now, bids := s.stored(p.ID)
	assert.Equal(t, projects.InProgress, now.Status)
	assert.Equal(t, "Better", bids[w[0]].Proposal)
	assert.Equal(t, projects.Accepted, bids[w[0]].Status)
}

// 64 workers bid through two processes while the buyer accepts the first bid, through conflicts and lost answers. Every
// bid that was acknowledged is there, every bid that was refused is not, and in the end one is accepted and none
// pending.
func TestWorkersBidDuringTheAcceptance(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(65)
	p := s.post()
	s.bid(p.ID, w[64], "65000")
	s.Faults.Conflicts(time.Millisecond)
	s.Faults.Inject(dyntest.AnyOf(dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Conflict()), dyntest.When{
		Operation: "TransactWriteItems", Chance: 0.1,
	})
	repos := []*projects.Repository{s.open(), s.open()}
	var all64 sync.WaitGroup
	accept := make(chan bool, 64)
	errs := make([]error, 64)
	for i := range 64 {
		all64.Go(func() {
			for errs[i] = dynastay.ErrOutcomeUnknown; errors.Is(errs[i], dynastay.ErrOutcomeUnknown); {
				_, errs[i] = repos[i%2].Bid(t.Context(), offer(p.ID, w[i], fmt.Sprint(50000+i)),
					dynastay.IdempotencyKey(fmt.Sprint("bid ", i)))
			}
			accept <- true
		})
	}
	for range 10 {
		<-accept
	}
	_, err := s.open().Accept(t.Context(), projects.Acceptance{ProjectID: p.ID, WorkerID: w[64], Quote: zar("65000")})
	require.NoError(t, err)
	all64.Wait()
	now, bids := s.stored(p.ID)
	made := 1
	for i, err := range errs {
		var closed *projects.StatusError
		switch {
		case err == nil:
			made++
			assert.Contains(t, bids, w[i])
		case errors.As(err, &closed):
			assert.Equal(t, projects.InProgress, closed.Status)
			assert.NotContains(t, bids, w[i])
		default:
			assert.NoError(t, err)
		}
	}
	t.Logf("%d of 64 bids were made before the acceptance", made-1)
	assert.Len(t, bids, made)
	assert.Equal(t, made, now.Bids)
	n, err := s.open().RejectRest(t.Context(), p.ID)
	require.NoError(t, err)
	assert.Equal(t, made-1, n)
	_, bids = s.stored(p.ID)
	for id, b := range bids {
		want := projects.Rejected
		if id == w[64] {
			want = projects.Accepted
		}
		assert.Equal(t, want, b.Status)
	}
}

// A bid that is made between the acceptance's read and its write is counted, and is rejected with the others.
func TestBidInTheLastMoment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(2)
	p := s.post()
	s.bid(p.ID, w[0], "65000")
	for _, end := range []func() error{
		func() error {
			_, err := s.repo.Accept(t.Context(), projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("65000")})
			return err
		},
		func() error {
			_, err := s.repo.Cancel(t.Context(), projects.Cancellation{ProjectID: p.ID, By: buyer})
			return err
		},
	} {
		p = s.post()
		s.bid(p.ID, w[0], "65000")
		s.Faults.Inject(dyntest.Before(func(ctx context.Context) {
			_, err := s.open().Bid(ctx, offer(p.ID, w[1], "1"))
			assert.NoError(t, err)
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		require.NoError(t, end())
		now, _ := s.stored(p.ID)
		assert.Equal(t, 2, now.Bids)
		_, err := s.repo.RejectRest(t.Context(), p.ID)
		require.NoError(t, err)
		_, bids := s.stored(p.ID)
		assert.Equal(t, projects.Rejected, bids[w[1]].Status)
	}
}

// An acceptance with its rejections is broken off at every one of its requests, in both ways, and repeated: in the end
// it is as if nothing had happened.
func TestAcceptanceIsResumable(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(func(context.Context)) dyntest.Fault{"before": dyntest.Before, "after": dyntest.After} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			w := s.workers(4)
			broken := 0
			for nth := 1; ; nth++ {
				require.Less(t, nth, 40, "every run is broken off")
				p := s.post()
				for i, id := range w {
					s.bid(p.ID, id, fmt.Sprint(60000+i))
				}
				run := func(ctx context.Context) error {
					_, err := s.repo.Accept(ctx, projects.Acceptance{ProjectID: p.ID, WorkerID: w[1], Quote: zar("60001")},
						dynastay.IdempotencyKey("accept "+p.ID))
					if err == nil {
						_, err = s.repo.RejectRest(ctx, p.ID)
					}
					return err
				}
				ctx, cancel := context.WithCancel(t.Context())
				stop := s.Faults.Inject(at(func(context.Context) { cancel() }), dyntest.When{Nth: nth, Optional: true})
				err := run(ctx)
				cancel()
				stop.Stop()
				if err != nil {
					broken++
					if now, _ := s.stored(p.ID); now.Status == projects.InProgress {
						assert.Equal(t, p.ID, all(t, s.repo.Rejecting())[0].ProjectID, "an unfinished rejection is found")
					}
				}
				require.NoError(t, run(t.Context()), "request %d", nth)
				now, bids := s.stored(p.ID)
				assert.Equal(t, projects.InProgress, now.Status)
				assert.Equal(t, w[1], now.AcceptedWorkerID)
				assert.Equal(t, bids[w[1]].ID, now.AcceptedBidID)
				for id, b := range bids {
					assert.Equal(t, id == w[1], b.Status == projects.Accepted)
					assert.Equal(t, id != w[1], b.Status == projects.Rejected)
				}
				assert.Empty(t, all(t, s.repo.Rejecting()))
				if stop.Hits() == 0 {
					break
				}
			}
			assert.GreaterOrEqual(t, broken, 6)
		})
	}
}

// An acceptance without its rejections, whose process has died, is found and completed by another.
func TestUnfinishedRejection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := s.workers(3)
	p := s.post()
	for _, id := range w {
		s.bid(p.ID, id, "65000")
	}
	_, err := s.repo.Accept(t.Context(), projects.Acceptance{ProjectID: p.ID, WorkerID: w[0], Quote: zar("65000")})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s.Faults.Inject(dyntest.After(func(context.Context) { cancel() }), dyntest.When{Operation: "UpdateItem", Nth: 1})
	_, err = s.repo.RejectRest(ctx, p.ID)
	require.Error(t, err)
	other := s.open()
	found := all(t, other.Rejecting())
	require.Len(t, found, 1)
	_, err = other.RejectRest(t.Context(), found[0].ProjectID)
	require.NoError(t, err)
	assert.Empty(t, all(t, other.Rejecting()))
	_, bids := s.stored(p.ID)
	assert.Equal(t, projects.Rejected, bids[w[1]].Status)
	assert.Equal(t, projects.Rejected, bids[w[2]].Status)
	n, err := other.RejectRest(t.Context(), p.ID)
	require.NoError(t, err)
	assert.Zero(t, n)
}
