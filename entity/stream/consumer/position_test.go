package consumer_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// The position of a shard that was read to its end expires; the others do not.
func TestPositionsOfEndedShardsExpire(t *testing.T) {
	t.Parallel()
	began := time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)
	db := newDB(t, dyntest.At(began))
	b, readings := &book{}, map[string]int{}
	shards := db.Reshard(2, 2)
	c := consumer.New(db.DB, shards, quick(consumer.Spec{Router: b.router(db.DB)}))
	for range 10 {
		turn(t, db.DB, readings, "g")
	}
	drained(t, c, func(c *assert.CollectT) { b.complete(c, readings) })
	open, err := c.Shards(t.Context())
	require.NoError(t, err)
	rows := positions(t, db)
	live := 0
	for _, row := range rows {
		if row.Text("EndedAt") == "" {
			live++
			assert.Zero(t, row.Int("ExpiresAt"))
			continue
		}
		assert.Equal(t, int(began.Add(48*time.Hour).Unix()), row.Int("ExpiresAt"))
	}
	assert.Len(t, open, live)
	assert.Greater(t, len(rows), live)
}

// A position that was deleted is stored anew, and its shard is read from the beginning by one reader.
func TestDeletedPositionIsStoredAnew(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.Requires(dyntest.SingleShards)
	b, readings := &book{}, map[string]int{}
	defer run(t, consumer.New(db.DB, db.Streams, quick(consumer.Spec{Router: b.router(db.DB), OnError: ignore})))()
	turn(t, db.Direct, readings, "g")
	require.Eventually(t, func() bool { return len(b.of("g")) == 1 }, patience, time.Millisecond)
	raw.Delete(t, db, keys.MetadataTable, keys.MetadataTable.Key.From(position(t, db)))
	require.Eventually(t, func() bool { return len(b.of("g")) == 2 }, patience, time.Millisecond)
	turn(t, db.Direct, readings, "g")
	require.Eventually(t, func() bool { return len(b.of("g")) == 3 }, patience, time.Millisecond)
	assert.Equal(t, []int{1, 1, 2}, b.of("g"))
}

// A position that cannot be read is reported, and does not stop the other shards.
func TestUnreadablePositionStopsOnlyItsShard(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(othersTable))
	b, readings := &book{}, map[string]int{}
	told := make(chan error, 1000)
	spec := quick(consumer.Spec{OnError: func(_ context.Context, err *consumer.Error) { told <- err }})
	spec.Router = withOthers(db, func(_ context.Context, c stream.Change[gauge]) error { b.note(c.New); return nil })
	require.NoError(t, consumer.New(db.DB, db.Streams, spec).Drain(t.Context()))
	change(t.Context(), t, db, of(t, db, othersTable), map[string]types.AttributeValue{"ReadTo": dynastay.Number(1)})
	turn(t, db.DB, readings, "g")
	require.NoError(t, consumer.New(db.DB, db.Streams, spec).Drain(t.Context()))
	b.complete(t, readings)
	assert.ErrorIs(t, <-told, dynastay.ErrCorrupt)
}
