package contract_test

import (
	"context"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

func TestLoad(t *testing.T) {
	notices(t, writes(func(ctx context.Context, c dynastay.Client, in dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error) {
		if update := in.TransactItems[0].Update; update != nil && update.ConditionExpression != nil {
			always := *update
			always.ConditionExpression, always.ExpressionAttributeValues = nil, maps.Clone(update.ExpressionAttributeValues)
			delete(always.ExpressionAttributeValues, ":eight")
			in.TransactItems = []types.TransactWriteItem{{Update: &always}}
		}
		return c.TransactWriteItems(ctx, &in)
	}), "load", "transactions at the same time do not exceed a limit that each of them checks")
}
