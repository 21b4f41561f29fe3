package consumer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/provision"
)

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
	db.Requires(dyntest.SingleShards)
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

// createAnew deletes the table of the gauges with its stream, and creates both again.
func createAnew(t *testing.T, db *dyntest.DB) {
	t.Helper()
	name, client := db.TableName(gaugesTable), db.Engine.Client()
	_, err := client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &name})
	require.NoError(t, err)
	require.NoError(t, dynamodb.NewTableNotExistsWaiter(client).Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &name}, patience))
	require.NoError(t, provision.Apply(t.Context(), client, []provision.Table{{Schema: gaugesTable, Name: name, Settings: provision.Settings{Deletable: true}}}, nil))
}

// enableAgain ends the stream of the gauges, and starts another one.
func enableAgain(t *testing.T, db *dyntest.DB) {
	t.Helper()
	name := db.TableName(gaugesTable)
	for _, spec := range []*types.StreamSpecification{
		{StreamEnabled: aws.Bool(false)},
		{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	} {
		_, err := db.Engine.Client().UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &name, StreamSpecification: spec})
		require.NoError(t, err)
	}
}

// A stream that takes the place of another one is read from its beginning, also where its shards have the ids of the
// first one's: those of a simulation are drawn from one seed, and an engine may name a shard after the table.
func TestAnotherStream(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(*testing.T, *dyntest.DB){"created anew": createAnew, "enabled again": enableAgain} {
		for _, running := range []bool{true, false} {
			for _, resharded := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, running %t, resharded %t", name, running, resharded), func(t *testing.T) {
					t.Parallel()
					followAnotherStream(t, replace, running, resharded)
				})
			}
		}
	}
}

func followAnotherStream(t *testing.T, replace func(*testing.T, *dyntest.DB), running, resharded bool) {
	db := newDB(t, dyntest.At(time.Date(2037, 1, 1, 12, 0, 0, 0, time.UTC)))
	db.Requires(dyntest.SingleShards)
	streams := consumer.Streams(db.Streams)
	if resharded {
		streams = db.Reshard(1, 2)
	}
	b, readings := &book{}, map[string]int{}
	c := consumer.New(db.DB, streams, quick(consumer.Spec{Router: b.router(db.DB), OnError: func(context.Context, *consumer.Error) {}}))
	stop := run(t, c)
	seen := func() {
		for range 2 {
			turn(t, db.DB, readings, names(3)...)
			require.EventuallyWithT(t, func(t *assert.CollectT) { b.complete(t, readings) }, patience, time.Millisecond)
		}
	}
	seen()
	if !running {
		stop()
	}
	replace(t, db)
	if !running {
		stop = run(t, c)
	}
	seen()
	stop()

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, c.Drain(ctx), "the shards of the first stream have ended")
	first, open := map[string]bool{}, 0
	for _, row := range positions(t, db) {
		own, _ := strings.CutPrefix(row.Text("SK"), "SHARD#")
		if id := row.Text("ShardId"); own == id {
			first[id] = true
		} else {
			assert.Regexp(t, "^"+id+"@[0-9a-f]{16}$", own, "the key of the first one is taken")
			assert.True(t, first[id])
		}
		if row.Text("EndedAt") == "" {
			open++
		}
	}
	shards, err := c.Shards(t.Context())
	require.NoError(t, err)
	assert.Len(t, shards, open)
	if !resharded {
		assert.Equal(t, 1, open)
	}
}

// sameIDs numbers the shards of each stream, so the streams of all tables have the same ids of shards.
type sameIDs struct {
	consumer.Streams
	real sync.Map // the ids by stream and number
}

type numbered struct{ arn, id string }

// number takes what is random from an id of a simulated shard.
func (s *sameIDs) number(arn string, id *string) *string {
	if id == nil {
		return nil
	}
	parts := strings.Split(*id, "-")
	number := parts[0] + "-" + parts[1]
	s.real.Store(numbered{arn, number}, *id)
	return &number
}

func (s *sameIDs) realID(arn, id *string) *string {
	if id == nil {
		return nil
	}
	found, _ := s.real.Load(numbered{*arn, *id})
	return aws.String(found.(string))
}

func (s *sameIDs) DescribeStream(
	ctx context.Context, in *dynamodbstreams.DescribeStreamInput, opts ...func(*dynamodbstreams.Options),
) (*dynamodbstreams.DescribeStreamOutput, error) {
	asked := *in
	asked.ExclusiveStartShardId = s.realID(in.StreamArn, in.ExclusiveStartShardId)
	out, err := s.Streams.DescribeStream(ctx, &asked, opts...)
	if err != nil {
		return nil, err
	}
	page := out.StreamDescription
	for i, shard := range page.Shards {
		page.Shards[i].ShardId, page.Shards[i].ParentShardId = s.number(*in.StreamArn, shard.ShardId), s.number(*in.StreamArn, shard.ParentShardId)
	}
	page.LastEvaluatedShardId = s.number(*in.StreamArn, page.LastEvaluatedShardId)
	return out, nil
}

func (s *sameIDs) GetShardIterator(
	ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, opts ...func(*dynamodbstreams.Options),
) (*dynamodbstreams.GetShardIteratorOutput, error) {
	asked := *in
	asked.ShardId = s.realID(in.StreamArn, in.ShardId)
	return s.Streams.GetShardIterator(ctx, &asked, opts...)
}

// others are gauges in another table.
var others = entity.New(entity.Spec[gauge]{Name: "Gauge", Schema: othersTable, Key: gaugeEntity.Key, Codec: gaugeEntity.Codec})

// twoTables are two tables whose streams have the same ids of shards.
type twoTables struct {
	*dyntest.DB
	streams  *sameIDs
	books    map[*dynastay.Schema]*book
	readings map[*dynastay.Schema]map[string]int
	routes   map[*dynastay.Schema]stream.Route
}

func newTwoTables(t *testing.T, least, most int) *twoTables {
	d := &twoTables{
		DB:    newDB(t, dyntest.Tables(othersTable)),
		books: map[*dynastay.Schema]*book{}, readings: map[*dynastay.Schema]map[string]int{}, routes: map[*dynastay.Schema]stream.Route{},
	}
	d.streams = &sameIDs{Streams: d.Reshard(least, most)}
	for table, e := range map[*dynastay.Schema]*entity.Entity[gauge]{gaugesTable: gaugeEntity, othersTable: others} {
		b := &book{}
		d.books[table], d.readings[table] = b, map[string]int{}
		d.routes[table] = stream.On(stream.NewDecoder(d.DB.DB, table, key.Is[gaugeKey], e.Value), func(_ context.Context, c stream.Change[gauge]) error {
			b.note(c.New)
			return nil
		})
	}
	return d
}

// write writes the next readings of three gauges in both tables.
func (d *twoTables) write(t *testing.T) {
	t.Helper()
	for table, e := range map[*dynastay.Schema]*entity.Entity[gauge]{gaugesTable: gaugeEntity, othersTable: others} {
		for _, name := range names(3) {
			d.readings[table][name]++
			_, err := entity.NewTable(d.Direct, e).Put(t.Context(), &gauge{name, d.readings[table][name]})
			require.NoError(t, err)
		}
	}
}

func (d *twoTables) await(t *testing.T, tables ...*dynastay.Schema) {
	t.Helper()
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		for _, table := range tables {
			d.books[table].complete(t, d.readings[table])
		}
	}, patience, time.Millisecond)
}

// Two tables whose shards have the same ids are both read, each in its order, by several processes.
func TestTablesWithTheSameShardIDs(t *testing.T) {
	t.Parallel()
	d := newTwoTables(t, 1, 3)
	spec := quick(consumer.Spec{
		Router:  stream.NewRouter(d.routes[gaugesTable], d.routes[othersTable]),
		OnError: func(_ context.Context, err *consumer.Error) { t.Error(err) },
	})
	spec.Lease = time.Minute // no process dies, and a request that takes more than a third of it is an error
	var stops []func()
	for range 3 {
		stops = append(stops, run(t, consumer.New(d.DB.DB, d.streams, spec)))
	}
	for range 4 {
		d.write(t)
		d.await(t, gaugesTable, othersTable)
	}
	for _, stop := range stops {
		stop()
	}
	shards, tables := map[[2]string]int{}, map[string]map[string]bool{}
	for _, row := range positions(t, d.DB) {
		id, table := row.Text("ShardId"), row.Text("TableName")
		shards[[2]string{table, id}]++
		if tables[id] == nil {
			tables[id] = map[string]bool{}
		}
		tables[id][table] = true
	}
	both := 0
	for shard, n := range shards {
		assert.Equal(t, 1, n, "positions of %v", shard)
		both += len(tables[shard[1]]) - 1
	}
	assert.Greater(t, both, 4, "shards with the id of another one")
}

// The position of a table that is not read any more does not keep the shard with the same id of another table from
// being read.
func TestShardWithTheIDOfATableThatIsNotReadAnyMore(t *testing.T) {
	t.Parallel()
	d := newTwoTables(t, 100, 100)
	d.write(t)
	for _, table := range []*dynastay.Schema{gaugesTable, othersTable} {
		c := consumer.New(d.DB.DB, d.streams, quick(consumer.Spec{Router: stream.NewRouter(d.routes[table]), OnError: ignore}))
		stop := run(t, c)
		d.await(t, table)
		stop()
	}
	assert.Len(t, positions(t, d.DB), 2)
}

// A reader whose position was deleted is given up, although another table has a shard with its id: a process that stops
// does not wait for it.
func TestDeletedPositionOfTwoWithTheSameShardID(t *testing.T) {
	t.Parallel()
	d := newTwoTables(t, 100, 100)
	spec := quick(consumer.Spec{
		Router:  stream.NewRouter(d.routes[gaugesTable], d.routes[othersTable]),
		OnError: func(_ context.Context, err *consumer.Error) { t.Error(err) },
	})
	spec.Lease = 10 * time.Second // nobody looks for the shard again before the process stops
	stop := run(t, consumer.New(d.DB.DB, d.streams, spec))
	d.write(t)
	d.await(t, gaugesTable, othersTable)
	deleted := of(t, d.DB, othersTable)
	assert.Equal(t, of(t, d.DB, gaugesTable).Text("ShardId"), deleted.Text("ShardId"))
	raw.Delete(t, d.DB, keys.MetadataTable, keys.MetadataTable.Key.From(deleted))
	stop()
	assert.Empty(t, of(t, d.DB, gaugesTable).Text("LeaseOwner"))
}
