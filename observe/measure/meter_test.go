package measure_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/observe/measure"
)

// sums is a sink that adds everything up, by the name of the metric and its labels.
type sums struct {
	mu  sync.Mutex
	all map[string]float64
}

func (s *sums) Add(_ context.Context, m *measure.Metric, value float64, labels measure.Labels) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]float64{}
	}
	s.all[m.Name+" "+strings.TrimRight(strings.Join(labels[:], ","), ",")] += value
}

// begin begins an operation, as a DB does.
func begin(m *measure.Meter, name string) (context.Context, func(dynastay.Ended)) {
	return m.Begin(context.Background(), name)
}

func TestMeterOfRequests(t *testing.T) {
	t.Parallel()
	var s sums
	m := measure.New(&s)
	ctx, end := begin(m, "properties.BySlug")
	m.Request(ctx, dynastay.Call{Operation: "GetItem", Verdict: dynastay.Done, Attempt: 1, Retries: 2, Duration: time.Second,
		Usage:     []dynastay.Usage{{Table: "Users", ReadUnits: 0.5}},
		Throttles: []dynastay.Throttle{{Reason: "TableReadKeyRangeThroughputExceeded", Table: "Users"}},
	})
	m.Request(ctx, dynastay.Call{Operation: "TransactWriteItems", Verdict: dynastay.Conflict, Attempt: 1})
	m.Request(ctx, dynastay.Call{Operation: "TransactWriteItems", Verdict: dynastay.Throttled, Attempt: 2})
	m.Request(ctx, dynastay.Call{Operation: "TransactWriteItems", Verdict: dynastay.Lost, Attempt: 3})
	m.Request(ctx, dynastay.Call{Operation: "TransactWriteItems", Verdict: dynastay.Done, Attempt: 4, Usage: []dynastay.Usage{
		{Table: "Bookings", WriteUnits: 4}, {Table: "Bookings", Index: "GSI1", WriteUnits: 2},
	}})
	end(dynastay.Ended{Duration: 3 * time.Second, Settled: dynastay.SettledByRetry})
	m.Request(context.Background(), dynastay.Call{Operation: "Query", Verdict: dynastay.Lost, Attempt: 1})
	assert.Equal(t, map[string]float64{
		"DeadLetters ": 0, "OutcomesUnknown ": 0,
		"db.client.operation.duration GetItem,Users,GetItem Users":                             1,
		"db.client.operation.duration TransactWriteItems,,TransactWriteItems,,conflict":        0,
		"db.client.operation.duration TransactWriteItems,,TransactWriteItems,,throttled":       0,
		"db.client.operation.duration TransactWriteItems,,TransactWriteItems,,lost":            0,
		"db.client.operation.duration TransactWriteItems,Bookings,TransactWriteItems Bookings": 0,
		"db.client.operation.duration Query,,Query,,lost":                                      0,
		"dynastay.requests properties.BySlug,P8,GetItem,done":                                  3,
		"dynastay.requests properties.BySlug,P8,TransactWriteItems,conflict":                   1,
		"dynastay.requests properties.BySlug,P8,TransactWriteItems,throttled":                  1,
		"dynastay.requests properties.BySlug,P8,TransactWriteItems,lost":                       1,
		"dynastay.requests properties.BySlug,P8,TransactWriteItems,done":                       1,
		"dynastay.requests ,,Query,lost":                                                       1,
		"dynastay.retries properties.BySlug,P8,GetItem":                                        2,
		"dynastay.retries properties.BySlug,P8,TransactWriteItems":                             3,
		"dynastay.consumed_units properties.BySlug,P8,Users,,read":                             0.5,
		"dynastay.consumed_units properties.BySlug,P8,Bookings,,write":                         4,
		"dynastay.consumed_units properties.BySlug,P8,Bookings,GSI1,write":                     2,
		"dynastay.throttles properties.BySlug,TableReadKeyRangeThroughputExceeded,Users":       1,
		"dynastay.throttles properties.BySlug":                                                 1,
		"dynastay.conflicts properties.BySlug,P8":                                              1,
		"dynastay.lost_answers properties.BySlug,retry":                                        1,
		"dynastay.lost_answers ,no":                                                            1,
		"dynastay.operation.duration properties.BySlug,P8":                                     3,
	}, s.all)
}

// What an operation is told of its parts is not counted twice.
func TestMeterOfParts(t *testing.T) {
	t.Parallel()
	var s sums
	m := measure.New(&s)
	wait := func(table string, d time.Duration) dynastay.Wait {
		return dynastay.Wait{Ref: dynastay.Ref{Table: table}, Duration: d}
	}
	unknown := &dynastay.Error{Kind: dynastay.ErrOutcomeUnknown}
	ctx, end := begin(m, "bookings.ExpireHolds")
	for range 2 {
		part, endPart := m.Begin(ctx, "bookings.Expire")
		m.Request(part, dynastay.Call{Operation: "TransactWriteItems", Verdict: dynastay.Lost, Attempt: 1})
		endPart(dynastay.Ended{Lost: 1, Settled: dynastay.Unsettled, Err: unknown, Waits: []dynastay.Wait{wait("Bookings", time.Second)}})
	}
	m.Request(ctx, dynastay.Call{Operation: "Query", Verdict: dynastay.Lost, Attempt: 1})
	end(dynastay.Ended{Lost: 3, Settled: dynastay.Unsettled, Err: unknown, Waits: []dynastay.Wait{
		wait("Bookings", time.Second), wait("Metadata", time.Second), wait("Bookings", time.Second),
	}})
	assert.Equal(t, 2.0, s.all["OutcomesUnknown "])
	assert.Equal(t, 2.0, s.all["dynastay.lost_answers bookings.Expire,unknown"])
	assert.Equal(t, 1.0, s.all["dynastay.lost_answers bookings.ExpireHolds,no"], "nothing depended on the read")
	assert.Equal(t, 2.0, s.all["dynastay.gate.wait.duration bookings.Expire,Bookings"])
	assert.Equal(t, 1.0, s.all["dynastay.gate.wait.duration bookings.ExpireHolds,Metadata"])
	assert.NotContains(t, s.all, "dynastay.gate.wait.duration bookings.ExpireHolds,Bookings")

	_, end = begin(m, "bookings.Cancel")
	end(dynastay.Ended{Settled: dynastay.Unsettled, Err: unknown})
	assert.Equal(t, 3.0, s.all["OutcomesUnknown "])
}

// Neither the number of operations in a write, nor what a program puts into their names, makes more and more time series.
func TestCardinalityIsBounded(t *testing.T) {
	t.Parallel()
	var s sums
	m := measure.New(&s)
	for n := range 100 {
		_, end := begin(m, strings.Repeat("outbox.Create + ", n)+"bookings.Cancel")
		end(dynastay.Ended{})
	}
	assert.Len(t, s.all, 4, "two alarms, with and without the outbox: %v", s.all)
	s.all = nil
	for n := range 3000 {
		_, end := begin(m, fmt.Sprint("job.", n))
		end(dynastay.Ended{Err: errors.New(fmt.Sprint("anna", n, "@example.com"))})
	}
	assert.Len(t, s.all, 1000-2+1)
	assert.Contains(t, s.all, "dynastay.operation.duration _OTHER,,_OTHER")
}

func TestSummary(t *testing.T) {
	t.Parallel()
	usage := func(all ...string) (usage []dynastay.Usage) {
		for _, one := range all {
			table, index, _ := strings.Cut(one, "/")
			usage = append(usage, dynastay.Usage{Table: table, Index: index})
		}
		return usage
	}
	long := strings.Repeat("n", 100)
	for _, c := range []struct {
		operation        string
		usage            []dynastay.Usage
		want, collection string
	}{
		{"GetItem", usage("Users"), "GetItem Users", "Users"},
		{"Query", usage("Bookings/GSI1", "Bookings"), "Query Bookings/GSI1", "Bookings"},
		{"Query", usage("Bookings"), "Query Bookings", "Bookings"},
		{"PutItem", usage("Bookings", "Bookings/GSI1"), "PutItem Bookings", "Bookings"},
		{"TransactWriteItems", usage("Users", "Bookings", "Bookings/GSI1"), "TransactWriteItems Bookings Users", ""},
		{"TransactWriteItems", usage(long+"1", long+"2", long+"3"), "TransactWriteItems " + long + "1 " + long + "2", ""},
		{"Scan", nil, "Scan", ""},
	} {
		call := dynastay.Call{Operation: c.operation, Usage: c.usage}
		assert.Equal(t, c.want, measure.Summary(call))
		assert.Equal(t, c.collection, measure.Collection(call))
	}
}
