package entity

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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
