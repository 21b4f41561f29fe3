package consumer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream/consumer"
)

// What a consumer costs does not depend on the number of changes: in each turn, it reads the positions consistently,
// and writes one for each shard that it holds.
func TestCost(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.Requires(dyntest.SingleShards)
	b, readings := &book{}, map[string]int{}
	spec := quick(consumer.Spec{Router: b.router(db.DB)})
	spec.Lease = patience // no turns but those that something has caused
	c := consumer.New(db.DB, db.Streams, spec)
	require.NoError(t, c.Drain(t.Context()))
	for _, changes := range []int{0, 1, 100} {
		for range changes {
			turn(t, db.Direct, readings, "g")
		}
		recorded := db.Faults.Record()
		spent := db.Measure(func() { require.NoError(t, c.Drain(t.Context())) })
		sent := map[string]int{}
		for _, call := range spent.Calls {
			sent[call.Operation]++
		}
		assert.Equal(t, map[string]int{
			// Look for new shards, take one, see that it is read to its present end, release it.
			"Query": 4, "ListStreams": 1, "DescribeStream": 1, "GetShardIterator": 1, "UpdateItem": 2,
			"GetRecords": max(1, sent["GetRecords"]), // until there are no records, and every Poll
		}, sent, "%d changes", changes)
		for _, request := range recorded() {
			if request.Operation == "Query" {
				assert.Contains(t, string(request.Body), `"ConsistentRead":true`, "a process learns from it whether it holds a shard")
			}
		}
		if db.Has(dyntest.ExactUnits) {
			assert.Equal(t, 2.0, spent.WriteUnits, "%d changes", changes)
			assert.Equal(t, 4.0, spent.ReadUnits, "%d changes", changes)
		}
	}
	b.complete(t, readings)
}
