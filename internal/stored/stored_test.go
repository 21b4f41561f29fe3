package stored

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/internal/testing/draw"
)

type (
	sB    = types.AttributeValueMemberB
	sM    = types.AttributeValueMemberM
	sL    = types.AttributeValueMemberL
	sBOOL = types.AttributeValueMemberBOOL
	sNULL = types.AttributeValueMemberNULL
	sSS   = types.AttributeValueMemberSS
	sNS   = types.AttributeValueMemberNS
	sBS   = types.AttributeValueMemberBS
)

// clone is a deep copy.
func clone(v types.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *sM:
		return &sM{Value: cloneItem(v.Value)}
	case *sL:
		list := make([]types.AttributeValue, len(v.Value))
		for i := range v.Value {
			list[i] = clone(v.Value[i])
		}
		return &sL{Value: list}
	}
	return v
}

func cloneItem(item Item) Item {
	copied := Item{}
	for name, v := range item {
		copied[name] = clone(v)
	}
	return copied
}

func TestEqualComparesAsDynamoDBDoes(t *testing.T) {
	n := func(s string) types.AttributeValue { return Number(s) }
	null := &sNULL{Value: true}
	alike := [][2]types.AttributeValue{
		{n("1"), n("1.0")}, {n("100"), n("1E+2")}, {n("100"), n("1e2")}, {n("0"), n("-0.00")}, {n("-0.5"), n("-.50")},
		{n("1e-30"), n("0.000000000000000000000000000001")},
		{n("12345678901234567890123456789012345678"), n("12345678901234567890123456789012345678.0")},
		{n("1e125"), n("10e124")},
		{nil, null}, {null, null}, {nil, nil},
		{Text("a"), Text("a")}, {&sBOOL{Value: true}, &sBOOL{Value: true}}, {&sB{Value: []byte{1}}, &sB{Value: []byte{1}}},
		{&sSS{Value: []string{"a", "b"}}, &sSS{Value: []string{"b", "a"}}},
		{&sNS{Value: []string{"1", "20"}}, &sNS{Value: []string{"2e1", "1.0"}}},
		{&sBS{Value: [][]byte{{1}, {2}}}, &sBS{Value: [][]byte{{2}, {1}}}},
		{&sL{Value: []types.AttributeValue{n("1"), null}}, &sL{Value: []types.AttributeValue{n("1.0"), null}}},
		{&sM{Value: Item{"A": n("1"), "B": null}}, &sM{Value: Item{"A": n("1.0")}}},
		{&sM{Value: Item{"A": n("1")}}, &sM{Value: Item{"A": n("1.0"), "B": null}}},
	}
	for _, c := range alike {
		assert.True(t, Equal(c[0], c[1]), "%#v, %#v", c[0], c[1])
		assert.True(t, Equal(c[1], c[0]), "%#v, %#v", c[1], c[0])
	}
	for _, c := range [][2]types.AttributeValue{
		{n("1"), n("1.1")}, {n("1"), n("-1")}, {n("1"), n("10")}, {n("0.1"), n("0.01")}, {n("1"), Text("1")}, {n("1"), nil}, {n("0"), null},
		{n("12345678901234567890"), n("12345678901234567891")}, {n("x"), n("y")}, {n("x"), n("1")},
		{Text(""), nil}, {Text("a"), Text("b")}, {&sBOOL{Value: true}, &sBOOL{Value: false}}, {&sB{Value: []byte("a")}, Text("a")},
		{&sSS{Value: []string{"a", "b"}}, &sSS{Value: []string{"a", "c"}}}, {&sSS{Value: []string{"a"}}, &sSS{Value: []string{"a", "b"}}},
		{&sNS{Value: []string{"1"}}, &sNS{Value: []string{"2"}}}, {&sSS{Value: []string{"1"}}, &sNS{Value: []string{"1"}}},
		{&sBS{Value: [][]byte{{1}}}, &sBS{Value: [][]byte{{2}}}},
		{&sL{Value: []types.AttributeValue{n("1"), n("2")}}, &sL{Value: []types.AttributeValue{n("2"), n("1")}}},
		{&sL{}, &sL{Value: []types.AttributeValue{n("1")}}}, {&sM{Value: Item{}}, nil},
		{&sM{Value: Item{"A": n("1")}}, &sM{Value: Item{"B": n("1")}}}, {&sM{Value: Item{"A": n("1")}}, &sM{Value: Item{"A": n("1"), "B": n("1")}}},
		{&sM{Value: Item{}}, &sL{}},
	} {
		assert.False(t, Equal(c[0], c[1]), "%#v, %#v", c[0], c[1])
		assert.False(t, Equal(c[1], c[0]), "%#v, %#v", c[1], c[0])
	}
}

func TestEqualIsAnEquivalence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Value(2).Draw(t, "a"), draw.Value(2).Draw(t, "b")
		assert.True(t, Equal(a, clone(a)))
		assert.Equal(t, Equal(a, b), Equal(b, a))
	})
}

func TestHolds(t *testing.T) {
	item := Item{"A": Number("1"), "B": Text("b"), "C": &sNULL{Value: true}}
	assert.True(t, Holds(item, nil))
	assert.True(t, Holds(item, Item{"A": Number("1.0")}))
	assert.True(t, Holds(item, Item{"C": &sNULL{Value: true}, "D": &sNULL{Value: true}}), "missing and NULL are alike")
	assert.False(t, Holds(item, Item{"A": Number("1"), "B": Text("c")}))
	assert.False(t, Holds(item, Item{"D": Text("")}))
	assert.False(t, Holds(nil, Item{"A": Number("1")}))
}

func TestSize(t *testing.T) {
	// The sizes of the developer guide: UTF-8 bytes of names and texts, about a byte for two digits and one more, a byte
	// for a boolean or NULL, three for a list or map and one for each of its elements.
	for _, c := range []struct {
		item  Item
		size  int
		about int
	}{
		{nil, 0, 0},
		{Item{"Name": Text("Grand Hôtel")}, 4 + 12, 0},
		{Item{"B": &sB{Value: make([]byte, 100)}}, 101, 0},
		{Item{"Yes": &sBOOL{Value: true}}, 4, 0},
		{Item{"No": &sNULL{Value: true}}, 3, 0},
		{Item{"N": Number("123456789")}, 1 + 6, 1},
		{Item{"N": Number("-123456789")}, 1 + 7, 1},
		{Item{"N": Number("0")}, 1 + 1, 1},
		{Item{"L": &sL{Value: []types.AttributeValue{Text("ab"), Text("cd")}}}, 1 + 3 + 2*1 + 4, 0},
		{Item{"L": &sL{}}, 1 + 3, 0},
		{Item{"M": &sM{Value: Item{"Key": Text("ab")}}}, 1 + 3 + 1 + 3 + 2, 0},
		{Item{"SS": &sSS{Value: []string{"ab", "cde"}}}, 2 + 5, 0},
		{Item{"NS": &sNS{Value: []string{"12", "3456"}}}, 2 + 2 + 3, 2},
		{Item{"BS": &sBS{Value: [][]byte{{1, 2}, {3}}}}, 2 + 3, 0},
		{Item{strings.Repeat("n", 300): Text(strings.Repeat("é", 1000))}, 2300, 0},
	} {
		assert.InDelta(t, c.size, Size(c.item), float64(c.about), "%v", c.item)
	}
}
