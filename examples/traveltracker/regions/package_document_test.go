package regions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

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
