// Package streamtest reads the streams of a test's tables, and compares the changes in them with what the repositories
// returned.
package streamtest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/internal/stored"
)

// Tables returns the options for these tables only, each with a stream, even if its schema does not ask for one.
func Tables(schemas ...*dynastay.Schema) []dyntest.Option {
	streamed := make([]*dynastay.Schema, len(schemas))
	for i, s := range schemas {
		table := *s
		table.Stream = true
		streamed[i] = &table
	}
	return []dyntest.Option{dyntest.OnlyTables(streamed...), dyntest.Streams()}
}

// Histories reads the whole stream of a table, and returns the states of every entity of one kind, by its key as text:
// each state is the New of a change, and nil is a delete. The test fails if a change does not continue from the one
// before it.
func Histories[T any](t testing.TB, db *dyntest.DB, s *dynastay.Schema, d stream.Decoder[T]) map[string][]*T {
	t.Helper()
	histories := map[string][]*T{}
	for _, r := range Records(t, db, s) {
		c, ok, err := d.Decode(r)
		require.NoError(t, err)
		if !ok {
			continue
		}
		require.NoError(t, c.Unreadable)
		name := c.Key.String()
		before := histories[name]
		var last *T
		if len(before) > 0 {
			last = before[len(before)-1]
		}
		assert.Equal(t, last, c.Old, name)
		assert.Equal(t, last == nil, c.Created(), name)
		histories[name] = append(before, c.New)
	}
	return histories
}

// Records returns all changes in the stream of a table, in their order. dynoxide also reports writes that changed
// nothing, which DynamoDB does not; Records leaves them out. The test fails unless the changes of every item lead from
// nothing to what is stored now, with all attributes, so none can be missing.
func Records(t testing.TB, db *dyntest.DB, s *dynastay.Schema) (records []stream.Record) {
	t.Helper()
	now := map[dynastay.Key]dynastay.Row{}
	for _, r := range all(t, db, s) {
		key := s.Key.From(r.Keys)
		require.True(t, same(now[key], r.Old), "%s does not continue from the change before it", r)
		if same(r.Old, r.New) {
			continue
		}
		now[key] = r.New
		records = append(records, r)
	}
	for key, row := range now {
		stored, err := db.Direct.Get(t.Context(), s, key, dynastay.Consistent)
		require.NoError(t, err)
		require.True(t, same(row, stored), "the last change of %s is not what is stored", key)
	}
	return records
}

func same(a, b dynastay.Row) bool { return stored.EqualItems(a.Item(), b.Item()) }

// all reads the shards of a stream to their ends, parents before their children, which is the order of their ids.
func all(t testing.TB, db *dyntest.DB, s *dynastay.Schema) (records []stream.Record) {
	t.Helper()
	ctx, name := t.Context(), db.TableName(s)
	listed, err := db.Streams.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: &name})
	require.NoError(t, err)
	require.Len(t, listed.Streams, 1)
	arn := listed.Streams[0].StreamArn
	described, err := db.Streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	require.NoError(t, err)
	for _, shard := range described.StreamDescription.Shards {
		begin, err := db.Streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
			StreamArn: arn, ShardId: shard.ShardId, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
		})
		require.NoError(t, err)
		// The last shard is open, so its iterators never end. A local engine returns an empty page only after the last
		// record.
		for at := begin.ShardIterator; at != nil; {
			page, err := db.Streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at})
			require.NoError(t, err)
			for _, one := range page.Records {
				r, err := stream.FromSDK(*arn, one)
				require.NoError(t, err)
				records = append(records, r)
			}
			if at = page.NextShardIterator; len(page.Records) == 0 {
				break
			}
		}
	}
	return records
}
