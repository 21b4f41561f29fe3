package lambda_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/lambda"
	"github.com/dynastay/dynastay/internal/testing/draw"
)

const notesARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/Notes/stream/2026-03-01T10:15:00.123"

// A handler in Lambda gets the same record as a process that reads the stream itself, whatever the item contains.
func TestFromEventIsFromSDK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := func(label string) map[string]types.AttributeValue {
			return draw.Streamed(draw.Item(3).Draw(t, label))
		}
		sdk := types.Record{Dynamodb: &types.StreamRecord{
			SequenceNumber:              aws.String(rapid.StringMatching(`[0-9]{0,40}`).Draw(t, "sequence")),
			ApproximateCreationDateTime: aws.Time(time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "at")).UTC()),
			StreamViewType:              rapid.SampledFrom(types.StreamViewType("").Values()).Draw(t, "view"),
		}}
		data := map[string]any{
			"SequenceNumber": *sdk.Dynamodb.SequenceNumber, "StreamViewType": sdk.Dynamodb.StreamViewType,
			"ApproximateCreationDateTime": float64(sdk.Dynamodb.ApproximateCreationDateTime.UnixMilli()) / 1000,
		}
		for name, into := range map[string]*map[string]types.AttributeValue{
			"Keys": &sdk.Dynamodb.Keys, "OldImage": &sdk.Dynamodb.OldImage, "NewImage": &sdk.Dynamodb.NewImage,
		} {
			if rapid.Bool().Draw(t, name) {
				*into = item(name)
				data[name] = itemJSON(t, *into)
			}
		}
		record := map[string]any{"dynamodb": data, "eventSourceARN": rapid.SampledFrom([]string{notesARN, "", "arn:aws:sqs:"}).Draw(t, "ARN")}
		if rapid.Bool().Draw(t, "by service") {
			principal := rapid.SampledFrom([]string{"dynamodb.amazonaws.com", "someone"}).Draw(t, "principal")
			sdk.UserIdentity = &types.Identity{PrincipalId: &principal}
			record["userIdentity"] = map[string]any{"type": "Service", "principalId": principal}
		}
		text, err := json.Marshal(record)
		require.NoError(t, err)
		var event events.DynamoDBEventRecord
		require.NoError(t, json.Unmarshal(text, &event))

		want, wantErr := stream.FromSDK(record["eventSourceARN"].(string), sdk)
		got, err := lambda.FromEvent(event)
		assert.Equal(t, want, got)
		assert.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
	})
}

// A program may pass values that JSON cannot contain; the accessors of package events panic for them.
func TestFromEventWithZeroValues(t *testing.T) {
	for _, v := range []events.DynamoDBAttributeValue{
		{},
		events.NewListAttribute([]events.DynamoDBAttributeValue{{}}),
		events.NewMapAttribute(map[string]events.DynamoDBAttributeValue{"A": {}}),
	} {
		r, err := lambda.FromEvent(events.DynamoDBEventRecord{EventSourceArn: notesARN, Change: events.DynamoDBStreamRecord{
			SequenceNumber: "111", NewImage: map[string]events.DynamoDBAttributeValue{"A": v},
		}})
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.ErrorContains(t, err, "unknown AttributeValue")
		assert.False(t, r.New.Exists())
		assert.Equal(t, "111", r.Sequence)
	}
	r, err := lambda.FromEvent(events.DynamoDBEventRecord{})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.Zero(t, r.At)
}

// FromEvent must not panic for any event that a function can get, and what it returns can be stored.
func FuzzFromEvent(f *testing.F) {
	f.Add([]byte(`{"Records":[{"eventSourceARN":"` + notesARN + `","dynamodb":{"SequenceNumber":"1","StreamViewType":"NEW_AND_OLD_IMAGES",
		"Keys":{"PK":{"S":"a"}},"NewImage":{"A":{"L":[{"M":{"B":{"NULL":true}}},{"BS":["AP8="]},{"NS":["1"]}]}}}}]}`))
	f.Add([]byte(`{"Records":[{"dynamodb":{"Keys":{"PK":null},"OldImage":{},"ApproximateCreationDateTime":1772360100.5},"userIdentity":{}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		event, ok := decoded(data)
		if !ok {
			return
		}
		for _, from := range event.Records {
			if r, err := lambda.FromEvent(from); err == nil && r.At.Year() < 10_000 {
				_, err := json.Marshal(r)
				assert.NoError(t, err)
			}
		}
	})
}

// decoded reads an event. Package events panics if a set of binaries contains anything but texts, which is not what is
// tested here.
func decoded(data []byte) (event events.DynamoDBEvent, ok bool) {
	defer func() { _ = recover() }()
	ok = json.Unmarshal(data, &event) == nil
	return event, ok
}
