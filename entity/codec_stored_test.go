package entity

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/draw"
)

// wireItem is an item in DynamoDB JSON, {"Name":{"S":"x"}}: as it is sent, and as a stream's event has it.
type wireItem map[string]wireValue

type wireValue map[string]json.RawMessage

func (i wireItem) Names() iter.Seq[string] { return maps.Keys(i) }

func (i wireItem) Attribute(name string) dynastay.Value { return i[name].value() }

func (v wireValue) value() dynastay.Value {
	for kind, raw := range v {
		switch kind {
		case "S":
			return dynastay.TextValue(read[string](raw))
		case "N":
			return dynastay.NumberValue(read[string](raw))
		case "BOOL":
			return dynastay.BoolValue(read[bool](raw))
		case "NULL":
			return dynastay.NullValue()
		case "B":
			return dynastay.BinaryValue(read[[]byte](raw))
		case "SS":
			return dynastay.SetValue(dynastay.KindTexts, read[[]string](raw))
		case "NS":
			return dynastay.SetValue(dynastay.KindNumbers, read[[]string](raw))
		case "BS":
			return dynastay.BinarySetValue(read[[][]byte](raw))
		case "M":
			return dynastay.MapValue(dynastay.RowFrom(read[wireItem](raw)))
		case "L":
			var list []dynastay.Value
			for _, element := range read[[]wireValue](raw) {
				list = append(list, element.value())
			}
			return dynastay.ListValue(list)
		}
		panic("no kind " + kind)
	}
	return dynastay.Value{}
}

func read[V any](raw json.RawMessage) (v V) {
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	return v
}

// wireOf writes a value as it is sent.
func wireOf(v types.AttributeValue) map[string]any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *sN:
		return map[string]any{"N": v.Value}
	case *sBOOL:
		return map[string]any{"BOOL": v.Value}
	case *sNULL:
		return map[string]any{"NULL": true}
	case *sB:
		return map[string]any{"B": base64.StdEncoding.EncodeToString(v.Value)}
	case *sSS:
		return map[string]any{"SS": v.Value}
	case *sNS:
		return map[string]any{"NS": v.Value}
	case *sBS:
		return map[string]any{"BS": v.Value}
	case *sM:
		return map[string]any{"M": wireItemOf(v.Value)}
	case *sL:
		list := []any{}
		for _, element := range v.Value {
			list = append(list, wireOf(element))
		}
		return map[string]any{"L": list}
	}
	panic(fmt.Sprintf("no form for %T", v))
}

func wireItemOf(item dynastay.Item) map[string]any {
	all := map[string]any{}
	for name, v := range item {
		all[name] = wireOf(v)
	}
	return all
}

// received is an item as a row of its JSON.
func received(t require.TestingT, item dynastay.Item) dynastay.Row {
	text, err := json.Marshal(wireItemOf(item))
	require.NoError(t, err)
	return dynastay.RowFrom(read[wireItem](text))
}

// The form in which a row arrives makes no difference to what is read.
func TestRowsOfAnotherFormDecodeAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyAll().Draw(t, "in")
		item, err := allCodec.Encode(&in)
		require.NoError(t, err)
		row := received(t, item)
		assert.Equal(t, item, row.Item())
		out := anyAll().Draw(t, "what it held before")
		require.NoError(t, allCodec.Decode(row, &out))
		assert.Equal(t, in, out)
	})
}

// Nor does it to what cannot be read.
func TestRowsOfAnotherFormFailAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.MapOfN(rapid.SampledFrom(storedNames), draw.Value(3), 0, 2).Draw(t, "item")
		var one, other all
		err := allCodec.Decode(dynastay.RowOf(item), &one)
		again := allCodec.Decode(received(t, item), &other)
		if err == nil {
			require.NoError(t, again)
			assert.Equal(t, one, other)
			return
		}
		// A map is read in any order, so of two errors in one either may be the first.
		if assert.Error(t, again) && len(item) == 1 && item["Counts"] == nil && item["ByID"] == nil && item["Prices"] == nil {
			assert.Equal(t, err.Error(), again.Error())
		}
	})
}

// A tagged struct is read by the SDK, of the row in the SDK's types.
func TestTaggedReadsRowsOfAnotherForm(t *testing.T) {
	type tag struct {
		S       string
		N       float64
		B       []byte
		Yes     bool
		Null    *string
		Set     []string `dynamodbav:",stringset"`
		Numbers []int    `dynamodbav:",numberset"`
		Bytes   [][]byte `dynamodbav:",binaryset"`
		L       []map[string]int
		M       map[string]string
		At      time.Time
		Day     dynastay.Date
		Price   dynastay.Money
		Written dynastay.WriteID
	}
	codec := Tagged[tag]()
	rapid.Check(t, func(t *rapid.T) {
		in := tag{
			S: rapid.String().Draw(t, "S"), N: rapid.Float64Range(-1e9, 1e9).Draw(t, "N"), Yes: rapid.Bool().Draw(t, "Yes"),
			B:   rapid.SliceOf(rapid.Byte()).Draw(t, "B"),
			Set: []string{"a", rapid.StringMatching("[b-z]{1,3}").Draw(t, "Set")}, Numbers: []int{1, 2}, Bytes: [][]byte{{1}, {2, 3}},
			L:  []map[string]int{{rapid.StringMatching("[a-z]").Draw(t, "L"): 1}, {}},
			M:  map[string]string{"a": rapid.String().Draw(t, "M")},
			At: noon, Day: dynastay.MustDate("2025-01-15"), Price: dynastay.MustMoney("0.10", "USD"), Written: "AAAAAAAAAAAAAAAA",
		}
		item, err := codec.Encode(&in)
		require.NoError(t, err)
		var one, other tag
		require.NoError(t, codec.Decode(dynastay.RowOf(item), &one))
		require.NoError(t, codec.Decode(received(t, item), &other))
		assert.Equal(t, one, other)
		assert.Equal(t, in.Price, other.Price)
	})
}

// A table's value of such a row has its write id too, and its failure names the entity.
func TestValueOfARowOfAnotherForm(t *testing.T) {
	type lock struct {
		Name    string
		WriteID dynastay.WriteID
	}
	e := New(Spec[lock]{
		Name: "Lock", Schema: shopSchema, Key: func(*lock) (dynastay.Key, error) { return shopKey, nil },
		Codec: Declare(func(f *Fields, l *lock) {
			f.String("Name", &l.Name)
			f.WriteID("WriteId", &l.WriteID)
		}),
	})
	item := dynastay.Item{"PK": str("SHOP#1"), "SK": str("METADATA"), "Name": str("a"), "WriteId": &sB{Value: []byte("abcdefghijkl")}}
	one, err := e.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	other, err := e.Value(received(t, item))
	require.NoError(t, err)
	assert.Equal(t, one, other)
	assert.Len(t, other.WriteID, 16)
	for _, missing := range []types.AttributeValue{nil, &sNULL{Value: true}} {
		if delete(item, "WriteId"); missing != nil {
			item["WriteId"] = missing
		}
		other, err = e.Value(received(t, item))
		require.NoError(t, err)
		assert.Equal(t, &lock{Name: "a"}, other)
	}
	item["WriteId"] = str("abc")
	_, err = e.Value(received(t, item))
	failed := blame.As[*dynastay.Error](t, err)
	assert.Equal(t, &dynastay.Error{
		Entity: "Lock", ID: "SHOP#1/METADATA", Field: "WriteId", Kind: dynastay.ErrCorrupt, Err: failed.Err,
	}, failed)
}
