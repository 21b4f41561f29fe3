package contract_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// unconditional carries out every update, also one whose condition fails.
type unconditional struct{ dynastay.Client }

func (c unconditional) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...options) (*dynamodb.UpdateItemOutput, error) {
	out, err := c.Client.UpdateItem(ctx, in, o...)
	if refused := new(types.ConditionalCheckFailedException); errors.As(err, &refused) {
		// :old is only in the condition, so it would be refused as not used.
		always := *in
		always.ConditionExpression, always.ExpressionAttributeValues = nil, map[string]types.AttributeValue{}
		for name, value := range in.ExpressionAttributeValues {
			if name != ":old" {
				always.ExpressionAttributeValues[name] = value
			}
		}
		return c.Client.UpdateItem(ctx, &always, o...)
	}
	return out, err
}

// silent returns no items with its refusals.
type silent struct{ dynastay.Client }

func (c silent) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...options) (*dynamodb.PutItemOutput, error) {
	asked := *in
	asked.ReturnValuesOnConditionCheckFailure = ""
	return c.Client.PutItem(ctx, &asked, o...)
}

func (c silent) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...options) (*dynamodb.DeleteItemOutput, error) {
	asked := *in
	asked.ReturnValuesOnConditionCheckFailure = ""
	return c.Client.DeleteItem(ctx, &asked, o...)
}

func TestConditions(t *testing.T) {
	t.Run("updates that are always carried out", func(t *testing.T) {
		notices(t, client(func(c dynastay.Client) dynastay.Client { return unconditional{c} }), "conditional writes",
			"an update whose condition fails changes nothing",
			"an update with a condition creates no item",
			"a refused update returns the item that is stored",
			"a refusal has no item if none is stored",
		)
	})
	t.Run("refusals without items", func(t *testing.T) {
		notices(t, client(func(c dynastay.Client) dynastay.Client { return silent{c} }), "conditional writes",
			"a refused put returns the item that is stored",
			"a refused delete returns the item that is stored",
		)
	})
}
