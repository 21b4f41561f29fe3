package availability_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
)

var modelRuns = flag.Int("model.runs", 1, "how many times 100 histories (-rapid.checks) are compared with the model")

// A property with three room types is opened, updated, sold, closed and read, step by step, by two processes and through
// the faults of the network. Every result, and at the end every stored item, is what a model in memory expects.
//
// The full size, 5,000 histories, takes about seven minutes on dynoxide:
//
//	go test ./availability -run TestModel -count=1 -timeout=30m -model.runs=50
func TestModel(t *testing.T) {
	t.Parallel()
	met := &model.Tally{}
	for range *modelRuns {
		fast := dynastay.Options{Retry: dynastay.Retry{Attempts: 3, Base: time.Millisecond, Cap: 2 * time.Millisecond}}
		db := dyntest.New(t, inventoryTables, dyntest.At(modelStart), dyntest.With(fast))
		other := db.Open(&fast)
		processes := []process{{db.DB, availability.New(db.DB)}, {other, availability.New(other)}}
		number := 0
		rapid.Check(t, func(t *rapid.T) {
			number++
			m := newModel(t, db, number, met)
			for _, c := range rapid.SliceOfN(rapid.Custom(drawCall), 3, 20).Draw(t, "calls") {
				m.call(c, processes[c.process])
			}
			met.Add("histories", 1)
			m.verify()
			m.lastDay(processes[0].repo, uniform(t, -1, modelDates, "expires"), uniform(t, -1, 1, "seconds"))
		})
	}
	t.Log(met)
	var outcomes []string
	if met.Count("histories") >= 100 {
		outcomes = append(outcomes, "open: opened", "update: written", "update: rates written", "update: unchanged", "update: is not open", "update: is in the past",
			"sale: sold", "sale: refused", "give back: returned", "out of order: taken", "out of order: refused", "out of order: put back", "close: closed", "close: reopened", "quote: quoted", "quote: refused",
			"check all: from the index", "check all: from the table", "faults")
	}
	if met.Count("histories") >= 1000 {
		outcomes = append(outcomes, "open: is closed", "update: overbooked", "update: too many sold", "update: limits",
			"update: unknown", "update: invalid", "sale: overbooked", "sale: within the limit", "sale: unknown", "close: failed")
	}
	for _, outcome := range outcomes {
		assert.NotZero(t, met.Count(outcome), outcome)
	}
}

// process is one of the programs that share the tables.
type process struct {
	db   *dynastay.DB
	repo *availability.Repository
}

// call is one step, by one of the processes, and the fault that its requests meet.
type call struct {
	step
	process int
	fault   model.Trouble
}

// step is what a call does. It compares the outcome with the model, and changes the model.
type step interface {
	fmt.Stringer
	run(m *ledger, on process)
}

// GoString is what rapid prints.
func (c call) GoString() string {
	return fmt.Sprintf("\n\tprocess %d: %s%s", c.process, c.step, c.fault)
}

// fatal reports whether calls may fail: retries overcome one fault, and there is nothing to overcome in a short page.
func fatal(f model.Trouble) bool {
	return f.Fatal() && f.Name != "short pages" && f.Name != "unprocessed"
}

func drawCall(t *rapid.T) call {
	steps := map[string]func(*rapid.T) step{
		"open": drawOpen, "update": drawUpdate, "sale": drawSale, "quote": drawQuote, "give back": drawGiveBack, "out of order": drawOut, "close": drawClose,
		"check": drawCheck, "prices": drawPrices, "check all": drawCheckAll, "calendar": drawCalendar, "clock": drawClock,
	}
	name := rapid.SampledFrom([]string{
		"out of order", "out of order", "prices", "check", "check all", "check all", "calendar", "calendar", "clock", "quote", "quote", "give back",
		"open", "open", "close", "close", "sale", "sale", "sale", "sale", "sale", "sale",
		"update", "update", "update", "update", "update", "update", "update", "update",
	}).Draw(t, "step")
	return call{process: uniform(t, 0, 1, "process"), step: steps[name](t), fault: model.DrawTrouble(t, 3, "in progress", []int{1, 1, 2, 3, 3, 4, 6}, []int{1, model.Always})}
}

// call carries out a step.
func (m *ledger) call(c call, on process) {
	m.t.Logf("%v:%#v", m.db.Now(), c)
	m.db.Clock.Advance(time.Second)
	m.fault = c.fault
	defer c.fault.Begin(m.db, m.met)()
	sent := m.db.Faults.Record()
	c.run(m, on)
	m.consistent(c.step, sent())
	if fatal(c.fault) {
		m.verify()
	}
}

// consistent requires what a write reads to be read consistently, which local engines do not need.
func (m *ledger) consistent(of step, sent []dyntest.Request) {
	switch of.(type) {
	case openingNights, updating, selling, returning, outing, closing:
		wire.Consistent(m.t, sent)
	}
}

// failed reports whether a call failed because of the fault. The caller's mistakes and the state of the nights are never
// its consequences.
func (m *ledger) failed(err error) bool {
	if err == nil || !fatal(m.fault) {
		return false
	}
	var refused *availability.Refused
	var sold *availability.SoldError
	var limits *availability.LimitsError
	if errors.As(err, &refused) || errors.As(err, &sold) || errors.As(err, &limits) {
		return false
	}
	for _, kind := range []error{
		dynastay.ErrInvalid, dynastay.ErrNotFound, dynastay.ErrAlreadyExists, dynastay.ErrCorrupt, dynastay.ErrRejected, dynastay.ErrVersion,
		availability.ErrNotOpen, availability.ErrPast, availability.ErrClosed, availability.ErrReopened,
	} {
		if errors.Is(err, kind) {
			return false
		}
	}
	return true
}

// fails compares errors: a *Refused, a sentinel, or an *InvalidError, of which only the field matters.
func (m *ledger) fails(want, err error) {
	var invalid, got *dynastay.InvalidError
	var refused, nights *availability.Refused
	switch {
	case want == nil:
		require.NoError(m.t, err)
	case errors.As(want, &invalid):
		require.ErrorAs(m.t, err, &got)
		require.Equal(m.t, invalid.Field, got.Field, "%v", err)
	case errors.As(want, &refused):
		require.ErrorAs(m.t, err, &nights)
		require.Equal(m.t, refused.Nights, nights.Nights)
	default:
		require.ErrorIs(m.t, err, want)
	}
}

// verify compares all nights with the stored ones.
func (m *ledger) verify() {
	want := map[at]dynastay.Item{}
	for on, n := range m.nights {
		want[on] = m.item(on, n)
	}
	require.Equal(m.t, want, m.stored(), "the stored nights")
}

// stored reads the items of all nights without faults.
func (m *ledger) stored() map[at]dynastay.Item {
	all := map[at]dynastay.Item{}
	for _, id := range m.rooms {
		rows, err := dynastay.QueryAll(context.Background(), m.db.Direct, keys.AvailabilityTable, dynastay.Query{
			Partition: "ROOM#" + id, Consistent: true,
		})
		require.NoError(m.t, err)
		for _, row := range rows {
			item := maps.Clone(row.Item())
			require.Contains(m.t, item, "WriteId")
			delete(item, "WriteId")
			all[at{id, date(row.Text("Date"))}] = item
		}
	}
	return all
}

// settle determines the outcome of a call that has made either all of these changes or none, and reports which.
func (m *ledger) settle(changes map[at]openNight) bool {
	stored := m.stored()
	is := func(nights map[at]openNight, on at) bool {
		n, open := nights[on]
		return !open && stored[on] == nil || open && assert.ObjectsAreEqual(m.item(on, n), stored[on])
	}
	old, done := true, true
	for on := range changes {
		old, done = old && is(m.nights, on), done && is(changes, on)
	}
	require.True(m.t, old || done, "all of it is carried out, or nothing")
	if done {
		maps.Copy(m.nights, changes)
	}
	return done
}

// recorder collects the calls of UpdateRequest.Progress.
type recorder struct {
	sync.Mutex
	done []int
	of   int
}

func (r *recorder) progress(done, of int) {
	r.Lock()
	defer r.Unlock()
	r.done, r.of = append(r.done, done), of
}
