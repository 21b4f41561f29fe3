package contract_test

import (
	"context"
	"math"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// indexless charges nothing for indexes.
type indexless struct{ dynastay.Client }

func (c indexless) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...options) (*dynamodb.UpdateItemOutput, error) {
	out, err := c.Client.UpdateItem(ctx, in, o...)
	if err == nil && out.ConsumedCapacity != nil {
		out.ConsumedCapacity.GlobalSecondaryIndexes = nil
	}
	return out, err
}

func TestUnits(t *testing.T) {
	t.Run("no halves", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			out, err := c.Query(ctx, &in)
			if err == nil && out.ConsumedCapacity != nil {
				out.ConsumedCapacity.CapacityUnits = aws.Float64(math.Ceil(*out.ConsumedCapacity.CapacityUnits))
			}
			return out, err
		}), "units",
			"a query that finds nothing costs half a unit",
			"a query costs the sum of its sizes",
		)
	})
	t.Run("nothing for indexes", func(t *testing.T) {
		notices(t, client(func(c dynastay.Client) dynastay.Client { return indexless{c} }), "units",
			"a row of an index costs a unit more",
			"a row that moves in an index costs two units",
		)
	})
	t.Run("transactions at half the price", func(t *testing.T) {
		notices(t, writes(func(ctx context.Context, c dynastay.Client, in dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error) {
			out, err := c.TransactWriteItems(ctx, &in)
			if err == nil && in.ReturnConsumedCapacity == types.ReturnConsumedCapacityTotal {
				for i := range out.ConsumedCapacity {
					out.ConsumedCapacity[i].CapacityUnits = aws.Float64(*out.ConsumedCapacity[i].CapacityUnits / 2)
				}
			}
			return out, err
		}), "units",
			"a transaction costs twice as much",
		)
	})
}
