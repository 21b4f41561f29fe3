package properties

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Owned is a property as its owner's list shows it.
type Owned struct {
	*Card
	Status Status
}

// ByOwner lists the properties of an owner, whatever their status, ordered by id. The list is eventually consistent:
// recent changes may not be visible yet.
//
// A row that other software wrote has no card. ByOwner then reads the property, with 1 more request for each such row.
//
// Pattern P9: GSI3-OwnerIndex, GSI3PK = OWNER#{userId}, 1 request
func (r *Repository) ByOwner(ownerID string) dynastay.List[*Owned] {
	partition, err := keys.Partition(keys.PropertyByOwner{OwnerID: ownerID})
	if err != nil {
		return dynastay.NoList[*Owned](err)
	}
	return dynastay.ListOf(r.db, keys.PropertiesTable, dynastay.Query{
		Name: "properties.ByOwner", Index: keys.OwnerIndex, Partition: partition,
	}, func(ctx context.Context, row dynastay.Row) (*Owned, error) {
		card, err := cardOf(row)
		if card != nil || err != nil {
			return &Owned{card, Status(row.Text(keys.AttrStatus))}, err
		}
		found, err := r.load(ctx, keys.PropertiesTable.Key.From(row))
		if err != nil || found == nil || found.OwnerID != ownerID {
			return nil, err
		}
		return &Owned{found.Card(), found.Status}, nil
	}).Filter(func(o *Owned) bool { return o != nil })
}

// Submitted is a property that waits for approval.
type Submitted struct {
	*Card
	CreatedAt time.Time `json:",omitzero"` // of the property, in whole seconds
}

// PendingApprovals lists the properties that wait for approval, oldest first. The list is eventually consistent: a
// property that was just approved may still be listed. A property that other software wrote is listed once it has been
// adopted, see [Repository.Adopt]. Each shard takes 1 request per page; the requests are sent in parallel.
//
// Pattern pending approvals: GSI11-StatusIndex, GSI11PK = STATUS#pending, 1 request
func (r *Repository) PendingApprovals() dynastay.List[*Submitted] {
	shards, err := keys.Partitions(keys.PropertyByStatus{Status: string(Pending)}, r.opts.PendingShards.Read)
	if err != nil {
		return dynastay.NoList[*Submitted](err)
	}
	return dynastay.ListOf(r.db, keys.PropertiesTable, dynastay.Query{
		Name: "properties.PendingApprovals", Index: keys.PropertyStatusIndex, Partition: shards[0], Shards: shards[1:],
	}, func(_ context.Context, row dynastay.Row) (*Submitted, error) {
		card, err := cardOf(row)
		if card == nil || err != nil {
			return nil, err
		}
		at, err := keys.Parse[keys.PropertyByStatus](pendingIndex.From(row))
		return &Submitted{card, at.Created}, err
	}).Filter(func(s *Submitted) bool { return s != nil })
}

var pendingIndex = func() dynastay.KeyNames {
	index, _ := keys.PropertiesTable.Index(keys.PropertyStatusIndex)
	return index.Key
}()

// bestRated lists the cards of an index whose sort keys begin with the guest rating, best rated first. at is the key of
// the lowest rating, minimum; a minimum of 0 selects the whole partition.
func bestRated[K any, P key.Layout[K]](
	r *Repository, name, index string, at K, minimum dynastay.Rating, shards int, meets func(*Card) bool,
) dynastay.List[*Card] {
	partitions, err := keys.Partitions[K, P](at, shards)
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	var rated dynastay.Range
	if minimum != 0 {
		if rated.From, err = keys.SortPrefix[K, P](at); err != nil {
			return dynastay.NoList[*Card](renamed("MinRating", err))
		}
	}
	return r.cards(dynastay.Query{
		Name: name, Index: index, Partition: partitions[0], Shards: partitions[1:], Range: rated, Descending: true,
	}, func(c *Card) bool { return c.Rating >= minimum && meets(c) })
}

// cards lists the cards that meet a query. Even the cards in its range are checked: the sort key of a row that other
// software wrote may have a different form.
func (r *Repository) cards(q dynastay.Query, meets func(*Card) bool) dynastay.List[*Card] {
	return dynastay.ListOf(r.db, keys.PropertiesTable, q, func(ctx context.Context, row dynastay.Row) (*Card, error) {
		return r.cardOf(ctx, row, q)
	}).Filter(func(c *Card) bool { return c != nil && meets(c) })
}

// cardOf returns the card of a row of an index. If the row has none, it builds the card from the property. Other
// software may have written index keys for any property, or may have left them as they were after a change. So cardOf
// returns nil if that property no longer exists, or if its own keys are not in the partitions of the query, which they
// are not unless it is approved.
func (r *Repository) cardOf(ctx context.Context, row dynastay.Row, q dynastay.Query) (*Card, error) {
	card, err := cardOf(row)
	if card != nil || err != nil {
		return card, err
	}
	found, err := r.load(ctx, keys.PropertiesTable.Key.From(row))
	if err != nil || found == nil {
		return nil, err
	}
	at, err := propertyIndexes(r.opts)[q.Index](&found.Property)
	if err != nil { // only the text: it is not about the caller's arguments
		return nil, &dynastay.Error{Entity: "Property", ID: found.ID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
	}
	if at.PK != q.Partition && !slices.Contains(q.Shards, at.PK) {
		return nil, nil
	}
	return found.Card(), nil
}

// CityQuery selects the approved properties of a city. City and Country must be exactly as in the addresses of the
// properties, including case.
type CityQuery struct {
	City, Country string
	MinRating     dynastay.Rating // 0 means all properties, including unrated ones
}

// ByCity lists the approved properties of a city, best rated first. The list is eventually consistent: recent changes
// may not be visible yet.
//
// A row that other software wrote has no card. ByCity then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list, or missing if there is a minimum rating.
//
// Pattern P1: GSI1-LocationIndex, GSI1PK = CITY#{city}#{country}, GSI1SK from RATING#{minimum}, 1 request
func (r *Repository) ByCity(q CityQuery) dynastay.List[*Card] {
	at := keys.PropertyByCity{City: q.City, Country: q.Country, Rating: q.MinRating}
	return bestRated(r, "properties.ByCity", keys.LocationIndex, at, q.MinRating, 1, func(*Card) bool { return true })
}

// StarsQuery selects the approved properties of a city with a number of stars. City and Country must be exactly as in
// the addresses of the properties, including case.
type StarsQuery struct {
	City, Country string
	Stars         int             // 1 to 5; properties without stars are not indexed by them
	MinRating     dynastay.Rating // 0 means all properties, including unrated ones
}

// ByStars lists the approved properties of a city that have exactly the given number of stars, best rated first. The
// list is eventually consistent: recent changes may not be visible yet.
//
// A row that other software wrote has no card. ByStars then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list, or missing if there is a minimum rating.
//
// Pattern P4: GSI8-RatingIndex, GSI8PK = CITY#{city}#{country}#STAR#{stars}, GSI8SK from RATING#{minimum}, 1 request
func (r *Repository) ByStars(q StarsQuery) dynastay.List[*Card] {
	at := keys.PropertyByStars{City: q.City, Country: q.Country, Stars: q.Stars, Rating: q.MinRating}
	return bestRated(r, "properties.ByStars", keys.RatingIndex, at, q.MinRating, 1, func(c *Card) bool { return c.Stars == q.Stars })
}

// TypeQuery selects the approved properties of a type, in all cities.
type TypeQuery struct {
	Type      Type
	MinRating dynastay.Rating // 0 means all properties, including unrated ones
}

// ByType lists the approved properties of a type, best rated first. The list is eventually consistent: recent changes
// may not be visible yet. Each shard takes 1 request per page, see [Options.TypeShards]; the requests are sent in
// parallel.
//
// A row that other software wrote has no card. ByType then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list, or missing if there is a minimum rating.
//
// Pattern P5: GSI4-TypeRatingIndex, GSI4PK = TYPE#{type}, GSI4SK from RATING#{minimum}, 1 request
func (r *Repository) ByType(q TypeQuery) dynastay.List[*Card] {
	at := keys.PropertyByType{Type: string(q.Type), Rating: q.MinRating}
	return bestRated(
		r, "properties.ByType", keys.TypeRatingIndex, at, q.MinRating, r.opts.TypeShards.Read, func(c *Card) bool { return c.Type == q.Type },
	)
}

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

// Featured lists the approved properties that are featured, highest score first. The list is eventually consistent:
// recent changes may not be visible yet. Each shard takes 1 request per page, see [Options.FeaturedShards]; the requests
// are sent in parallel.
//
// A row that other software wrote has no card. Featured then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list.
//
// Pattern P10: GSI5-FeaturedIndex, GSI5PK = FEATURED, 1 request
func (r *Repository) Featured() dynastay.List[*Card] {
	shards, err := keys.Partitions(keys.FeaturedProperty{}, r.opts.FeaturedShards.Read)
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	return r.cards(dynastay.Query{
		Name: "properties.Featured", Index: keys.FeaturedIndex, Partition: shards[0], Shards: shards[1:], Descending: true,
	}, func(*Card) bool { return true })
}
