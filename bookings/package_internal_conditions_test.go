package bookings

import (
	"regexp"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// operator is what DynamoDB counts in a condition.
var operator = regexp.MustCompile(`[=<>]+|\b(?:AND|OR|NOT|[a-z]+_[a-z_]+)\b`)

// An update of a booking that other software wrote compares all attributes, of which any may be missing. DynamoDB allows 4 KB
// and 300 operators, of which the local engines do not count the operators.
func TestConditionOnAForeignItemFits(t *testing.T) {
	t.Parallel()
	read := dynastay.RowOf(keys.BookingsTable.Key.Of(dynastay.Key{PK: "a", SK: "b"}))
	unchanged := dynastay.Unchanged(keys.BookingsTable, read, newEntity(Options{}).Known()...)
	built, err := expression.NewBuilder().WithCondition(unchanged).Build()
	require.NoError(t, err)
	condition := *built.Condition()
	assert.Greater(t, len(condition), 1000)
	assert.Less(t, len(condition), 4096)
	operators := len(operator.FindAllString(condition, -1))
	assert.Greater(t, operators, 100)
	assert.Less(t, operators, 300)
}
