package tracker_test

import (
	"errors"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

var table = keys.Table

// device is one of the user's.
type device struct {
	id      string
	wrong   time.Duration // by which its clock is fast
	visits  map[tracker.VisitID]*tracker.Visit
	cursor  tracker.Cursor
	queue   []tracker.Operation // not answered yet
	waiting []waiting           // of its operations, for a decision
}

type waiting struct {
	op tracker.Operation
	at time.Time // when it was received

	version int // of the visit then
}

// learn takes the server's state of a visit, unless it is older than what the device has.
func (d *device) learn(result tracker.Result) {
	for _, part := range result.Parts {
		d.learn(part)
	}
	if v := result.Visit; v != nil {
		d.take(v)
	}
}

func (d *device) take(v *tracker.Visit) {
	if have := d.visits[v.VisitID]; have == nil || have.Version < v.Version {
		d.visits[v.VisitID] = v
	}
}

// pull reads changes, and a snapshot if the log does not go back far enough.
func (w *world) pull(d *device) {
	changes, err := pick(w, "process", w.repos...).Pull(w.home.context(), user, d.cursor, rapid.IntRange(1, 9).Draw(w.T, "limit"))
	if errors.Is(err, tracker.ErrSnapshotNeeded) {
		w.met["snapshot"]++
		w.snapshot(d)
		return
	}
	require.NoError(w, err)
	w.met["pull"]++
	for _, c := range changes.Changes {
		require.Less(w, d.cursor.Version, c.ServerVersion)
		if c.Visit != nil {
			d.take(c.Visit)
		}
	}
	require.GreaterOrEqual(w, changes.Next.Version, d.cursor.Version)
	d.cursor = changes.Next
}

func (w *world) snapshot(d *device) {
	s, err := w.repos[0].Snapshot(w.home.context(), user)
	require.NoError(w, err)
	d.visits = map[tracker.VisitID]*tracker.Visit{}
	for v, err := range s.Visits.All(w.home.context()) {
		require.NoError(w, err)
		d.visits[v.VisitID] = v
	}
	require.GreaterOrEqual(w, s.Cursor.Version, 0)
	d.cursor = s.Cursor
}

// settle decides about one of the operations that wait.
func (w *world) settle() {
	for _, d := range w.devices {
		if len(d.waiting) == 0 {
			continue
		}
		name := pick(w, "settle with", "server_wins", "client_wins", "last_writer", "merge", "ask")
		one := d.waiting[0]
		at := one.op.ClientTime
		if at.After(one.at) {
			at = one.at
		}
		next, want := w.books[one.op.Visit].receive(message{
			kind: one.op.Type, version: one.op.ClientVersion, by: writer{at: at, device: d.id}, text: textOf(one.op.Place), waited: &one.version,
			number: len(w.order) + 2, now: w.home.Clock.Now(),
		}, name)
		got, err := pick(w, "process", w.repos...).Settle(w.home.context(), user, one.op.ID, rules[name])
		require.NoError(w, err)
		require.Equal(w, want, got.Outcome, one.op.ID)
		if want != tracker.Waiting {
			w.met["settled"]++
			w.books[one.op.Visit], w.answers[one.op.ID] = next, want
			w.order = append(w.order, one.op.ID)
			d.waiting = d.waiting[1:]
		}
		return
	}
}

func (w *world) settleAll() {
	for slices.ContainsFunc(w.devices, func(d *device) bool { return len(d.waiting) > 0 }) {
		w.settle()
	}
}

// synchronize lets all devices push and pull to the end.
func (w *world) synchronize() {
	for _, d := range w.devices {
		for len(d.queue) > 0 {
			w.push(d)
		}
	}
	w.settleAll()
	for _, d := range w.devices {
		for {
			before := d.cursor
			w.pull(d)
			if d.cursor == before {
				break
			}
		}
	}
}

// compare compares the server and all devices with the model, the counters with a recount, and the log with the order
// in which the operations were answered.
func (w *world) compare() {
	live, regions := 0, map[string]map[string]bool{"country": {}, "us_state": {}}
	for id, b := range w.books {
		if b.there && !b.deleted {
			live++
			regions[string(id.RegionType)][id.RegionCode] = true
		}
	}
	stored := map[tracker.VisitID]*tracker.Visit{}
	for v, err := range w.repos[1].VisitsOfSnapshot(user).All(w.home.context()) {
		require.NoError(w, err)
		stored[v.VisitID] = v
		b := w.books[v.VisitID]
		require.True(w, b.there && !b.deleted, v.VisitID)
		require.Equal(w, b.version, v.Version)
		require.Equal(w, []string{b.text[tracker.RegionName], b.text[tracker.VisitedDate], b.text[tracker.Notes]},
			[]string{v.RegionName, v.VisitedDate.String(), v.Notes})
	}
	require.Len(w, stored, live)
	for _, d := range w.devices {
		n := 0
		for id, v := range d.visits {
			if v.Deleted {
				continue
			}
			n++
			require.NotNil(w, stored[id], "%s still has %v", d.id, id)
			require.Equal(w, stored[id].Version, v.Version, d.id)
			require.Equal(w, stored[id].Notes, v.Notes, d.id)
		}
		require.Equal(w, live, n, "visits of %s", d.id)
	}
	p, err := w.repos[0].Profile(w.home.context(), user, dynastay.Consistent)
	require.NoError(w, err)
	require.Equal(w, []int{len(regions["country"]), len(regions["us_state"])}, []int{p.Countries, p.USStates})

	rows, err := dynastay.QueryAll(w.home.context(), w.home.Direct, table, dynastay.Query{
		Name: "log", Partition: "SYNC#" + user, Range: dynastay.Range{Prefix: "OP#"}, Consistent: true,
	})
	require.NoError(w, err)
	var logged []string
	for i, row := range rows {
		require.Equal(w, i+1, row.Int("server_version"), "the numbers have no gaps, in the order of the keys")
		if i > 0 {
			logged = append(logged, row.Text("operation_id"))
		}
	}
	require.Equal(w, w.order, logged)
}
