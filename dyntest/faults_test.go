package dyntest

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
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
)

func once(o *dynamodb.Options) { o.RetryMaxAttempts = 1 }

// impatient is the test's client without the SDK's retries.
func (d *DB) impatient() *dynamodb.Client {
	return d.Engine.Client(d.front, once)
}

// gate is a transport below the faults that holds every request until it is opened.
type gate struct {
	next    http.RoundTripper
	arrived chan struct{}
	open    chan struct{}
}

// gated is a client whose requests wait between the faults and the engine.
func (d *DB) gated() (*dynamodb.Client, *gate) {
	g := &gate{d.network(), make(chan struct{}), make(chan struct{})}
	return d.clientOver(g, once), g
}

func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	g.arrived <- struct{}{}
	<-g.open
	return g.next.RoundTrip(req)
}

func TestRecord(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	stop := d.Faults.Record()
	require.NoError(t, put(ctx, d.Client, d, "a<b", "1"))
	_, err := d.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: d.things(), Key: key("a<b")})
	require.NoError(t, err)
	requests := stop()
	require.NoError(t, put(ctx, d.Client, d, "later", ""))

	require.Len(t, requests, 2)
	assert.Len(t, stop(), 2, "the recording is stopped")
	assert.Equal(t, "PutItem", requests[0].Operation)
	assert.Equal(t,
		`{"Item":{"pk":{"S":"a<b"},"sk":{"S":"thing"},"value":{"S":"1"}},"TableName":"Things"}`, string(requests[0].Body))
	assert.Equal(t, "GetItem", requests[1].Operation)
	assert.Equal(t,
		`{"Key":{"pk":{"S":"a<b"},"sk":{"S":"thing"}},"TableName":"Things"}`, string(requests[1].Body))
	assert.Equal(t, 2, d.Faults.Count("PutItem"))
	assert.Zero(t, d.Faults.Count("CreateTable"), "set-up does not count")
}

// streamed are things whose table has a stream.
var streamed = &dynastay.Schema{Name: "Streamed", Key: things.Key, Stream: true}

// write puts an item of a streamed table, with a new value: a write that changes nothing has no record.
func write(t testing.TB, d *DB, table *dynastay.Schema, pk, sk string) {
	t.Helper()
	name, item := d.TableName(table), table.Key.Of(dynastay.Key{PK: pk, SK: sk})
	item["value"] = &types.AttributeValueMemberS{Value: rand.Text()}
	_, err := d.Engine.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item})
	require.NoError(t, err)
}

// streamOf returns the ARN of a table's stream and the id of its shard on the engine.
func streamOf(t testing.TB, d *DB, table *dynastay.Schema) (arn, shard *string) {
	t.Helper()
	d.Requires(SingleShards)
	name, client := d.TableName(table), d.Engine.Streams()
	listed, err := client.ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{TableName: &name})
	require.NoError(t, err)
	require.Len(t, listed.Streams, 1)
	arn = listed.Streams[0].StreamArn
	described, err := client.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	require.NoError(t, err)
	require.Len(t, described.StreamDescription.Shards, 1)
	return arn, described.StreamDescription.Shards[0].ShardId
}

func onceFromStream(o *dynamodbstreams.Options) { o.Retryer = aws.NopRetryer{} }

// streamSends has one request of each operation to the stream of a table.
func streamSends(
	t testing.TB, d *DB, table *dynastay.Schema, optFns ...func(*dynamodbstreams.Options),
) map[string]func(context.Context) error {
	t.Helper()
	name, client := d.TableName(table), d.Streams
	arn, shard := streamOf(t, d, table)
	start := &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: shard, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
	}
	at, err := d.Engine.Streams().GetShardIterator(t.Context(), start)
	require.NoError(t, err)
	return map[string]func(context.Context) error{
		"ListStreams": func(ctx context.Context) error {
			_, err := client.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: &name}, optFns...)
			return err
		},
		"DescribeStream": func(ctx context.Context) error {
			_, err := client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn}, optFns...)
			return err
		},
		"GetShardIterator": func(ctx context.Context) error {
			_, err := client.GetShardIterator(ctx, start, optFns...)
			return err
		},
		"GetRecords": func(ctx context.Context) error {
			_, err := client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at.ShardIterator}, optFns...)
			return err
		},
	}
}

func TestRequestsToStreamsAreCountedAndMeasured(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(streamed), Streams())
	write(t, d, streamed, "a", "1")
	d.Faults.Conflicts(time.Millisecond) // they do not conflict with anything
	sends := streamSends(t, d, streamed)
	assert.Len(t, sends, len(streamOperations))
	for _, operation := range streamOperations {
		d.Faults.Inject(Throttle(), When{Operation: operation, Nth: 1})
		recorded := d.Faults.Record()
		spent := d.Measure(func() { require.NoError(t, sends[operation](ctx), operation) })
		usage := []dynastay.Usage{{Table: "Streamed"}}
		code := "ThrottlingException"
		if operation == "GetRecords" {
			code = "LimitExceededException"
		}
		assert.Equal(t, []Call{
			{Operation: operation, Usage: usage, Err: code},
			{Operation: operation, Usage: usage, Retry: true},
		}, spent.Calls)
		requests := recorded()
		require.Len(t, requests, 2)
		assert.Equal(t, operation, requests[1].Operation)
		assert.NotContains(t, string(requests[1].Body), d.prefix)
		assert.Equal(t, 2, d.Faults.Count(operation))
	}
}

func TestFaultsOfStreams(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(streamed), Streams())
	sends, once := streamSends(t, d, streamed), streamSends(t, d, streamed, onceFromStream)
	for _, operation := range streamOperations {
		hit := func(what Fault, send map[string]func(context.Context) error) error {
			t.Helper()
			i := d.Faults.Inject(what, When{Operation: operation, Table: "Streamed", Nth: 1})
			for _, other := range streamOperations {
				if other != operation {
					require.NoError(t, send[other](t.Context()), "%s is not %s", other, operation)
				}
			}
			err := send[operation](t.Context())
			assert.Equal(t, 1, i.Hits(), "%s of %s", what.name, operation)
			return err
		}
		throttled := "ThrottlingException"
		if operation == "GetRecords" {
			throttled = "LimitExceededException"
		}
		assertStatus(t, hit(Throttle(), once), http.StatusBadRequest, throttled)
		assertStatus(t, hit(InternalError(), once), http.StatusInternalServerError, "InternalServerError")
		assertStatus(t, hit(InternalErrorAfterCommit(), once), http.StatusInternalServerError, "InternalServerError")
		assertStatus(t, hit(Fail("AccessDeniedException"), once), http.StatusBadRequest, "AccessDeniedException")
		assert.ErrorIs(t, hit(LoseRequest(), once), io.ErrUnexpectedEOF)
		assert.ErrorIs(t, hit(LoseAnswer(), once), io.ErrUnexpectedEOF)
		called := 0
		call := func(context.Context) { called++ }
		for _, what := range []Fault{
			Throttle(), InternalError(), InternalErrorAfterCommit(), LoseRequest(), LoseAnswer(), AnyOf(),
			Delay(time.Millisecond), DelayAnswer(time.Millisecond), Before(call), After(call),
		} {
			assert.NoError(t, hit(what, sends), "%s of %s is retried", what.name, operation)
		}
		assert.Equal(t, 2, called)
	}
}

// The SDK has a type for each error that an operation declares.
func TestErrorsOfStreamsHaveTheirTypes(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(streamed), Streams())
	sends := streamSends(t, d, streamed, onceFromStream)
	for _, test := range []struct {
		operation, code string
		want            any
	}{
		{"GetRecords", "ExpiredIteratorException", new(*streamtypes.ExpiredIteratorException)},
		{"GetRecords", "TrimmedDataAccessException", new(*streamtypes.TrimmedDataAccessException)},
		{"GetRecords", "LimitExceededException", new(*streamtypes.LimitExceededException)},
		{"GetRecords", "InternalServerError", new(*streamtypes.InternalServerError)},
		{"GetShardIterator", "TrimmedDataAccessException", new(*streamtypes.TrimmedDataAccessException)},
		{"GetShardIterator", "ResourceNotFoundException", new(*streamtypes.ResourceNotFoundException)},
		{"DescribeStream", "ResourceNotFoundException", new(*streamtypes.ResourceNotFoundException)},
		{"ListStreams", "ResourceNotFoundException", new(*streamtypes.ResourceNotFoundException)},
	} {
		d.Faults.Inject(Fail(test.code), When{Operation: test.operation, Nth: 1})
		assert.ErrorAs(t, sends[test.operation](t.Context()), test.want, "%s", test.operation)
	}
}

func TestFaultsOfStreamsOfOtherTables(t *testing.T) {
	t.Parallel()
	other := &dynastay.Schema{Name: "Other", Key: things.Key, Stream: true}
	d := New(t, OnlyTables(streamed, other), Streams())
	ours, theirs := streamSends(t, d, streamed, onceFromStream), streamSends(t, d, other, onceFromStream)
	i := d.Faults.Inject(Throttle(), When{Table: "Streamed"})
	matched := d.Faults.Inject(Delay(time.Nanosecond), When{Match: func(r Request) bool { return r.Operation == "GetRecords" }})
	for _, operation := range streamOperations {
		assert.NoError(t, theirs[operation](t.Context()), operation)
		assert.Error(t, ours[operation](t.Context()), operation)
	}
	assert.Equal(t, len(streamOperations), i.Hits())
	assert.Equal(t, 1, matched.Hits())
}

func TestFaultsThatDoNotApplyToStreams(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(streamed), Streams())
	w, sends := d.watched(), streamSends(t, d, streamed)
	for _, operation := range streamOperations {
		for _, what := range []Fault{Conflict(), InProgress(), Unprocessed(1), ShortPages(1), StaleIndex()} {
			got := w.fatal(func() { d.Faults.Inject(what, When{Operation: operation}) })
			assert.Contains(t, got, fmt.Sprintf("%s does not apply to %s", what.name, operation))
		}
		got := w.fatal(func() { d.Faults.Inject(Throttle(), When{Operation: operation, Index: "ByColour"}) })
		assert.Contains(t, got, operation+" does not read an index")
	}
	for _, what := range []Fault{Conflict(), InProgress(), Unprocessed(1), ShortPages(1)} {
		i := d.Faults.Inject(what, When{Optional: true})
		for _, operation := range streamOperations {
			assert.NoError(t, sends[operation](t.Context()), operation)
		}
		assert.Zero(t, i.Hits())
		assert.Zero(t, i.counted)
	}
}

func TestStreamOfAnUnknownTable(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	w := d.watched()
	arn := "arn:aws:dynamodb:us-east-1:000000000000:table/" + d.prefix + "Vouchers/stream/2026-01-01T00:00:00.000"
	d.Faults.Inject(Fail("ResourceNotFoundException"), When{Operation: "DescribeStream", Nth: 1})
	_, err := d.Streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	assert.ErrorAs(t, err, new(*streamtypes.ResourceNotFoundException))
	require.Len(t, w.logs, 1)
	assert.Contains(t, w.logs[0], "this test has no table Vouchers, only Things")
}
