package contract_test

import (
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
)

func TestValues(t *testing.T) {
	t.Run("numbers of 15 digits", func(t *testing.T) {
		notices(t, puts(func(item dynastay.Item) {
			if v, is := item["v"].(*types.AttributeValueMemberN); is {
				f, err := strconv.ParseFloat(v.Value, 64)
				assert.NoError(t, err)
				item["v"] = &types.AttributeValueMemberN{Value: strconv.FormatFloat(f, 'g', 15, 64)}
			}
		}), "values",
			"38 digits of a number are exact",
			"a number of 39 digits is refused",
			"sums of numbers are exact",
		)
	})
	t.Run("NULL for empty text", func(t *testing.T) {
		notices(t, puts(func(item dynastay.Item) {
			if v, is := item["v"].(*types.AttributeValueMemberS); is && v.Value == "" {
				item["v"] = &types.AttributeValueMemberNULL{Value: true}
			}
		}), "values", "text and binary may be empty outside of keys")
	})
}
