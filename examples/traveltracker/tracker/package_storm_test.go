package tracker_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

var stormOperations = flag.Int("storm.operations", 12, "how many operations each device of TestDevicesAtTheSameTime makes")

// Four devices of one user push at the same time to two processes, and repeat what failed, through conflicts and lost
// answers, while another device pulls. No operation is applied twice or lost, the log has no gaps, the puller sees the
// entries in order, and the counters are right.
func TestDevicesAtTheSameTime(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	h.Faults.Inject(dyntest.AnyOf(dyntest.Conflict(), dyntest.LoseAnswer(), dyntest.LoseRequest()), dyntest.When{
		Operation: "TransactWriteItems", Chance: 0.15,
	})
	opts := &dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 300}}
	repos := []*tracker.Repository{tracker.New(h.Open(opts), nil), tracker.New(h.Open(opts), nil)}
	var mu sync.Mutex
	outcomes := map[string]tracker.Outcome{}
	var devices sync.WaitGroup
	for i, device := range []string{"phone", "tablet", "watch", "country"} {
		devices.Go(func() {
			for n := range *stormOperations {
				var ops []tracker.Operation
				for k := range 3 {
					id := tracker.VisitID{RegionType: regions.Country, RegionCode: fmt.Sprint("C", rand.IntN(3)), MarkedAt: base}
					ops = append(ops, tracker.Operation{
						ID: fmt.Sprintf("%s-%d-%d", device, n, k), Visit: id, ClientTime: base.Add(time.Duration(rand.IntN(1000)) * time.Second),
						Type:          []tracker.OperationType{tracker.Create, tracker.Update, tracker.Delete}[rand.IntN(3)],
						ClientVersion: rand.IntN(60),
					})
					if ops[k].Type != tracker.Delete {
						ops[k].Place.Notes = of(fmt.Sprint(device, n))
					}
				}
				for {
					results, err := repos[(i+n)%2].Push(t.Context(), tracker.Push{
						UserID: user, DeviceID: device, Operations: ops, Rule: tracker.MergeFields,
					})
					mu.Lock()
					for _, r := range results {
						was := outcomes[r.OperationID]
						assert.NoError(t, r.Err)
						if was == tracker.Applied {
							assert.Equal(t, tracker.AlreadyApplied, r.Outcome, r.OperationID)
						} else if was == tracker.Rejected {
							assert.Equal(t, tracker.Rejected, r.Outcome, r.OperationID)
						}
						if was == "" {
							outcomes[r.OperationID] = r.Outcome
						}
					}
					mu.Unlock()
					if err == nil {
						break
					}
					if !assert.True(t, errors.Is(err, dynastay.ErrOutcomeUnknown) || errors.Is(err, dynastay.ErrUnavailable), "%v", err) {
						return
					}
				}
			}
		})
	}
	done := make(chan bool)
	go func() {
		devices.Wait()
		close(done)
	}()
	cursor, seen := start, 0
	for ended := false; ; {
		changes, err := repos[1].Pull(t.Context(), user, cursor, 7)
		if err != nil {
			require.ErrorIs(t, err, dynastay.ErrUnavailable)
			continue
		}
		for _, c := range changes.Changes {
			require.Greater(t, c.ServerVersion, seen)
			seen = c.ServerVersion
		}
		if ended && changes.Next == cursor {
			break
		}
		cursor = changes.Next
		select {
		case <-done:
			ended = true
		default:
		}
	}

	rows, err := dynastay.QueryAll(t.Context(), h.Direct, table, dynastay.Query{
		Name: "log", Partition: "SYNC#" + user, Range: dynastay.Range{Prefix: "OP#"}, Consistent: true,
	})
	require.NoError(t, err)
	require.Len(t, rows, 1+4*3**stormOperations, "the profile, and every operation once")
	logged := map[string]bool{}
	for i, row := range rows {
		assert.Equal(t, i+1, row.Int("server_version"))
		logged[row.Text("operation_id")] = true
	}
	assert.Len(t, logged, len(rows))
	assert.Equal(t, len(rows), cursor.Version)
	for id, outcome := range outcomes {
		assert.True(t, logged[id], "%s: %s", id, outcome)
	}
	repo := tracker.New(h.Direct, nil)
	live := map[string]bool{}
	for v, err := range repo.VisitsOfSnapshot(user).All(t.Context()) {
		require.NoError(t, err)
		live[v.RegionCode] = true
	}
	p, err := repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, len(live), p.Countries)
	wrong, err := repo.Recount(t.Context(), user)
	require.NoError(t, err)
	assert.False(t, wrong)
}
