package contract_test

import (
	"context"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

func TestReads(t *testing.T) {
	t.Run("a cache of consistent queries", func(t *testing.T) {
		var cache sync.Map
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			out, err := c.Query(ctx, &in)
			if err != nil || !aws.ToBool(in.ConsistentRead) || in.Limit != nil {
				return out, err
			}
			cached, _ := cache.LoadOrStore(in.ExpressionAttributeValues[":pk"].(*types.AttributeValueMemberS).Value, out)
			return cached.(*dynamodb.QueryOutput), nil
		}), "reads", "a consistent query sees every write before it")
	})
	t.Run("indexes as if they were consistent", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			if in.IndexName != nil {
				in.ConsistentRead = nil
			}
			return c.Query(ctx, &in)
		}), "reads", "a consistent read of an index is refused")
	})
}
