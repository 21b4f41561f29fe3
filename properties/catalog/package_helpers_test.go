package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties/catalog"
)

// tester is what testing.TB and rapid.T have in common.
type tester interface {
	assert.TestingT
	require.TestingT
	Helper()
}

func newYork(edits ...func(*catalog.Location)) catalog.Location {
	l := catalog.Location{
		ID: "new-york", City: "New York", Country: "USA", State: "NY", Aliases: []string{"NYC", "Big Apple"},
		Latitude: 40.7128, Longitude: -74.006,
	}
	for _, edit := range edits {
		edit(&l)
	}
	return l
}

func wifi(edits ...func(*catalog.Amenity)) catalog.Amenity {
	a := catalog.Amenity{ID: "wifi", Name: "Free WiFi", Category: "basic", Icon: "wifi-icon", DisplayOrder: 1}
	for _, edit := range edits {
		edit(&a)
	}
	return a
}

func city(id, name, country string, aliases ...string) catalog.Location {
	return catalog.Location{ID: id, City: name, Country: country, Aliases: aliases}
}

func create[T any](t testing.TB, c *catalog.Catalog[T], entries ...T) {
	t.Helper()
	for _, v := range entries {
		_, err := c.Create(t.Context(), v)
		require.NoError(t, err)
	}
}

// listed reads a whole list, one page of the limit after another.
func listed[T any](t tester, l dynastay.List[T], limit int) (all []T) {
	t.Helper()
	for paging := (dynastay.Paging{Limit: limit}); ; {
		page, err := l.Page(context.Background(), paging)
		require.NoError(t, err)
		all = append(all, page.Items...)
		if paging.After = page.Next; paging.After == "" {
			return all
		}
	}
}

func locationIDs(t tester, l dynastay.List[*catalog.Location]) (ids []string) {
	t.Helper()
	for _, found := range listed(t, l, 50) {
		ids = append(ids, found.ID)
	}
	return ids
}

// testdata reads an item of the hotel-booking document.
func testdata(t testing.TB, name string) dynastay.Item {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain map[string]any
	require.NoError(t, decoder.Decode(&plain))
	item, err := attributevalue.MarshalMap(plain)
	require.NoError(t, err)
	return item
}

// put writes an item as other software would.
func put(t testing.TB, db *dyntest.DB, item dynastay.Item) {
	t.Helper()
	_, err := db.Engine.Client().PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(db.TableName(keys.MetadataTable)), Item: item,
	})
	require.NoError(t, err)
}

// partition reads all items of a catalogue, by sort key, past the library.
func partition(t tester, db *dyntest.DB, catalogType string) map[string]map[string]any {
	t.Helper()
	pages := dynamodb.NewQueryPaginator(db.Engine.Client(), &dynamodb.QueryInput{
		TableName:                 aws.String(db.TableName(keys.MetadataTable)),
		ConsistentRead:            aws.Bool(true),
		KeyConditionExpression:    aws.String("PK = :pk"),
		ExpressionAttributeValues: dynastay.Item{":pk": dynastay.Text("CATALOG#" + catalogType)},
	})
	items := map[string]map[string]any{}
	for pages.HasMorePages() {
		out, err := pages.NextPage(context.Background())
		require.NoError(t, err)
		for _, item := range out.Items {
			var plain map[string]any
			require.NoError(t, attributevalue.UnmarshalMap(item, &plain))
			items[plain["SK"].(string)] = plain
		}
	}
	return items
}

// checkNames compares the items of all names with what the items of the entries require, computed independently:
// namesOf returns the folded names of a stored entry.
func checkNames(t tester, db *dyntest.DB, catalogType, idName string, namesOf func(entry map[string]any) []string) {
	t.Helper()
	want, got := map[string]map[string]any{}, map[string]map[string]any{}
	for sk, item := range partition(t, db, catalogType) {
		if strings.HasPrefix(sk, "NAME#") {
			got[sk] = item
			continue
		}
		names := namesOf(item)
		slices.Sort(names)
		names = slices.Compact(names)
		for i, name := range names {
			row := map[string]any{}
			for attribute, v := range item {
				row[attribute] = v
			}
			delete(row, "WriteId")
			delete(row, "Unknown")
			row["SK"] = "NAME#" + name + "#ITEM#" + item[idName].(string)
			row["EntityType"] = item["EntityType"].(string) + "Name"
			row["SharedPrefix"] = 0.0
			for n := range name {
				if i > 0 && strings.HasPrefix(names[i-1], name[:n+1]) {
					row["SharedPrefix"] = float64(n + 1)
				}
			}
			want[row["SK"].(string)] = row
		}
	}
	assert.Equal(t, want, got)
}

// locationNames returns the names of a stored location whose texts consist of ASCII letters and spaces.
func locationNames(entry map[string]any) (all []string) {
	fold := func(text string) string { return strings.ToLower(strings.ReplaceAll(text, " ", "")) }
	aliases, _ := entry["Aliases"].([]any)
	for _, name := range append([]any{entry["City"]}, aliases...) {
		all = append(all, fold(name.(string)), fold(name.(string)+entry["Country"].(string)))
	}
	return all
}

func checkLocations(t tester, db *dyntest.DB) {
	t.Helper()
	checkNames(t, db, "locations", "LocationId", locationNames)
}

// assertField asserts the kind of an error and the field that it names.
func assertField(t *testing.T, err, kind error, field string) {
	t.Helper()
	require.ErrorIs(t, err, kind)
	var invalid *dynastay.InvalidError
	var failure *dynastay.Error
	if kind == dynastay.ErrInvalid {
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, field, invalid.Field, "%v", err)
		return
	}
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, field, failure.Field, "%v", err)
}

// catalogTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var catalogTables = dyntest.OnlyTables(keys.MetadataTable)
