package dynastay

import (
	"encoding"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// MarshalDynamoDBAttributeValue implements attributevalue.Marshaler of the SDK, for structs with dynamodbav tags.
func (d Date) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return textOrNull(d.String()), nil
}

// UnmarshalDynamoDBAttributeValue implements attributevalue.Unmarshaler of the SDK, for structs with dynamodbav tags.
func (d *Date) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	return readTextOrNull(v, d)
}

// MarshalDynamoDBAttributeValue implements attributevalue.Marshaler of the SDK, for structs with dynamodbav tags.
func (m Money) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return textOrNull(m.String()), nil
}

// UnmarshalDynamoDBAttributeValue implements attributevalue.Unmarshaler of the SDK, for structs with dynamodbav tags.
func (m *Money) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	return readTextOrNull(v, m)
}

func textOrNull(s string) types.AttributeValue {
	if s == "" {
		return &types.AttributeValueMemberNULL{Value: true}
	}
	return Text(s)
}

func readTextOrNull(v types.AttributeValue, into encoding.TextUnmarshaler) error {
	if _, ok := v.(*types.AttributeValueMemberS); !ok && !stored.IsNull(v) {
		return fmt.Errorf("must be %s, got %s", KindText, valueOf(v).Kind())
	}
	return into.UnmarshalText([]byte(stored.TextOf(v)))
}
