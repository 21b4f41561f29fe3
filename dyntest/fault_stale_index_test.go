package dyntest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// coloured is a table of things that can be found by their colour.
var coloured = &dynastay.Schema{
	Name: "Coloured", Key: things.Key, TTL: "until",
	Indexes: []dynastay.Index{{Name: "ByColour", Key: dynastay.KeyNames{Partition: "colour", Sort: "sk"}}},
}

func colour(t *testing.T, d *DB, id, colour string) {
	t.Helper()
	item := coloured.Key.Of(dynastay.Key{PK: id, SK: id})
	item["colour"] = &types.AttributeValueMemberS{Value: colour}
	name := d.TableName(coloured)
	_, err := d.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item})
	require.NoError(t, err)
}

func uncolour(t *testing.T, d *DB, id string) {
	t.Helper()
	name := d.TableName(coloured)
	_, err := d.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: &name, Key: coloured.Key.Of(dynastay.Key{PK: id, SK: id}),
	})
	require.NoError(t, err)
}

// find returns the things of a colour that the index shows, in pages of a size.
func find(ctx context.Context, d *DB, colour string, size int32) (string, error) {
	name, index := d.TableName(coloured), "ByColour"
	var ids []string
	pages := dynamodb.NewQueryPaginator(d.Client, &dynamodb.QueryInput{
		TableName: &name, IndexName: &index, Limit: &size, KeyConditionExpression: aws.String("colour = :c"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":c": &types.AttributeValueMemberS{Value: colour}},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityIndexes,
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return "", err
		}
		if *page.ConsumedCapacity.TableName != name {
			return "the copy's name", nil
		}
		for _, item := range page.Items {
			ids = append(ids, coloured.Key.From(dynastay.RowOf(item)).PK)
		}
	}
	return strings.Join(ids, " "), nil
}

func showing(t *testing.T, d *DB, colour string) string {
	t.Helper()
	ids, err := find(t.Context(), d, colour, 10)
	require.NoError(t, err)
	return ids
}

func TestStaleIndex(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(coloured))
	for _, id := range []string{"a", "b", "c", "d"} {
		colour(t, d, id, "red")
	}
	i := d.Faults.Inject(StaleIndex(), When{})
	colour(t, d, "a", "blue")
	uncolour(t, d, "b")
	colour(t, d, "e", "red")

	assert.Equal(t, "a b c d", showing(t, d, "red"))
	assert.Empty(t, showing(t, d, "blue"))
	ids, err := find(ctx, d, "red", 1)
	require.NoError(t, err)
	assert.Equal(t, "a b c d", ids, "page by page")
	pages := 4
	if d.Has(LastKeyAtLimit) {
		pages++ // the last one is empty
	}
	assert.Equal(t, 1+1+pages, i.Hits())

	// The table itself is never behind.
	name := d.TableName(coloured)
	out, err := d.Client.Scan(ctx, &dynamodb.ScanInput{TableName: &name})
	require.NoError(t, err)
	var all []string
	for _, item := range out.Items {
		all = append(all, coloured.Key.From(dynastay.RowOf(item)).PK)
	}
	assert.ElementsMatch(t, []string{"a", "c", "d", "e"}, all)
	assert.Equal(t, 1+1+pages, i.Hits())

	// Nor is there a copy of a table that the test created itself.
	own := `{"TableName":"Own","IndexName":"ByColour"}`
	arrived, _, err := mock(t, d.Faults, "Query", own, `{}`)
	require.NoError(t, err)
	assert.Equal(t, own, arrived)
	assert.Equal(t, 1+1+pages, i.Hits())

	i.Stop()
	assert.Equal(t, "c d e", showing(t, d, "red"))
	assert.Equal(t, "a", showing(t, d, "blue"))
}

// A read that is not hit reads the current state, and later reads never an earlier one.
func TestStaleIndexAdvances(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(coloured))
	colour(t, d, "a", "red")
	colour(t, d, "z", "red")
	i := d.Faults.Inject(StaleIndex(), When{Index: "ByColour", Nth: 3, Times: 2})
	colour(t, d, "b", "red")
	assert.Equal(t, "a b z", showing(t, d, "red"), "the 1st")
	colour(t, d, "c", "red")
	colour(t, d, "z", "blue")
	uncolour(t, d, "a")
	assert.Equal(t, "b c", showing(t, d, "red"), "the 2nd")
	colour(t, d, "d", "red")
	uncolour(t, d, "b")
	assert.Equal(t, "b c", showing(t, d, "red"), "the 3rd")
	assert.Equal(t, "b c", showing(t, d, "red"), "the 4th")
	assert.Equal(t, "c d", showing(t, d, "red"), "no more")
	assert.Equal(t, 2, i.Hits())
}

// The copy is written in as many batches as necessary.
func TestStaleIndexOfALargeTable(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(coloured))
	var all []string
	for n := range 60 {
		all = append(all, fmt.Sprintf("%02d", n))
		colour(t, d, all[n], "red")
	}
	d.Faults.Inject(StaleIndex(), When{})
	uncolour(t, d, "00")
	ids, err := find(t.Context(), d, "red", 100)
	require.NoError(t, err)
	assert.Equal(t, strings.Join(all, " "), ids)
}

// It also works as one of several faults.
func TestStaleIndexAmongOthers(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(coloured))
	i := d.Faults.Inject(AnyOf(StaleIndex(), InProgress()), When{Nth: 2})
	colour(t, d, "a", "red")
	assert.Equal(t, "a", showing(t, d, "red"))
	colour(t, d, "b", "red")
	assert.Equal(t, "a", showing(t, d, "red"))
	assert.Equal(t, "a b", showing(t, d, "red"))
	assert.Equal(t, 1, i.Hits())
}

func TestOnlyTablesInQuestionAreCopied(t *testing.T) {
	t.Parallel()
	for want, when := range map[string]When{
		"Coloured":       {Table: "Coloured", Optional: true},
		"Users":          {Index: "GSI1-EmailIndex", Optional: true},
		"Coloured Users": {Optional: true},
	} {
		var copies []string
		var d *DB
		t.Run(want, func(t *testing.T) {
			d = New(t, OnlyTables(things, coloured, keys.UsersTable))
			d.Faults.Inject(StaleIndex(), when)
			for _, name := range tables(t.Context(), d.Engine) {
				if of, is := strings.CutSuffix(strings.TrimPrefix(name, d.prefix), "-frozen-1"); is && strings.HasPrefix(name, d.prefix) {
					copies = append(copies, of)
				}
			}
		})
		assert.ElementsMatch(t, strings.Fields(want), copies)
		for _, name := range tables(t.Context(), d.Engine) {
			assert.False(t, strings.HasPrefix(name, d.prefix), "%s still exists", name)
		}
	}
}

// Requests race with each other and with functions that send requests themselves.
func TestStaleIndexInParallel(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(coloured))
	colour(t, d, "a", "red")
	d.Faults.Inject(StaleIndex(), When{Chance: 0.5})
	d.Faults.Inject(Before(func(ctx context.Context) { _, _ = find(ctx, d, "red", 10) }), When{Operation: "Query", Times: 8})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				ids, err := find(ctx, d, "red", 10)
				assert.NoError(t, err)
				assert.Equal(t, "a", ids)
			}
		})
	}
	wg.Wait()
}
