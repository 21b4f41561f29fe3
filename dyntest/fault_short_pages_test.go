package dyntest

import (
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// fill puts five items into one partition of things.
func fill(t *testing.T, d *DB) {
	t.Helper()
	for n := range 5 {
		_, err := d.Engine.Client().PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: d.things(), Item: things.Key.Of(dynastay.Key{PK: "p", SK: strconv.Itoa(n)}),
		})
		require.NoError(t, err)
	}
}

func ofPartition(d *DB, limit int32) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName: d.things(), KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: "p"}},
	}
	if limit > 0 {
		in.Limit = &limit
	}
	return in
}

// walk returns the sort keys of all pages of a query.
func walk(t *testing.T, client *dynamodb.Client, in *dynamodb.QueryInput) (pages [][]string) {
	t.Helper()
	for {
		out, err := client.Query(t.Context(), in)
		require.NoError(t, err)
		page := []string{}
		for _, item := range out.Items {
			page = append(page, things.Key.From(dynastay.RowOf(item)).SK)
		}
		pages = append(pages, page)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(out.LastEvaluatedKey) == 0 {
			return pages
		}
	}
}

func TestShortPages(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	fill(t, d)
	i := d.Faults.Inject(ShortPages(2), When{})
	assert.Equal(t, [][]string{{"0", "1"}, {"2", "3"}, {"4"}}, walk(t, d.impatient(), ofPartition(d, 0)))
	assert.Equal(t, 2, i.Hits(), "the last page is not shortened")
	assert.Equal(t, [][]string{{"0", "1"}, {"2", "3"}, {"4"}}, walk(t, d.impatient(), ofPartition(d, 3)))
	assert.Equal(t, 4, i.Hits())
	assert.Equal(t, 6, i.counted)
	assert.Equal(t, [][]string{{"0", "1"}, {"2", "3"}, {"4"}}, walk(t, d.impatient(), ofPartition(d, 2)))
	assert.Equal(t, 6, i.counted, "its pages are short already")

	i.Stop()
	if d.Has(LastKeyAtLimit) { // the engine does not look whether something follows
		exact := d.Faults.Inject(ShortPages(5), When{Nth: 1})
		assert.Equal(t, [][]string{{"0", "1", "2", "3", "4"}, {}}, walk(t, d.impatient(), ofPartition(d, 0)))
		assert.Equal(t, 1, exact.Hits())
	}
	d.Faults.Inject(ShortPages(2), When{})

	// Of two, the shorter page.
	d.Faults.Inject(ShortPages(1), When{Nth: 1})
	d.Faults.Inject(ShortPages(3), When{Nth: 1})
	assert.Equal(t, []string{"0"}, walk(t, d.impatient(), ofPartition(d, 0))[0])

	out, err := d.impatient().Scan(t.Context(), &dynamodb.ScanInput{TableName: d.things()})
	require.NoError(t, err)
	assert.Len(t, out.Items, 2)
	assert.NotEmpty(t, out.LastEvaluatedKey)
}
