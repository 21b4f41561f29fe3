package projects_test

import (
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
)

var modelOperations = flag.Int("model.operations", 300, "how many operations TestModel compares with its model")

// Buyers and workers call two processes in any order, through conflicts, lost requests and lost answers, and repeat
// what has an unknown outcome. Every answer is what a model in memory expects, and in the end everything that is
// stored, listed and counted is as the model has it.
func TestModel(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for met["operations"] < *modelOperations {
		rapid.Check(t, func(rt *rapid.T) {
			if met["operations"] >= *modelOperations {
				return
			}
			w := newWorld(t, rt, met)
			for range rapid.IntRange(20, 60).Draw(rt, "steps") {
				met["operations"]++
				w.step()
			}
			w.compare()
		})
	}
	t.Logf("%v", met)
	if *modelOperations >= 5_000 {
		for _, what := range []string{
			"Post", "Bid", "Bid again", "Revise", "Withdraw", "Accept", "Complete", "Cancel by the buyer", "Cancel by a worker", "RejectRest",
			"quote", "status", "bid status", "already exists", "not found", "unknown",
		} {
			assert.NotZero(t, met[what], what)
		}
	}
}

// world is what the model has.
type world struct {
	*rapid.T
	site     *site
	dbs      []*dynastay.DB
	repos    []*projects.Repository
	met      map[string]int
	workers  []string
	calls    int
	posted   int
	projects []*job
	jobs     map[string]int
	ended    map[string]int
}

// job is a project of the model.
type job struct {
	id        string
	status    projects.Status
	bids      map[string]*quoted
	accepted  string
	rejecting bool
}

type quoted struct {
	status projects.BidStatus
	quote  int
}

func newWorld(t *testing.T, rt *rapid.T, met map[string]int) *world {
	s := newSite(t)
	w := &world{T: rt, site: s, met: met, jobs: map[string]int{}, ended: map[string]int{}}
	w.workers = s.workers(3)
	for range 2 {
		db := s.Open(&dynastay.Options{
			Idempotency: keys.Table, Retry: dynastay.Retry{Attempts: 3, Base: time.Millisecond, Cap: 2 * time.Millisecond},
		})
		w.dbs = append(w.dbs, db)
		w.repos = append(w.repos, projects.New(db, people.New(db, nil), nil))
	}
	s.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.25, Optional: true})
	return w
}

func (w *world) pick(label string, of ...string) string {
	return of[rapid.IntRange(0, len(of)-1).Draw(w.T, label)]
}

// call sends an operation until its outcome is known, by either process, and counts what it met.
func call[R any](w *world, name string, op func(repo *projects.Repository) *dynastay.Operation[R]) (R, error) {
	w.calls++
	for {
		i := rapid.IntRange(0, 1).Draw(w.T, "process")
		r, err := dynastay.Do(w.site.context(), w.dbs[i], op(w.repos[i]), dynastay.IdempotencyKey(fmt.Sprint("call ", w.calls)))
		switch {
		case errors.Is(err, dynastay.ErrOutcomeUnknown) || errors.Is(err, dynastay.ErrCommitted):
			w.met["unknown"]++
		case errors.Is(err, dynastay.ErrContention) || errors.Is(err, dynastay.ErrThrottled) || errors.Is(err, dynastay.ErrUnavailable):
			w.met["unavailable"]++
		default:
			if err == nil {
				w.met[name]++
			}
			return r, err
		}
	}
}

// refused checks the error that the model expects.
func (w *world) refused(err error, j *job, bid *quoted) {
	var status *projects.StatusError
	var bidStatus *projects.BidStatusError
	switch {
	case j == nil || j.status == projects.Open && bid == nil:
		w.met["not found"]++
		require.ErrorIs(w, err, dynastay.ErrNotFound)
	case j.status != projects.Open:
		w.met["status"]++
		require.ErrorAs(w, err, &status)
		require.Equal(w, j.status, status.Status)
	default:
		w.met["bid status"]++
		require.ErrorAs(w, err, &bidStatus)
		require.Equal(w, bid.status, bidStatus.Status)
	}
}

func (w *world) step() {
	w.site.Clock.Advance(time.Duration(rapid.IntRange(0, 90).Draw(w.T, "seconds")) * time.Second)
	if len(w.projects) == 0 || rapid.IntRange(0, 9).Draw(w.T, "post") == 9 {
		w.post()
		return
	}
	j := w.projects[rapid.IntRange(0, len(w.projects)-1).Draw(w.T, "project")]
	id := w.pick("worker", w.workers...)
	switch rapid.IntRange(0, 15).Draw(w.T, "step") { // rapid draws small numbers more often
	case 0, 3, 7, 8, 14:
		w.bid(j, id)
	case 1, 9, 15:
		w.accept(j, id)
	case 2, 10:
		w.complete(j)
	case 4, 11:
		w.withdraw(j, id)
	case 5, 12:
		w.revise(j, id)
	case 6:
		w.reject(j)
	default:
		w.cancel(j)
	}
}

func (w *world) post() {
	p, err := call(w, "Post", func(repo *projects.Repository) *dynastay.Operation[*projects.Project] { return repo.PostOp(foundation) })
	require.NoError(w, err)
	w.posted++
	w.projects = append(w.projects, &job{id: p.ID, status: projects.Open, bids: map[string]*quoted{}})
}

func (w *world) bid(j *job, id string) {
	quote := rapid.IntRange(1, 3).Draw(w.T, "quote")
	was := j.bids[id]
	name := "Bid"
	if was != nil {
		name = "Bid again"
	}
	_, err := call(w, name, func(repo *projects.Repository) *dynastay.Operation[*projects.Bid] {
		return repo.BidOp(offer(j.id, id, fmt.Sprint(quote)))
	})
	switch {
	case j.status != projects.Open:
		w.refused(err, j, was)
	case was != nil && was.status != projects.Withdrawn:
		w.met["already exists"]++
		require.ErrorIs(w, err, dynastay.ErrAlreadyExists)
	default:
		require.NoError(w, err)
		j.bids[id] = &quoted{projects.Pending, quote}
	}
}

func (j *job) pending(id string) bool {
	return j.status == projects.Open && j.bids[id] != nil && j.bids[id].status == projects.Pending
}

func (w *world) revise(j *job, id string) {
	quote := rapid.IntRange(1, 3).Draw(w.T, "quote")
	_, err := call(w, "Revise", func(repo *projects.Repository) *dynastay.Operation[*projects.Bid] {
		return repo.ReviseOp(j.id, id, func(b *projects.Bid) error {
			b.Quote = zar(fmt.Sprint(quote))
			return nil
		}, dynastay.AgreedOn(fmt.Sprint(quote)))
	})
	if !j.pending(id) {
		w.refused(err, j, j.bids[id])
		return
	}
	require.NoError(w, err)
	j.bids[id].quote = quote
}

func (w *world) withdraw(j *job, id string) {
	_, err := call(w, "Withdraw", func(repo *projects.Repository) *dynastay.Operation[*projects.Bid] { return repo.WithdrawOp(j.id, id) })
	if !j.pending(id) {
		w.refused(err, j, j.bids[id])
		return
	}
	require.NoError(w, err)
	j.bids[id].status = projects.Withdrawn
}

func (w *world) accept(j *job, id string) {
	quote := rapid.IntRange(1, 3).Draw(w.T, "quote")
	_, err := call(w, "Accept", func(repo *projects.Repository) *dynastay.Operation[*projects.Project] {
		return repo.AcceptOp(projects.Acceptance{ProjectID: j.id, WorkerID: id, Quote: zar(fmt.Sprint(quote))})
	})
	if !j.pending(id) {
		w.refused(err, j, j.bids[id])
		return
	}
	if now := j.bids[id].quote; now != quote {
		var changed *projects.QuoteError
		require.ErrorAs(w, err, &changed)
		require.Equal(w, zar(fmt.Sprint(now)), changed.Now)
		w.met["quote"]++
		return
	}
	require.NoError(w, err)
	j.status, j.accepted, j.rejecting = projects.InProgress, id, true
	j.bids[id].status = projects.Accepted
}

func (w *world) complete(j *job) {
	_, err := call(w, "Complete", func(repo *projects.Repository) *dynastay.Operation[*projects.Project] { return repo.CompleteOp(j.id) })
	if j.status != projects.InProgress {
		var status *projects.StatusError
		require.ErrorAs(w, err, &status)
		require.Equal(w, j.status, status.Status)
		return
	}
	require.NoError(w, err)
	j.status = projects.Completed
	w.jobs[j.accepted]++
	w.ended[j.accepted]++
}

func (w *world) cancel(j *job) {
	by := w.pick("by", append([]string{buyer, j.accepted, buyer, j.accepted}, w.workers...)...)
	if by == "" {
		by = buyer
	}
	name := "Cancel by a worker"
	if by == buyer {
		name = "Cancel by the buyer"
	}
	_, err := call(w, name, func(repo *projects.Repository) *dynastay.Operation[*projects.Project] {
		return repo.CancelOp(projects.Cancellation{ProjectID: j.id, By: by})
	})
	if j.status != projects.InProgress && j.status != projects.Open {
		var status *projects.StatusError
		require.ErrorAs(w, err, &status)
		require.Equal(w, j.status, status.Status)
		return
	}
	if by != buyer && by != j.accepted {
		require.ErrorIs(w, err, projects.ErrNotParty)
		return
	}
	require.NoError(w, err)
	if by != buyer {
		w.ended[j.accepted]++
	}
	j.rejecting = j.rejecting || j.status == projects.Open
	j.status = projects.Cancelled
}

// reject may be broken off at any time; it goes on until it has succeeded.
func (w *world) reject(j *job) {
	for {
		if _, err := w.repos[rapid.IntRange(0, 1).Draw(w.T, "process")].RejectRest(w.site.context(), j.id); err == nil {
			break
		}
		w.met["broken off"]++
	}
	w.met["RejectRest"]++
	if j.status == projects.Open {
		return
	}
	j.rejecting = false
	for _, b := range j.bids {
		if b.status == projects.Pending {
			b.status = projects.Rejected
		}
	}
}

// compare compares everything that is stored with the model.
func (w *world) compare() {
	s, repo := w.site, w.site.direct()
	require.Equal(w, w.posted, s.profile(buyer).Projects)
	require.Len(w, all(s.t, repo.ProjectsOf(buyer)), w.posted)
	for _, id := range w.workers {
		p := s.profile(id)
		require.Equal(w, []int{w.jobs[id], w.ended[id]}, []int{p.Jobs, p.Ended}, id)
		bids := 0
		for _, j := range w.projects {
			if j.bids[id] != nil {
				bids++
			}
		}
		require.Len(w, all(s.t, repo.BidsOf(id)), bids)
	}
	statuses, bidStatuses, rejecting := map[projects.Status]int{}, map[projects.BidStatus]int{}, map[string]bool{}
	for _, j := range w.projects {
		p, bids := s.stored(j.id)
		require.Equal(w, j.status, p.Status)
		require.Equal(w, j.accepted, p.AcceptedWorkerID)
		counted := 0
		require.Len(w, bids, len(j.bids))
		for id, b := range j.bids {
			require.Equal(w, b.status, bids[id].Status, id)
			require.Equal(w, zar(fmt.Sprint(b.quote)), bids[id].Quote)
			bidStatuses[b.status]++
			if b.status != projects.Withdrawn {
				counted++
			}
		}
		require.Equal(w, counted, p.Bids)
		for _, b := range all(s.t, repo.Bids(j.id)) {
			want := j.bids[b.WorkerID].status
			if want == projects.Pending && j.status != projects.Open {
				want = projects.Rejected
			}
			require.Equal(w, want, b.Status)
		}
		statuses[j.status]++
		if j.rejecting {
			rejecting[j.id] = true
		}
	}
	for _, status := range []projects.Status{projects.Open, projects.InProgress, projects.Completed, projects.Cancelled} {
		require.Len(w, all(s.t, repo.ByStatus(status)), statuses[status], status)
	}
	for _, status := range []projects.BidStatus{projects.Pending, projects.Accepted, projects.Rejected, projects.Withdrawn} {
		require.Len(w, all(s.t, repo.BidsByStatus(status)), bidStatuses[status], status)
	}
	found := map[string]bool{}
	for _, r := range all(s.t, repo.Rejecting()) {
		found[r.ProjectID] = true
	}
	require.Equal(w, rejecting, found)
}
