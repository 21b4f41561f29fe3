package consumer_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/keys"
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

func metadata(db *dynastay.DB) *stream.Router {
	return stream.NewRouter(stream.OnItems(db, keys.MetadataTable, func(context.Context, stream.Record) error { return nil }))
}

func TestTableWithoutAStreamIsRefused(t *testing.T) {
	t.Parallel()
	without := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, gaugesTable))
	err := consumer.New(without.DB, without.Streams, quick(consumer.Spec{Router: (&book{}).router(without.DB)})).Run(t.Context())
	require.ErrorContains(t, err, "Gauges: it is not enabled with the view type NEW_AND_OLD_IMAGES")

	name := without.TableName(gaugesTable)
	_, err = without.Engine.Client().UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: &name, StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage},
	})
	require.NoError(t, err)
	err = consumer.New(without.DB, without.Streams, quick(consumer.Spec{Router: (&book{}).router(without.DB)})).Drain(t.Context())
	require.ErrorContains(t, err, "Gauges: it is not enabled with the view type NEW_AND_OLD_IMAGES")
	assert.Empty(t, positions(t, without))
}

// altered changes what the streams of an engine say, to say what no engine does.
type altered struct {
	*dynamodbstreams.Client
	region string               // in the ARNs instead of the engine's; "" for the engine's
	times  map[string]time.Time // the times of changes, by reading; nil for the engine's
	upside bool                 // lists the shards in reverse order, in one page

	beforeList func(context.Context)
}

func (a *altered) ListStreams(ctx context.Context, in *dynamodbstreams.ListStreamsInput, opts ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error) {
	if a.beforeList != nil {
		a.beforeList(ctx)
	}
	out, err := a.Client.ListStreams(ctx, in, opts...)
	if err == nil && a.region != "" {
		for i, s := range out.Streams {
			part := strings.SplitN(*s.StreamArn, ":", 5)
			part[3] = a.region
			out.Streams[i].StreamArn = aws.String(strings.Join(part, ":"))
		}
	}
	return out, err
}

func (a *altered) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, opts ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	if a.region != "" {
		listed, err := a.Client.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{})
		if err != nil {
			return nil, err
		}
		for _, s := range listed.Streams {
			if strings.HasSuffix(*in.StreamArn, aws.ToString(s.TableName)+"/stream/"+*s.StreamLabel) {
				in = &dynamodbstreams.DescribeStreamInput{StreamArn: s.StreamArn}
			}
		}
	}
	out, err := a.Client.DescribeStream(ctx, in, opts...)
	if err != nil || !a.upside {
		return out, err
	}
	all := out.StreamDescription.Shards
	for out.StreamDescription.LastEvaluatedShardId != nil {
		in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId
		if out, err = a.Client.DescribeStream(ctx, in, opts...); err != nil {
			return nil, err
		}
		all = append(all, out.StreamDescription.Shards...)
	}
	slices.Reverse(all)
	out.StreamDescription.Shards = all
	return out, nil
}

func (a *altered) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, opts ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	out, err := a.Client.GetRecords(ctx, in, opts...)
	if err == nil && a.times != nil {
		for _, r := range out.Records {
			reading := r.Dynamodb.NewImage["Reading"].(*streamtypes.AttributeValueMemberN).Value
			r.Dynamodb.ApproximateCreationDateTime = aws.Time(a.times[reading])
		}
	}
	return out, err
}

// With a client of another region, all shards that were not read to their end would seem to have been removed.
func TestStreamsOfAnotherRegionAreRefused(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	b := &book{}
	spec := quick(consumer.Spec{Router: b.router(db.DB)})
	turn(t, db.DB, map[string]int{}, "g")
	require.NoError(t, consumer.New(db.DB, db.Streams, spec).Drain(t.Context()))
	before := position(t, db)
	err := consumer.New(db.DB, &altered{Client: db.Streams, region: "eu-north-1"}, spec).Drain(t.Context())
	require.ErrorContains(t, err, "the client reads arn:aws:dynamodb:eu-north-1:")
	assert.Equal(t, before, position(t, db))
}

// Now means the time when the consumer first ran, also for later processes and shards.
func TestStartNowSkipsEarlierChanges(t *testing.T) {
	t.Parallel()
	began := time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)
	db := newDB(t, dyntest.At(began))
	b, readings := &book{}, map[string]int{}
	spec := quick(consumer.Spec{Router: b.router(db.DB), Start: consumer.Now})
	streams := &altered{Client: db.Reshard(2, 3).Client, times: map[string]time.Time{
		"1": began.Add(-61 * time.Second), "2": began.Add(-60 * time.Second), "3": began.Add(time.Second),
	}}
	turn(t, db.DB, readings, names(4)...)
	require.NoError(t, consumer.New(db.DB, streams, spec).Drain(t.Context()))
	db.Clock.Advance(time.Hour)
	turn(t, db.DB, readings, names(4)...)
	turn(t, db.DB, readings, names(4)...)
	drained(t, consumer.New(db.DB, streams, spec), func(c *assert.CollectT) {
		for _, name := range names(4) {
			assert.Equal(c, []int{2, 3}, b.of(name), "%s", name)
		}
	})
}

// Changes that were removed before they were handled are reported, and the consumer goes on behind them.
func TestTrimmedChangesAreReported(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)))
	shards := db.Reshard(3, 3)
	b, readings := &book{}, map[string]int{}
	told := make(chan *consumer.TrimmedError, 100)
	spec := quick(consumer.Spec{Router: b.router(db.DB), OnError: func(_ context.Context, err *consumer.Error) {
		var lost *consumer.TrimmedError
		if assert.ErrorAs(t, err, &lost) {
			told <- lost
		}
	}})
	turn(t, db.DB, readings, "g", "g")
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) { b.complete(c, readings) })
	for range 20 {
		turn(t, db.DB, readings, "g")
	}
	shards.Trim(gaugesTable, 1)
	db.Clock.Advance(24 * time.Hour)
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) {
		assert.Contains(c, b.of("g"), 22)
		assert.NotEmpty(c, told)
	})
	assert.Equal(t, []int{1, 2, 22}, b.of("g"))
	trimmed := <-told
	assert.Equal(t, db.TableName(gaugesTable), trimmed.Table)
	assert.NotEmpty(t, trimmed.Sequence)
	assert.ErrorContains(t, trimmed, "was trimmed after sequence number")
}

// The same holds for a shard from which nothing has been handled yet: reading it from its beginning gives no error.
func TestTrimmedShardThatWasNotReadIsReported(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)))
	shards := db.Reshard(100, 100)
	b, readings := &book{}, map[string]int{}
	told := make(chan error, 100)
	spec := quick(consumer.Spec{Router: b.router(db.DB), OnError: func(_ context.Context, err *consumer.Error) { told <- err }})
	require.NoError(t, consumer.New(db.DB, shards, spec).Drain(t.Context()))
	for range 20 {
		turn(t, db.DB, readings, "g")
	}
	db.Clock.Advance(24 * time.Hour)
	shards.Trim(gaugesTable, 1)
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) { assert.Equal(c, []int{20}, b.of("g")) })
	var lost *consumer.TrimmedError
	require.ErrorAs(t, <-told, &lost)
	assert.Empty(t, lost.Sequence)
}

// Parents are stored before their children, whatever the order in which they are listed. If not all could be stored, a
// child would be read too early.
func TestChildWaitsForItsParent(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	shards := db.Reshard(2, 2)
	b, readings := &book{}, map[string]int{}
	for range 12 {
		turn(t, db.Direct, readings, "g")
	}
	streams := &altered{Client: shards.Client, upside: true}
	spec := quick(consumer.Spec{Router: b.router(db.DB), OnError: ignore})
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "PutItem", Nth: 2, Times: 1, EveryAttempt: true})
	err := consumer.New(db.DB, streams, spec).Run(t.Context())
	require.Error(t, err)
	assert.Empty(t, position(t, db).Text("ParentShardId"), "only the first shard was stored")
	drained(t, consumer.New(db.DB, streams, spec), func(c *assert.CollectT) { b.complete(c, readings) })
	b.complete(t, readings)
}

// If a shard was read less than 24 hours ago, what was removed since then had been handled.
func TestQuietShardHasLostNothing(t *testing.T) {
	t.Parallel()
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)))
	shards := db.Reshard(9, 9)
	b, readings := &book{}, map[string]int{}
	spec := quick(consumer.Spec{OnError: func(_ context.Context, err *consumer.Error) { assert.NoError(t, err) }})
	spec.Router = b.failing(db, func(_ context.Context, g *gauge) error {
		if g.Reading == 3 {
			shards.ExpireIterators() // the next one must not begin with this change again
		}
		return nil
	})
	turn(t, db.DB, readings, "g", "g")
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) { b.complete(c, readings) })
	require.NoError(t, consumer.New(db.DB, shards, spec).Drain(t.Context())) // to its present end
	shards.Trim(gaugesTable, 0)
	db.Clock.Advance(24*time.Hour - time.Second)
	turn(t, db.DB, readings, "g")
	drained(t, consumer.New(db.DB, shards, spec), func(c *assert.CollectT) { b.complete(c, readings) })
	assert.Equal(t, []int{1, 2, 3}, b.of("g"))
}

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

func TestBehindGrowsWhileNobodyReads(t *testing.T) {
	t.Parallel()
	began := time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)
	db := newDB(t, dyntest.At(began))
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
