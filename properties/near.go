package properties

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// NearQuery selects the approved properties within a radius of a point.
type NearQuery struct {
	Latitude, Longitude float64 // decimal degrees
	Radius              float64 // metres, from [key.MinRadius] to [key.MaxRadius]: 100 m to 100 km
}

// Nearby is a property and its distance from the point of a [NearQuery].
type Nearby struct {
	*Card
	Distance float64 // metres, as [key.Distance] returns it
}

// Near returns the approved properties within a great-circle distance of a point, nearest first, and those at the same
// distance by id. The distance is that of the coordinates on the card. The result is eventually consistent: recent
// changes may not be visible yet, and a property whose coordinates are changed meanwhile may be missing.
//
// A row that cannot be read does not hide the others: Near returns it in a [*dynastay.UnreadableError] together with
// the properties, even if it is outside the radius. With any other error, there are no properties.
//
// Near reads the ranges that [key.Cover] returns: usually about 8, at most 32, in parallel, see [dynastay.Options]. Each takes
// 1 request, and 1 more for each further MB. Unlike the cost of a page of a list, that of Near grows with the number of
// properties: the ranges contain about 1.4 times the area of the circle, and all properties in them are read, 3 or 4
// for half a read unit. A row that other software wrote has no card; Near then reads the property, with 1 more request
// for each such row. A property without a key of the index, which the hotel-booking document does not have, is found
// once it has been adopted, see [Repository.Adopt].
//
// Pattern P2, any radius: GSI10-GeohashIndex, GSI10PK = GEOCELL#{cell}, GSI10SK from {geohash} to {geohash}, at most 32 requests
func (r *Repository) Near(ctx context.Context, q NearQuery) (_ []Nearby, err error) {
	ctx, end := r.db.Begin(ctx, "properties.Near")
	defer func() { end(err) }()
	ranges, err := key.Cover(q.center(), q.Radius)
	if err != nil {
		return nil, err
	}
	found, unreadable := make([][]Nearby, len(ranges)), make([][]error, len(ranges))
	err = r.db.Each(ctx, len(ranges), func(ctx context.Context, i int) (err error) {
		found[i], unreadable[i], err = r.nearIn(ctx, ranges[i], q)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	slices.SortFunc(all, func(a, b Nearby) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.PropertyID, b.PropertyID))
	})
	seen := map[string]bool{} // a property that was moved between two of the requests may be in both ranges
	all = slices.DeleteFunc(all, func(n Nearby) bool {
		again := seen[n.PropertyID]
		seen[n.PropertyID] = true
		return again
	})
	if errs := slices.Concat(unreadable...); len(errs) > 0 {
		return all, &dynastay.UnreadableError{Items: errs}
	}
	return all, nil
}

// nearIn returns the properties of one range that are within the radius, and the errors of rows that cannot be read.
func (r *Repository) nearIn(
	ctx context.Context, cells key.CellRange, q NearQuery,
) (found []Nearby, unreadable []error, err error) {
	partition, err := keys.Partition(keys.PropertyByCell{Cell: cells.Cell})
	if err != nil {
		return nil, nil, err
	}
	query := dynastay.Query{
		Index: keys.GeohashIndex, Partition: partition, Range: dynastay.Range{From: cells.From, To: cells.To},
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.PropertiesTable, query)
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		card, err := r.cardOf(ctx, row, query)
		switch {
		case errors.Is(err, dynastay.ErrCorrupt):
			unreadable = append(unreadable, err)
		case err != nil:
			return nil, nil, err
		case card != nil:
			if distance := key.Distance(q.center(), card.point()); distance <= q.Radius {
				found = append(found, Nearby{card, distance})
			}
		}
	}
	return found, unreadable, nil
}

func (q NearQuery) center() key.Point { return key.Point{Latitude: q.Latitude, Longitude: q.Longitude} }

func (c *Card) point() key.Point { return key.Point{Latitude: c.Latitude, Longitude: c.Longitude} }
