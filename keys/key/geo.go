package key

import (
	"fmt"
	"math"
	"strings"

	"github.com/mmcloughlin/geohash"

	"github.com/dynastay/dynastay"
)

// The cells of the poles. Beyond PolarLatitude (degrees, north or south), geohash cells become so narrow that a search
// area touches more and more of them, so each polar region is a single cell.
const (
	NorthCell     = "NORTH"
	SouthCell     = "SOUTH"
	PolarLatitude = 80
)

const (
	geohashAlphabet   = "0123456789bcdefghjkmnpqrstuvwxyz"
	geohashLongest    = 12
	geohashCharacters = 9 // of a Place
	cellCharacters    = 3
)

// Place is a location as used in geographic indexes.
type Place struct {
	Geohash    string // 9 characters, about 5 m
	Precision6 string // 6 characters, about 1 km
	Precision5 string // 5 characters, about 5 km
	// Cell has 3 characters, about 156 km, or is the cell of a pole. As a partition, it is large enough for a search
	// with any radius.
	Cell string
}

// PlaceOf returns the place of coordinates in decimal degrees. Its errors name the field "Latitude" or "Longitude".
func PlaceOf(latitude, longitude float64) (Place, error) {
	if !(math.Abs(latitude) <= 90) { // false for NaN as well
		return Place{}, dynastay.Invalid("Latitude", "must be between -90 and 90")
	}
	if !(math.Abs(longitude) <= 180) {
		return Place{}, dynastay.Invalid("Longitude", "must be between -180 and 180")
	}
	// A cell does not include its northern and eastern edges. Without the nudge, the geohash of the north pole would be
	// that of the south pole.
	const nudge = 1e-9
	hash := geohash.EncodeWithPrecision(min(latitude, 90-nudge), min(longitude, 180-nudge), geohashCharacters)
	place := Place{Geohash: hash, Precision6: hash[:6], Precision5: hash[:5], Cell: hash[:cellCharacters]}
	switch {
	case latitude > PolarLatitude:
		place.Cell = NorthCell
	case latitude < -PolarLatitude:
		place.Cell = SouthCell
	}
	return place, nil
}

// Geohash is a geohash of exactly the given number of characters, 1 to 12, in lower case.
func Geohash(name string, p *string, characters int) Value {
	v := Value{field: name, kind: geohashValue{p, characters}}
	if characters < 1 || characters > geohashLongest {
		v.wrong = fmt.Sprintf("must have between 1 and %d characters, got %d", geohashLongest, characters)
	}
	return v
}

// Cell is a cell as in [Place].
func Cell(name string, p *string) Value { return Value{field: name, kind: (*cellValue)(p)} }

type geohashValue struct {
	v          *string
	characters int
}

func (v geohashValue) encode() (string, error) {
	if len(*v.v) != v.characters || strings.Trim(*v.v, geohashAlphabet) != "" {
		return "", fmt.Errorf("must be a geohash of %d characters", v.characters)
	}
	return *v.v, nil
}

func (v geohashValue) decode(text string) error {
	*v.v = text
	return nil
}

type cellValue string

func (v *cellValue) encode() (string, error) {
	cell := string(*v)
	if cell == NorthCell || cell == SouthCell {
		return cell, nil
	}
	return geohashValue{&cell, cellCharacters}.encode()
}

func (v *cellValue) decode(text string) error {
	*v = cellValue(text)
	return nil
}
