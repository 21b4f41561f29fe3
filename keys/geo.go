package keys

import (
	"math"

	"github.com/mmcloughlin/geohash"

	"github.com/dynastay/dynastay"
)

// The cells of the poles. Beyond PolarLatitude the cells of the geohash become so narrow that a circle touches ever
// more of them; all that lies there is one cell.
const (
	NorthCell     = "NORTH"
	SouthCell     = "SOUTH"
	PolarLatitude = 80
)

const (
	geohashAlphabet   = "0123456789bcdefghjkmnpqrstuvwxyz"
	geohashCharacters = 9
	areaCharacters    = 6
	cellCharacters    = 3
)

// Place says where a property stands in the two geographic indexes.
type Place struct {
	Geohash    string // 9 characters, about 5 m
	Precision6 string // about 1 km, the partition of [GeoIndex]
	Precision5 string // about 5 km
	Cell       string // 3 characters, about 156 km, or a pole's: the partition of [GeohashIndex]
}

// PlaceOf is the place of coordinates in decimal degrees; its errors name "Latitude" or "Longitude".
func PlaceOf(latitude, longitude float64) (Place, error) {
	if !(math.Abs(latitude) <= 90) { // false for NaN as well
		return Place{}, dynastay.Invalid("Latitude", "is not between -90 and 90")
	}
	if !(math.Abs(longitude) <= 180) {
		return Place{}, dynastay.Invalid("Longitude", "is not between -180 and 180")
	}
	// A cell does not include its northern and eastern edge. Without the nudge the geohash of the north pole would be
	// the south pole's.
	const nudge = 1e-9
	hash := geohash.EncodeWithPrecision(min(latitude, 90-nudge), min(longitude, 180-nudge), geohashCharacters)
	place := Place{Geohash: hash, Precision6: hash[:areaCharacters], Precision5: hash[:5], Cell: hash[:cellCharacters]}
	switch {
	case latitude > PolarLatitude:
		place.Cell = NorthCell
	case latitude < -PolarLatitude:
		place.Cell = SouthCell
	}
	return place, nil
}
