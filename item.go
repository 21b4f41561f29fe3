package dynastay

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

// Item is a stored item, or a part of one, in the SDK's own types.
type Item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}
