package properties

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

func newEntity(o Options) *entity.Entity[Property] {
	return entity.New(entity.Spec[Property]{
		Name: "Property", Operations: "properties", Schema: keys.PropertiesTable, Validate: (*Property).Validate,
		ID: "PropertyId", Prefix: "prop_", Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Kept: []string{
			keys.AttrStatus, "PrimaryImageUrl", "ImageCount", "AverageRating", "ReviewCount", "RatingSum", "AmenityList", "PriceRange",
			keys.AttrCard,
		},
		Key:     func(p *Property) (dynastay.Key, error) { return keys.Of(keys.Property{PropertyID: p.ID}) },
		IDOf:    func(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "PROPERTY#") },
		Codec:   propertyCodec,
		Indexes: propertyIndexes(o),
		Derived: append(cardCopies(), placeCopies()...),
		Unique: []entity.Unique[Property]{{
			Field: "Slug", Owner: []string{"PropertyId"}, Mark: map[string]string{keys.AttrEntityType: "Guard"},
			Guard:     func(p *Property) (dynastay.Key, error) { return keys.Of(keys.SlugGuard{Slug: p.Slug}) },
			Index:     keys.SlugIndex,
			Partition: func(p *Property) (string, error) { return keys.Partition(keys.PropertyBySlug{Slug: p.Slug}) },
		}},
		Follow: moveAmenities,
	})
}

// propertyIndexes are the keys of the indexes on the property's item. The index by amenity is on the amenities' items.
func propertyIndexes(o Options) map[string]func(*Property) (dynastay.Key, error) {
	all := map[string]func(*Property) (dynastay.Key, error){
		keys.OwnerIndex: func(p *Property) (dynastay.Key, error) {
			return keys.Of(keys.PropertyByOwner{OwnerID: p.OwnerID, PropertyID: p.ID})
		},
		keys.SlugIndex: func(p *Property) (dynastay.Key, error) {
			return keys.Of(keys.PropertyBySlug{Slug: p.Slug})
		},
		keys.PropertyStatusIndex: func(p *Property) (dynastay.Key, error) {
			if p.Status != Pending {
				return dynastay.Key{}, nil
			}
			return keys.Of(keys.PropertyByStatus{Status: string(p.Status), Shard: o.PendingShards.Of(p.ID), Created: p.CreatedAt, PropertyID: p.ID})
		},
	}
	// A search must not find a property that is not approved, so the search keys exist only while it is approved.
	search := func(name string, key func(*Property) (dynastay.Key, error)) {
		all[name] = func(p *Property) (dynastay.Key, error) {
			if p.Status != Approved {
				return dynastay.Key{}, nil
			}
			return key(p)
		}
	}
	search(keys.LocationIndex, func(p *Property) (dynastay.Key, error) {
		return keys.Of(keys.PropertyByCity{City: p.Address.City, Country: p.Address.Country, Rating: p.Rating, PropertyID: p.ID})
	})
	search(keys.GeoIndex, func(p *Property) (dynastay.Key, error) {
		if !p.Prices.Min.IsSet() { // only if other software approved it without a price
			return dynastay.Key{}, nil
		}
		place, price, err := p.placeAndPrice()
		if err != nil {
			return dynastay.Key{}, err
		}
		return keys.Of(keys.PropertyByArea{Geohash: place.Precision6, Price: price, PropertyID: p.ID})
	})
	search(keys.TypeRatingIndex, func(p *Property) (dynastay.Key, error) {
		return keys.Of(keys.PropertyByType{Type: string(p.Type), Shard: o.TypeShards.Of(p.ID), Rating: p.Rating, PropertyID: p.ID})
	})
	search(keys.FeaturedIndex, func(p *Property) (dynastay.Key, error) {
		if !p.Featured {
			return dynastay.Key{}, nil
		}
		return keys.Of(keys.FeaturedProperty{Shard: o.FeaturedShards.Of(p.ID), Score: int64(p.FeaturedScore), PropertyID: p.ID})
	})
	search(keys.PriceIndex, func(p *Property) (dynastay.Key, error) {
		if !p.Prices.Min.IsSet() {
			return dynastay.Key{}, nil
		}
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
		place, err := key.PlaceOf(p.Address.Latitude, p.Address.Longitude)
		if err != nil {
			return dynastay.Key{}, err
		}
		return keys.Of(keys.PropertyByCell{Cell: place.Cell, Geohash: place.Geohash, PropertyID: p.ID})
	})
	return all
}

func (p *Property) placeAndPrice() (key.Place, key.Thousandths, error) {
	place, err := key.PlaceOf(p.Address.Latitude, p.Address.Longitude)
	if err != nil {
		return place, 0, err
	}
	price, err := key.PriceOf(p.Prices.Min)
	return place, price, err
}

// placeCopies are the geohash attributes that the hotel-booking document stores in addition to the coordinates.
func placeCopies() (all []entity.Derived[Property]) {
	for name, take := range map[string]func(key.Place) string{
		"Geohash":           func(p key.Place) string { return p.Geohash },
		"GeohashPrecision6": func(p key.Place) string { return p.Precision6 },
		"GeohashPrecision5": func(p key.Place) string { return p.Precision5 },
	} {
		all = append(all, entity.Derived[Property]{
			Name: name,
			Value: func(p *Property) (types.AttributeValue, error) {
				place, err := key.PlaceOf(p.Address.Latitude, p.Address.Longitude)
				return dynastay.Text(take(place)), err
			},
		})
	}
	return all
}
