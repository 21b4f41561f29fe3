package lambda

import (
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/dynastay/dynastay/entity/stream"
)

// FromEvent returns a record that AWS Lambda passes to a function. Like [stream.FromSDK], it returns the parts that it
// can read and an error that matches [dynastay.ErrCorrupt] if a part of the record is missing or cannot be read, or if
// the stream does not have the view type NEW_AND_OLD_IMAGES.
//
// [dynastay.ErrCorrupt]: https://pkg.go.dev/github.com/dynastay/dynastay#ErrCorrupt
func FromEvent(r events.DynamoDBEventRecord) (stream.Record, error) {
	at := r.Change.ApproximateCreationDateTime.UTC().Round(time.Millisecond) // as the SDK does
	record := types.Record{Dynamodb: &types.StreamRecord{
		SequenceNumber:              &r.Change.SequenceNumber,
		ApproximateCreationDateTime: &at,
		StreamViewType:              types.StreamViewType(r.Change.StreamViewType),
		Keys:                        item(r.Change.Keys),
		OldImage:                    item(r.Change.OldImage),
		NewImage:                    item(r.Change.NewImage),
	}}
	if r.UserIdentity != nil {
		record.UserIdentity = &types.Identity{Type: &r.UserIdentity.Type, PrincipalId: &r.UserIdentity.PrincipalID}
	}
	return stream.FromSDK(r.EventSourceArn, record)
}

// item converts an item; a nil item remains nil.
func item(from map[string]events.DynamoDBAttributeValue) map[string]types.AttributeValue {
	if from == nil {
		return nil
	}
	item := make(map[string]types.AttributeValue, len(from))
	for name, v := range from {
		item[name] = value(v)
	}
	return item
}

// value converts one value. The zero value, which JSON cannot contain, becomes nil, which [stream.FromSDK] refuses.
func value(from events.DynamoDBAttributeValue) types.AttributeValue {
	if from.IsNull() && from.DataType() != events.DataTypeNull {
		return nil
	}
	switch from.DataType() {
	case events.DataTypeString:
		return &types.AttributeValueMemberS{Value: from.String()}
	case events.DataTypeNumber:
		return &types.AttributeValueMemberN{Value: from.Number()}
	case events.DataTypeBoolean:
		return &types.AttributeValueMemberBOOL{Value: from.Boolean()}
	case events.DataTypeNull:
		return &types.AttributeValueMemberNULL{Value: true}
	case events.DataTypeBinary:
		return &types.AttributeValueMemberB{Value: from.Binary()}
	case events.DataTypeStringSet:
		return &types.AttributeValueMemberSS{Value: from.StringSet()}
	case events.DataTypeNumberSet:
		return &types.AttributeValueMemberNS{Value: from.NumberSet()}
	case events.DataTypeBinarySet:
		return &types.AttributeValueMemberBS{Value: from.BinarySet()}
	case events.DataTypeMap:
		return &types.AttributeValueMemberM{Value: item(from.Map())}
	case events.DataTypeList:
		list := make([]types.AttributeValue, len(from.List()))
		for i, element := range from.List() {
			list[i] = value(element)
		}
		return &types.AttributeValueMemberL{Value: list}
	}
	return nil
}
