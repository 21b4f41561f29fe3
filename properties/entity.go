package properties

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

var propertyEntity = &dynastay.Entity[Property]{
	Name:     "Property",
	ID:       func(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "PROPERTY#") },
	Schema:   keys.PropertiesTable,
	Version:  keys.AttrVersion,
	Touched:  "UpdatedAt",
	Validate: (*Property).Validate,
	Codec:    propertyCodec,
	Key:      func(p *Property) (dynastay.Key, error) { return keys.Of(keys.Property{PropertyID: p.ID}) },
	Derived:  append(append(propertyIndexes(), cardCopies()...), placeCopies()...),
}

// propertyIndexes are the keys of the property's own indexes; the one by amenity is on the amenities' items.
func propertyIndexes() (all []dynastay.Derived[Property]) {
	index := func(name string, key func(*Property) (dynastay.Key, error)) {
		all = append(all, dynastay.IndexKey(keys.PropertiesTable, name, key)...)
	}
	// A search must not find a property that is not approved, so its keys come and go with the status.
	search := func(name string, key func(*Property) (dynastay.Key, error)) {
		index(name, func(p *Property) (dynastay.Key, error) {
			if p.Status != Approved {
				return dynastay.Key{}, nil
			}
			return key(p)
		})
	}
	search(keys.LocationIndex, func(p *Property) (dynastay.Key, error) {
		return keys.Of(keys.PropertyByCity{City: p.Address.City, Country: p.Address.Country, Rating: p.Rating, PropertyID: p.ID})
	})
	search(keys.GeoIndex, func(p *Property) (dynastay.Key, error) {
		place, price, err := p.placeAndPrice()
		if err != nil {
			return dynastay.Key{}, err
		}
		return keys.Of(keys.PropertyByArea{Geohash: place.Precision6, Price: price, PropertyID: p.ID})
	})
	index(keys.OwnerIndex, func(p *Property) (dynastay.Key, error) {
		return keys.Of(keys.PropertyByOwner{OwnerID: p.OwnerID, PropertyID: p.ID})
	})
	search(keys.TypeRatingIndex, func(p *Property) (dynastay.Key, error) {
		return keys.Of(keys.PropertyByType{Type: string(p.Type), Rating: p.Rating, PropertyID: p.ID})
	})
	search(keys.FeaturedIndex, func(p *Property) (dynastay.Key, error) {
		if !p.Featured {
			return dynastay.Key{}, nil
		}
		return keys.Of(keys.FeaturedProperty{Score: int64(p.FeaturedScore), PropertyID: p.ID})
	})
	index(keys.SlugIndex, func(p *Property) (dynastay.Key, error) {
		return keys.Of(keys.PropertyBySlug{Slug: p.Slug})
	})
	search(keys.PriceIndex, func(p *Property) (dynastay.Key, error) {
		_, price, err := p.placeAndPrice()
		if err != nil {
			return dynastay.Key{}, err
		}
		return keys.Of(keys.PropertyByPrice{
			City: p.Address.City, Country: p.Address.Country, Currency: p.Prices.Min.Currency(), Price: price, PropertyID: p.ID,
		})
	})
	search(keys.RatingIndex, func(p *Property) (dynastay.Key, error) {
		if p.Stars == 0 {
			return dynastay.Key{}, nil
		}
		return keys.Of(keys.PropertyByStars{
			City: p.Address.City, Country: p.Address.Country, Stars: p.Stars, Rating: p.Rating, PropertyID: p.ID,
		})
	})
	search(keys.GeohashIndex, func(p *Property) (dynastay.Key, error) {
		place, err := keys.PlaceOf(p.Address.Latitude, p.Address.Longitude)
		if err != nil {
			return dynastay.Key{}, err
		}
		return keys.Of(keys.PropertyByCell{Cell: place.Cell, Geohash: place.Geohash, PropertyID: p.ID})
	})
	index(keys.PropertyStatusIndex, func(p *Property) (dynastay.Key, error) {
		if p.Status != Pending {
			return dynastay.Key{}, nil
		}
		return keys.Of(keys.PropertyByStatus{Status: string(p.Status), Created: p.CreatedAt, PropertyID: p.ID})
	})
	return all
}

func (p *Property) placeAndPrice() (keys.Place, keys.Price, error) {
	place, err := keys.PlaceOf(p.Address.Latitude, p.Address.Longitude)
	if err != nil {
		return place, 0, err
	}
	price, err := keys.PriceOf(p.Prices.Min)
	return place, price, err
}

// placeCopies are the geohash attributes that the document keeps beside the coordinates.
func placeCopies() (all []dynastay.Derived[Property]) {
	for name, take := range map[string]func(keys.Place) string{
		"Geohash":           func(p keys.Place) string { return p.Geohash },
		"GeohashPrecision6": func(p keys.Place) string { return p.Precision6 },
		"GeohashPrecision5": func(p keys.Place) string { return p.Precision5 },
	} {
		all = append(all, dynastay.Derived[Property]{
			Name: name,
			Value: func(p *Property) (types.AttributeValue, error) {
				place, err := keys.PlaceOf(p.Address.Latitude, p.Address.Longitude)
				return dynastay.S(take(place)), err
			},
		})
	}
	return all
}
