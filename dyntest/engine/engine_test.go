package engine

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/provision"
)

var guests = &dynastay.Schema{Name: "Guests", Key: dynastay.KeyNames{Partition: "pk", Sort: "sk"}}

func TestStreams(t *testing.T) {
	onlyUnix(t)
	t.Parallel()
	ctx := t.Context()
	engine, err := Start(ctx)
	require.NoError(t, err)
	defer stopped(t, engine)
	streamed := &dynastay.Schema{Name: "Streamed", Key: guests.Key, Stream: true}
	require.NoError(t, engine.CreateTables(ctx, "test-", streamed))
	defer func() { assert.NoError(t, engine.DeleteTables(context.WithoutCancel(ctx), "test-", streamed)) }()
	name := aws.String("test-Streamed")
	_, err = engine.Client().PutItem(ctx, &dynamodb.PutItemInput{
		TableName: name, Item: streamed.Key.Of(dynastay.Key{PK: "a", SK: "b"}),
	})
	require.NoError(t, err)

	client := engine.Streams(func(o *dynamodbstreams.Options) { o.AppID = "ours" })
	assert.Equal(t, "ours", client.Options().AppID)
	assert.Equal(t, engine.Client().Options().HTTPClient, client.Options().HTTPClient, "the engine's connections")
	listed, err := client.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: name})
	require.NoError(t, err)
	require.Len(t, listed.Streams, 1, "it is the same account and region")
	arn := listed.Streams[0].StreamArn
	described, err := client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	require.NoError(t, err)
	records := 0
	for _, shard := range described.StreamDescription.Shards {
		at, err := client.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
			StreamArn: arn, ShardId: shard.ShardId, ShardIteratorType: "TRIM_HORIZON",
		})
		require.NoError(t, err)
		page, err := client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at.ShardIterator})
		require.NoError(t, err)
		records += len(page.Records)
	}
	assert.Equal(t, 1, records)
}

func TestTables(t *testing.T) {
	onlyUnix(t)
	t.Parallel()
	ctx := t.Context()
	engine, err := Start(ctx)
	require.NoError(t, err)
	defer stopped(t, engine)
	require.NoError(t, engine.CreateTables(ctx, "test-", guests))
	require.NoError(t, engine.CreateTables(ctx, "test-", guests), "they already exist")
	other := *guests
	other.Key.Sort = "other"
	err = engine.CreateTables(ctx, "test-", &other)
	require.ErrorAs(t, err, new(*provision.TableError))
	require.EqualError(t, err, "table test-Guests is not as it must be: Key must be pk, other, but is pk, sk")

	out, err := engine.Client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("test-Guests")})
	require.NoError(t, err)
	assert.False(t, aws.ToBool(out.Table.DeletionProtectionEnabled))
	require.NoError(t, engine.DeleteTables(ctx, "test-", guests))
	_, err = engine.Client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("test-Guests")})
	require.ErrorAs(t, err, new(*types.ResourceNotFoundException))
	assert.NoError(t, engine.DeleteTables(ctx, "test-", guests), "it is not an error if a table does not exist")
	ended, end := context.WithCancel(ctx)
	end()
	assert.ErrorContains(t, engine.DeleteTables(ended, "test-", guests), "table test-Guests: ")
}
