package regions_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/mmcloughlin/geohash"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

var views = flag.Int("model.views", 3, "views for each change of the regions in random tests")

// atlas is a database with the repository.
type atlas struct {
	*dyntest.DB
	repo *regions.Repository
}

var now = time.Date(2037, 6, 1, 12, 0, 0, 0, time.UTC)

func newAtlas(t *testing.T, opts ...dyntest.Option) *atlas {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{dyntest.OnlyTables(keys.Table), dyntest.At(now)}, opts...)...)
	return &atlas{db, regions.New(db.DB)}
}

func box(south, west, north, east float64) *regions.Box {
	return &regions.Box{North: north, South: south, East: east, West: west}
}

func korea() regions.Region {
	return regions.Region{
		Type: regions.Country, Code: "KR", Name: "Republic of Korea", DisplayName: "South Korea",
		Aliases: []string{"South Korea", "Korea", "대한민국"}, Continent: regions.Asia, Box: box(33.2, 126, 38.62, 130.94),
	}
}

func faroes() regions.Region {
	return regions.Region{
		Type: regions.Country, Code: "FO", Name: "Faroe Islands", Aliases: []string{"Færøerne", "Føroyar"},
		Continent: regions.Europe, Box: box(61.41, -7.43, 62.36, -6.4),
	}
}

func russia() regions.Region {
	return regions.Region{
		Type: regions.Country, Code: "RU", Name: "Russia", Continent: regions.Europe, Box: box(41.18, 19.63, 81.86, -169.01),
	}
}

func (a *atlas) create(t *testing.T, all ...regions.Region) {
	t.Helper()
	for _, r := range all {
		_, err := regions.New(a.Direct).Create(t.Context(), r)
		require.NoError(t, err)
	}
}

// items returns everything that is stored, by key.
func (a *atlas) items(t *testing.T) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	pages := dynamodb.NewScanPaginator(a.Engine.Client(), &dynamodb.ScanInput{
		TableName: aws.String(a.TableName(keys.Table)), ConsistentRead: aws.Bool(true),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, item := range page.Items {
			var v map[string]any
			require.NoError(t, attributevalue.UnmarshalMap(item, &v))
			all[v["PK"].(string)+"/"+v["SK"].(string)] = v
		}
	}
	return all
}

func (a *atlas) put(t *testing.T, item map[string]any) {
	t.Helper()
	stored, err := attributevalue.MarshalMap(item)
	require.NoError(t, err)
	_, err = a.Engine.Client().PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(a.TableName(keys.Table)), Item: stored,
	})
	require.NoError(t, err)
}

// check compares the items that follow the regions with what the regions say.
func (a *atlas) check(t *testing.T) {
	t.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	for at, item := range a.items(t) {
		if item["PK"] != "GEO#"+fmt.Sprint(item["region_type"]) {
			got[at] = true
			continue
		}
		id := fmt.Sprintf("%v#%v", item["region_type"], item["region_code"])
		aliases, _ := item["aliases"].([]any)
		for _, alias := range aliases {
			if folded := key.Fold(alias.(string)); folded != key.Fold(item["name"].(string)) {
				want["ALIAS#"+id+"/NAME#"+folded] = true
			}
		}
		if south, ok := item["bbox_south"].(float64); ok {
			west, north, east := item["bbox_west"].(float64), item["bbox_north"].(float64), item["bbox_east"].(float64)
			for _, cell := range cells(*box(south, west, north, east)) {
				want["BBOX#"+cell+"/REGION#"+id] = true
			}
		}
	}
	assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
}

const alphabet = "0123456789bcdefghjkmnpqrstuvwxyz"

// cells are those of a region's box, found by trying every cell.
func cells(b regions.Box) []string {
	var one, two []string
	for _, first := range alphabet {
		if touches(b, string(first)) {
			one = append(one, string(first))
		}
		for _, second := range alphabet {
			if cell := string(first) + string(second); touches(b, cell) {
				two = append(two, cell)
			}
		}
	}
	if len(two) > 24 {
		return one
	}
	return two
}

// touches reports whether a box has a point in a cell, which is without its northern and eastern edges.
func touches(b regions.Box, cell string) bool {
	c := geohash.BoundingBox(cell)
	below := b.South < c.MaxLat || c.MaxLat == 90
	for _, west := range []float64{c.MinLng - 360, c.MinLng, c.MinLng + 360} {
		east := b.East
		if b.West > b.East {
			east += 360
		}
		if below && b.North >= c.MinLat && b.West < west+c.MaxLng-c.MinLng && east >= west {
			return true
		}
	}
	return false
}

func listed[T any](t testing.TB, list dynastay.List[T], limit int) (all []T) {
	t.Helper()
	var paging = dynastay.Paging{Limit: limit}
	for {
		page, err := list.Page(t.Context(), paging)
		require.NoError(t, err)
		all = append(all, page.Items...)
		if paging.After = page.Next; page.Next == "" {
			return all
		}
	}
}

func codes(t testing.TB, list dynastay.List[*regions.Match], limit int) (all []string) {
	t.Helper()
	for _, m := range listed(t, list, limit) {
		all = append(all, m.Code)
	}
	return all
}

func assertField(t testing.TB, err error, field string) {
	t.Helper()
	var invalid *dynastay.InvalidError
	if assert.ErrorAs(t, err, &invalid) {
		assert.Equal(t, field, invalid.Field, err)
	}
}
