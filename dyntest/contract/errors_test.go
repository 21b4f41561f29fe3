package contract_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

func TestErrorShapes(t *testing.T) {
	t.Run("a missing table is empty", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			out, err := c.Query(ctx, &in)
			if gone := new(types.ResourceNotFoundException); errors.As(err, &gone) {
				return &dynamodb.QueryOutput{}, nil
			}
			return out, err
		}), "errors", "an unknown table is reported as missing, by every operation")
	})
	t.Run("an unknown index is the table", func(t *testing.T) {
		notices(t, queries(func(ctx context.Context, c dynastay.Client, in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			if in.IndexName != nil && *in.IndexName == "unknown" {
				return &dynamodb.QueryOutput{}, nil
			}
			return c.Query(ctx, &in)
		}), "errors", "an unknown index is refused")
	})
}
