package marketplace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// jobs are the projects of a few buyers, of which some are open at a time, and the bids of a few workers, who revise
// and withdraw them and bid again. The text of a bid says which call has written it. The calls are in
// job_calls.go, and the comparison in jobs_check.go and jobs_refusals.go.
type jobs struct {
	bazaar
	calls checker.Deeds[*jobCall]

	mu    sync.Mutex
	all   map[string]*jobCall // by mark
	open  []*job              // as far as anybody was told
	ended []*job
	rests []*rest
}

// job is a project, as it is known to those who call.
type job struct {
	id, client, worker string           // the worker who has got it, if any
	quotes             map[string]int64 // that were seen last, by worker
}

// The kinds of calls.
const (
	posting    = "post project"
	bidding    = "bid"
	revising   = "revise bid"
	leaving    = "withdraw bid"
	hiring     = "accept bid"
	completing = "complete project"
	abandoning = "cancel project"
)

// jobCall is a call about a project, and perhaps about the bid of a worker.
type jobCall struct {
	*call
	project string // "" if its id is drawn and not known yet
	client  string // of a new project
	worker  string // of the bid
	by      string // who cancels
	quote   int64
}

// rest is a call that stores which bids have lost, and how many it says it has rejected.
type rest struct {
	checker.Span
	project  string
	rejected int
}

const (
	clients      = 2
	masons       = 5
	openAtOnce   = 4
	clientPrefix = "client-"
	masonPrefix  = "mason-"
)

var (
	otherStatus = checker.Refusal(func(err error) bool {
		var project *projects.StatusError
		return errors.As(err, &project)
	}).Or(checker.RefusedBy(dynastay.ErrNotFound))
	otherBid = otherStatus.Or(func(err error) bool {
		var bid *projects.BidStatusError
		var quote *projects.QuoteError
		return errors.As(err, &bid) || errors.As(err, &quote)
	})
)

func newJobs(c *checker.Run) *jobs {
	s := &jobs{bazaar: bazaar{c}, all: map[string]*jobCall{}}
	if c.Base == nil { // the tests of wrong histories
		return s
	}
	for n := range clients {
		s.newcomer(fmt.Sprint(clientPrefix, n), people.Buyer)
	}
	for n := range masons {
		s.newcomer(fmt.Sprint(masonPrefix, n), people.Worker)
	}
	return s
}

func (s *jobs) Step(w *checker.Worker) {
	s.mu.Lock()
	draw, few := s.bid, len(s.open) < openAtOnce
	s.mu.Unlock()
	switch at := w.Rand.IntN(40); {
	case few && at < 20 || at < 1:
		draw = s.post
	case at < 14:
	case at < 19:
		draw = s.revise
	case at < 24:
		draw = s.withdraw
	case at < 29:
		draw = s.accept
	case at < 33:
		draw = s.complete
	case at < 36:
		draw = s.cancel
	default:
		s.rejectRest(w)
		return
	}
	c, v := s.calls.Do(w, func(keyed bool) *jobCall { return draw(w, keyed) })
	if v == checker.Acknowledged && c.kind == hiring && w.OneIn(2) {
		s.reject(w, c.project)
	}
}

// made adds a call.
func (s *jobs) made(w *checker.Worker, c *jobCall, mark, kind string, keyed bool, refusal checker.Refusal, write sender) *jobCall {
	about := fmt.Sprintf("%s %s at %d by %s%s", c.project, c.worker, c.quote, c.client, c.by)
	send := func(ctx context.Context, m *market, parts []dynastay.Part) error {
		err := write(ctx, m, parts)
		var status *projects.StatusError
		switch {
		case errors.As(err, &status):
			s.told(c.project, func(*job) bool { return status.Status == projects.Open })
		case kind == bidding && errors.Is(err, dynastay.ErrNotFound): // perhaps it was never posted
			s.told(c.project, func(*job) bool { return false })
		}
		return err
	}
	c.call = onMarket(w, mark, kind, c.project+" "+c.worker, about, keyed, refusal, send)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[mark] = c
	return c
}

// told notes what a call was told of a project: fn reports whether it is open.
func (s *jobs) told(project string, fn func(j *job) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range slices.Concat(s.open, s.ended) {
		if j.id != project || fn(j) {
			continue
		}
		same := func(other *job) bool { return other == j }
		if s.open = slices.DeleteFunc(s.open, same); !slices.ContainsFunc(s.ended, same) {
			s.ended = checker.Keep(s.ended, j, 8)
		}
	}
}

// pick draws a project, mostly an open one, or one that has ended. It is nil if there is none.
func (s *jobs) pick(w *checker.Worker, open bool) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, other := s.open, s.ended
	if open == w.OneIn(6) {
		from, other = other, from
	}
	if len(from) == 0 {
		from = other
	}
	if len(from) == 0 {
		return nil
	}
	return from[w.Rand.IntN(len(from))]
}

// show lets others meet a project. Some do before it is stored.
func (s *jobs) show(id, client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(slices.Concat(s.open, s.ended), func(j *job) bool { return j.id == id }) {
		s.open = append(s.open, &job{id: id, client: client, quotes: map[string]int64{}})
	}
}

// Settle clears up what is unknown, and finishes what RejectRest has left.
func (s *jobs) Settle(w *checker.Worker) {
	s.calls.Settle(w)
	for id := range s.readMarket().rejecting {
		s.reject(w, id)
	}
}
