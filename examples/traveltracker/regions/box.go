package regions

import (
	"fmt"
	"math"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// Box is a part of the map between two latitudes and two longitudes, in decimal degrees, including its edges. If West
// is greater than East, it crosses the antimeridian. The meridians 180 and -180 are the same; a box from -180 to 180
// contains all longitudes. A pole is an edge of the map and not a point: a box that ends at a pole has only those
// longitudes of it that lie between West and East.
//
// A box is found by the cells of the map that it touches, which are geohashes. There is one item for each cell of 2
// characters (about 11° × 6°), or for each cell of 1 character (45° × 45°) if there would be more than 24 of them. No
// country touches more than 24; a box of almost the whole map touches up to 32 cells of 1 character.
type Box struct {
	North, South float64 // -90 to 90
	East, West   float64 // -180 to 180
}

// Validate returns an error for the first edge that is out of range, or for the field "North" if it is less than South.
func (b Box) Validate() error {
	for _, edge := range []struct {
		field string
		value float64
		most  float64
	}{{"North", b.North, 90}, {"South", b.South, 90}, {"East", b.East, 180}, {"West", b.West, 180}} {
		if !(math.Abs(edge.value) <= edge.most) { // false for NaN as well
			return dynastay.Invalid(edge.field, "must be between -%v and %v", edge.most, edge.most)
		}
	}
	if b.North < b.South {
		return dynastay.Invalid("North", "must not be less than South")
	}
	return nil
}

// Center returns the middle of a valid box.
func (b Box) Center() key.Point {
	longitude := (b.West + b.East) / 2
	if b.West > b.East { // the middle of the other half of the circle
		longitude += 180
		if longitude > 180 {
			longitude -= 360
		}
	}
	return key.Point{Latitude: (b.South + b.North) / 2, Longitude: longitude}
}

// Contains reports whether a point is in the box or on its edge.
func (b Box) Contains(p key.Point) bool {
	return b.South <= p.Latitude && p.Latitude <= b.North && b.spans(p.Longitude)
}

// Meets reports whether two boxes have a point in common. Boxes that only touch each other do.
func (b Box) Meets(other Box) bool {
	return b.South <= other.North && other.South <= b.North && (b.spans(other.West) || other.spans(b.West))
}

func (b Box) spans(longitude float64) bool {
	return b.between(longitude) || math.Abs(longitude) == 180 && b.between(-longitude)
}

func (b Box) between(longitude float64) bool {
	if b.West > b.East {
		return longitude >= b.West || longitude <= b.East
	}
	return b.West <= longitude && longitude <= b.East
}

// coordinate is an attribute with a latitude or a longitude.
type coordinate struct {
	name    string
	degrees *float64
}

// degrees declares coordinates that are stored together or not at all: 0 is a coordinate. When an item is
// written, there says whether they are set. When a row is read, the result says whether it has all of them.
func degrees(f *entity.Fields, there bool, coordinates ...coordinate) (all bool) {
	read := 0
	for _, c := range coordinates {
		entity.Custom(f, c.name, c.degrees, func(v float64) (types.AttributeValue, error) {
			if !there {
				return nil, nil
			}
			if v == 0 {
				v = 0 // not -0, which is stored as 0
			}
			return &types.AttributeValueMemberN{Value: strconv.FormatFloat(v, 'f', -1, 64)}, nil
		}, func(v dynastay.Value) (float64, error) {
			if v.Kind() != dynastay.KindNumber {
				return 0, fmt.Errorf("must be a number, got %s", v.Kind())
			}
			read++
			return strconv.ParseFloat(v.Text(), 64)
		})
	}
	return read == len(coordinates)
}

func declareBox(f *entity.Fields, box **Box) {
	b, there := &Box{}, false
	if *box != nil && !f.Decoding() {
		b, there = *box, true
	}
	all := degrees(f, there, coordinate{"bbox_north", &b.North}, coordinate{"bbox_south", &b.South},
		coordinate{"bbox_east", &b.East}, coordinate{"bbox_west", &b.West})
	if f.Decoding() {
		*box = nil
		if all {
			*box = b
		}
	}
}

func declareCenter(f *entity.Fields, center **key.Point) {
	p, there := &key.Point{}, false
	if *center != nil && !f.Decoding() {
		p, there = *center, true
	}
	all := degrees(f, there, coordinate{"center_lat", &p.Latitude}, coordinate{"center_lon", &p.Longitude})
	if f.Decoding() {
		*center = nil
		if all {
			*center = p
		}
	}
}
