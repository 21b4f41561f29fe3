package key_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/keys/key"
)

const earthRadius = 6_371_008.8 // metres

// angleBetween returns the distance of two points in a different way: by the angle between vectors.
func angleBetween(a, b key.Point) float64 {
	x, y := vector(a), vector(b)
	cross := math.Hypot(math.Hypot(x[1]*y[2]-x[2]*y[1], x[2]*y[0]-x[0]*y[2]), x[0]*y[1]-x[1]*y[0])
	return earthRadius * math.Atan2(cross, x[0]*y[0]+x[1]*y[1]+x[2]*y[2])
}

func vector(p key.Point) [3]float64 {
	latitude, longitude := p.Latitude*math.Pi/180, p.Longitude*math.Pi/180
	return [3]float64{
		math.Cos(latitude) * math.Cos(longitude), math.Cos(latitude) * math.Sin(longitude), math.Sin(latitude),
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	const half = math.Pi * earthRadius // of a great circle
	for name, c := range map[string]struct {
		a, b   key.Point
		metres float64
	}{
		"one point":                          {key.Point{Latitude: 40.7589, Longitude: -73.9851}, key.Point{Latitude: 40.7589, Longitude: -73.9851}, 0},
		"one point of the antimeridian":      {key.Point{Latitude: -16.5, Longitude: 180}, key.Point{Latitude: -16.5, Longitude: -180}, 0},
		"the north pole at two longitudes":   {key.Point{Latitude: 90, Longitude: 30}, key.Point{Latitude: 90, Longitude: -120}, 0},
		"the south pole at two longitudes":   {key.Point{Latitude: -90, Longitude: 0}, key.Point{Latitude: -90, Longitude: 180}, 0},
		"a degree of the equator":            {key.Point{}, key.Point{Longitude: 1}, half / 180},
		"a degree across the antimeridian":   {key.Point{Longitude: 179.5}, key.Point{Longitude: -179.5}, half / 180},
		"a degree of a meridian":             {key.Point{Latitude: 79.5, Longitude: 10}, key.Point{Latitude: 80.5, Longitude: 10}, half / 180},
		"a degree across the pole":           {key.Point{Latitude: 89.5, Longitude: 10}, key.Point{Latitude: 89.5, Longitude: -170}, half / 180},
		"a degree of the parallel at 60°":    {key.Point{Latitude: 60}, key.Point{Latitude: 60, Longitude: 1}, 2 * earthRadius * math.Asin(math.Sin(math.Pi/360)/2)},
		"the poles":                          {key.Point{Latitude: 90, Longitude: 17}, key.Point{Latitude: -90, Longitude: 45}, half},
		"opposite points of the equator":     {key.Point{}, key.Point{Longitude: 180}, half},
		"opposite points":                    {key.Point{Latitude: 40, Longitude: -74}, key.Point{Latitude: -40, Longitude: 106}, half},
		"a metre from the opposite point":    {key.Point{Latitude: 40, Longitude: -74}, key.Point{Latitude: -40 + 180/half, Longitude: 106}, half - 1},
		"a metre east of the opposite point": {key.Point{}, key.Point{Longitude: 180 - 180/half}, half - 1},
	} {
		assert.InDelta(t, c.metres, key.Distance(c.a, c.b), 1e-6, name)
		assert.Equal(t, key.Distance(c.a, c.b), key.Distance(c.b, c.a), name)
		if c.metres == 0 {
			assert.Zero(t, key.Distance(c.a, c.b), name)
		}
	}
	london, newYork := key.Point{Latitude: 51.5074, Longitude: -0.1278}, key.Point{Latitude: 40.7128, Longitude: -74.0060}
	assert.InDelta(t, 5_570_230, key.Distance(london, newYork), 20, "as others compute it")
	assert.True(t, math.IsNaN(key.Distance(key.Point{Latitude: math.NaN()}, key.Point{})))
}

func TestDistanceIsTheAngle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anywhere().Draw(t, "a"), anywhere().Draw(t, "b")
		assert.InDelta(t, angleBetween(a, b), key.Distance(a, b), 1e-6, "metres")
	})
}
