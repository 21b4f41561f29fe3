package contract_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

func TestPaging(t *testing.T) {
	type input = dynamodb.QueryInput
	type output = dynamodb.QueryOutput
	t.Run("ignored filters", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			if in.FilterExpression != nil {
				in.FilterExpression = nil
				in.ExpressionAttributeValues = map[string]types.AttributeValue{":pk": in.ExpressionAttributeValues[":pk"]}
			}
			return c.Query(ctx, &in)
		}), "paging", "a filter leaves out what it does not accept")
	})
	t.Run("filters before the limit", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			if in.FilterExpression != nil {
				in.Limit = nil
			}
			return c.Query(ctx, &in)
		}), "paging", "Limit counts the items before the filter")
	})
	t.Run("pages that begin again", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			in.ExclusiveStartKey = nil
			return c.Query(ctx, &in)
		}), "paging",
			"pages continue after the last key, and miss and repeat nothing",
			"pages backwards continue after the last key",
			"a page may begin after an item that is deleted",
			"the last key of an index has the keys of the index and of the table",
		)
	})
	t.Run("only forwards", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			in.ScanIndexForward = nil
			return c.Query(ctx, &in)
		}), "paging", "pages backwards continue after the last key")
	})
	t.Run("pages of any size", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			out, err := c.Query(ctx, &in)
			for err == nil && in.Limit == nil && len(out.LastEvaluatedKey) > 0 {
				in.ExclusiveStartKey = out.LastEvaluatedKey
				var more *output
				if more, err = c.Query(ctx, &in); err == nil {
					more.Items = append(out.Items, more.Items...)
					out = more
				}
			}
			return out, err
		}), "paging", "a page ends after 1 MB")
	})
}
