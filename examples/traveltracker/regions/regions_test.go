package regions_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

func document(t *testing.T) (item map[string]any) {
	t.Helper()
	text, err := os.ReadFile("testdata/region.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &item))
	return item
}

// An item of the travel-tracker document is read as it is. The first update gives it what the document does not have,
// and keeps everything else.
func TestItemOfTheDocument(t *testing.T) {
	t.Parallel()
	a, item := newAtlas(t), document(t)
	item["unknown"] = "kept"
	a.put(t, item)
	got, err := a.repo.Get(t.Context(), regions.USState, "CA")
	require.NoError(t, err)
	assert.Equal(t, "2024-11-10T09:15:00Z", got.UpdatedAt.Format("2006-01-02T15:04:05Z07:00"))
	updated := got.UpdatedAt
	assert.Equal(t, &regions.Region{
		Type: regions.USState, Code: "CA", Name: "California", DisplayName: "California, USA", Continent: regions.NorthAmerica,
		Parent: "US", Capital: "Sacramento", Population: 39538223, AreaKM2: 423967.5, Box: box(32.5, -124.41, 42.01, -114.13),
		Center: &key.Point{Latitude: 36.78, Longitude: -119.42}, BoundaryURL: "s3://boundaries/us_state/CA.json",
		SimplifiedURL: "s3://boundaries/us_state/CA.small.json", DataVersion: "2024.1", UpdatedAt: updated,
	}, got)
	assert.Equal(t, []string{"CA"}, codes(t, a.repo.ByName(regions.USState, "CALIF"), 10))

	_, err = a.repo.Update(t.Context(), regions.USState, "CA", func(*regions.Region) error { return nil })
	require.NoError(t, err)
	assert.Len(t, a.items(t), 1, "nothing changed")

	_, err = a.repo.Update(t.Context(), regions.USState, "CA", func(r *regions.Region) error {
		r.Aliases = []string{"Golden State", "california"}
		return nil
	})
	require.NoError(t, err)
	items := a.items(t)
	stored := items["GEO#us_state/REGION#CA"]
	assert.NotEmpty(t, stored["write_id"])
	delete(stored, "write_id")
	item["GSI1SK"], item["GSI2PK"] = "NAME#california#REGION#CA", "BOUNDS#9q"
	item["aliases"], item["schema_version"], item["shared_prefix"] = []any{"Golden State", "california"}, 1.0, 0.0
	item["last_updated"] = "2037-06-01T12:00:00Z"
	assert.Equal(t, item, stored)
	assert.Equal(t, map[string]any{
		"PK": "ALIAS#us_state#CA", "SK": "NAME#goldenstate", "GSI1PK": "SEARCH#us_state", "GSI1SK": "NAME#goldenstate#REGION#CA",
		"region_type": "us_state", "region_code": "CA", "name": "California", "display_name": "California, USA",
		"alias": "Golden State", "shared_prefix": 0.0, "schema_version": 1.0,
	}, items["ALIAS#us_state#CA/NAME#goldenstate"])
	assert.Equal(t, map[string]any{
		"PK": "BBOX#9q", "SK": "REGION#us_state#CA", "region_type": "us_state", "region_code": "CA",
		"bbox_south": 32.5, "bbox_west": -124.41, "bbox_north": 42.01, "bbox_east": -114.13, "schema_version": 1.0,
	}, items["BBOX#9q/REGION#us_state#CA"])
	a.check(t)
}

// A region without a box or a centre has no coordinates, and 0 is a coordinate.
func TestNoBoxIsNotABoxAtZero(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.create(t, regions.Region{Type: regions.Country, Code: "A", Name: "None"},
		regions.Region{Type: regions.Country, Code: "B", Name: "Zero", Box: box(0, 0, 0, 0)})
	none, err := a.repo.Get(t.Context(), regions.Country, "A")
	require.NoError(t, err)
	assert.Nil(t, none.Box)
	assert.Nil(t, none.Center)
	zero, err := a.repo.Get(t.Context(), regions.Country, "B")
	require.NoError(t, err)
	assert.Equal(t, box(0, 0, 0, 0), zero.Box)
	assert.Equal(t, &key.Point{}, zero.Center)
	for attr := range a.items(t)["GEO#country/REGION#A"] {
		assert.False(t, strings.HasPrefix(attr, "bbox") || strings.HasPrefix(attr, "center") || strings.HasPrefix(attr, "GSI2"), attr)
	}
	a.check(t)
	found, err := a.repo.InView(t.Context(), *box(-1, -1, 1, 1))
	require.NoError(t, err)
	assert.Equal(t, []regions.Placed{{Ref: zero.Ref(), Box: *zero.Box}}, found)
}

// The items follow every update: a moved box leaves no cells behind, a new name moves the rows, and all have current
// copies.
func TestItemsFollowTheRegion(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.create(t, korea(), faroes(), russia())
	a.check(t)
	update := func(edit func(*regions.Region)) *regions.Region {
		t.Helper()
		r, err := a.repo.Update(t.Context(), regions.Country, "KR", func(r *regions.Region) error { edit(r); return nil })
		require.NoError(t, err)
		a.check(t)
		return r
	}
	view := func(b *regions.Box) (all []string) {
		t.Helper()
		found, err := a.repo.InView(t.Context(), *b)
		require.NoError(t, err)
		for _, p := range found {
			all = append(all, p.Code)
		}
		return all
	}
	seoul, fiji := box(37, 126, 38, 127), box(-17, 179, -16, -179)
	assert.Equal(t, []string{"KR"}, view(seoul)) // Russia begins at 41.18° N

	r := update(func(r *regions.Region) { r.Box, r.Center = box(-20, 177, -15, -178), nil })
	assert.Equal(t, &key.Point{Latitude: -17.5, Longitude: 179.5}, r.Center)
	assert.Empty(t, view(seoul))
	assert.Equal(t, []string{"KR"}, view(fiji))
	assert.Equal(t, "BOUNDS#ru", a.items(t)["GEO#country/REGION#KR"]["GSI2PK"])

	update(func(r *regions.Region) { r.Name, r.Aliases = "Corea", []string{"COREA", "Korea"} })
	assert.Empty(t, codes(t, a.repo.ByName(regions.Country, "south kor"), 10))
	matches := listed(t, a.repo.ByName(regions.Country, "kor"), 10)
	require.Len(t, matches, 1)
	assert.Equal(t, "Corea", matches[0].Name, "an alias has the current name")
	assert.Equal(t, []string{"KR"}, codes(t, a.repo.ByName(regions.Country, "corea"), 10))

	update(func(r *regions.Region) { r.Box, r.Center, r.Aliases = nil, nil, nil })
	assert.Empty(t, view(fiji))
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "KR"))
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "FO"))
	a.check(t)
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "RU", dynastay.OrMissing()))
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "RU", dynastay.OrMissing()))
	assert.Empty(t, a.items(t))
}

// Other software may have stored what is refused here: there are no items for it, and an update that corrects it
// succeeds, as does a delete.
func TestInvalidStoredRegions(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	aliases := []any{"!", strings.Repeat("x", 300)}
	for i := range 200 {
		aliases = append(aliases, fmt.Sprint("alias ", i))
	}
	for _, code := range []string{"A", "B"} {
		item := document(t)
		item["SK"], item["region_code"], item["aliases"], item["bbox_south"] = "REGION#"+code, code, aliases, -9e3
		a.put(t, item)
	}
	update := func(edit func(*regions.Region)) error {
		return second(a.repo.Update(t.Context(), regions.USState, "A", func(r *regions.Region) error { edit(r); return nil }))
	}
	assertField(t, update(func(r *regions.Region) { r.Population++ }), "Aliases")
	assertField(t, update(func(r *regions.Region) { r.Aliases = nil }), "Box.South")
	require.NoError(t, update(func(r *regions.Region) { r.Aliases, r.Box.South = []string{"a"}, 32 }))
	require.NoError(t, a.repo.Delete(t.Context(), regions.USState, "B"))
	a.check(t)
	require.NoError(t, a.repo.Delete(t.Context(), regions.USState, "A"))
	assert.Empty(t, a.items(t))
}

// A part of a box or of a centre is none, and is kept.
func TestPartOfABox(t *testing.T) {
	t.Parallel()
	a, item := newAtlas(t), document(t)
	delete(item, "bbox_west")
	item["center_lat"] = nil
	a.put(t, item)
	got, err := a.repo.Update(t.Context(), regions.USState, "CA", func(r *regions.Region) error { r.Population = 1; return nil })
	require.NoError(t, err)
	assert.Nil(t, got.Box)
	assert.Nil(t, got.Center)
	stored := a.items(t)
	assert.Len(t, stored, 1)
	assert.Equal(t, item["bbox_north"], stored["GEO#us_state/REGION#CA"]["bbox_north"])
	found, err := a.repo.InView(t.Context(), *box(-90, -180, 90, 180))
	require.NoError(t, err)
	assert.Empty(t, found)
}

// Invalid input is refused before any request, and the error names the field.
func TestInvalidRegions(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	long := strings.Repeat("x", 257)
	for _, c := range []struct {
		field string
		edit  func(*regions.Region)
	}{
		{"Type", func(r *regions.Region) { r.Type = "continent" }},
		{"Code", func(r *regions.Region) { r.Code = "" }},
		{"Code", func(r *regions.Region) { r.Code = "K#R" }},
		{"Name", func(r *regions.Region) { r.Name = "!" }},
		{"Name", func(r *regions.Region) { r.Name = long }},
		{"Name", func(r *regions.Region) { r.Name = strings.Repeat("ﷺ", 60) }}, // longer when folded
		{"Aliases[1]", func(r *regions.Region) { r.Aliases[1] = "" }},
		{"Aliases[2]", func(r *regions.Region) { r.Aliases[2] = "a\xff" }},
		{"Aliases", func(r *regions.Region) { r.Aliases = slices.Repeat([]string{"a"}, 21) }},
		{"Continent", func(r *regions.Region) { r.Continent = "XX" }},
		{"DisplayName", func(r *regions.Region) { r.DisplayName = long }},
		{"Parent", func(r *regions.Region) { r.Parent = long }},
		{"Capital", func(r *regions.Region) { r.Capital = long }},
		{"DataVersion", func(r *regions.Region) { r.DataVersion = long }},
		{"BoundaryURL", func(r *regions.Region) { r.BoundaryURL = strings.Repeat("x", 2049) }},
		{"SimplifiedURL", func(r *regions.Region) { r.SimplifiedURL = strings.Repeat("x", 2049) }},
		{"Population", func(r *regions.Region) { r.Population = -1 }},
		{"AreaKM2", func(r *regions.Region) { r.AreaKM2 = -1 }},
		{"AreaKM2", func(r *regions.Region) { r.AreaKM2 = math.NaN() }},
		{"AreaKM2", func(r *regions.Region) { r.AreaKM2 = math.Inf(1) }},
		{"Box.North", func(r *regions.Region) { r.Box.North = 90.1 }},
		{"Box.North", func(r *regions.Region) { r.Box.North = math.NaN() }},
		{"Box.North", func(r *regions.Region) { r.Box.North = r.Box.South - 1 }},
		{"Box.South", func(r *regions.Region) { r.Box.South = -90.1 }},
		{"Box.East", func(r *regions.Region) { r.Box.East = 180.1 }},
		{"Box.West", func(r *regions.Region) { r.Box.West = math.Inf(-1) }},
		{"Center.Latitude", func(r *regions.Region) { r.Center = &key.Point{Latitude: math.NaN()} }},
		{"Center.Longitude", func(r *regions.Region) { r.Center = &key.Point{Longitude: 181} }},
		{"Center", func(r *regions.Region) { r.Center = &key.Point{Latitude: 35, Longitude: 125.9} }},
		{"Center", func(r *regions.Region) { r.Center = &key.Point{Latitude: 38.7, Longitude: 127} }},
	} {
		r := korea()
		c.edit(&r)
		stop := a.Faults.Record()
		_, err := a.repo.Create(t.Context(), r)
		assertField(t, err, c.field)
		_, err = a.repo.Load(t.Context(), []regions.Region{faroes(), r})
		assertField(t, err, "Data[1]."+c.field)
		assert.Empty(t, stop(), c.field)
	}
	_, err := a.repo.Load(t.Context(), []regions.Region{korea(), faroes(), korea()})
	assertField(t, err, "Data[2].Code")
	r := korea()
	r.Center = &key.Point{Latitude: 38.62, Longitude: 126}
	_, err = a.repo.Create(t.Context(), r) // on the corner
	require.NoError(t, err)
	_, err = a.repo.Update(t.Context(), regions.Country, "KR", func(r *regions.Region) error { r.Box.North = 36; return nil })
	assertField(t, err, "Center")
}

// The other arguments are checked before any request as well.
func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	ctx, stop := t.Context(), a.Faults.Record()
	nothing := func(*regions.Region) error { return nil }
	for _, c := range []struct {
		field string
		call  func() error
	}{
		{"Type", func() error { return second(a.repo.Get(ctx, "", "IT")) }},
		{"Code", func() error { return second(a.repo.Get(ctx, regions.Country, "")) }},
		{"Refs[1].Code", func() error {
			return second(a.repo.GetAll(ctx, []regions.Ref{{Type: regions.Country, Code: "IT"}, {Type: regions.Country}}))
		}},
		{"Type", func() error { return second(a.repo.Update(ctx, "x", "IT", nothing)) }},
		{"Code", func() error { return second(a.repo.Update(ctx, regions.Country, "#", nothing)) }},
		{"Type", func() error { return a.repo.Delete(ctx, "", "IT") }},
		{"Type", func() error { return second(a.repo.All("x").Page(ctx, dynastay.Paging{})) }},
		{"Type", func() error { return second(a.repo.ByName("x", "it").Page(ctx, dynastay.Paging{})) }},
		{"Typed", func() error { return second(a.repo.ByName(regions.Country, " -'").Page(ctx, dynastay.Paging{})) }},
		{"Typed", func() error { return second(a.repo.ByName(regions.Country, "").Page(ctx, dynastay.Paging{})) }},
		{"Typed", func() error {
			return second(a.repo.ByName(regions.Country, strings.Repeat("x", 257)).Page(ctx, dynastay.Paging{}))
		}},
		{"North", func() error { return second(a.repo.InView(ctx, *box(1, 0, 0, 1))) }},
		{"West", func() error { return second(a.repo.InView(ctx, *box(0, -181, 0, 1))) }},
		{"Types[1]", func() error { return second(a.repo.InView(ctx, *box(0, 0, 0, 1), regions.Country, "x")) }},
	} {
		assertField(t, c.call(), c.field)
	}
	assert.Empty(t, stop())
}

func second[T any](_ T, err error) error { return err }
