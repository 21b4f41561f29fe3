// Package draw generates stored values for property tests.
package draw

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"
)

// Value generates a stored value of any type, nested up to the given depth.
func Value(depth int) *rapid.Generator[types.AttributeValue] {
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		kinds := 8
		if depth > 0 {
			kinds = 10
		}
		words := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 1, 3, rapid.ID)
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return &types.AttributeValueMemberN{Value: rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,5})?`).Draw(t, "number")}
		case 1:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "bool")}
		case 2:
			return &types.AttributeValueMemberNULL{Value: true}
		case 3:
			return &types.AttributeValueMemberB{Value: rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")}
		case 4:
			return &types.AttributeValueMemberSS{Value: words.Draw(t, "texts")}
		case 5:
			return &types.AttributeValueMemberNS{Value: rapid.SliceOfNDistinct(rapid.StringMatching(`[1-9][0-9]{0,3}`), 1, 3, rapid.ID).Draw(t, "numbers")}
		case 6:
			var all [][]byte
			for _, w := range words.Draw(t, "binaries") {
				all = append(all, []byte(w))
			}
			return &types.AttributeValueMemberBS{Value: all}
		case 8:
			return &types.AttributeValueMemberM{Value: Item(depth-1).Draw(t, "map")}
		case 9:
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(Value(depth-1), 0, 3).Draw(t, "list")}
		}
		return &types.AttributeValueMemberS{Value: rapid.SampledFrom([]string{"", "a", "USD", "2025-01-15", "2024-11-18T14:20:00Z", "9.2"}).Draw(t, "text")}
	})
}

// Item generates up to three attributes.
func Item(depth int) *rapid.Generator[map[string]types.AttributeValue] {
	return rapid.MapOfN(rapid.StringMatching(`[A-D]`), Value(depth), 0, 3)
}
