package contract_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// cut shortens a text of an item.
func cut(item dynastay.Item, name string, longest int) {
	if v, is := item[name].(*types.AttributeValueMemberS); is && len(v.Value) > longest {
		item[name] = dynastay.Text(v.Value[:longest])
	}
}

func TestLimits(t *testing.T) {
	t.Run("what is too long is cut off", func(t *testing.T) {
		notices(t, puts(func(item dynastay.Item) {
			cut(item, "sk", 1024)
			cut(item, "pk", 2048)
		}), "limits",
			"a sort key of 1,024 bytes is accepted, a longer one is refused",
			"a partition key of 2,048 bytes is accepted, a longer one is refused",
		)
	})
	t.Run("empty keys are replaced", func(t *testing.T) {
		notices(t, puts(func(item dynastay.Item) {
			for _, name := range []string{"pk", "sk"} {
				if v, is := item[name].(*types.AttributeValueMemberS); is && v.Value == "" {
					item[name] = dynastay.Text("-")
				}
			}
		}), "limits", "an empty key is refused")
	})
	t.Run("a small limit for items", func(t *testing.T) {
		notices(t, puts(func(item dynastay.Item) { cut(item, "x", 400_000) }), "limits",
			"an item of 400 KB is accepted, a larger one is refused",
		)
	})
}
