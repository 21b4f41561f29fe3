package lambda_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/lambda"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

var update = flag.Bool("update", false, "record the events in testdata again")

// What the engine's streams contain passes through Lambda's JSON, and is the same as what a process reads itself. With
// -update, the events become the recordings of the other tests.
func TestEventsOfAnEngine(t *testing.T) {
	t.Parallel()
	db := tell(t)
	db.Requires(dyntest.SingleShards)
	for _, s := range keys.Tables() {
		t.Run(s.Name, func(t *testing.T) {
			engineARN, records := streamOf(t, db, s)
			_, label := labelOf(t, engineARN)
			arn := "arn:aws:dynamodb:eu-west-1:123456789012:table/" + s.Name + "/stream/" + label
			data := lambdaJSON(t, arn, records)
			if *update {
				require.NoError(t, os.WriteFile(filepath.Join("testdata", s.Name+".json"), data, 0o644))
			}
			var event events.DynamoDBEvent
			require.NoError(t, json.Unmarshal(data, &event))
			require.Len(t, event.Records, len(records))
			last := map[dynastay.Key]string{}
			for i, r := range records {
				want, err := stream.FromSDK(arn, r)
				require.NoError(t, err)
				got, err := lambda.FromEvent(event.Records[i])
				require.NoError(t, err)
				assert.Equal(t, want, got)
				key := s.Key.From(got.Keys)
				assert.Less(t, last[key], got.ID(), "changes of one item are in order")
				last[key] = got.ID()
			}
			checkTable(t, s.Name, event)
		})
	}
}

// labelOf returns the name of the table and the label in the engine's own form of an ARN.
func labelOf(t *testing.T, arn string) (table, label string) {
	t.Helper()
	r, _ := stream.FromSDK(arn, types.Record{})
	require.NotEmpty(t, r.Label, arn)
	return r.Table, r.Label
}

// streamOf returns all records of a table's stream. A last item marks its end.
func streamOf(t *testing.T, db *dyntest.DB, s *dynastay.Schema) (arn string, records []types.Record) {
	t.Helper()
	ctx, end := t.Context(), "END"
	raw.Put(t, db, s, s.Key.Of(dynastay.Key{PK: end, SK: end}))
	described, err := db.Client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(db.TableName(s))})
	require.NoError(t, err)
	arn = *described.Table.LatestStreamArn
	table, label := labelOf(t, arn)
	assert.Equal(t, db.TableName(s), table)
	assert.Equal(t, *described.Table.LatestStreamLabel, label)

	shards, err := db.Streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	require.NoError(t, err)
	require.Len(t, shards.StreamDescription.Shards, 1)
	at, err := db.Streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &arn, ShardId: shards.StreamDescription.Shards[0].ShardId, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
	})
	require.NoError(t, err)
	for iterator := at.ShardIterator; iterator != nil; {
		page, err := db.Streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator})
		require.NoError(t, err)
		for _, r := range page.Records {
			if r.Dynamodb.Keys["PK"].(*types.AttributeValueMemberS).Value == end {
				return arn, records
			}
			if s == keys.AvailabilityTable && r.EventName == types.OperationTypeRemove { // engines do not say so themselves
				r.UserIdentity = &types.Identity{Type: aws.String("Service"), PrincipalId: aws.String("dynamodb.amazonaws.com")}
			}
			records = append(records, r)
		}
		iterator = page.NextShardIterator
	}
	require.Fail(t, "the shard has ended without the marker")
	return "", nil
}

// lambdaJSON returns records in the form in which AWS Lambda passes them to a function.
func lambdaJSON(t *testing.T, arn string, records []types.Record) []byte {
	t.Helper()
	all := []any{}
	for _, r := range records {
		data := map[string]any{
			"ApproximateCreationDateTime": r.Dynamodb.ApproximateCreationDateTime.Unix(),
			"SequenceNumber":              *r.Dynamodb.SequenceNumber,
			"SizeBytes":                   aws.ToInt64(r.Dynamodb.SizeBytes),
			"StreamViewType":              r.Dynamodb.StreamViewType,
		}
		for name, part := range map[string]map[string]types.AttributeValue{
			"Keys": r.Dynamodb.Keys, "OldImage": r.Dynamodb.OldImage, "NewImage": r.Dynamodb.NewImage,
		} {
			if part != nil {
				data[name] = itemJSON(t, part)
			}
		}
		record := map[string]any{
			"eventID": aws.ToString(r.EventID), "eventName": r.EventName, "eventVersion": "1.1", "eventSource": "aws:dynamodb",
			"awsRegion": "eu-west-1", "dynamodb": data, "eventSourceARN": arn,
		}
		if r.UserIdentity != nil {
			record["userIdentity"] = map[string]any{"type": *r.UserIdentity.Type, "principalId": *r.UserIdentity.PrincipalId}
		}
		all = append(all, record)
	}
	data, err := json.MarshalIndent(map[string]any{"Records": all}, "", "  ")
	require.NoError(t, err)
	return append(data, '\n')
}

// itemJSON returns an item in DynamoDB's JSON, with its attributes in order.
func itemJSON(t require.TestingT, streamed map[string]types.AttributeValue) (ordered any) {
	item, err := attributevalue.FromDynamoDBStreamsMap(streamed)
	require.NoError(t, err)
	data, err := attributevalue.MarshalMapJSON(item)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &ordered))
	return ordered
}
