package tracker_test

import (
	"cmp"
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
			"server_wins", "client_wins", "last_writer", "merge", "ask", "removed", "created again", "of an earlier visit",
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
	case n < 17:
		w.pull(d)
	case n < 18:
		w.settle()
	case rapid.Bool().Draw(w.T, "away"):
		w.home.Clock.Advance(31 * 24 * time.Hour)
	default:
		w.createAgain(d)
	}
}

// createAgain lets a device delete a visit and, months later, create it again. Devices that were away still have the first
// one, and one of them may change it.
func (w *world) createAgain(d *device) {
	id := w.visitID()
	w.make(d, tracker.Delete, id, tracker.VisitEdit{})
	w.push(d)
	w.home.Clock.Advance(91 * 24 * time.Hour)
	w.removeExpired()
	w.make(d, tracker.Create, id, w.edit())
	w.push(d)
	if away := pick(w, "away", w.devices...); away.visits[id] != nil {
		w.make(away, pick(w, "late", tracker.Update, tracker.Delete), id, tracker.VisitEdit{Notes: of("late")})
	}
}

// removeExpired removes some of the tombstones that have expired, as DynamoDB does some time later.
func (w *world) removeExpired() {
	byText := func(a, b tracker.VisitID) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	for _, id := range slices.SortedFunc(maps.Keys(w.books), byText) {
		if b := w.books[id]; b.expired(w.home.Clock.Now()) && rapid.Bool().Draw(w.T, "removed") {
			w.met["removed"]++
			at := dynastay.Key{PK: "USER#" + user, SK: fmt.Sprintf("VISIT#%s#%s#%d", id.RegionType, id.RegionCode, id.MarkedAt.UnixMilli())}
			require.NoError(w, w.home.Direct.DeleteAll(w.home.context(), table, []dynastay.Key{at}))
		}
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
	id, edit := w.visitID(), w.edit()
	switch n := rapid.IntRange(0, 9).Draw(w.T, "operation"); {
	case n < 4:
		w.make(d, tracker.Create, id, edit)
	case n < 7:
		if len(textOf(edit)) == 0 {
			edit.Notes = of("three")
		}
		w.make(d, tracker.Update, id, edit)
	case n < 9:
		w.make(d, tracker.Delete, id, edit)
	default:
		w.make(d, tracker.BatchCreate, id, edit)
	}
}

// make adds an operation to the queue of a device.
func (w *world) make(d *device, kind tracker.OperationType, id tracker.VisitID, edit tracker.VisitEdit) {
	w.drawn++
	w.met["operations"]++
	o := tracker.Operation{
		ID: fmt.Sprint("op", w.drawn), Type: kind, ClientTime: w.home.Clock.Now().Add(d.wrong), Visit: id, Place: edit,
	}
	if v := d.visits[id]; v != nil {
		o.ClientVersion = v.Version
	}
	switch kind {
	case tracker.Delete:
		o.Place = tracker.VisitEdit{}
	case tracker.BatchCreate:
		o.ClientVersion = 0
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
	before := w.books[o.Visit]
	next, outcome := before.receive(message{
		kind: o.Type, version: o.ClientVersion, by: writer{at: at, device: d.id}, text: textOf(o.Place),
		number: len(w.order) + 2, now: now, // the first entry is that of the profile
	}, rule)
	if before.there && next.began > before.began {
		w.met["created again"]++
	}
	if o.Type != tracker.Create && o.ClientVersion > 0 && o.ClientVersion < before.began {
		w.met["of an earlier visit"]++
	}
	w.books[o.Visit], w.answers[o.ID] = next, outcome
	if outcome == tracker.Waiting {
		d.waiting = append(d.waiting, waiting{o, now, next.version})
	} else {
		w.order = append(w.order, o.ID)
	}
	return outcome
}
