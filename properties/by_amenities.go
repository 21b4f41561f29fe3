package properties

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// maxAmenities limits the number of lists that one read of ByAmenities merges.
const maxAmenities = 10

// AmenityQuery selects the approved properties of a city that have all of these amenities. City and Country must be
// exactly as in the addresses of the properties, including case.
type AmenityQuery struct {
	City, Country string
	AmenityIDs    []string // 1 to 10
}

// ByAmenities lists the approved properties of a city with all of the given amenities, ordered by id. The list is
// eventually consistent: recent changes may not be visible yet.
//
// The index contains only keys. So a page takes, for every read of the index, 1 request for each amenity, and then 1
// request for every 100 properties, which are read whole: half a read unit for every 4 KB of each. Where one amenity is
// rare, the rows of the others are skipped; still, if few properties have all of them, a page takes several reads, see
// [dynastay.Paging]. [dynastay.Paging.Until] is supported only for a single amenity.
//
// To find properties with amenities in the order of rating or price, or cheaper, filter [Repository.ByCity] or
// [Repository.ByPrice] by [Card.AmenityIDs]. A property of other software is found once it has been adopted, see
// [Repository.Adopt].
//
// Pattern P6: GSI9-AmenitiesIndex, GSI9PK = CITY#{city}#{country}#AMENITY#{id} for two amenities, then the properties, 3 requests
func (r *Repository) ByAmenities(q AmenityQuery) dynastay.List[*Card] {
	city, err := keys.Partition(keys.PropertyByCity{City: q.City, Country: q.Country})
	if err != nil {
		return dynastay.NoList[*Card](err)
	}
	amenityIDs := slices.Clone(q.AmenityIDs)
	return dynastay.Load(r.IDsByAmenities(q), func(ctx context.Context, ids []string) ([]*Card, error) {
		all, err := keysOf(ids)
		if err != nil {
			return nil, err
		}
		rows, err := r.db.GetAll(ctx, keys.PropertiesTable, all)
		if err != nil {
			return nil, err
		}
		var cards []*Card
		var unreadable []error
		for _, row := range rows {
			card, err := r.cardIn(row, city, amenityIDs)
			if err != nil {
				unreadable = append(unreadable, err)
			} else if card != nil {
				cards = append(cards, card)
			}
		}
		if len(unreadable) > 0 {
			return cards, &dynastay.UnreadableError{Items: unreadable}
		}
		return cards, nil
	})
}

// cardIn returns the card of a property, or nil if the property is not in a city, a partition of the index by city, with
// all of these amenities: the index of amenities may be behind.
func (r *Repository) cardIn(row dynastay.Row, city string, amenityIDs []string) (*Card, error) {
	p, err := r.entity.Value(row) // without a status if it no longer exists
	if err != nil || p.Status != Approved || !p.has(amenityIDs) {
		return nil, err
	}
	at, err := keys.Partition(keys.PropertyByCity{City: p.Address.City, Country: p.Address.Country})
	if err != nil {
		return nil, &dynastay.Error{
			Entity: "Property", ID: p.ID, Field: "Address", Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error()),
		}
	}
	if at != city {
		return nil, nil
	}
	return cardOf(row)
}

// IDsByAmenities is [Repository.ByAmenities] without the properties: it returns only their ids, from the index. The
// index may be behind, so a property may no longer have all of the amenities, or may no longer be approved. 1 request
// for each amenity.
func (r *Repository) IDsByAmenities(q AmenityQuery) dynastay.List[string] {
	if n := len(q.AmenityIDs); n < 1 || n > maxAmenities {
		return dynastay.NoList[string](dynastay.Invalid("AmenityIDs", "must have between 1 and %d entries", maxAmenities))
	}
	ids := slices.Clone(q.AmenityIDs)
	lists := make([]dynastay.List[string], len(ids))
	for i, id := range ids {
		at := fmt.Sprintf("AmenityIDs[%d]", i)
		if slices.Contains(ids[:i], id) {
			return dynastay.NoList[string](dynastay.Invalid(at, "appears more than once"))
		}
		if _, err := keys.Of(keys.Amenity{PropertyID: "any", AmenityID: id}); err != nil {
			return dynastay.NoList[string](renamed(at, err))
		}
	}
	slices.Sort(ids) // the cursors do not depend on the order
	for i, id := range ids {
		partition, err := keys.Partition(keys.PropertyByAmenity{City: q.City, Country: q.Country, AmenityID: id})
		if err != nil {
			return dynastay.NoList[string](err)
		}
		lists[i] = dynastay.ListOf(r.db, keys.PropertiesTable, dynastay.Query{
			Name: "properties.ByAmenities", Index: keys.AmenitiesIndex, Partition: partition,
		}, propertyIDOf)
	}
	return dynastay.Intersect(lists...)
}

// propertyIDOf returns the id by which the lists were intersected. The item of a row that other software wrote may
// belong to a different property.
func propertyIDOf(_ context.Context, row dynastay.Row) (string, error) {
	at, err := keys.Parse[keys.PropertyByAmenity](amenityIndex.From(row))
	return at.PropertyID, err
}

// has reports whether the property has all of these amenities.
func (p *Property) has(amenityIDs []string) bool {
	return !slices.ContainsFunc(amenityIDs, func(id string) bool { return !slices.Contains(p.AmenityIDs, id) })
}
