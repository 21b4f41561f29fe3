package dynaprom_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/observe/measure"
	dynaprom "github.com/dynastay/dynastay/observe/prometheus"
)

// sum adds up the time series of a metric that have a label with a value; of a histogram, how many values they have.
func sum(t *testing.T, reg *prometheus.Registry, name, label, value string) (all float64) {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			has := label == ""
			for _, l := range m.GetLabel() {
				has = has || l.GetName() == label && l.GetValue() == value
			}
			if has {
				all += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return all
}

// In a storm of faults, with several callers at the same time, the metrics have what was sent and what was answered.
func TestMetricsOfAStorm(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.Direct, 20)
	ask := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	reg := prometheus.NewPedanticRegistry()
	observer, err := dynaprom.New(reg)
	require.NoError(t, err)
	repo := bookings.New(db.Open(&dynastay.Options{Observer: observer}), nil)
	conflict := db.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems", Nth: 2, Times: 2})
	lost := db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", Nth: 7})
	db.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "Query", Chance: 0.2, Optional: true})
	spent := db.Measure(func() {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for range 4 {
					_, err := repo.Create(t.Context(), ask)
					assert.NoError(t, err)
					_, _ = repo.ByUser(ask.UserID).Page(t.Context(), dynastay.Paging{}) // may be throttled
				}
			})
		}
		wg.Wait()
	})
	assert.EqualValues(t, spent.Requests, sum(t, reg, "dynastay_requests_total", "", ""))
	assert.Equal(t, spent.ReadUnits, sum(t, reg, "dynastay_consumed_units_total", "dynastay_direction", "read"))
	assert.Equal(t, spent.WriteUnits, sum(t, reg, "dynastay_consumed_units_total", "dynastay_direction", "write"))
	byTable := map[string]float64{}
	for _, c := range spent.Calls {
		for _, u := range c.Usage {
			byTable[u.Table] += u.ReadUnits + u.WriteUnits
		}
	}
	prefix := strings.TrimSuffix(db.TableName(keys.BookingsTable), keys.BookingsTable.Name)
	for table, units := range byTable {
		assert.Equal(t, units, sum(t, reg, "dynastay_consumed_units_total", "dynastay_table", prefix+table))
	}
	assert.EqualValues(t, conflict.Hits(), sum(t, reg, "dynastay_conflicts_total", "", ""))
	assert.EqualValues(t, lost.Hits(), sum(t, reg, "dynastay_lost_answers_total", "dynastay_settled", "retry"))
	assert.EqualValues(t, 12, sum(t, reg, "dynastay_operation_duration_seconds", "dynastay_operation", "bookings.Create"))
	assert.EqualValues(t, 12, sum(t, reg, "dynastay_operation_duration_seconds", "dynastay_pattern", "B1"))
}

// Every metric of the list is there, as Prometheus wants its names to be.
func TestTextOfEveryMetric(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewPedanticRegistry()
	observer, err := dynaprom.New(reg)
	require.NoError(t, err)
	_, err = dynaprom.New(reg)
	var twice prometheus.AlreadyRegisteredError
	require.ErrorAs(t, err, &twice)

	ctx, end := observer.Begin(t.Context(), "users.Create")
	observer.Request(ctx, dynastay.Call{
		Operation: "PutItem", Verdict: dynastay.Throttled, Attempt: 2, Usage: []dynastay.Usage{{Table: "Users", WriteUnits: 1.5}},
		Throttles: []dynastay.Throttle{{Reason: "TableWriteKeyRangeThroughputExceeded", Table: "Users"}},
	})
	observer.Request(ctx, dynastay.Call{Operation: "PutItem", Verdict: dynastay.Conflict, Attempt: 3})
	observer.Request(ctx, dynastay.Call{Operation: "PutItem", Verdict: dynastay.Lost, Attempt: 4})
	end(dynastay.Ended{Settled: dynastay.Unsettled, Waits: []dynastay.Wait{{Duration: time.Second}}, Err: dynastay.ErrOutcomeUnknown})
	_, end = observer.Begin(t.Context(), "\xff")
	end(dynastay.Ended{})
	observer.OverdueHolds(t.Context(), 3)
	observer.Behind(time.Hour)
	broken := errors.New("broken")
	handle := observer.Records(func(context.Context, stream.Record) error { return broken })
	require.ErrorIs(t, handle(t.Context(), stream.Record{Table: "Users", At: time.Now()}), broken)

	families, err := reg.Gather()
	require.NoError(t, err)
	buckets := map[string][]float64{}
	for _, f := range families {
		for _, b := range f.GetMetric()[0].GetHistogram().GetBucket() {
			buckets[f.GetName()] = append(buckets[f.GetName()], b.GetUpperBound())
		}
	}
	var names []string
	for _, m := range measure.Metrics() {
		assert.Equal(t, m.Buckets, buckets[m.Prometheus()], m.Name)
		names = append(names, m.Prometheus())
		assert.Positive(t, testutil.CollectAndCount(reg, m.Prometheus()), m.Name)
	}
	assert.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP DeadLetters_total Records of the streams that a consumer has given up.
# TYPE DeadLetters_total counter
DeadLetters_total 0
# HELP OldestRecordAge_seconds Age of the oldest record of the streams that no consumer has handled.
# TYPE OldestRecordAge_seconds gauge
OldestRecordAge_seconds 3600
# HELP OutcomesUnknown_total Writes of which nobody knows whether they happened.
# TYPE OutcomesUnknown_total counter
OutcomesUnknown_total 1
# HELP OverdueHolds Holds that ended more than a few minutes ago and still keep their rooms.
# TYPE OverdueHolds gauge
OverdueHolds 3
# HELP dynastay_consumed_units_total Read and write units that requests consumed.
# TYPE dynastay_consumed_units_total counter
dynastay_consumed_units_total{dynastay_direction="write",dynastay_index="",dynastay_operation="users.Create",dynastay_pattern="",dynastay_table="Users"} 1.5
# HELP dynastay_lost_answers_total Requests without an answer, by how the outcome of their operation became known.
# TYPE dynastay_lost_answers_total counter
dynastay_lost_answers_total{dynastay_operation="users.Create",dynastay_settled="unknown"} 1
# HELP dynastay_throttles_total Limits that requests met, whether a retry helped or not. A request can meet several.
# TYPE dynastay_throttles_total counter
dynastay_throttles_total{dynastay_index="",dynastay_operation="users.Create",dynastay_reason="TableWriteKeyRangeThroughputExceeded",dynastay_table="Users"} 1
`), "DeadLetters_total", "OldestRecordAge_seconds", "OutcomesUnknown_total", "OverdueHolds",
		"dynastay_consumed_units_total", "dynastay_lost_answers_total", "dynastay_throttles_total"))
	problems, err := testutil.GatherAndLint(reg, names...)
	require.NoError(t, err)
	for _, p := range problems { // the names of the alarms are those that CloudWatch is asked for
		assert.Contains(t, p.Text, "camelCase", "%s", p.Metric)
	}
}

// A program whose registry has one of the names goes on without the observer.
func TestFailedNewLeavesNothing(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "OverdueHolds", Help: "of the program"}))
	_, err := dynaprom.New(registry)
	require.ErrorContains(t, err, "metric OverdueHolds: ")
	found, err := registry.Gather()
	require.NoError(t, err)
	assert.Len(t, found, 1)
}
