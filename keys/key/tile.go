package key

import (
	"math"

	"github.com/mmcloughlin/geohash"
)

const (
	geohashBits = 5 * geohashCharacters
	cellBits    = 5 * cellCharacters
)

// zone is a part of the world where cells are of one kind: geohashes if cell is empty, or else a single cell.
type zone struct {
	cell         string
	south, north float64
}

var zones = []zone{
	{SouthCell, -90, -PolarLatitude},
	{"", -PolarLatitude, PolarLatitude},
	{NorthCell, PolarLatitude, 90},
}

// tile is the part of a zone whose geohashes begin with the same bits. Unlike characters, bits divide a tile into two.
type tile struct {
	hash uint64
	bits uint
	area float64 // proportional to the area on the sphere
	in   relation
}

// relation is that of a tile to a circle.
type relation int

const (
	outside relation = iota
	crossing
	inside
)

// circle is the area within a great-circle distance of a point.
type circle struct {
	center Point
	radius float64 // metres
}

// slack is added to a radius, in metres. It is much more than the rounding errors of a distance and of a geohash.
const slack = 1e-3

// fine is the number of tiles on the edge of a circle with which dividing ends. With more, little less is read.
const fine = 64

// tiles divides a zone into tiles, in the order of their geohashes. The ones that the edge of the circle crosses are
// divided until there are enough of them, and at least until each is within one cell.
func (c circle) tiles(z zone) []tile {
	tiles := []tile{{in: crossing}}
	edge := 1
	for bits := uint(1); bits <= geohashBits && (bits <= cellBits || edge <= fine); bits++ {
		var halves []tile
		edge = 0
		for _, t := range tiles {
			if t.in != crossing {
				halves = append(halves, t)
				continue
			}
			for _, half := range []tile{c.tile(z, 2*t.hash, bits), c.tile(z, 2*t.hash+1, bits)} {
				halves = append(halves, half)
				if half.in == crossing {
					edge++
				}
			}
		}
		tiles = halves
	}
	return tiles
}

func (c circle) tile(z zone, hash uint64, bits uint) tile {
	t := tile{hash: hash, bits: bits}
	box := geohash.BoundingBoxIntWithPrecision(hash, bits)
	box.MinLat, box.MaxLat = max(box.MinLat, z.south), min(box.MaxLat, z.north)
	if box.MinLat >= box.MaxLat {
		return t
	}
	t.area = (box.MaxLng - box.MinLng) * (math.Sin(radians(box.MaxLat)) - math.Sin(radians(box.MinLat)))
	switch {
	case c.nearest(box) > c.radius:
	case bits >= cellBits && c.corners(box) <= c.radius:
		t.in = inside
	default:
		t.in = crossing
	}
	return t
}

// nearest returns the distance from the center to the nearest point of a box.
func (c circle) nearest(box geohash.Box) float64 {
	if at := c.center; box.MinLng <= at.Longitude && at.Longitude <= box.MaxLng {
		return Distance(at, Point{min(max(at.Latitude, box.MinLat), box.MaxLat), at.Longitude})
	}
	// On a parallel, the nearest point is one of the ends.
	return min(c.toMeridian(box, box.MinLng), c.toMeridian(box, box.MaxLng))
}

// toMeridian returns the distance from the center to the nearest point of an edge of a box.
func (c circle) toMeridian(box geohash.Box, longitude float64) float64 {
	latitude, across := radians(c.center.Latitude), radians(longitude-c.center.Longitude)
	// On the whole circle through the poles, the nearest point has this latitude; beyond 90°, it is on the other side.
	foot := math.Atan2(math.Sin(latitude), math.Cos(latitude)*math.Cos(across)) * (180 / math.Pi)
	if box.MinLat < foot && foot < box.MaxLat {
		return Distance(c.center, Point{foot, longitude})
	}
	return min(Distance(c.center, Point{box.MinLat, longitude}), Distance(c.center, Point{box.MaxLat, longitude}))
}

// corners returns the distance from the center to the farthest corner of a box. In a box that reaches around a pole,
// other points can be farther away, but a tile that is taken for inside is only read in vain.
func (c circle) corners(box geohash.Box) float64 {
	return max(
		Distance(c.center, Point{box.MinLat, box.MinLng}), Distance(c.center, Point{box.MinLat, box.MaxLng}),
		Distance(c.center, Point{box.MaxLat, box.MinLng}), Distance(c.center, Point{box.MaxLat, box.MaxLng}),
	)
}
