package market

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// Copied returns a copy of an attribute value in which texts and keys name a different property.
func Copied(v types.AttributeValue, ids *strings.Replacer) types.AttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return dynastay.Text(ids.Replace(v.Value))
	case *types.AttributeValueMemberM:
		all := dynastay.Item{}
		for name, part := range v.Value {
			all[ids.Replace(name)] = Copied(part, ids)
		}
		return &types.AttributeValueMemberM{Value: all}
	}
	return v
}
