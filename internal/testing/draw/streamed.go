package draw

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// Streamed returns an item in the types in which DynamoDB Streams returns it; a nil item remains nil.
func Streamed(item map[string]types.AttributeValue) map[string]streams.AttributeValue {
	if item == nil {
		return nil
	}
	streamed := make(map[string]streams.AttributeValue, len(item))
	for name, value := range item {
		streamed[name] = streamedValue(value)
	}
	return streamed
}

func streamedValue(v types.AttributeValue) streams.AttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return &streams.AttributeValueMemberS{Value: v.Value}
	case *types.AttributeValueMemberN:
		return &streams.AttributeValueMemberN{Value: v.Value}
	case *types.AttributeValueMemberBOOL:
		return &streams.AttributeValueMemberBOOL{Value: v.Value}
	case *types.AttributeValueMemberNULL:
		return &streams.AttributeValueMemberNULL{Value: v.Value}
	case *types.AttributeValueMemberB:
		return &streams.AttributeValueMemberB{Value: v.Value}
	case *types.AttributeValueMemberSS:
		return &streams.AttributeValueMemberSS{Value: v.Value}
	case *types.AttributeValueMemberNS:
		return &streams.AttributeValueMemberNS{Value: v.Value}
	case *types.AttributeValueMemberBS:
		return &streams.AttributeValueMemberBS{Value: v.Value}
	case *types.AttributeValueMemberM:
		return &streams.AttributeValueMemberM{Value: Streamed(v.Value)}
	case *types.AttributeValueMemberL:
		list := make([]streams.AttributeValue, len(v.Value))
		for i, element := range v.Value {
			list[i] = streamedValue(element)
		}
		return &streams.AttributeValueMemberL{Value: list}
	}
	panic(fmt.Sprintf("no such value: %T", v))
}
