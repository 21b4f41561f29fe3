package dyntest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// The requests of a consumer go through the faults and the meter, and those of the simulation do not.
func TestFaultsOfShards(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, s, arn := resharded(t, 10)
	i := d.Faults.Inject(LoseAnswer(), When{Operation: "GetRecords", Table: "Streamed", Nth: 1})
	spent := d.Measure(func() {
		at, err := iteratorOf(ctx, s.Client, arn, *shardsOf(t, s.Client, arn)[0].ShardId, "TRIM_HORIZON", "")
		require.NoError(t, err)
		_, err = get1(ctx, s.Client, at, 1)
		require.NoError(t, err)
	})
	assert.Equal(t, 1, i.Hits())
	sent := map[string]int{}
	for _, call := range spent.Calls {
		sent[call.Operation]++
		assert.Equal(t, []dynastay.Usage{{Table: "Streamed"}}, call.Usage)
	}
	assert.Equal(t, 1, spent.Retries)
	assert.Equal(t, 2, sent["GetRecords"])
	assert.Equal(t, 1, sent["GetShardIterator"])
	d.Faults.Inject(Fail("ExpiredIteratorException"), When{Operation: "GetRecords", Nth: 1})
	_, err := get1(ctx, s.Client, arn, 1)
	assert.ErrorAs(t, err, new(*streamtypes.ExpiredIteratorException))
}

// What the engine refuses or does not answer, the simulation does not answer either.
func TestErrorsOfTheEngineBelowShards(t *testing.T) {
	t.Parallel()
	d, s, arn := resharded(t, 10)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := s.DescribeStream(ended, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Greater(t, len(shardsOf(t, s.Client, arn)), 1, "the next request reads the records")

	unknown := strings.Replace(*arn, "Streamed/", "None/", 1)
	_, theirs := d.Engine.Streams().DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &unknown})
	require.ErrorAs(t, theirs, new(*streamtypes.ResourceNotFoundException))
	d.Faults.schemas[d.prefix+"None"] = streamed
	_, err = s.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &unknown})
	require.ErrorAs(t, err, new(*streamtypes.ResourceNotFoundException))
	_, err = iteratorOf(t.Context(), s.Client, &unknown, "shardId-0", "TRIM_HORIZON", "")
	require.ErrorAs(t, err, new(*streamtypes.ResourceNotFoundException))
	assert.Contains(t, err.Error(), "Stream", "it is the engine's error")
}

// An iterator that DynamoDB Local refuses, as if records had been removed, is taken again, once.
func TestRefusedIteratorBelowShards(t *testing.T) {
	t.Parallel()
	refusals, asked := 1, 0
	next := func(x *exchange) (*http.Response, error) {
		status, body := http.StatusOK, `{"StreamDescription":{"Shards":[{"ShardId":"shardId-1"}]},"ShardIterator":"i","Records":[]}`
		if x.operation == "GetRecords" {
			if asked++; asked <= refusals {
				status, body = http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException"}`
			}
		}
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
	x := &exchange{httptest.NewRequest(http.MethodPost, "/", nil), "DescribeStream", nil}
	require.NoError(t, (&stream{arn: "a"}).pull(source{x, next}))
	assert.Equal(t, 2, asked)

	refusals, asked = 2, 0
	blame.As[*refusedByEngine](t, (&stream{arn: "a"}).pull(source{x, next}), "it is refused again")
	assert.Equal(t, 2, asked)
}

func TestStreamsOfOtherTablesAreNotResharded(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(streamed), Streams())
	s := d.Reshard(1, 1)
	own := &dynastay.Schema{Name: "Own", Key: things.Key, Stream: true}
	require.NoError(t, d.Engine.CreateTables(t.Context(), d.prefix, own))
	t.Cleanup(func() { assert.NoError(t, d.Engine.DeleteTables(context.Background(), d.prefix, own)) })
	arn, source := streamOf(t, d, own)
	for i := range 5 {
		write(t, d, own, fmt.Sprint(i), "1")
	}
	shards := shardsOf(t, s.Client, arn)
	require.Len(t, shards, 1)
	assert.Equal(t, source, shards[0].ShardId)
	assert.Len(t, numbersOf(t, s.Client, arn, *source), 5)
}

// DynamoDB Local closes its shard when a stream is disabled. An engine without DisabledStreams forgets the stream.
func TestShardsOfADisabledStream(t *testing.T) {
	t.Parallel()
	d, s, arn := resharded(t, 20)
	name := d.TableName(streamed)
	_, err := d.Engine.Client().UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: &name, StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)},
	})
	require.NoError(t, err)
	if !d.Has(DisabledStreams) {
		_, err := s.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
		require.ErrorAs(t, err, new(*streamtypes.ResourceNotFoundException))
		return
	}
	c := newConsumer(s.Client, arn)
	for len(c.seen) < 20 {
		require.NoError(t, c.poll(t.Context(), 1000))
	}
	require.NoError(t, c.poll(t.Context(), 1000))
	require.NoError(t, c.poll(t.Context(), 1000))
	c.check(t, d, 20)
	for id, one := range c.begun {
		assert.Nil(t, c.at[id])
		assert.GreaterOrEqual(t, aws.ToString(one.SequenceNumberRange.EndingSequenceNumber), *one.SequenceNumberRange.StartingSequenceNumber)
	}
}
