package tracker_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

var modelOperations = flag.Int("model.operations", 300, "how many operations TestModel compares with its model")

// Four devices of one user are offline and online in any order, with clocks that are wrong by hours. Their pushes are
// lost, repeated and broken off, and meet conflicts of DynamoDB. Every answer is what a model in memory expects, no
// operation is applied twice, and after the last pull all devices have what the server has.
func TestModel(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for met["operations"] < *modelOperations {
		rapid.Check(t, func(rt *rapid.T) {
			if met["operations"] >= *modelOperations {
				return
			}
			w := newWorld(t, rt, met)
			for range rapid.IntRange(30, 90).Draw(rt, "steps") {
				w.step()
			}
			w.settleAll()
			w.synchronize()
			w.compare()
		})
	}
	t.Logf("%v", met)
	if *modelOperations >= 5_000 {
		for _, what := range []string{
			"applied", "already_applied", "conflict", "pending", "batch", "unknown", "answer lost", "pull", "snapshot", "settled",
			"server_wins", "client_wins", "last_writer", "merge", "ask",
		} {
			assert.NotZero(t, met[what], what)
		}
	}
}

// world is a user with the devices.
type world struct {
	*rapid.T
	home    *home
	repos   []*tracker.Repository
	devices []*device
	met     map[string]int

	books   map[tracker.VisitID]book // what the server has to have
	answers map[string]tracker.Outcome
	order   []string // the entries of the log, without the profile's
	drawn   int
}

func newWorld(t *testing.T, rt *rapid.T, met map[string]int) *world {
	h := newHome(t)
	opts := &dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 8, Base: time.Millisecond, Cap: 2 * time.Millisecond}}
	w := &world{T: rt, home: h, met: met, books: map[tracker.VisitID]book{}, answers: map[string]tracker.Outcome{}}
	for range 2 {
		w.repos = append(w.repos, tracker.New(h.Open(opts), nil))
	}
	for i, id := range []string{"phone", "tablet", "watch", "country"} {
		d := &device{id: id, visits: map[tracker.VisitID]*tracker.Visit{}, wrong: time.Duration(i-1) * 7 * time.Hour}
		w.devices = append(w.devices, d)
	}
	return w
}

func pick[V any](w *world, label string, values ...V) V {
	return values[rapid.IntRange(0, len(values)-1).Draw(w.T, label)]
}

func (w *world) step() {
	w.home.Clock.Advance(time.Duration(rapid.IntRange(0, 30).Draw(w.T, "minutes")) * time.Minute)
	d := pick(w, "device", w.devices...)
	switch n := rapid.IntRange(0, 19).Draw(w.T, "step"); {
	case n < 11:
		w.change(d)
	case n < 15:
		w.push(d)
	case n < 18:
		w.pull(d)
	case n < 19:
		w.settle()
	case rapid.IntRange(0, 3).Draw(w.T, "away") == 0:
		w.home.Clock.Advance(31 * 24 * time.Hour)
	}
}

// visitIDs are those that devices may mark at the same moment: few, so that they meet.
func (w *world) visitID() tracker.VisitID {
	return tracker.VisitID{
		RegionType: pick(w, "type", regions.Country, regions.USState),
		RegionCode: pick(w, "region", "CA", "GA"),
		MarkedAt:   base.Add(time.Duration(rapid.IntRange(0, 2).Draw(w.T, "marked")) * time.Millisecond),
	}
}

func (w *world) edit() tracker.VisitEdit {
	var e tracker.VisitEdit
	if rapid.Bool().Draw(w.T, "notes") {
		e.Notes = of(pick(w, "text", "", "one", "two"))
	}
	if rapid.Bool().Draw(w.T, "date") {
		e.VisitedDate = of(dynastay.MustDate("2037-01-01").AddDays(rapid.IntRange(0, 2).Draw(w.T, "day")))
	}
	if rapid.IntRange(0, 3).Draw(w.T, "name") == 0 {
		e.RegionName = of(pick(w, "name is", "California", "Georgia"))
	}
	return e
}

// change makes an operation on a device, online or not.
func (w *world) change(d *device) {
	w.drawn++
	w.met["operations"]++
	o := tracker.Operation{
		ID: fmt.Sprint("op", w.drawn), ClientTime: w.home.Clock.Now().Add(d.wrong), Visit: w.visitID(), Place: w.edit(),
	}
	if v := d.visits[o.Visit]; v != nil {
		o.ClientVersion = v.Version
	}
	switch n := rapid.IntRange(0, 9).Draw(w.T, "operation"); {
	case n < 4:
		o.Type = tracker.Create
	case n < 7:
		o.Type = tracker.Update
		if len(textOf(o.Place)) == 0 {
			o.Place.Notes = of("three")
		}
	case n < 9:
		o.Type, o.Place = tracker.Delete, tracker.VisitEdit{}
	default:
		o.Type, o.ClientVersion = tracker.BatchCreate, 0
		for _, id := range []tracker.VisitID{o.Visit, w.visitID(), w.visitID()} {
			if !slices.ContainsFunc(o.Batch, func(v tracker.NewVisit) bool { return v.Visit == id }) {
				o.Batch = append(o.Batch, tracker.NewVisit{Visit: id, Place: w.edit()})
			}
		}
		o.Visit, o.Place = tracker.VisitID{}, tracker.VisitEdit{}
		w.met["batch"]++
	}
	d.queue = append(d.queue, o)
}

// push sends what a device has not had answered, perhaps through a fault. Sometimes the device does not get the answer.
func (w *world) push(d *device) {
	if len(d.queue) == 0 {
		return
	}
	name := pick(w, "rule", slices.Sorted(maps.Keys(rules))...)
	w.met[name]++
	if rapid.IntRange(0, 2).Draw(w.T, "faulty") == 0 {
		fault := pick(w, "fault", dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Throttle(), dyntest.InternalErrorAfterCommit(),
			dyntest.Conflict(), dyntest.Fail("AccessDeniedException"))
		injection := w.home.Faults.Inject(fault, dyntest.When{Nth: rapid.IntRange(1, 8).Draw(w.T, "nth"), Optional: true})
		defer injection.Stop()
	}
	now := w.home.Clock.Now()
	results, err := pick(w, "process", w.repos...).Push(w.home.context(), tracker.Push{
		UserID: user, DeviceID: d.id, Operations: d.queue, Rule: rules[name],
	})
	if err != nil && !errors.Is(err, dynastay.ErrOutcomeUnknown) && !errors.Is(err, dynastay.ErrRejected) {
		require.NoError(w, err)
	}
	for i, result := range results {
		w.expect(d, d.queue[i], result, name, now)
	}
	if err != nil && len(results) < len(d.queue) {
		w.met["unknown"]++
		if w.wasSeen(d.queue[len(results)].ID) {
			w.expect(d, d.queue[len(results)], tracker.Result{}, name, now)
		}
	}
	if rapid.IntRange(0, 3).Draw(w.T, "answer lost") == 0 {
		w.met["answer lost"]++
		return // the device sends everything again
	}
	for _, result := range results {
		d.learn(result)
	}
	d.queue = d.queue[len(results):]
}

// wasSeen reports whether the server remembers an operation.
func (w *world) wasSeen(id string) bool {
	row, err := w.home.Direct.Get(w.home.context(), table, dynastay.Key{PK: "SYNC#" + user, SK: "SEEN#" + id}, dynastay.Consistent)
	require.NoError(w, err)
	return row.Exists()
}

// expect applies an operation to the model, once, and compares the answers. A result without an outcome is unknown.
func (w *world) expect(d *device, o tracker.Operation, got tracker.Result, rule string, now time.Time) {
	parts, results := []tracker.Operation{o}, []tracker.Result{got}
	if o.Type == tracker.BatchCreate {
		parts, results = nil, got.Parts
		for i, v := range o.Batch {
			one := o
			one.ID, one.Type, one.Visit, one.Place = fmt.Sprintf("%s.%d", o.ID, i+1), tracker.Create, v.Visit, v.Place
			parts = append(parts, one)
		}
	}
	for i, p := range parts {
		want, repeated := w.answers[p.ID]
		switch {
		case !repeated:
			want = w.apply(d, p, rule, now)
		case want == tracker.Applied:
			want = tracker.AlreadyApplied
		}
		if got.Outcome != "" {
			require.Equal(w, want, results[i].Outcome, "%s: %v", p.ID, got.Err)
			w.met[string(want)]++
		}
	}
}

// apply applies an operation to the model.
func (w *world) apply(d *device, o tracker.Operation, rule string, now time.Time) tracker.Outcome {
	at := o.ClientTime
	if at.After(now) {
		at = now
	}
	next, outcome := w.books[o.Visit].receive(message{
		kind: o.Type, version: o.ClientVersion, by: writer{at: at, device: d.id}, text: textOf(o.Place),
	}, rule)
	w.books[o.Visit], w.answers[o.ID] = next, outcome
	if outcome == tracker.Waiting {
		d.waiting = append(d.waiting, waiting{o, now, next.version})
	} else {
		w.order = append(w.order, o.ID)
	}
	return outcome
}
