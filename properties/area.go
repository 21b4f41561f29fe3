package properties

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// AreaQuery selects the approved properties in the same area as a point. An area is a geohash of 6 characters
// ([key.Place.Precision6]): 611 m from south to north, and at most 1,222 m from west to east, less the farther it is
// from the equator.
type AreaQuery struct {
	Latitude, Longitude float64 // decimal degrees
}

// InArea lists the approved properties in the area of a point, by lowest price. The prices are compared as numbers, even
// if they are in different currencies. Properties beyond the edge of the area are not listed, however near they are;
// [Repository.Near] finds the properties around a point. The list is eventually consistent: recent changes may not be
// visible yet.
//
// A row that other software wrote has no card. InArea then reads the property, with 1 more request for each such row.
//
// Pattern P2: GSI2-GeoIndex, GSI2PK = GEO#{geohash}, 1 request
func (r *Repository) InArea(q AreaQuery) dynastay.List[*Card] {
	area, err := key.PlaceOf(q.Latitude, q.Longitude)
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	partition, err := keys.Partition(keys.PropertyByArea{Geohash: area.Precision6})
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	return r.cards(dynastay.Query{
		Name: "properties.InArea", Index: keys.GeoIndex, Partition: partition,
	}, func(c *Card) bool {
		// The key of a row without a card may not be that of the property's coordinates, which may even be out of range.
		at, _ := key.PlaceOf(c.Latitude, c.Longitude)
		return at.Precision6 == area.Precision6
	})
}
