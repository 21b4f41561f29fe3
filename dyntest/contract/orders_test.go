package contract_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// sortedBy returns the rows of an index, or of the table if it has none, in another order.
func sortedBy(index string, compare func(a, b dynastay.Item) int) func(context.Context, dynastay.Client, dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	return func(ctx context.Context, c dynastay.Client, in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		out, err := c.Query(ctx, &in)
		of := ""
		if in.IndexName != nil {
			of = *in.IndexName
		}
		if err == nil && of == index && in.ScanIndexForward == nil {
			slices.SortStableFunc(out.Items, compare)
		}
		return out, err
	}
}

func utf16Of(item dynastay.Item) []uint16 {
	return utf16.Encode([]rune(item["sk"].(*types.AttributeValueMemberS).Value))
}

func digits(item dynastay.Item) string { return item["nsk"].(*types.AttributeValueMemberN).Value }

func TestOrders(t *testing.T) {
	t.Run("text by UTF-16", func(t *testing.T) {
		notices(t, queries(sortedBy("", func(a, b dynastay.Item) int {
			return slices.Compare(utf16Of(a), utf16Of(b))
		})), "order of keys", "text is in the order of its UTF-8 bytes")
	})
	t.Run("numbers as text", func(t *testing.T) {
		notices(t, queries(sortedBy("numbers", func(a, b dynastay.Item) int {
			return strings.Compare(digits(a), digits(b))
		})), "order of keys", "numbers are in numerical order, also below zero")
	})
	t.Run("binary as signed bytes", func(t *testing.T) {
		notices(t, queries(sortedBy("binary", func(a, b dynastay.Item) int {
			return slices.CompareFunc(a["bsk"].(*types.AttributeValueMemberB).Value, b["bsk"].(*types.AttributeValueMemberB).Value,
				func(x, y byte) int { return int(int8(x)) - int(int8(y)) })
		})), "order of keys", "binary is in the order of unsigned bytes")
	})
}
