package consumer_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/keys"
)

func TestDrainHandlesEverythingOnce(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b, readings := &book{}, map[string]int{}
	c := consumer.New(db.DB, db.Streams, quick(consumer.Spec{Router: b.router(db.DB)}))
	for range 3 {
		turn(t, db.DB, readings, names(5)...)
		require.NoError(t, c.Drain(t.Context()))
	}
	for _, name := range names(5) {
		assert.Equal(t, []int{1, 2, 3}, b.of(name), "%s", name)
	}
}

func TestDrainThroughResharding(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	shards := db.Reshard(2, 6)
	b, readings := &book{}, map[string]int{}
	c := consumer.New(db.DB, shards, quick(consumer.Spec{Router: b.router(db.DB)}))
	for range 10 {
		turn(t, db.DB, readings, names(7)...)
		require.NoError(t, c.Drain(t.Context()))
	}
	drained(t, c, func(c *assert.CollectT) { b.complete(c, readings) })
	for _, name := range names(7) {
		assert.Len(t, b.of(name), 10, "deliveries of %s", name)
	}
}

// run starts a Run that ends with the test, or when stop is called, which waits for it.
func run(t *testing.T, c *consumer.Consumer) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	return func() {
		cancel()
		assert.NoError(t, <-done)
	}
}

// owners returns how many shards each process holds.
func owners(t require.TestingT, ctx context.Context, c *consumer.Consumer) map[string]int {
	shards, err := c.Shards(ctx)
	require.NoError(t, err)
	count := map[string]int{}
	for _, s := range shards {
		count[s.Owner]++
	}
	return count
}

// A process that is busy with one change for several leases keeps its shard.
func TestLeaseIsRenewedWhileAHandlerRuns(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.Requires(dyntest.SingleShards)
	b, other := &book{}, &book{}
	turn(t, db.DB, map[string]int{}, "g", "g")
	busy, release := make(chan struct{}), make(chan struct{})
	spec := quick(consumer.Spec{Router: b.failing(db, func(context.Context, *gauge) error {
		select {
		case busy <- struct{}{}:
			<-release
		case <-release:
		}
		return nil
	})})
	first := consumer.New(db.DB, db.Streams, spec)
	defer run(t, first)()
	<-busy
	spec.Router = other.router(db.DB)
	defer run(t, consumer.New(db.DB, db.Streams, spec))()

	writes := map[dynastay.WriteID]bool{}
	require.Eventually(t, func() bool {
		row := position(t, db)
		var id dynastay.WriteID
		require.NoError(t, id.UnmarshalDynamoDBAttributeValue(row.Value("WriteId").Stored()))
		writes[id] = true
		return len(writes) > 9 // six for each lease
	}, patience, 10*time.Millisecond)
	assert.Empty(t, other.of("g"))
	close(release)
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, []int{1, 2}, b.of("g")) }, patience, 10*time.Millisecond)
	assert.Empty(t, other.of("g"))
}

// positions reads all positions.
func positions(t *testing.T, db *dyntest.DB) (all []dynastay.Row) {
	t.Helper()
	for row, err := range dynastay.ListOf(db.Direct, keys.MetadataTable, dynastay.Query{Name: "positions", Partition: "STREAM#gauges"},
		func(_ context.Context, row dynastay.Row) (dynastay.Row, error) { return row, nil }).All(context.WithoutCancel(t.Context())) {
		require.NoError(t, err)
		all = append(all, row)
	}
	return all
}

// position reads the only position.
func position(t *testing.T, db *dyntest.DB) dynastay.Row {
	t.Helper()
	all := positions(t, db)
	require.Len(t, all, 1)
	return all[0]
}

// A process that cannot renew its lease stops before another one takes the shard.
func TestProcessThatCannotRenewStopsFirst(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b, other := &book{}, &book{}
	turn(t, db.DB, map[string]int{}, "g", "g")
	var cause error
	var taken atomic.Bool
	spec := quick(consumer.Spec{OnError: ignore})
	spec.Router = b.failing(db, func(ctx context.Context, g *gauge) error {
		db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "UpdateItem"}) // of this process only
		<-ctx.Done()
		cause = context.Cause(ctx)
		assert.False(t, taken.Load(), "another process took the shard before")
		return ctx.Err()
	})
	stop := run(t, consumer.New(db.DB, db.Streams, spec))
	require.Eventually(t, func() bool { return db.Faults.Count("UpdateItem") > 2 }, patience, time.Millisecond)

	own := db.Direct
	spec.Router = (&book{}).router(own)
	spec.Router = other.failing(&dyntest.DB{DB: own}, func(context.Context, *gauge) error { taken.Store(true); return nil })
	stopOther := run(t, consumer.New(own, db.Engine.Streams(), spec))
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, []int{1, 2}, other.of("g")) }, patience, 10*time.Millisecond)
	stopOther()
	stop()
	assert.ErrorIs(t, cause, consumer.ErrLeaseLost)
	assert.Empty(t, b.of("g"))
}

// Shards are handed over to a new process and released by one that stops, at once and without repeating a change.
func TestShardsAreShared(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Seed(1))
	shards := db.Reshard(2, 5)
	b, readings := &book{}, map[string]int{}
	spec := quick(consumer.Spec{Router: b.router(db.DB)})
	spec.Lease = 3 * time.Second // a release is noticed sooner than the end of a lease
	one := consumer.New(db.DB, shards, spec)
	defer run(t, one)()
	for range 6 {
		turn(t, db.DB, readings, names(8)...)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		count := owners(c, t.Context(), one)
		require.Len(c, count, 1)
		for _, n := range count {
			assert.Greater(c, n, 3, "open shards")
		}
	}, patience, 100*time.Millisecond)
	stop := run(t, consumer.New(db.DB, shards, spec))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		count := owners(c, t.Context(), one)
		require.Len(c, count, 2)
		var least, most = 1 << 10, 0
		for owner, n := range count {
			assert.NotEmpty(c, owner)
			least, most = min(least, n), max(most, n)
		}
		assert.LessOrEqual(c, most-least, 1)
	}, patience, 20*time.Millisecond)
	stop()
	count := owners(t, t.Context(), one)
	delete(count, "") // what is released, unless the first process has taken it back already
	assert.Len(t, count, 1, "the process that is stopped has none")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Len(c, owners(c, t.Context(), one), 1)
	}, patience, 20*time.Millisecond)
	require.EventuallyWithT(t, func(c *assert.CollectT) { b.complete(c, readings) }, patience, 20*time.Millisecond)
	for name, last := range readings {
		assert.Len(t, b.of(name), last, "deliveries of %s", name)
	}
}

// A process that is stopped just when another one hands a shard over to it releases the shard, although it has not read it.
func TestStopReleasesWhatWasHandedOver(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Seed(1))
	shards := db.Reshard(2, 5)
	spec := quick(consumer.Spec{Router: (&book{}).router(db.Direct)})
	one := consumer.New(db.Direct, shards, spec)
	defer run(t, one)()
	readings := map[string]int{}
	for range 6 {
		turn(t, db.Direct, readings, names(8)...)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		count := owners(c, t.Context(), one)
		require.Len(c, count, 1)
		for owner, n := range count {
			assert.True(c, owner != "" && n > 3, "open shards")
		}
	}, patience, 20*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	db.Faults.Inject(dyntest.After(func(context.Context) { // it has asked for a shard
		assert.Eventually(t, func() bool { return len(owners(t, context.Background(), one)) == 2 }, patience, time.Millisecond)
		cancel()
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	spec.Lease = patience // nobody could take the shard for so long
	spec.OnError = ignore
	require.NoError(t, consumer.New(db.DB, shards, spec).Run(ctx))
	count := owners(t, t.Context(), one)
	delete(count, "") // until the first process takes it back
	assert.Len(t, count, 1, "the process that is stopped has none")
}

// A handler that is running when Run is stopped may finish, and what it did is not repeated.
func TestStopLetsAHandlerFinish(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b := &book{}
	turn(t, db.DB, map[string]int{}, "g", "g", "g")
	busy, release := make(chan struct{}), make(chan struct{})
	spec := quick(consumer.Spec{})
	spec.Router = b.failing(db, func(ctx context.Context, g *gauge) error {
		if g.Reading == 2 {
			close(busy)
			<-release
			return ctx.Err()
		}
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- consumer.New(db.DB, db.Streams, spec).Run(ctx) }()
	<-busy
	cancel()
	close(release)
	require.NoError(t, <-done)
	assert.Equal(t, []int{1, 2}, b.of("g"))
	spec.Router = b.router(db.DB)
	require.NoError(t, consumer.New(db.DB, db.Streams, spec).Drain(t.Context()))
	assert.Equal(t, []int{1, 2, 3}, b.of("g"))
}

// A handler that does not finish is told to, and its change is handled again.
func TestStopEndsAHandlerThatTakesTooLong(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b := &book{}
	turn(t, db.DB, map[string]int{}, "g")
	busy := make(chan struct{})
	spec := quick(consumer.Spec{OnError: ignore})
	spec.Router = b.failing(db, func(ctx context.Context, _ *gauge) error {
		close(busy)
		<-ctx.Done()
		return stream.Permanent(ctx.Err())
	})
	spec.DeadLetter = func(context.Context, stream.Record, error) error {
		t.Error("the change is passed to DeadLetter, although it was not its fault")
		return nil
	}
	stop := run(t, consumer.New(db.DB, db.Streams, spec))
	<-busy
	stop()
	assert.Empty(t, b.of("g"))
	spec.Router = b.router(db.DB)
	require.NoError(t, consumer.New(db.DB, db.Streams, spec).Drain(t.Context()))
	assert.Equal(t, []int{1}, b.of("g"))
}

// A take whose response was lost for good is resumed at the next turn.
func TestLostTakeIsResumed(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b := &book{}
	turn(t, db.DB, map[string]int{}, "g")
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "UpdateItem", Nth: 1, Times: 1, EveryAttempt: true})
	spec := quick(consumer.Spec{Router: b.router(db.DB), OnError: ignore})
	require.NoError(t, consumer.New(db.DB, db.Streams, spec).Drain(t.Context()))
	assert.Equal(t, []int{1}, b.of("g"))
}
