package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties/catalog"
)

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

func locationIDs(t raw.T, l dynastay.List[*catalog.Location]) (ids []string) {
	t.Helper()
	for _, found := range lists.Paged(t, l, 50) {
		ids = append(ids, found.ID)
	}
	return ids
}

// put writes an item as other software would.
func put(t testing.TB, db *dyntest.DB, item dynastay.Item) {
	t.Helper()
	raw.Put(t, db, keys.MetadataTable, item)
}

// partition reads all items of a catalogue, by sort key, past the library.
func partition(t raw.T, db *dyntest.DB, catalogType string) map[string]map[string]any {
	t.Helper()
	items := map[string]map[string]any{}
	for _, item := range raw.Plains(t, raw.Partition(t, db, keys.MetadataTable, "CATALOG#"+catalogType)) {
		items[item["SK"].(string)] = item
	}
	return items
}

// checkNames compares the items of all names with what the items of the entries require, computed independently:
// namesOf returns the folded names of a stored entry.
func checkNames(t raw.T, db *dyntest.DB, catalogType, idName string, namesOf func(entry map[string]any) []string) {
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

func checkLocations(t raw.T, db *dyntest.DB) {
	t.Helper()
	checkNames(t, db, "locations", "LocationId", locationNames)
}

// catalogTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var catalogTables = dyntest.OnlyTables(keys.MetadataTable)
