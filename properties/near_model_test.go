package properties_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

var (
	nearProperties = flag.Int("near.properties", 600, "how many properties TestNearFindsExactly writes")
	nearPoints     = flag.Int("near.points", 60, "around how many points TestNearFindsExactly searches")
	nearSeed       = flag.Uint64("near.seed", 13, "of the properties and the points of TestNearFindsExactly")
)

// centers are where the properties of TestNearFindsExactly are, in addition to random places.
var centers = []key.Point{
	{Latitude: 90}, {Latitude: -90, Longitude: 45}, {Latitude: 89.3, Longitude: -120}, // the poles
	{Latitude: -16.8, Longitude: 180}, {Latitude: 65, Longitude: -180}, {Latitude: 0.1, Longitude: 179.9}, // the antimeridian
	{Latitude: 80, Longitude: 20}, {Latitude: 79.9, Longitude: -180}, {Latitude: -80.2, Longitude: 11.25}, // the edges of the poles' cells
	{}, {Latitude: 45, Longitude: 90}, {Latitude: 40.7589, Longitude: -73.9851},
}

// somewhere returns a random point: each square metre of the Earth is equally likely.
func somewhere(random *rand.Rand) key.Point {
	return key.Point{
		Latitude: math.Asin(2*random.Float64()-1) * 180 / math.Pi, Longitude: 360*random.Float64() - 180,
	}
}

// beside returns a random point up to 150 km from another one, more often near it.
func beside(random *rand.Rand, p key.Point) key.Point {
	metres := math.Pow(10, 1+4.18*random.Float64())
	direction := 2 * math.Pi * random.Float64()
	degrees := metres / 111_195
	to := key.Point{Latitude: p.Latitude + degrees*math.Cos(direction), Longitude: p.Longitude}
	if math.Abs(to.Latitude) > 90 { // over the pole
		to.Latitude, to.Longitude = math.Copysign(180, to.Latitude)-to.Latitude, to.Longitude+180
	}
	to.Longitude += degrees * math.Sin(direction) / max(math.Cos(to.Latitude*math.Pi/180), degrees/180)
	to.Longitude = math.Remainder(to.Longitude, 360)
	return to
}

// Around points all over the world, Near finds exactly the properties that comparing all distances finds, in their
// order, with as many requests as there are ranges.
func TestNearFindsExactly(t *testing.T) {
	t.Parallel()
	t.Logf("-near.seed %d", *nearSeed)
	random := rand.New(rand.NewPCG(*nearSeed, 0))
	db := dyntest.New(t, propertyTables)
	around := slices.Clone(centers)
	for len(around) < 48 {
		around = append(around, somewhere(random))
	}
	all := make([]properties.Property, *nearProperties)
	for i := range all {
		all[i] = grand(fmt.Sprintf("p%d", i), located(beside(random, around[i%len(around)])))
	}
	putRows(t, db, keys.GeohashIndex, all)
	repo := properties.New(db.DB, nil)

	var found, ranges int
	for i := range *nearPoints {
		center := somewhere(random)
		if i%5 > 0 {
			center = beside(random, around[i%len(around)])
		}
		q := properties.NearQuery{
			Latitude: center.Latitude, Longitude: center.Longitude, Radius: min(max(math.Pow(10, 2+3*random.Float64()), 100), 100_000),
		}
		var want []string
		distance := map[string]float64{}
		for _, p := range all {
			metres := metresBetween(center, key.Point{Latitude: p.Address.Latitude, Longitude: p.Address.Longitude})
			if metres <= q.Radius {
				want, distance[p.ID] = append(want, p.ID), metres
			}
		}
		slices.SortFunc(want, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })

		before := db.Faults.Count("Query")
		got, err := repo.Near(t.Context(), q)
		require.NoError(t, err)
		sent := db.Faults.Count("Query") - before
		require.Equal(t, want, nearbyIDs(got), "%+v", q)
		for _, n := range got {
			require.InDelta(t, distance[n.PropertyID], n.Distance, 1e-6, "metres")
		}
		cover, err := key.Cover(center, q.Radius)
		require.NoError(t, err)
		require.Equal(t, len(cover), sent, "requests around %+v", q)
		require.LessOrEqual(t, sent, 32)
		found, ranges = found+len(got), ranges+sent
	}
	t.Logf("%d properties and %d requests, around %d points", found, ranges, *nearPoints)
	assert.Greater(t, found, *nearPoints)
}
