package consumer_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

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
	_, err := d.Engine.Client().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(d.TableName(keys.MetadataTable)), Key: keys.MetadataTable.Key.Of(keys.MetadataTable.Key.From(deleted)),
	})
	require.NoError(t, err)
	stop()
	assert.Empty(t, of(t, d.DB, gaugesTable).Text("LeaseOwner"))
}
