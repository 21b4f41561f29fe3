package market_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// tableOf returns all items of the properties' table, without their write ids and the given attributes.
func tableOf(t *testing.T, db *dyntest.DB, but ...string) map[dynastay.Key]dynastay.Item {
	t.Helper()
	all := map[dynastay.Key]dynastay.Item{}
	for _, item := range raw.All(t, db, keys.PropertiesTable) {
		delete(item, keys.PropertiesTable.WriteIDName())
		for _, attribute := range but {
			delete(item, attribute)
		}
		all[keys.PropertiesTable.Key.From(dynastay.RowOf(item))] = item
	}
	return all
}

// Load writes exactly the items that the repository's own calls write.
func TestLoadWritesWhatTheRepositoryWrites(t *testing.T) {
	t.Parallel()
	opts := market.Options{Properties: 20, Repository: properties.Options{
		TypeShards: key.Shards{Write: 3, Read: 3}, FeaturedShards: key.Shards{Write: 2, Read: 2}, PendingShards: key.Shards{Write: 2, Read: 2},
	}}
	m := market.Generate(1, opts)
	loaded := dyntest.New(t, dyntest.At(fixture.Now))
	m.Load(t, loaded.DB)

	written := func(approve bool) *dyntest.DB {
		db := dyntest.New(t, dyntest.At(fixture.Now))
		repo := properties.New(db.DB, &opts.Repository)
		for _, p := range m.Properties {
			first := p.Property
			if approve {
				first.Status = properties.Pending
			}
			_, err := repo.Create(t.Context(), first, p.Rooms)
			require.NoError(t, err)
			for range p.ReviewCount {
				_, err := repo.Rate(t.Context(), p.ID, 0, p.Rating)
				require.NoError(t, err)
			}
			if first.Status != p.Status {
				_, err := repo.Approve(t.Context(), p.ID)
				require.NoError(t, err)
			}
		}
		return db
	}
	assert.Equal(t, tableOf(t, written(false)), tableOf(t, loaded))
	// An approval is a new version, and looks at every guard.
	assert.Equal(t, tableOf(t, written(true), "Version"), tableOf(t, loaded, "Version"))

	repo := properties.New(loaded.DB, &opts.Repository)
	for _, p := range m.Properties {
		got, err := repo.GetWithRooms(t.Context(), p.ID)
		require.NoError(t, err)
		assert.Equal(t, p.Card(), got.Card())
		assert.Equal(t, p.Rooms, got.Rooms)
		assert.Equal(t, p.Address, got.Address)
		assert.Equal(t, p.CreatedAt, got.CreatedAt)
		assert.Equal(t, p.Status, got.Status)
		assert.Equal(t, p.Featured, got.Featured)
		assert.Equal(t, p.OwnerID, got.OwnerID)
	}
}

// Every difficult value occurs, and all places are within reach of their cities.
func TestGenerate(t *testing.T) {
	t.Parallel()
	opts := market.Options{Properties: 1000}
	m := market.Generate(7, opts)
	assert.Equal(t, m, market.Generate(7, opts))
	assert.NotEqual(t, m, market.Generate(8, opts))

	seen := map[any]int{}
	for _, p := range m.Properties {
		city := market.Cities[slices.IndexFunc(market.Cities, func(c market.City) bool {
			return c.Name == p.Address.City && c.Country == p.Address.Country
		})]
		assert.LessOrEqual(t, distance(city.Latitude, city.Longitude, p.Address.Latitude, p.Address.Longitude), float64(market.Reach))
		for _, value := range []any{
			city, p.Status, p.Rating, p.Type, p.Prices.Min, p.CancellationPolicy,
			fmt.Sprint("stars: ", p.Stars), fmt.Sprint("featured: ", p.Featured), fmt.Sprint("score: ", p.FeaturedScore),
			fmt.Sprint("rooms: ", len(p.Rooms)), fmt.Sprint("amenities: ", len(p.AmenityIDs)),
			fmt.Sprint("antimeridian: ", p.Address.Longitude > 179, p.Address.Longitude < -179),
			fmt.Sprint("polar: ", p.Address.Latitude > key.PolarLatitude),
		} {
			seen[value]++
		}
	}
	for _, value := range []any{
		properties.Pending, dynastay.Rating(0), dynastay.Rating(99), dynastay.Rating(100), properties.Type("tree_house"),
		dynastay.MustMoney("90", "USD"), dynastay.MustMoney("150", "USD"), dynastay.MustMoney("1000", "USD"),
		dynastay.MustMoney("90", "KWD"), dynastay.MustMoney("149.999", "KWD"), dynastay.MustMoney("999999999999.999", "KWD"),
		availability.FreeCancellation(24), "stars: 0", "stars: 5", "featured: true", "featured: false", "score: 0", "score: 9999999999",
		"rooms: 1", "rooms: 5", "amenities: 0", "amenities: 7", "antimeridian: true false", "antimeridian: false true", "polar: true",
	} {
		assert.Greater(t, seen[value], 1, value)
	}
	for _, city := range market.Cities {
		assert.Greater(t, seen[city], opts.Properties/20, city.Name)
	}
}

// distance is in metres.
func distance(latitude, longitude, toLatitude, toLongitude float64) float64 {
	const radians = math.Pi / 180
	haversine := func(degrees float64) float64 { return math.Pow(math.Sin(degrees*radians/2), 2) }
	h := haversine(toLatitude-latitude) +
		math.Cos(latitude*radians)*math.Cos(toLatitude*radians)*haversine(toLongitude-longitude)
	return 2 * 6_371_008.8 * math.Asin(math.Sqrt(h))
}
