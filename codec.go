package dynastay

import (
	"encoding"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Codec turns an entity into its stored attributes and back. Keys are no part of it: they are derived from the entity
// (see [Entity]) and an entity is never read out of them.
type Codec[T any] interface {
	Encode(*T) (Item, error)
	Decode(Item, *T) error
}

// Declare makes a codec of one function that states the stored form for both directions: it is run over an entity to
// fill an item, and over an item to fill an entity. The first error sticks; the function need not look at it.
//
//	var messages = dynastay.Declare(func(f *dynastay.Fields, m *Message) {
//		f.String("MessageId", &m.ID)
//		f.Time("SentAt", &m.SentAt)
//	})
//
// A missing attribute and a stored NULL both read as the zero value. Empty text, the zero time, the zero date and an
// unset amount are written as absent; numbers and booleans always are written, unless declared with [Fields.IfSet].
func Declare[T any](declare func(f *Fields, v *T)) Codec[T] { return declared[T](declare) }

type declared[T any] func(*Fields, *T)

func (d declared[T]) Encode(v *T) (Item, error) {
	f := Fields{state: &state{item: Item{}}}
	d(&f, v)
	return f.item, f.err
}

func (d declared[T]) Decode(item Item, v *T) error {
	f := Fields{state: &state{item: item, decoding: true}}
	d(&f, v)
	return f.err
}

// Tagged makes a codec of a struct with dynamodbav tags, by the rules of the SDK's attributevalue package. It is for
// types that a service already has. A [Date] and a [Money] are stored as the text of their String methods, or as NULL
// where they are zero.
func Tagged[T any]() Codec[T] { return tagged[T]{} }

type tagged[T any] struct{}

func (tagged[T]) Encode(v *T) (Item, error) {
	item, err := attributevalue.MarshalMap(v)
	if err != nil {
		return nil, err
	}
	for name, value := range item {
		if at, bad := badText(name, value); bad {
			return nil, Invalid(at, notUTF8)
		}
	}
	return item, nil
}

func (tagged[T]) Decode(item Item, v *T) error { return attributevalue.UnmarshalMap(item, v) }

// MarshalDynamoDBAttributeValue is for the SDK's attributevalue package, see [Tagged].
func (d Date) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return textOrNull(d.String()), nil
}

// UnmarshalDynamoDBAttributeValue is for the SDK's attributevalue package, see [Tagged].
func (d *Date) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	return readTextOrNull(v, d)
}

// MarshalDynamoDBAttributeValue is for the SDK's attributevalue package, see [Tagged].
func (m Money) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return textOrNull(m.String()), nil
}

// UnmarshalDynamoDBAttributeValue is for the SDK's attributevalue package, see [Tagged].
func (m *Money) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	return readTextOrNull(v, m)
}

func textOrNull(s string) types.AttributeValue {
	if s == "" {
		return &types.AttributeValueMemberNULL{Value: true}
	}
	return str(s)
}

func readTextOrNull(v types.AttributeValue, into encoding.TextUnmarshaler) error {
	if _, ok := v.(*types.AttributeValueMemberS); !ok && !isNull(v) {
		return fmt.Errorf("is %T where text is expected", v)
	}
	return into.UnmarshalText([]byte(text(v)))
}
