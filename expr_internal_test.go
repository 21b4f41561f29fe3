package dynastay

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
)

// If an item has a write id, only that is compared, so that a delta in the meantime does not matter. Otherwise, the
// attributes that the caller names are compared too.
func TestUnchanged(t *testing.T) {
	read := Item{"PK": str("SHOP#1"), "SK": str("METADATA"), "Name": str("a"), "Gone": &sNULL{Value: true}}
	condition := func(item Item) string {
		return *MustCompile(expression.NewBuilder().WithCondition(Unchanged(shopSchema, RowOf(item), "Name", "Gone"))).expr.Condition
	}
	assert.Equal(t, "(((attribute_exists (#0)) AND ((attribute_not_exists (#1)) OR (attribute_type (#1, :0)))) AND (#2 = :1)) AND "+
		"((attribute_not_exists (#3)) OR (attribute_type (#3, :0)))", strings.ReplaceAll(condition(read), ":2", ":0"))
	read["WriteId"] = stamp{1}.over(nil)
	assert.Equal(t, "(attribute_exists (#0)) AND (#1 = :0)", condition(read))
}
