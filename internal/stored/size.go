package stored

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

// Size returns an item's size in bytes as DynamoDB counts it for limits and units, accurate to a byte or two for each
// number.
func Size(item Item) int {
	n := 0
	for name, v := range item {
		n += len(name) + sizeOf(v)
	}
	return n
}

func sizeOf(v types.AttributeValue) int {
	const perElement, perCollection = 1, 3
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(v.Value)/2 + 2
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberM:
		return perCollection + perElement*len(v.Value) + Size(v.Value)
	case *types.AttributeValueMemberL:
		n := perCollection
		for _, element := range v.Value {
			n += perElement + sizeOf(element)
		}
		return n
	case *types.AttributeValueMemberSS:
		n := 0
		for _, s := range v.Value {
			n += len(s)
		}
		return n
	case *types.AttributeValueMemberNS:
		n := 0
		for _, s := range v.Value {
			n += len(s)/2 + 2
		}
		return n
	case *types.AttributeValueMemberBS:
		n := 0
		for _, b := range v.Value {
			n += len(b)
		}
		return n
	}
	return 1
}
