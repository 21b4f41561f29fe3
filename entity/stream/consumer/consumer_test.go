package consumer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
)

func TestNewPanics(t *testing.T) {
	t.Parallel()
	db := dynastay.Open(nil, nil)
	router := (&book{}).router(db)
	valid := consumer.Spec{Name: "n", Router: router, Start: consumer.Now}
	assert.NotPanics(t, func() { consumer.New(db, nil, valid) })
	for want, change := range map[string]func(*consumer.Spec){
		"consumer.New: Name: invalid Consumer: is required":                     func(s *consumer.Spec) { s.Name = "" },
		"consumer.New: Router with a route for a table is required":             func(s *consumer.Spec) { s.Router = nil },
		"consumer.New: Router with a route for a table is required ":            func(s *consumer.Spec) { s.Router = stream.NewRouter() },
		"consumer.New: Start is required":                                       func(s *consumer.Spec) { s.Start = 0 },
		"consumer.New: Positions: table Gauges must have a TTL attribute":       func(s *consumer.Spec) { s.Positions = gaugesTable },
		"consumer.New: Positions: the router must not read table Metadata":      func(s *consumer.Spec) { s.Router = metadata(db) },
		"consumer.New: Lease must be at least six times Poll, got 1s and 200ms": func(s *consumer.Spec) { s.Lease, s.Poll = time.Second, 200*time.Millisecond },
	} {
		spec := valid
		change(&spec)
		assert.PanicsWithValue(t, strings.TrimSpace(want), func() { consumer.New(db, nil, spec) })
	}
}

func TestBehindGrowsWhileNobodyReads(t *testing.T) {
	t.Parallel()
	began := time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)
	db := newDB(t, dyntest.At(began))
	db.Requires(dyntest.SingleShards)
	b := &book{}
	turn(t, db.DB, map[string]int{}, "g")
	c := consumer.New(db.DB, db.Streams, quick(consumer.Spec{Router: b.router(db.DB)}))
	require.NoError(t, c.Drain(t.Context()))
	for _, want := range []time.Duration{0, time.Hour} {
		db.Clock.Set(began.Add(want))
		shards, err := c.Shards(t.Context())
		require.NoError(t, err)
		require.Len(t, shards, 1)
		assert.Equal(t, consumer.Shard{Table: db.TableName(gaugesTable), ID: shards[0].ID, Behind: want}, shards[0])
	}
}
