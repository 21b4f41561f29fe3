package key_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mmcloughlin/geohash"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// The latitudes and longitudes where something changes: the poles, the cells of the poles, the antimeridian, and edges
// of geohashes.
var (
	oddLatitudes  = []float64{-90, -89.9999, -89.1, -80.5, -80.0001, -80, -79.9999, -79.2, -45, 0, 33.75, 45, 78.75, 79.2, 79.9999, 80, 80.0001, 80.5, 84.375, 89.1, 89.9999, 90}
	oddLongitudes = []float64{-180, -179.9999, -135, -90, -1.40625, 0, 11.25, 90, 179, 179.9999, 180}
	oddRadii      = []float64{key.MinRadius, 1_000, 12_345, key.MaxRadius}
)

// anywhere generates points, often at odd coordinates and often a little beside them.
func anywhere() *rapid.Generator[key.Point] {
	coordinate := func(odd []float64, limit float64) *rapid.Generator[float64] {
		return rapid.OneOf(
			rapid.SampledFrom(odd),
			rapid.Float64Range(-limit, limit),
			rapid.Custom(func(t *rapid.T) float64 {
				beside := rapid.SampledFrom(odd).Draw(t, "odd") + rapid.Float64Range(-1.5, 1.5).Draw(t, "beside")
				return min(max(beside, -limit), limit)
			}),
		)
	}
	return rapid.Custom(func(t *rapid.T) key.Point {
		return key.Point{
			Latitude:  coordinate(oddLatitudes, 90).Draw(t, "latitude"),
			Longitude: coordinate(oddLongitudes, 180).Draw(t, "longitude"),
		}
	})
}

// radii generates radii whose logarithms are equally likely, and often the smallest and the largest one.
func radii() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom(oddRadii),
		rapid.Map(rapid.Float64Range(2, 5), func(exponent float64) float64 {
			return min(max(math.Pow(10, exponent), key.MinRadius), key.MaxRadius)
		}),
	)
}

// from returns the point in a direction (radians) and at a distance (metres) from another one.
func from(p key.Point, direction, distance float64) key.Point {
	up := vector(p)
	longitude := p.Longitude * math.Pi / 180
	east := [3]float64{-math.Sin(longitude), math.Cos(longitude), 0}
	north := [3]float64{up[1]*east[2] - up[2]*east[1], up[2]*east[0] - up[0]*east[2], up[0]*east[1] - up[1]*east[0]}
	var to [3]float64
	for i := range to {
		ahead := math.Cos(direction)*north[i] + math.Sin(direction)*east[i]
		to[i] = math.Cos(distance/earthRadius)*up[i] + math.Sin(distance/earthRadius)*ahead
	}
	return key.Point{
		Latitude:  math.Atan2(to[2], math.Hypot(to[0], to[1])) * 180 / math.Pi,
		Longitude: math.Atan2(to[1], to[0]) * 180 / math.Pi,
	}
}

// holding returns the number of ranges that hold the row of a point.
func holding(t require.TestingT, ranges []key.CellRange, p key.Point) (n int) {
	place, err := key.PlaceOf(p.Latitude, p.Longitude)
	require.NoError(t, err)
	row := place.Geohash + "#PROPERTY#prop_1"
	for _, r := range ranges {
		if r.Cell == place.Cell && row >= r.From && (r.To == "" || row <= r.To) {
			n++
		}
	}
	return n
}

// cover covers a circle and checks what is true of all covers.
func cover(t require.TestingT, center key.Point, radius float64) []key.CellRange {
	ranges, err := key.Cover(center, radius)
	require.NoError(t, err)
	require.NotEmpty(t, ranges)
	require.LessOrEqual(t, len(ranges), key.MaxCellRanges, "%v, %v m", center, radius)
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b key.CellRange) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.From, b.From))
	})
	for i, r := range sorted {
		require.Equal(t, strings.Trim(r.From+r.To, "0123456789bcdefghjkmnpqrstuvwxyz"), "", "%v", r)
		require.LessOrEqual(t, max(len(r.From), len(r.To)), 9, "%v", r)
		require.True(t, r.To == "" || r.From < r.To, "%v", r)
		if i > 0 && sorted[i-1].Cell == r.Cell {
			require.NotEmpty(t, sorted[i-1].To, "%v", sorted)
			require.Less(t, sorted[i-1].To, r.From, "%v: ranges that overlap, or that could be one", sorted)
		}
	}
	return ranges
}

// Every point within the radius is in exactly one range.
func TestCover(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		center, radius := anywhere().Draw(t, "center"), radii().Draw(t, "radius")
		ranges := cover(t, center, radius)
		for range 50 {
			part := rapid.OneOf(rapid.Just(1.0), rapid.Float64Range(0, 1)).Draw(t, "part of the radius")
			p := from(center, rapid.Float64Range(-math.Pi, math.Pi).Draw(t, "direction"), part*radius)
			if key.Distance(center, p) <= radius {
				require.Equal(t, 1, holding(t, ranges, p), "%v in %v", p, ranges)
			}
		}
	})
}

// Points at odd coordinates, around centers at odd coordinates.
func TestCoverWhereCellsChange(t *testing.T) {
	t.Parallel()
	var found int
	for _, latitude := range oddLatitudes {
		for _, longitude := range oddLongitudes {
			for _, radius := range oddRadii {
				center := key.Point{Latitude: latitude, Longitude: longitude}
				ranges := cover(t, center, radius)
				points := []key.Point{center, {Latitude: latitude, Longitude: math.Remainder(longitude+180, 360)}}
				for i := range 32 {
					for _, part := range []float64{0.3, 0.95, 1} {
						points = append(points, from(center, float64(i)*math.Pi/16, part*radius))
					}
				}
				for _, p := range points {
					for _, p := range beside(p) {
						if key.Distance(center, p) <= radius {
							require.Equal(t, 1, holding(t, ranges, p), "%v in %v around %v", p, ranges, center)
							found++
						}
					}
				}
			}
		}
	}
	assert.Greater(t, found, 100_000)
}

// A point exactly at the radius is within it, also where rounding could place it beyond: on the edge of a geohash.
func TestCoverAtTheRadius(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(13, 3))
	for range 3_000 {
		edge := key.Point{Longitude: float64(random.IntN(1<<15)-1<<14) * 360 / (1 << 15)} // of 15 bits
		center := key.Point{Latitude: 140*random.Float64() - 70, Longitude: edge.Longitude - 0.005 - 0.5*random.Float64()}
		if center.Longitude < -180 {
			continue
		}
		// The point of the meridian that is nearest to the center, but for the rounding.
		across := (edge.Longitude - center.Longitude) * math.Pi / 180
		edge.Latitude = math.Atan(math.Tan(center.Latitude*math.Pi/180)/math.Cos(across)) * 180 / math.Pi
		edge.Latitude += 1e-9 * random.NormFloat64()
		if radius := key.Distance(center, edge); radius >= key.MinRadius {
			require.Equal(t, 1, holding(t, cover(t, center, radius), edge), "%v around %v", edge, center)
		}
	}
}

// A circle that reaches half a metre across the edge of a pole's cell.
func TestCoverAtTheEdgeOfAPolarCell(t *testing.T) {
	t.Parallel()
	const degree = math.Pi * earthRadius / 180
	for _, pole := range []float64{-1, 1} {
		for _, beyond := range []float64{-1, 1} { // the center is in the cell, or outside
			center := key.Point{Latitude: pole * (80 + beyond*99.5/degree), Longitude: 20}
			ranges := cover(t, center, 100)
			for _, metres := range []float64{0, 0.4} { // beyond the edge
				p := key.Point{Latitude: pole * (80 - beyond*metres/degree), Longitude: 20}
				require.Equal(t, 1, holding(t, ranges, p), "%v around %v", p, center)
			}
		}
	}
}

// beside returns a point, and those at odd coordinates near it.
func beside(p key.Point) []key.Point {
	all := []key.Point{p, {Latitude: p.Latitude, Longitude: -180}, {Latitude: p.Latitude, Longitude: 180}}
	for _, odd := range oddLatitudes {
		if math.Abs(odd-p.Latitude) < 1 {
			all = append(all, key.Point{Latitude: odd, Longitude: p.Longitude}, key.Point{Latitude: odd, Longitude: 180})
		}
	}
	return all
}

// The bounds are as few characters as there can be, and open at the ends of the world.
func TestCoverBounds(t *testing.T) {
	t.Parallel()
	pole := cover(t, key.Point{Latitude: 90}, 1_000)
	assert.Equal(t, key.CellRange{Cell: key.NorthCell, From: "bpb", To: "bq"}, pole[0])
	assert.Equal(t, key.CellRange{Cell: key.NorthCell, From: "zzb", To: ""}, pole[len(pole)-1])
	assert.Len(t, pole, key.MaxCellRanges)
	assert.InDelta(t, 0.18, areaOf(pole)/areaOf([]key.CellRange{{Cell: key.NorthCell}}), 0.005)
	pole = cover(t, key.Point{Latitude: -90}, 1_000)
	assert.Equal(t, key.CellRange{Cell: key.SouthCell, From: "", To: "00q"}, pole[0])
}

func TestCoverRefusesWhatIsOutOfRange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		center        key.Point
		radius        float64
		field, reason string
	}{
		"less than 100 m":      {key.Point{}, math.Nextafter(100, 0), "Radius", "must be between 100 and 100,000 metres"},
		"more than 100 km":     {key.Point{}, math.Nextafter(100_000, 1e9), "Radius", "must be between 100 and 100,000 metres"},
		"a radius of 0":        {key.Point{}, 0, "Radius", "must be between 100 and 100,000 metres"},
		"a negative radius":    {key.Point{}, -1_000, "Radius", "must be between 100 and 100,000 metres"},
		"no number of metres":  {key.Point{}, math.NaN(), "Radius", "must be between 100 and 100,000 metres"},
		"an infinite radius":   {key.Point{}, math.Inf(1), "Radius", "must be between 100 and 100,000 metres"},
		"beyond the pole":      {key.Point{Latitude: 90.001}, 1_000, "Latitude", "must be between -90 and 90"},
		"no latitude":          {key.Point{Latitude: math.NaN()}, 1_000, "Latitude", "must be between -90 and 90"},
		"beyond 180°":          {key.Point{Longitude: -180.001}, 1_000, "Longitude", "must be between -180 and 180"},
		"an endless longitude": {key.Point{Longitude: math.Inf(-1)}, 1_000, "Longitude", "must be between -180 and 180"},
	} {
		ranges, err := key.Cover(c.center, c.radius)
		assert.Empty(t, ranges, name)
		assert.Equal(t, &dynastay.InvalidError{Field: c.field, Reason: c.reason}, err, name)
	}
}

// The table in the comment of Cover.
func TestCoverReadsLittleInVain(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("cover.go")
	require.NoError(t, err)
	for _, c := range []struct {
		name       string
		from, to   float64 // latitudes
		radius     string
		metres     float64
		mostRanges int
	}{
		{"0° to 70°", 0, 70, "100 m", 100, 16},
		{"0° to 70°", 0, 70, "10 km", 10_000, 16},
		{"0° to 70°", 0, 70, "100 km", 100_000, 16},
		{"70° to 79°", 70, 79, "10 km", 10_000, 16},
		{"70° to 79°", 70, 79, "100 km", 100_000, 24},
		{"79° to 81°", 79, 81, "10 km", 10_000, 16},
		{"79° to 81°", 79, 81, "100 km", 100_000, 24},
		{"81° to 88°", 81, 88, "10 km", 10_000, 32},
		{"81° to 88°", 81, 88, "100 km", 100_000, 32},
	} {
		random := rand.New(rand.NewPCG(13, 2))
		var numbers []int
		var ratios []float64
		for range 200 {
			center := key.Point{
				Latitude:  (c.from + (c.to-c.from)*random.Float64()) * float64(random.IntN(2)*2-1),
				Longitude: 360*random.Float64() - 180,
			}
			ranges := cover(t, center, c.metres)
			asked := 2 * math.Pi * (1 - math.Cos(c.metres/earthRadius))
			numbers, ratios = append(numbers, len(ranges)), append(ratios, areaOf(ranges)/asked)
		}
		slices.Sort(numbers)
		slices.Sort(ratios)
		require.Greater(t, ratios[0], 1.0)
		assert.LessOrEqual(t, numbers[199], c.mostRanges)
		line := fmt.Sprintf("//\t| %-10s | %-6s | %-20s | %-22s |\n", c.name, c.radius,
			fmt.Sprintf("%d, %d", numbers[100], numbers[199]), fmt.Sprintf("%.1f, %.1f", ratios[100], ratios[199]))
		assert.True(t, strings.Contains(string(source), line), line)
	}
}

// areaOf returns the area of ranges on a sphere with the radius 1.
func areaOf(ranges []key.CellRange) (sum float64) {
	number := func(text string) uint64 {
		n, _ := geohash.ConvertStringToInt((text + "000000000")[:9])
		return n
	}
	for _, r := range ranges {
		south, north, to := -80.0, 80.0, number(r.To)
		switch {
		case r.Cell == key.NorthCell:
			south, north = 80, 90
		case r.Cell == key.SouthCell:
			south, north = -90, -80
		}
		if r.To == "" {
			to = 1 << 45
		}
		sum += areaBetween(0, 0, number(r.From), to, south, north)
	}
	return sum
}

func areaBetween(hash uint64, bits uint, from, to uint64, south, north float64) float64 {
	first, next := hash<<(45-bits), (hash+1)<<(45-bits)
	switch box := geohash.BoundingBoxIntWithPrecision(hash, bits); {
	case next <= from || to <= first:
		return 0
	case from <= first && next <= to:
		south, north = max(south, box.MinLat)*math.Pi/180, min(north, box.MaxLat)*math.Pi/180
		return max(0, math.Sin(north)-math.Sin(south)) * (box.MaxLng - box.MinLng) * math.Pi / 180
	}
	return areaBetween(2*hash, bits+1, from, to, south, north) + areaBetween(2*hash+1, bits+1, from, to, south, north)
}

func FuzzCover(f *testing.F) {
	f.Add(40.7589, -73.9851, 2_000.0, 0.5, 0.9)
	f.Add(90.0, 0.0, 100_000.0, 3.0, 1.0)
	f.Add(-80.0, 180.0, 100.0, -1.5, 1.0)
	f.Add(math.NaN(), math.Inf(1), math.NaN(), 0.0, 0.0)
	f.Fuzz(func(t *testing.T, latitude, longitude, radius, direction, part float64) {
		center := key.Point{Latitude: latitude, Longitude: longitude}
		if _, err := key.Cover(center, radius); err != nil {
			assert.ErrorIs(t, err, dynastay.ErrInvalid)
			return
		}
		ranges := cover(t, center, radius)
		assert.Equal(t, 1, holding(t, ranges, center))
		if p := from(center, direction, part*radius); key.Distance(center, p) <= radius {
			assert.Equal(t, 1, holding(t, ranges, p), "%v", p)
		}
	})
}
