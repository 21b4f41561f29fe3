package consumer_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/entity/stream/consumer"
)

// DynamoDB Local numbers the changes of all tables together. It refuses to continue to read a shard that was empty, as
// if changes had been removed, if another table has changed before the first change of the shard.
func TestFirstChangeOfATableAfterThoseOfAnother(t *testing.T) {
	t.Parallel()
	db, other := newDB(t), newDB(t)
	b := &book{}
	defer run(t, consumer.New(db.DB, db.Streams, quick(consumer.Spec{
		Router: b.router(db.DB), OnError: func(_ context.Context, err *consumer.Error) { assert.NoError(t, err) },
	})))()
	require.Eventually(t, func() bool { return db.Faults.Count("GetRecords") > 1 }, patience, time.Millisecond)
	turn(t, other.DB, map[string]int{}, "a", "b")
	turn(t, db.DB, map[string]int{}, "g")
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, []int{1}, b.of("g")) }, patience, 10*time.Millisecond)
}
