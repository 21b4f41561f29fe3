package projects_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

var stormCalls = flag.Int("storm.calls", 12, "how many calls each goroutine of TestStorm makes")

// Everybody does everything at the same time, in three processes, through conflicts, lost requests and lost answers,
// with a few projects and workers. Every call is repeated until its outcome is known. What is stored is then what was
// acknowledged: each counter, each bid and each status.
func TestStorm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	workers := s.workers(4)
	var ids []string
	for range 4 {
		ids = append(ids, s.post().ID)
	}
	s.Faults.Conflicts(time.Millisecond)
	s.Faults.Inject(dyntest.AnyOf(dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Conflict()), dyntest.When{
		Operation: "TransactWriteItems", Chance: 0.1,
	})
	var acknowledged sync.Map // what was done, for each project or worker
	count := func(what, id string) {
		n, _ := acknowledged.LoadOrStore(what+" "+id, new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
	}
	counted := func(what, id string) int {
		n, ok := acknowledged.Load(what + " " + id)
		if !ok {
			return 0
		}
		return int(n.(*atomic.Int64).Load())
	}
	var everybody sync.WaitGroup
	for process := range 3 {
		db := s.Open(&dynastay.Options{Idempotency: keys.Table, Retry: dynastay.Retry{Attempts: 100}})
		repo := projects.New(db, people.New(db, nil), nil)
		for caller := range 4 {
			everybody.Go(func() {
				for n := range *stormCalls {
					id, worker := ids[rand.IntN(len(ids))], workers[rand.IntN(len(workers))]
					again := dynastay.IdempotencyKey(fmt.Sprintf("%d-%d-%d", process, caller, n))
					do := func() (what, whose string, err error) {
						_, err = repo.Bid(t.Context(), offer(id, worker, "1"), again)
						return "bid", id, err
					}
					switch rand.IntN(10) {
					case 0, 1:
						do = func() (what, whose string, err error) {
							_, err = repo.Withdraw(t.Context(), id, worker, again)
							return "withdrawal", id, err
						}
					case 2:
						do = func() (what, whose string, err error) {
							_, err = repo.Accept(t.Context(), projects.Acceptance{ProjectID: id, WorkerID: worker, Quote: zar("1")}, again)
							return "acceptance", id, err
						}
					case 3:
						do = func() (what, whose string, err error) {
							p, err := repo.Complete(t.Context(), id, again)
							if err == nil {
								whose = p.AcceptedWorkerID
							}
							return "completion", whose, err
						}
					case 4:
						do = func() (what, whose string, err error) {
							p, err := repo.Cancel(t.Context(), projects.Cancellation{ProjectID: id, By: worker}, again)
							if err == nil {
								whose = p.AcceptedWorkerID
							}
							return "departure", whose, err
						}
					case 5:
						do = func() (what, whose string, err error) {
							_, err = repo.Post(t.Context(), foundation, again)
							return "post", buyer, err
						}
					case 6:
						do = func() (what, whose string, err error) {
							_, err = repo.RejectRest(t.Context(), id)
							return "rejection", id, err
						}
					}
					for {
						what, whose, err := do()
						if errors.Is(err, dynastay.ErrOutcomeUnknown) || errors.Is(err, dynastay.ErrContention) || errors.Is(err, dynastay.ErrUnavailable) {
							continue
						}
						if err == nil {
							count(what, whose)
						}
						break
					}
				}
			})
		}
	}
	everybody.Wait()
	for _, id := range ids {
		for {
			if _, err := s.repo.RejectRest(t.Context(), id); err == nil {
				break
			}
		}
		p, bids := s.stored(id)
		assert.Equal(t, counted("bid", id)-counted("withdrawal", id), p.Bids)
		accepted, live := 0, 0
		for _, b := range bids {
			if b.Status != projects.Withdrawn {
				live++
			}
			if b.Status == projects.Accepted {
				accepted++
				assert.Equal(t, b.WorkerID, p.AcceptedWorkerID)
			}
			assert.Equal(t, p.Status == projects.Open, b.Status == projects.Pending || p.Status == projects.Open && b.Status == projects.Withdrawn)
		}
		assert.Equal(t, p.Bids, live)
		assert.Equal(t, counted("acceptance", id), accepted)
	}
	for _, id := range workers {
		p := s.profile(id)
		assert.Equal(t, counted("completion", id), p.Jobs, id)
		assert.Equal(t, counted("completion", id)+counted("departure", id), p.Ended, id)
	}
	assert.Equal(t, len(ids)+counted("post", buyer), s.profile(buyer).Projects)
	require.Len(t, all(t, s.direct().ProjectsOf(buyer)), len(ids)+counted("post", buyer))
	assert.Empty(t, all(t, s.direct().Rejecting()))
}
