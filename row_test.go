package dynastay

import (
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/draw"
)

// foreign are attributes in another form: a map of values that do not use the SDK's types.
type foreign map[string]Value

func (f foreign) Attribute(name string) Value { return f[name] }

func (f foreign) Names() iter.Seq[string] { return maps.Keys(f) }

func foreignRow(item Item) Row {
	all := foreign{}
	for name, v := range item {
		all[name] = foreignValue(v)
	}
	return RowFrom(all)
}

func foreignValue(v types.AttributeValue) Value {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return TextValue(v.Value)
	case *sN:
		return NumberValue(v.Value)
	case *sBOOL:
		return BoolValue(v.Value)
	case *sB:
		return BinaryValue(v.Value)
	case *sL:
		list := []Value{}
		for _, element := range v.Value {
			list = append(list, foreignValue(element))
		}
		return ListValue(list)
	case *sM:
		return MapValue(foreignRow(v.Value))
	case *sSS:
		return SetValue(KindTexts, v.Value)
	case *sNS:
		return SetValue(KindNumbers, v.Value)
	case *sBS:
		return BinarySetValue(v.Value)
	}
	return NullValue()
}

// A row has the same values whatever the form in which it arrived, and returns the same item.
func TestRowReadsEveryForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := draw.Item(2).Draw(t, "item")
		sdk, other := RowOf(item), foreignRow(item)
		assert.True(t, other.Exists())
		assert.Equal(t, slices.Sorted(maps.Keys(item)), slices.Sorted(sdk.Names()))
		assert.Equal(t, slices.Sorted(sdk.Names()), slices.Sorted(other.Names()))
		for name, v := range item {
			sameValue(t, sdk.Value(name), other.Value(name))
			assert.Equal(t, sdk.Text(name), other.Text(name))
			text, kind := sdk.Scalar(name)
			again, same := other.Scalar(name)
			assert.Equal(t, text, again)
			assert.Equal(t, kind, same)
			assert.Equal(t, sdk.Value(name).Text(), text)
			assert.Equal(t, sdk.Value(name).Kind(), kind)
			assert.Equal(t, sdk.Int(name), other.Int(name))
			assert.True(t, stored.Equal(v, sdk.Value(name).Stored()))
		}
		assert.True(t, stored.EqualItems(item, sdk.Item()))
		assert.True(t, stored.EqualItems(item, other.Item()), "%v, %v", item, other.Item())
	})
}

func sameValue(t *rapid.T, a, b Value) {
	assert.Equal(t, a.Kind(), b.Kind())
	assert.Equal(t, a.IsNull(), b.IsNull())
	assert.Equal(t, a.Text(), b.Text())
	assert.Equal(t, a.Bool(), b.Bool())
	assert.Equal(t, a.Bytes(), b.Bytes())
	assert.Equal(t, a.Set(), b.Set())
	listA, listB := a.List(), b.List()
	assert.Len(t, listB, len(listA))
	for i := range listA {
		sameValue(t, listA[i], listB[i])
	}
	mapA, mapB := a.Map(), b.Map()
	assert.Equal(t, mapA.Exists(), mapB.Exists())
	for name := range mapA.Names() {
		sameValue(t, mapA.Value(name), mapB.Value(name))
	}
}

// A value of one kind is empty as any other kind, and a missing value is always empty.
func TestValueIsOfOneKind(t *testing.T) {
	row := RowOf(Item{
		"text": str("7"), "number": num("7"), "half": num("7.5"), "yes": &sBOOL{Value: true}, "no": &sBOOL{}, "null": &sNULL{Value: true},
		"binary": &sB{Value: []byte("7")}, "map": &sM{Value: Item{"in": str("x")}},
	})
	assert.Equal(t, "7", row.Text("text"))
	for _, name := range []string{"number", "yes", "null", "binary", "map", "missing"} {
		assert.Empty(t, row.Text(name), name)
	}
	assert.Equal(t, 7, row.Int("number"))
	for _, name := range []string{"text", "half", "yes", "null", "missing"} {
		assert.Zero(t, row.Int(name), name)
	}
	assert.Equal(t, "7", row.Value("number").Text(), "its digits")
	assert.Empty(t, row.Value("yes").Text())
	assert.True(t, row.Value("yes").Bool())
	assert.False(t, row.Value("no").Bool())
	assert.False(t, row.Value("text").Bool())
	assert.Equal(t, "x", row.Value("map").Map().Text("in"))
	assert.Equal(t, KindMissing, row.Value("missing").Kind())
	assert.Nil(t, row.Value("missing").Stored())
	for name, null := range map[string]bool{"null": true, "missing": true, "no": false, "text": false} {
		assert.Equal(t, null, row.Value(name).IsNull(), name)
	}
	assert.False(t, row.Value("text").Map().Exists())

	none := Row{}
	assert.False(t, none.Exists())
	assert.Nil(t, none.Item())
	assert.Empty(t, none.Text("text"))
	assert.Empty(t, slices.Collect(none.Names()))
	for name := range row.Names() {
		assert.NotEmpty(t, name)
		break // a walk may end early
	}
	assert.Equal(t, "a set of numbers", KindNumbers.String())
	assert.Equal(t, "nothing", KindMissing.String())
}
