package contract_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

func TestTransactions(t *testing.T) {
	type input = dynamodb.TransactWriteItemsInput
	type output = dynamodb.TransactWriteItemsOutput
	t.Run("reasons in the wrong order", func(t *testing.T) {
		notices(t, writes(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			out, err := c.TransactWriteItems(ctx, &in)
			if cancelled := new(types.TransactionCanceledException); errors.As(err, &cancelled) {
				slices.Reverse(cancelled.CancellationReasons)
			}
			return out, err
		}), "transactions",
			"the reasons are in the order of the actions",
			"a reason has the item that is stored, if it is asked for",
		)
	})
	t.Run("forgotten tokens", func(t *testing.T) {
		notices(t, writes(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			in.ClientRequestToken = nil // the SDK sends a new one
			return c.TransactWriteItems(ctx, &in)
		}), "transactions",
			"a repeated client token has no second effect",
			"a client token with other content is refused",
		)
	})
	t.Run("all or nothing in one table only", func(t *testing.T) {
		notices(t, writes(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			out, err := c.TransactWriteItems(ctx, &in)
			if cancelled := new(types.TransactionCanceledException); errors.As(err, &cancelled) {
				first := in.TransactItems[0].Put
				for _, action := range in.TransactItems {
					if first != nil && action.Put != nil && *action.Put.TableName != *first.TableName {
						_, putErr := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: action.Put.TableName, Item: action.Put.Item})
						return out, errors.Join(err, putErr)
					}
				}
			}
			return out, err
		}), "transactions",
			"nothing is carried out if one condition fails",
		)
	})
	t.Run("ignored condition checks", func(t *testing.T) {
		notices(t, writes(func(ctx context.Context, c dynastay.Client, in input) (*output, error) {
			in.TransactItems = slices.DeleteFunc(slices.Clone(in.TransactItems), func(action types.TransactWriteItem) bool {
				return action.ConditionCheck != nil
			})
			return c.TransactWriteItems(ctx, &in)
		}), "transactions",
			"a condition check changes nothing",
			"a reason has the item that is stored, if it is asked for",
		)
	})
}
