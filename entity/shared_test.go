package entity

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/stored"
)

type (
	sN    = types.AttributeValueMemberN
	sB    = types.AttributeValueMemberB
	sM    = types.AttributeValueMemberM
	sL    = types.AttributeValueMemberL
	sBOOL = types.AttributeValueMemberBOOL
	sNULL = types.AttributeValueMemberNULL
	sSS   = types.AttributeValueMemberSS
	sNS   = types.AttributeValueMemberNS
	sBS   = types.AttributeValueMemberBS
)

// anyValue draws a stored value of any type, nested up to the given depth.
func anyValue(depth int) *rapid.Generator[types.AttributeValue] {
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		kinds := 8
		if depth > 0 {
			kinds = 10
		}
		words := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 1, 3, rapid.ID)
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return &sN{Value: rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,5})?`).Draw(t, "number")}
		case 1:
			return &sBOOL{Value: rapid.Bool().Draw(t, "bool")}
		case 2:
			return &sNULL{Value: true}
		case 3:
			return &sB{Value: rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")}
		case 4:
			return &sSS{Value: words.Draw(t, "texts")}
		case 5:
			return &sNS{Value: rapid.SliceOfNDistinct(rapid.StringMatching(`[1-9][0-9]{0,3}`), 1, 3, rapid.ID).Draw(t, "numbers")}
		case 6:
			var all [][]byte
			for _, w := range words.Draw(t, "binaries") {
				all = append(all, []byte(w))
			}
			return &sBS{Value: all}
		case 8:
			return &sM{Value: anyItem(depth-1).Draw(t, "map")}
		case 9:
			return &sL{Value: rapid.SliceOfN(anyValue(depth-1), 0, 3).Draw(t, "list")}
		}
		return str(rapid.SampledFrom([]string{"", "a", "USD", "2025-01-15", "2024-11-18T14:20:00Z", "9.2"}).Draw(t, "text"))
	})
}

func anyItem(depth int) *rapid.Generator[dynastay.Item] {
	return rapid.MapOfN(rapid.StringMatching(`[A-D]`), anyValue(depth), 0, 3)
}

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

func cloneItem(item dynastay.Item) dynastay.Item {
	copied := dynastay.Item{}
	for name, v := range item {
		copied[name] = clone(v)
	}
	return copied
}

func str(s string) types.AttributeValue { return stored.Text(s) }

func num(digits string) types.AttributeValue { return stored.Number(digits) }
