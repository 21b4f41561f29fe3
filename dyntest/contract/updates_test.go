package contract_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestUpdates(t *testing.T) {
	replaced := func(old, by string) func(*dynamodb.UpdateItemInput) {
		return func(in *dynamodb.UpdateItemInput) {
			in.UpdateExpression = aws.String(strings.ReplaceAll(*in.UpdateExpression, old, by))
		}
	}
	t.Run("lists grow at one end only", func(t *testing.T) {
		notices(t, updatesOf(replaced("list_append(:x, l)", "list_append(l, :x)")), "updates",
			"list_append adds at either end",
		)
	})
	t.Run("ADD sets", func(t *testing.T) {
		notices(t, updatesOf(replaced("ADD v :x, w :x", "SET v = :x, w = :x")), "updates",
			"ADD adds to a number, and begins at zero",
		)
	})
	t.Run("what was asked for is not returned", func(t *testing.T) {
		notices(t, updatesOf(func(in *dynamodb.UpdateItemInput) {
			if in.ReturnValues != "" {
				in.ReturnValues = types.ReturnValueAllNew
			}
		}), "updates", "an update returns the item before or after it, as asked")
	})
}
