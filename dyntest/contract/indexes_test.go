package contract_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

func TestIndexes(t *testing.T) {
	t.Run("every attribute is projected", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			out, err := c.Query(ctx, &in)
			if err != nil || in.IndexName == nil {
				return out, err
			}
			for i, row := range out.Items {
				whole, err := c.GetItem(ctx, &dynamodb.GetItemInput{
					TableName: in.TableName, Key: dynastay.Item{"pk": row["pk"], "sk": row["sk"]}, ConsistentRead: aws.Bool(true),
				})
				if err != nil {
					return nil, err
				}
				out.Items[i] = whole.Item
			}
			return out, nil
		}), "indexes",
			"an index of keys has the keys only",
			"an index of some attributes has these and the keys",
		)
	})
	t.Run("rows that stay as they are", func(t *testing.T) {
		var seen sync.Map
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			out, err := c.Query(ctx, &in)
			if err != nil || in.IndexName == nil || in.Limit != nil {
				return out, err
			}
			name := fmt.Sprint(*in.IndexName, in.ExpressionAttributeValues[":pk"].(*types.AttributeValueMemberS).Value)
			if len(out.Items) > 0 {
				seen.LoadOrStore(name, out)
			}
			if first, is := seen.Load(name); is {
				return first.(*dynamodb.QueryOutput), nil
			}
			return out, nil
		}), "indexes",
			"the row disappears with the attribute that is its key",
			"the row moves when its key changes",
			"the row disappears with the item",
		)
	})
}
