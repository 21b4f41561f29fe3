package regions_test

import (
	"encoding/json"
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
