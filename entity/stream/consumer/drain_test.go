package consumer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/entity/stream/consumer"
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
