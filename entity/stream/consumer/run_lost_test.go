package consumer_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
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

var othersTable = &dynastay.Schema{Name: "Others", Key: dynastay.KeyNames{Partition: "PK"}, Stream: true}

// withOthers returns a router that also reads othersTable.
func withOthers(db *dyntest.DB, handle func(context.Context, stream.Change[gauge]) error) *stream.Router {
	return stream.NewRouter(stream.On(gauges(db.DB), handle),
		stream.OnItems(db.DB, othersTable, func(context.Context, stream.Record) error { return nil }))
}

// change writes attributes of a position, as another process or an operator does.
func change(ctx context.Context, t testing.TB, db *dyntest.DB, position dynastay.Row, set map[string]types.AttributeValue) {
	t.Helper()
	update := map[string]types.AttributeValueUpdate{}
	for name, v := range set {
		update[name] = types.AttributeValueUpdate{Value: v, Action: types.AttributeActionPut}
	}
	_, err := db.Engine.Client().UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(db.TableName(keys.MetadataTable)), Key: keys.MetadataTable.Key.Of(keys.MetadataTable.Key.From(position)),
		AttributeUpdates: update,
	})
	require.NoError(t, err)
}

// If a process ends without releasing its shards, a Drain waits for the end of the leases and does not mistake the dead
// process for one that reads them.
func TestDrainTakesTheShardsOfAKilledProcess(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(talliesTable))
	db.Requires(dyntest.SingleShards)
	w := startWorker(t, db, db.Streams, &book{}, quick(consumer.Spec{}))
	require.Eventually(t, func() bool {
		rows := positions(t, db)
		return len(rows) == 1 && rows[0].Text("LeaseOwner") != ""
	}, patience, 5*time.Millisecond)
	w.kill()
	<-w.done
	b, readings := &book{}, map[string]int{}
	turn(t, db.Direct, readings, "g", "g", "g")
	c := consumer.New(db.Direct, db.Streams, quick(consumer.Spec{Router: b.router(db.Direct)}))
	require.NoError(t, c.Drain(t.Context()))
	b.complete(t, readings)
}

// A Drain beside a Run does not ask for shards: they would be handed over to a process that is gone.
func TestDrainAsksForNothing(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(othersTable))
	spec := quick(consumer.Spec{})
	spec.Router = withOthers(db, func(context.Context, stream.Change[gauge]) error { return nil })
	live := consumer.New(db.DB, db.Streams, spec)
	defer run(t, live)()
	writes := map[string]bool{}
	require.Eventually(t, func() bool { // until it is seen to be alive
		for _, row := range positions(t, db) {
			writes[row.Text("ReadTo")] = true
		}
		return len(writes) > 3
	}, patience, 5*time.Millisecond)
	require.NoError(t, consumer.New(db.DB, db.Streams, spec).Drain(t.Context()))
	owners := map[string]bool{}
	for _, row := range positions(t, db) {
		assert.Empty(t, row.Text("WantedBy"))
		owners[row.Text("LeaseOwner")] = true
	}
	assert.Len(t, owners, 1)
}

// A search for new shards that takes longer than a lease, for example because it is throttled, does not end the leases.
func TestSlowSearchKeepsTheLeases(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.Requires(dyntest.SingleShards)
	b := &book{}
	turn(t, db.DB, map[string]int{}, "g")
	var slow atomic.Bool
	streams := &altered{Client: db.Streams, beforeList: func(ctx context.Context) {
		if slow.Load() {
			<-ctx.Done()
		}
	}}
	spec := quick(consumer.Spec{OnError: ignore})
	spec.Router = b.failing(db, func(ctx context.Context, _ *gauge) error {
		slow.Store(true)
		writes := map[string]bool{}
		assert.Eventually(t, func() bool {
			writes[string(position(t, db).Value("WriteId").Bytes())] = true
			return len(writes) > 12 || ctx.Err() != nil // at most six for each lease
		}, patience, 20*time.Millisecond)
		return context.Cause(ctx)
	})
	stop := run(t, consumer.New(db.DB, streams, spec))
	require.Eventually(t, func() bool { return len(b.of("g")) > 0 }, patience, 10*time.Millisecond)
	slow.Store(false)
	stop()
}

// A shard that was read to its end is stored as ended only after its children were found.
func TestShardEndsAfterItsChildrenWereFound(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b, readings := &book{}, map[string]int{}
	var slow atomic.Bool
	streams := &altered{Client: db.Reshard(2, 2).Client, beforeList: func(ctx context.Context) {
		if slow.Load() {
			<-ctx.Done()
		}
	}}
	defer run(t, consumer.New(db.DB, streams, quick(consumer.Spec{Router: b.router(db.DB), OnError: ignore})))()
	turn(t, db.DB, readings, "g")
	require.EventuallyWithT(t, func(c *assert.CollectT) { b.complete(c, readings) }, patience, time.Millisecond)
	slow.Store(true)
	turn(t, db.DB, readings, "g", "g", "g")
	writes := map[string]bool{}
	require.Eventually(t, func() bool {
		writes[string(position(t, db).Value("WriteId").Bytes())] = true
		return len(writes) > 4
	}, patience, 20*time.Millisecond)
	assert.Equal(t, []int{1, 2}, b.of("g"))
	assert.Empty(t, position(t, db).Text("EndedAt"))
	slow.Store(false)
	require.EventuallyWithT(t, func(c *assert.CollectT) { b.complete(c, readings) }, patience, time.Millisecond)
}

// If the stream of one table cannot be read, the shards of the others end, and their children are read.
func TestOneTableDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(othersTable))
	b, readings := &book{}, map[string]int{}
	told := make(chan error, 1000)
	spec := quick(consumer.Spec{OnError: func(_ context.Context, err *consumer.Error) { told <- err }})
	spec.Router = withOthers(db, func(_ context.Context, c stream.Change[gauge]) error { b.note(c.New); return nil })
	defer run(t, consumer.New(db.DB, db.Reshard(2, 3), spec))()
	turn(t, db.DB, readings, "g")
	require.EventuallyWithT(t, func(c *assert.CollectT) { b.complete(c, readings) }, patience, 10*time.Millisecond)
	_, err := db.Engine.Client().UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String(db.TableName(othersTable)), StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)},
	})
	require.NoError(t, err)
	for range 20 {
		turn(t, db.DB, readings, "g")
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { b.complete(c, readings) }, patience, 10*time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains((<-told).Error(), "Others: it is not enabled") }, patience, time.Millisecond)
}

// sickProcess starts a process that has lost its lease of the only shard with changes because its writes fail, while a
// handler hangs that does not end when its context does. End makes the handler return and stops the process.
func sickProcess(t *testing.T, db *dyntest.DB) (name string, outage *dyntest.Injection, end func()) {
	turn(t, db.Direct, map[string]int{}, "g", "g", "g")
	busy, lost, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	spec := quick(consumer.Spec{OnError: ignore})
	spec.Router = withOthers(db, func(ctx context.Context, c stream.Change[gauge]) error {
		if c.New.Reading == 1 {
			return nil
		}
		once.Do(func() {
			close(busy)
			<-ctx.Done()
			close(lost)
			<-release
		})
		return errors.New("too late")
	})
	stop := run(t, consumer.New(db.DB, db.Streams, spec))
	<-busy
	name = of(t, db, gaugesTable).Text("LeaseOwner")
	outage = db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "UpdateItem"}) // of this process
	<-lost
	return name, outage, func() {
		close(release)
		stop()
	}
}

// healthyProcess starts a process beside it, and waits until it has handled everything.
func healthyProcess(t *testing.T, db *dyntest.DB) (stop func()) {
	b, spec := &book{}, quick(consumer.Spec{OnError: ignore})
	spec.Router = withOthers(db, func(_ context.Context, c stream.Change[gauge]) error { b.note(c.New); return nil })
	stop = run(t, consumer.New(db.Direct, db.Engine.Streams(), spec))
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Contains(c, b.of("g"), 3) }, patience, 10*time.Millisecond)
	return stop
}

// A process that has lost its lease does not go on to renew it while a handler hangs, even if nobody has taken the shard.
func TestLeaseThatWasLostIsNotRenewed(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(othersTable))
	_, outage, end := sickProcess(t, db)
	defer end()
	outage.Stop()
	healthyProcess(t, db)()
}

// A shard that is handed to a process with a hanging handler of the same shard goes on where it was, after a lease.
func TestShardHandedToASickProcessGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(othersTable))
	db.Requires(dyntest.SingleShards)
	name, outage, end := sickProcess(t, db)
	defer end()
	defer healthyProcess(t, db)()
	change(t.Context(), t, db, of(t, db, gaugesTable), map[string]types.AttributeValue{"WantedBy": dynastay.Text(name)})
	require.Eventually(t, func() bool { return of(t, db, gaugesTable).Text("LeaseOwner") == name }, patience, 5*time.Millisecond)
	handed := of(t, db, gaugesTable).Text("SequenceNumber")
	outage.Stop()
	require.Eventually(t, func() bool { return of(t, db, gaugesTable).Text("LeaseOwner") != name }, patience, 5*time.Millisecond)
	assert.Equal(t, handed, of(t, db, gaugesTable).Text("SequenceNumber"))
}

// of returns the position of a table's only shard.
func of(t *testing.T, db *dyntest.DB, table *dynastay.Schema) dynastay.Row {
	t.Helper()
	for _, row := range positions(t, db) {
		if row.Text("TableName") == db.TableName(table) {
			return row
		}
	}
	t.Fatal("no position")
	return dynastay.Row{}
}

// A process that stops takes its requests for shards back, or they would be handed over to nobody.
func TestStoppedProcessLeavesNoAsk(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.Tables(othersTable))
	db.Requires(dyntest.SingleShards)
	turn(t, db.Direct, map[string]int{}, "g")
	raw.Put(t, db, othersTable, othersTable.Key.Of(dynastay.Key{PK: "o"}))
	release := make(chan struct{})
	spec := quick(consumer.Spec{})
	spec.Router = stream.NewRouter(
		stream.OnItems(db.DB, gaugesTable, func(context.Context, stream.Record) error { <-release; return nil }),
		stream.OnItems(db.DB, othersTable, func(context.Context, stream.Record) error { <-release; return nil }),
	)
	defer run(t, consumer.New(db.DB, db.Streams, spec))()
	defer close(release)
	held := func(attribute string) (n int) {
		for _, row := range positions(t, db) {
			if row.Text(attribute) != "" {
				n++
			}
		}
		return n
	}
	require.Eventually(t, func() bool { return held("LeaseOwner") == 2 }, patience, 5*time.Millisecond)
	stop := run(t, consumer.New(db.DB, db.Streams, spec))
	require.Eventually(t, func() bool { return held("WantedBy") == 1 }, patience, 5*time.Millisecond)
	stop()
	assert.Zero(t, held("WantedBy"))
}

// If another process asks for a shard while it is being released, the release is tried again.
func TestAskDoesNotPreventTheRelease(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	db.Requires(dyntest.SingleShards)
	b := &book{}
	spec := quick(consumer.Spec{Router: b.router(db.DB)})
	spec.Lease = patience
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- consumer.New(db.DB, db.Streams, spec).Run(ctx) }()
	turn(t, db.Direct, map[string]int{}, "g", "g", "g")
	require.Eventually(t, func() bool { return len(b.of("g")) == 3 }, patience, time.Millisecond)
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		change(ctx, t, db, position(t, db), map[string]types.AttributeValue{
			"WantedBy": dynastay.Text("other"), "WriteId": &types.AttributeValueMemberB{Value: []byte("0123456789ab")},
		})
	}), dyntest.When{Operation: "UpdateItem", Nth: 1, Times: 1})
	cancel()
	require.NoError(t, <-done)
	assert.Equal(t, "other", position(t, db).Text("LeaseOwner"))
	assert.NotEmpty(t, position(t, db).Text("SequenceNumber"))
}

// DynamoDB may say by mistake that a shard does not exist. It has ended only if the stream does not list it either.
func TestShardThatIsListedHasNotEnded(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b, readings := &book{}, map[string]int{}
	turn(t, db.DB, readings, "g")
	db.Faults.Inject(dyntest.Fail("ResourceNotFoundException"), dyntest.When{Operation: "GetRecords", Nth: 1, Times: 2})
	c := consumer.New(db.DB, db.Streams, quick(consumer.Spec{Router: b.router(db.DB), OnError: ignore}))
	require.NoError(t, c.Drain(t.Context()))
	b.complete(t, readings)
}
