// Package traveltracker runs and checks the pushes and pulls of travellers' devices.
package traveltracker

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	trips "github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// plain is a stored item without the library.
type plain = map[string]any

// travels are the pushes of the devices of a few travellers, each of a few operations on a few visits and on the
// profile. A push is repeated, also while it is still under way, because a device does not know what has arrived.
// Somebody pulls meanwhile. What is stored is compared with the answers in check.go.
type travels struct {
	*checker.Run

	mu     sync.Mutex
	all    map[string]*trip // by the id of the operation
	pushes []*push
	pulls  map[string]*pull // by user
}

// Tables are those of the travel tracker.
var Tables = []*dynastay.Schema{trips.Table}

// Join adds the travel tracker to a run.
func Join(c *checker.Run) { c.Add(newTravels(c), 14) }

// push is what a device sends.
type push struct {
	tracker.Push
	trips []*trip
}

// trip is an operation of a device. Its id is all that it needs to be repeated.
type trip struct {
	tracker.Operation
	user, device string
	within       checker.Span
	told         checker.Tally
	outcomes     map[tracker.Outcome]int
	versions     []int // of the visits after it, or of the profile, as it was told; nil if it was not
}

// pull is how far the changes of a user were pulled, and their numbers in the log.
type pull struct {
	sync.Mutex
	at      tracker.Cursor
	numbers []int
}

var trackerOf = checker.Each(func(p *checker.Process) *tracker.Repository {
	db := p.Open(p.Run.Base, func(o *dynastay.Options) {
		now := o.Clock
		o.Idempotency, o.Clock = trips.Table, func() time.Time { return now().AddDate(ahead, 0, 0) }
	})
	return tracker.New(db, &tracker.Options{Shards: p.Shards})
})

// ahead is by how many years the travellers' clocks are: an engine removes log entries whose time is over by the clock on the
// wall.
const ahead = 20

const (
	travellers      = 2
	travellerPrefix = "traveller-"
)

var (
	devices = []string{"phone", "tablet", "watch"}
	rules   = []tracker.Rule{tracker.ServerWins, tracker.ClientWins, tracker.LastWriter, tracker.MergeFields}
)

// travelTime is when the travellers' clocks begin.
var travelTime = checker.Midnight.AddDate(ahead, 0, 0)

func newTravels(c *checker.Run) *travels {
	s := &travels{Run: c, all: map[string]*trip{}, pulls: map[string]*pull{}}
	if c.Base == nil { // the tests of wrong histories
		return s
	}
	direct := tracker.New(c.Base.Open(&dynastay.Options{Clock: func() time.Time { return travelTime }}), nil)
	for n := range travellers {
		id := fmt.Sprint(travellerPrefix, n)
		s.pulls[id] = &pull{at: tracker.Cursor{At: travelTime.Add(-time.Hour)}}
		if _, err := direct.SignUp(c.T.Context(), tracker.Profile{
			ID: id, AuthProvider: "apple", AuthProviderID: id, Email: id + "@example.com", DisplayName: id,
		}); err != nil {
			c.T.Fatal(err)
		}
	}
	return s
}

func (s *travels) Step(w *checker.Worker) {
	s.mu.Lock()
	var p *push
	if len(s.pushes) > 0 && w.OneIn(3) {
		p = checker.Recent(w, s.pushes, 10)
	}
	s.mu.Unlock()
	switch {
	case w.OneIn(6):
		s.pull(w, fmt.Sprint(travellerPrefix, w.Rand.IntN(travellers)))
		return
	case p == nil:
		p = s.draw(w)
	}
	s.push(w, p)
}

// draw makes a push of up to three operations.
func (s *travels) draw(w *checker.Worker) *push {
	p := &push{Push: tracker.Push{
		UserID:   fmt.Sprint(travellerPrefix, w.Rand.IntN(travellers)),
		DeviceID: devices[w.Rand.IntN(len(devices))],
		Rule:     rules[w.Rand.IntN(len(rules))],
	}}
	for range 1 + w.Rand.IntN(3) {
		t := &trip{
			Operation: s.operation(w), user: p.UserID, device: p.DeviceID, within: checker.Since(s.Moment()),
			outcomes: map[tracker.Outcome]int{},
		}
		p.trips, p.Operations = append(p.trips, t), append(p.Operations, t.Operation)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushes = append(s.pushes, p)
	for _, t := range p.trips {
		s.all[t.ID] = t
	}
	return p
}

func (s *travels) operation(w *checker.Worker) tracker.Operation {
	mark := w.Mark()
	visit := func(n int) tracker.VisitID {
		return tracker.VisitID{
			RegionType: regions.Country, RegionCode: []string{"IT", "FR", "PT", "NO"}[n%4],
			MarkedAt: travelTime.Add(-time.Duration(1+n/4) * time.Hour),
		}
	}
	o := tracker.Operation{
		ID: mark, Visit: visit(w.Rand.IntN(8)), ClientVersion: w.Rand.IntN(60), Place: tracker.VisitEdit{Notes: &mark},
		ClientTime: travelTime.Add(time.Duration(w.Rand.IntN(1000)) * time.Millisecond),
	}
	switch at := w.Rand.IntN(10); {
	case at < 4:
		o.Type = tracker.Create
	case at < 6:
		o.Type = tracker.Update
	case at < 8:
		o.Type, o.Place = tracker.Delete, tracker.VisitEdit{}
	case at < 9:
		o.Type, o.Entity, o.Visit, o.Place = tracker.Update, tracker.User, tracker.VisitID{}, tracker.VisitEdit{}
		o.Profile.DisplayName = &mark
	default:
		o.Type, o.Visit, o.Place = tracker.BatchCreate, tracker.VisitID{}, tracker.VisitEdit{}
		for _, n := range w.Rand.Perm(8)[:2+w.Rand.IntN(2)] {
			o.Batch = append(o.Batch, tracker.NewVisit{Visit: visit(n), Place: tracker.VisitEdit{Notes: &mark}})
		}
	}
	return o
}

func (s *travels) push(w *checker.Worker, p *push) {
	var ids []string
	for _, t := range p.trips {
		ids = append(ids, t.ID)
	}
	var results []tracker.Result
	from := s.Moment()
	v := w.Call("push", p.UserID, p.DeviceID+" "+strings.Join(ids, " "), checker.Never, func(ctx context.Context) (err error) {
		results, err = trackerOf(w).Push(ctx, p.Push)
		return err
	})
	s.answered(p, checker.Between(from, s.Moment()), results, v)
}

// answered notes the answers to a push: those to the operations before the one that failed, if any did. Those after it
// were not sent.
func (s *travels) answered(p *push, at checker.Span, results []tracker.Result, v checker.Verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(results) < len(p.trips) {
		p.trips[len(results)].told[v]++
		if v == checker.Acknowledged {
			s.Differ("a push that was answered in part", p.UserID, "%s", p.trips[len(results)].ID)
		}
	}
	for i, r := range results {
		t := p.trips[i]
		versions := []int{r.Version}
		if len(t.Batch) > 0 {
			versions = nil
			for _, part := range r.Parts {
				versions = append(versions, part.Version)
			}
		}
		if t.told[checker.Acknowledged] > 0 && fmt.Sprint(versions) != fmt.Sprint(t.versions) || r.OperationID != t.ID {
			s.Differ("an operation that was answered in two ways", t.user, "%s: %v and %v", t.ID, t.versions, versions)
		}
		t.told[checker.Acknowledged]++
		t.outcomes[r.Outcome]++
		t.within.To = min(t.within.To, at.To)
		t.versions = versions
	}
}

func (t *trip) verdict() checker.Verdict {
	switch {
	case t.told[checker.Acknowledged] > 0:
		return checker.Acknowledged
	case t.told[checker.Unknown] > 0:
		return checker.Unknown
	}
	return checker.Refused
}

// pull reads what is new, unless somebody else does.
func (s *travels) pull(w *checker.Worker, user string) {
	p := s.pulls[user]
	if !p.TryLock() {
		return
	}
	defer p.Unlock()
	var changes tracker.Changes
	if w.Call("pull", user, "", checker.Never, func(ctx context.Context) (err error) {
		changes, err = trackerOf(w).Pull(ctx, user, p.at, 5)
		return err
	}) != checker.Acknowledged {
		return
	}
	for _, c := range changes.Changes {
		p.numbers = append(p.numbers, c.ServerVersion)
	}
	p.at = changes.Next
}

// Settle repeats what is unknown, and pulls the rest.
func (s *travels) Settle(w *checker.Worker) {
	for _, p := range s.pushes {
		for _, t := range p.trips {
			if t.verdict() != checker.Unknown {
				continue
			}
			if s.push(w, p); t.verdict() == checker.Unknown {
				s.Differ("an unknown outcome that a repetition does not clear up", t.user, "%s", t.ID)
			}
		}
	}
	for user, p := range s.pulls {
		for before := (tracker.Cursor{}); before != p.at; {
			before = p.at
			s.pull(w, user)
		}
	}
}
