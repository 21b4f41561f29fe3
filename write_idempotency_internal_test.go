package dynastay

import (
	"crypto/sha256"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/internal/testing/draw"
)

func inputHash(write func(*Input)) string {
	in := &Input{sha256.New()}
	write(in)
	return string(in.Sum(nil))
}

func TestInputTellsInputsApart(t *testing.T) {
	seen := map[string]int{}
	list := func(v ...types.AttributeValue) Item { return Item{"L": &sL{Value: v}} }
	for i, write := range []func(*Input){
		func(in *Input) {},
		func(in *Input) { in.Field("a", "bc") },
		func(in *Input) { in.Field("ab", "c") },
		func(in *Input) { in.Field("a", "b"); in.Field("c", "") },
		func(in *Input) { in.Item(Item{"a": str("bc")}) },
		func(in *Input) { in.Item(Item{"b": str("bc")}) },
		func(in *Input) { in.Item(Item{"a": num("1")}) },
		func(in *Input) { in.Item(Item{"a": str("1")}) },
		func(in *Input) { in.Item(list(num("1"))) },
		func(in *Input) { in.Item(list(str("1"))) },
		func(in *Input) { in.Item(list(&sB{Value: []byte("1")})) },
		func(in *Input) { in.Item(list(str("1"), str("2"))) },
		func(in *Input) { in.Item(list(&sL{Value: []types.AttributeValue{str("1")}}, str("2"))) },
		func(in *Input) { in.Item(list(&sM{Value: Item{"a": str("1")}})) },
		func(in *Input) { in.Item(list(&sM{Value: Item{"a": str("1")}}, &sM{Value: Item{"b": str("2")}})) },
		func(in *Input) { in.Item(list(&sM{Value: Item{"a": str("1"), "b": str("2")}}, &sM{Value: Item{}})) },
		func(in *Input) { in.Item(Item{"L": &sM{Value: Item{"a": str("1")}}}) },
		func(in *Input) { in.Item(Item{"L": &sM{Value: Item{"a": str("2")}}}) },
		func(in *Input) { in.Key(Key{"a", "bc"}) },
		func(in *Input) { in.Key(Key{"b", "bc"}) },
		func(in *Input) { in.Key(Key{"a", "b"}) },
	} {
		hash := inputHash(write)
		other, twice := seen[hash]
		assert.False(t, twice, "inputs %d and %d look alike", other, i)
		seen[hash] = i
	}
}

func TestInputIsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Item(2).Draw(t, "a"), draw.Item(2).Draw(t, "b")
		hash := func(item Item) string { return inputHash(func(in *Input) { in.Item(item) }) }
		assert.Equal(t, hash(a), hash(cloneItem(a)), "maps have no order")
		if assert.ObjectsAreEqual(a, b) {
			assert.Equal(t, hash(a), hash(b))
		} else {
			assert.NotEqual(t, hash(a), hash(b))
		}
	})
}

// Records are compared with those of other versions of the library: a different canonical form needs a different name.
func TestCanonicalFormStays(t *testing.T) {
	op := NewOp(OpSpec[struct{}]{Name: "test.Agree", Invalid: ErrInvalid, Input: func(in *Input) {
		in.Field("field", "value")
		in.Key(Key{"PK", "SK"})
		in.Item(Item{
			"B": &sB{Value: []byte{1}}, "L": &sL{Value: []types.AttributeValue{str("a"), num("1")}}, "M": &sM{Value: Item{"S": str("b")}},
			"N": num("2"), "NULL": &sNULL{Value: true}, "S": str("c"),
		})
	}})
	assert.Equal(t, "v2:70813fc46336bd5162176a6c5a9b0e7308d04efcf261152ae3ee15f09b04f746", hashOf([]operation{op, op}, owner{}))
}
