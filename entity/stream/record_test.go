package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/internal/testing/draw"
)

func TestFromSDKReadsAllParts(t *testing.T) {
	at := time.Unix(1_772_360_100, 0)
	r, err := stream.FromSDK(messages, types.Record{
		EventName: types.OperationTypeRemove,
		Dynamodb: &types.StreamRecord{
			SequenceNumber: aws.String("4421584500000000017450439091"), ApproximateCreationDateTime: &at,
			StreamViewType: types.StreamViewTypeNewAndOldImages,
			Keys:           draw.Streamed(dynastay.Item{"PK": dynastay.Text("MESSAGE#m1"), "SK": dynastay.Text("TEXT")}),
			OldImage:       draw.Streamed(dynastay.Item{"Text": dynastay.Text("Hello"), "Size": dynastay.Number(5)}),
		},
		UserIdentity: &types.Identity{Type: aws.String("Service"), PrincipalId: aws.String("dynamodb.amazonaws.com")},
	})
	require.NoError(t, err)
	assert.Equal(t, "test-Messages", r.Table)
	assert.Equal(t, label, r.Label)
	assert.Equal(t, "4421584500000000017450439091", r.Sequence)
	assert.Equal(t, dynastay.Item{"PK": dynastay.Text("MESSAGE#m1"), "SK": dynastay.Text("TEXT")}, r.Keys.Item())
	assert.Equal(t, dynastay.Item{"Text": dynastay.Text("Hello"), "Size": dynastay.Number(5)}, r.Old.Item())
	assert.False(t, r.New.Exists())
	assert.Equal(t, at, r.At)
	assert.True(t, r.ByTTL)
	assert.Equal(t, "test-Messages/"+label+"/0000000000004421584500000000017450439091 of MESSAGE#m1/TEXT", r.String())
}

// Only DynamoDB's own service deletes by time to live.
func TestFromSDKDistinguishesTTL(t *testing.T) {
	for _, identity := range []*types.Identity{nil, {}, {Type: aws.String("Service"), PrincipalId: aws.String("someone")}} {
		r, _ := stream.FromSDK(messages, types.Record{UserIdentity: identity})
		assert.False(t, r.ByTTL)
	}
}

// Every kind of value arrives as it is stored, on both sides of the change.
func TestFromSDKPreservesValues(t *testing.T) {
	k := dynastay.Key{PK: "MESSAGE#m1", SK: "TEXT"}
	rapid.Check(t, func(rt *rapid.T) {
		before, after := draw.Item(3).Draw(rt, "before"), draw.Item(3).Draw(rt, "after")
		r := change(t, k, before, after)
		assert.Equal(rt, before, r.Old.Item())
		assert.Equal(rt, after, r.New.Item())
		assert.True(rt, r.Old.Exists() && r.New.Exists(), "an item without attributes exists too")
	})
}

func TestFromSDKReportsWhatIsMissing(t *testing.T) {
	item := draw.Streamed(text(t, "Hello"))
	whole := types.StreamRecord{
		SequenceNumber: aws.String("111"), StreamViewType: types.StreamViewTypeNewAndOldImages, Keys: item, NewImage: item,
	}
	_, err := stream.FromSDK(messages, types.Record{Dynamodb: &whole})
	require.NoError(t, err)

	for name, test := range map[string]struct {
		arn    string
		damage func(*types.StreamRecord)
		want   string
	}{
		"view":     {messages, func(d *types.StreamRecord) { d.StreamViewType = types.StreamViewTypeNewImage }, `must have the view type NEW_AND_OLD_IMAGES, got "NEW_IMAGE"`},
		"no view":  {messages, func(d *types.StreamRecord) { d.StreamViewType = "" }, `got ""`},
		"number":   {messages, func(d *types.StreamRecord) { d.SequenceNumber = nil }, "the sequence number, the key, or"},
		"key":      {messages, func(d *types.StreamRecord) { d.Keys = nil }, "the sequence number, the key, or"},
		"images":   {messages, func(d *types.StreamRecord) { d.NewImage = nil }, "the item before and after the change is missing"},
		"bad key":  {messages, func(d *types.StreamRecord) { d.Keys = map[string]types.AttributeValue{"PK": nil} }, "unknown AttributeValue"},
		"bad old":  {messages, func(d *types.StreamRecord) { d.OldImage = map[string]types.AttributeValue{"A": nil} }, "unknown AttributeValue"},
		"bad new":  {messages, func(d *types.StreamRecord) { d.NewImage = map[string]types.AttributeValue{"A": nil} }, "unknown AttributeValue"},
		"no ARN":   {"", nil, `"" is not the ARN of a table's stream`},
		"table":    {"arn:aws:dynamodb:eu-west-1:000000000000:table/Messages", nil, "is not the ARN"},
		"no label": {"arn:aws:dynamodb:eu-west-1:000000000000:table/Messages/stream/", nil, "is not the ARN"},
		"no name":  {"arn:aws:dynamodb:eu-west-1:000000000000:table//stream/" + label, nil, "is not the ARN"},
	} {
		t.Run(name, func(t *testing.T) {
			data := whole
			if test.damage != nil {
				test.damage(&data)
			}
			r, err := stream.FromSDK(test.arn, types.Record{Dynamodb: &data})
			assert.ErrorIs(t, err, dynastay.ErrCorrupt)
			assert.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "\n")
			assert.Equal(t, data.SequenceNumber != nil, r.Sequence != "")
			assert.Equal(t, data.Keys != nil && name != "bad key", r.Keys.Exists())
			assert.Equal(t, data.NewImage != nil && name != "bad new", r.New.Exists())
			assert.Equal(t, test.arn == messages, r.Table == "test-Messages" && r.Label == label)
		})
	}
	_, err = stream.FromSDK(messages, types.Record{})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}

// An ID fits into an idempotency key and into the deduplication id of a queue, both with at most 128 bytes.
func TestIDsAreShort(t *testing.T) {
	id := func(table string) string {
		return stream.Record{Table: table, Label: label, Sequence: strings.Repeat("9", 40)}.ID()
	}
	longest := strings.Repeat("x", 255)
	assert.Len(t, id(longest), 60+1+23+1+40)
	assert.NotEqual(t, id(longest), id(longest[:254]+"y"))
	assert.NotEqual(t, id(longest[:61]), id(longest[:60]))
	assert.Contains(t, id(longest[:60]), longest[:60]+"/", "a name that fits is not shortened")
	assert.Contains(t, id(longest[:61]), longest[:43]+"~", "no table's name contains the separator, so it is no other table's ID")
}

// Sequence numbers have 21 to 40 digits, so their text alone would not sort in order. A stream that is enabled later
// has a later label, and its numbers begin anywhere.
func TestIDsAreInOrder(t *testing.T) {
	var ids []string
	for _, label := range []string{"2026-03-01T10:15:00.123", "2026-03-01T10:15:00.124", "2026-11-01T00:00:00.000"} {
		for _, sequence := range []string{
			"000000000000000000002", "000000000000000000010", "000000000000000000099", "100000000000000000000",
			"4421584500000000017450439091", "4421584500000000017450439092", "9999999999999999999999999999999999999999",
		} {
			r := stream.Record{Table: "Messages", Label: label, Sequence: sequence}
			assert.True(t, strings.HasPrefix(r.ID(), "Messages/"+label+"/"))
			assert.True(t, strings.HasSuffix(r.ID(), sequence))
			ids = append(ids, r.ID())
		}
	}
	assert.True(t, slices.IsSorted(ids))
	assert.Len(t, slices.Compact(ids), len(ids))
}

// The texts of errors and of records are written to logs.
func TestStringHidesAddresses(t *testing.T) {
	r := change(t, dynastay.Key{PK: "EMAIL#ada@example.com", SK: "GUARD"}, nil, text(t, "Hello"))
	for range 20 { // the attributes of a key are in no order
		assert.Equal(t, r.ID()+" of EMAIL#***/GUARD", fmt.Sprint(r))
	}
	assert.Equal(t, "//"+strings.Repeat("0", 40)+" of ", stream.Record{}.String())
}
