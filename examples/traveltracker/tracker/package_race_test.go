package tracker_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// A device repeats an operation while the first request is still being carried out, in other processes.
func TestAnOperationIsSentTwiceAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	for n := range 6 {
		o := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of(fmt.Sprint(n))})
		var mu sync.Mutex
		outcomes := map[tracker.Outcome]int{}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				opts := &dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 300}}
				results, err := tracker.New(h.Open(opts), nil).Push(t.Context(), tracker.Push{
					UserID: user, DeviceID: "phone", Operations: []tracker.Operation{o},
				})
				if assert.NoError(t, err) {
					mu.Lock()
					defer mu.Unlock()
					outcomes[results[0].Outcome]++
				}
			})
		}
		all.Wait()
		assert.Equal(t, map[tracker.Outcome]int{tracker.Applied: 1, tracker.AlreadyApplied: 3}, outcomes)
	}
	visits := pageOf(t, h.repo.Visits(user))
	require.Len(t, visits, 1)
	assert.Equal(t, 7, visits[0].Version)
}

// In one process, the writes of a user queue: each reads what the one before it has left, and is written at once.
func TestWritesOfAUserTakeTurns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	const calls = 6
	h.one("phone", tracker.ServerWins, h.batch(calls))
	var edits, waiting []tracker.Operation
	for i, v := range h.batch(calls).Batch {
		edits = append(edits, h.op(tracker.Update, v.Visit, 1, tracker.VisitEdit{RegionName: of("b")}))
		waiting = append(waiting, h.op(tracker.Update, v.Visit, 0, tracker.VisitEdit{Notes: of("a")}))
		require.Equal(t, tracker.Waiting, h.one("tablet", ask, waiting[i]).Outcome)
	}
	at := dynastay.Key{PK: "USER#" + user, SK: "PROFILE"}
	for _, c := range []struct {
		name   string
		writes int
		call   func(i int) error
	}{
		{"Push", calls, func(i int) error {
			_, err := h.repo.Push(t.Context(), tracker.Push{UserID: user, DeviceID: "phone", Operations: edits[i : i+1]})
			return err
		}},
		{"Settle", calls, func(i int) error {
			_, err := h.repo.Settle(t.Context(), user, waiting[i].ID, tracker.ClientWins)
			return err
		}},
		{"Recount", 1, func(int) error { _, err := h.repo.Recount(t.Context(), user); return err }},
		{"Erase", 1, func(int) error { return h.repo.Erase(t.Context(), user) }},
	} {
		if c.name == "Recount" {
			row, err := h.Direct.Get(t.Context(), table, at, dynastay.Consistent)
			require.NoError(t, err)
			wrong := row.Item()
			wrong["countries_visited"] = dynastay.Number(99)
			require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, wrong) }))
		}
		record := h.Faults.Record()
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() { assert.NoError(t, c.call(i), c.name) })
		}
		all.Wait()
		writes := 0
		for _, r := range record() {
			if strings.Contains(string(r.Body), `"HEAD"`) && (r.Operation == "TransactWriteItems" || r.Operation == "UpdateItem") {
				writes++ // not those of the time of a push
			}
		}
		assert.Equal(t, c.writes, writes, c.name)
	}
}

// A device repeats an operation while the first request is still being carried out. It waits once, although one that
// waits takes no number of the log.
func TestAnOperationThatWaitsIsSentTwiceAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		h.Clock.Advance(time.Second)
		_, err := tracker.New(h.Direct, nil).Push(ctx, tracker.Push{
			UserID: user, DeviceID: "tablet", Rule: ask, Operations: []tracker.Operation{o},
		})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	assert.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	assert.Len(t, pageOf(t, h.repo.Pending(user)), 1)
	_, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins)
	require.NoError(t, err)
	assert.Empty(t, pageOf(t, h.repo.Pending(user)))
}
