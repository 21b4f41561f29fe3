package stream_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/internal/testing/draw"
)

// A record that is stored and read again is the same one: any number of attributes, of any kind, and any missing part.
func TestJSONPreservesRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := func(label string) dynastay.Row {
			if rapid.Bool().Draw(t, "no "+label) {
				return dynastay.Row{}
			}
			return dynastay.RowOf(draw.Item(3).Draw(t, label))
		}
		want := stream.Record{
			Table: rapid.String().Draw(t, "table"), Label: rapid.String().Draw(t, "label"), Sequence: rapid.StringMatching(`[0-9]{0,40}`).Draw(t, "sequence"),
			Keys: row("keys"), Old: row("old"), New: row("new"),
			At: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0).UTC(), ByTTL: rapid.Bool().Draw(t, "by TTL"),
		}
		data, err := json.Marshal(want)
		require.NoError(t, err)
		var got stream.Record
		require.NoError(t, json.Unmarshal(data, &got), "%s", data)
		assert.Equal(t, want, got)
	})
}

// The form is DynamoDB's own, and what does not exist is left out.
func TestJSONIsReadable(t *testing.T) {
	r := stream.Record{
		Table: "Messages", Label: label, Sequence: "111", Keys: dynastay.RowOf(dynastay.Item{"PK": dynastay.Text("MESSAGE#m1")}),
		New: dynastay.RowOf(dynastay.Item{
			"Big":   &types.AttributeValueMemberN{Value: "12345678901234567890.123456789"},
			"Image": &types.AttributeValueMemberB{Value: []byte{0, 255}},
		}),
		At: time.Unix(1_772_360_100, 0).UTC(),
	}
	data, err := json.Marshal(r)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"Table": "Messages", "Label": "2026-03-01T10:15:00.123", "Sequence": "111", "At": "2026-03-01T10:15:00Z",
		"Keys": {"PK": {"S": "MESSAGE#m1"}},
		"New": {"Big": {"N": "12345678901234567890.123456789"}, "Image": {"B": "AP8="}}
	}`, string(data))
}

func TestJSONIsRefused(t *testing.T) {
	for _, data := range []string{
		``, `[]`, `{"Table": 1}`, `{"At": "yesterday"}`, `{"Old": []}`, `{"Old": {"A": 1}}`, `{"Old": {"A": {"B": "?"}}}`,
		`{"Old": {"A": null}}`, `{"Old": {"A": {}}}`, `{"Old": {"A": {"S": null}}}`, `{"Old": {"A": {"X": "a"}}}`,
		`{"Old": {"A": {"BS": [null]}}}`, `{"Old": {"A": {"L": [null]}}}`, `{"Old": {"A": {"L": [{"M": {"B": {"X": ""}}}]}}}`,
	} {
		r := stream.Record{Table: "Messages"}
		assert.Error(t, json.Unmarshal([]byte(data), &r), data)
		assert.Equal(t, stream.Record{Table: "Messages"}, r, data)
	}
}

// Whatever is accepted can be stored again and is then the same.
func FuzzRecordJSON(f *testing.F) {
	f.Add([]byte(`{"Table":"T","Keys":{"PK":{"S":"a"}},"Old":{},"New":{"A":{"L":[{"M":{"B":{"NULL":true}}}]}},"At":"2026-03-01T10:15:00Z"}`))
	f.Add([]byte(`{"Old":null,"New":{"A":{"BS":["AP8=",null]},"B":{"NS":["1"]},"C":{"X":1}},"ByTTL":true}`))
	f.Add([]byte(`{"At":"0000-01-01T00:00:00.000000001+23:59","Old":{"A":{"S":null}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second stream.Record
		if json.Unmarshal(data, &first) != nil {
			return
		}
		again, err := json.Marshal(first)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(again, &second), "%s", again)
		assert.True(t, first.At.Equal(second.At))
		first.At, second.At = time.Time{}, time.Time{}
		assert.Equal(t, first, second)
	})
}
