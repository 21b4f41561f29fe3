package properties

import (
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Status is the status of a property on the platform.
type Status string

// The statuses. Searches find only approved properties.
const (
	Pending   Status = "pending"   // waits for approval
	Approved  Status = "approved"  // can be found
	Rejected  Status = "rejected"  // was not approved
	Suspended Status = "suspended" // off sale until it is approved again
	Deleting  Status = "deleting"  // off sale, and being deleted
)

// Type is the type of a property. A platform may define its own types, which must be lower-case words, see [key.Word].
type Type string

// The common types.
const (
	Hotel     Type = "hotel"
	Apartment Type = "apartment"
	Resort    Type = "resort"
)

// Property is a place to stay.
type Property struct {
	ID          string
	Name        string
	Slug        string
	Type        Type
	Stars       int // 0 to 5; 0 means none
	Description string
	OwnerID     string
	Status      Status // set by a create; later changed by Approve, Reject, Resubmit, Suspend and Delete

	Address Address `json:",omitzero"`
	Contact Contact `json:",omitzero"`

	CheckInTime  string // local time of day, such as "15:00"; "" means none
	CheckOutTime string
	TimeZone     string // IANA; "" means UTC
	// CancellationPolicy applies to room types without a policy of their own. If neither has one, package bookings
	// cannot compute what a cancelled guest gets back, unless its Options.Terms say so.
	CancellationPolicy availability.CancellationPolicy

	PrimaryImageURL string          // set by a create; later the URL of the primary image
	ImageCount      int             // managed by the library
	Rating          dynastay.Rating `json:",omitzero"` // average of the reviews; managed by the library
	ReviewCount     int             // managed by the library
	RatePlanCount   int             // with those that are not active; managed by the library
	HasCharges      bool            // it has a list of charges, which may be empty by now; managed by the library
	AmenityIDs      []string        `json:",omitzero"` // set by a create; later changed by SetAmenities and the like
	Prices          PriceRange      `json:",omitzero"` // computed from the room types; managed by the library
	Featured        bool
	FeaturedScore   int // 0 to 9,999,999,999

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"` // changed only together with Version
	Version   int       // 1 after the create, incremented by Update only

	rooms []CardRoom // as the card shows them, so that a write of one room type does not have to read the others
	// The rate plans that the card has, without the property's id.
	advertised []availability.RatePlan
	charges    *charges.List // that the card has, of which it has only the text; nil for none
	ratingSum  ratingSum
	adopting   bool // write the items of all amenities
}

// Address is the location of a property. Latitude and Longitude are in decimal degrees.
type Address struct {
	Line1, Line2         string
	City, State, Country string
	PostalCode           string
	Latitude, Longitude  float64
}

// Contact is the contact information for guests.
type Contact struct {
	Phone, Email, Website string
}

// PriceRange holds the lowest and the highest base price of the room types. Both are unset if there are no room types.
type PriceRange struct {
	Min, Max dynastay.Money `json:",omitzero"`
}

func newEntity(o Options) *entity.Entity[Property] {
	return entity.New(entity.Spec[Property]{
		Name: "Property", Operations: "properties", Schema: keys.PropertiesTable, Validate: (*Property).Validate,
		ID: "PropertyId", Prefix: "prop_", Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Kept: []string{
			keys.AttrStatus, "PrimaryImageUrl", "ImageCount", "AverageRating", "ReviewCount", "RatingSum", "AmenityList", "PriceRange",
			keys.AttrCard, "RatePlanCount", "HasCharges",
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

var propertyCodec = entity.Declare(func(f *entity.Fields, p *Property) {
	f.Const(keys.AttrEntityType, "Property")
	f.String("PropertyId", &p.ID)
	f.String("Name", &p.Name)
	f.String("Slug", &p.Slug)
	entity.String(f, "PropertyType", &p.Type)
	f.Int("StarRating", &p.Stars)
	f.String("Description", &p.Description)
	f.String("OwnerId", &p.OwnerID)
	entity.String(f, "Status", &p.Status)
	f.Map("Address", func(f *entity.Fields) {
		f.String("Line1", &p.Address.Line1)
		f.String("Line2", &p.Address.Line2)
		f.String("City", &p.Address.City)
		f.String("State", &p.Address.State)
		f.String("Country", &p.Address.Country)
		f.String("PostalCode", &p.Address.PostalCode)
		f.Float("Latitude", &p.Address.Latitude)
		f.Float("Longitude", &p.Address.Longitude)
	})
	f.Map("ContactInfo", func(f *entity.Fields) {
		f.String("Phone", &p.Contact.Phone)
		f.String("Email", &p.Contact.Email)
		f.String("Website", &p.Contact.Website)
	})
	f.String("CheckInTime", &p.CheckInTime)
	f.String("CheckOutTime", &p.CheckOutTime)
	f.String("TimeZone", &p.TimeZone)
	entity.String(f, "CancellationPolicy", &p.CancellationPolicy)
	f.String("PrimaryImageUrl", &p.PrimaryImageURL)
	f.Int("ImageCount", &p.ImageCount)
	f.IfSet().Int("RatePlanCount", &p.RatePlanCount)
	f.IfSet().Bool("HasCharges", &p.HasCharges)
	f.Rating("AverageRating", &p.Rating)
	f.Int("ReviewCount", &p.ReviewCount)
	entity.Custom(f, "RatingSum", &p.ratingSum, ratingSum.stored, ratingSumOf)
	f.Strings("AmenityList", &p.AmenityIDs)
	declarePrices(f, &p.Prices)
	f.Bool("IsFeatured", &p.Featured)
	f.IfSet().Int("FeaturedScore", &p.FeaturedScore)
	f.Time("CreatedAt", &p.CreatedAt)
	f.Time("UpdatedAt", &p.UpdatedAt)
	f.IfSet().Int(keys.AttrVersion, &p.Version)
	f.Map(keys.AttrCard, func(f *entity.Fields) {
		declareCardRooms(f, &p.rooms)
		declareCardRatePlans(f, &p.advertised)
		declareCardCharges(f, &p.charges)
	})
})

func declarePrices(f *entity.Fields, p *PriceRange) {
	f.Map("PriceRange", func(f *entity.Fields) {
		f.Money("Min", "Currency", &p.Min)
		f.Money("Max", "Currency", &p.Max)
	})
}

// maxDescription is in bytes, about a dozen pages.
const maxDescription = 16 << 10

// Validate checks the property without accessing the database. Its errors name the field. The description has at most
// 16 KB, each URL [entity.MaxURL] bytes, and every other text [entity.MaxName] bytes.
func (p *Property) Validate() error {
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"Name", p.Name, entity.MaxName},
		{"Description", p.Description, maxDescription},
		{"Address.Line1", p.Address.Line1, entity.MaxName},
		{"Address.Line2", p.Address.Line2, entity.MaxName},
		{"Address.State", p.Address.State, entity.MaxName},
		{"Address.PostalCode", p.Address.PostalCode, entity.MaxName},
		{"Contact.Phone", p.Contact.Phone, entity.MaxName},
		{"Contact.Email", p.Contact.Email, entity.MaxName},
		{"Contact.Website", p.Contact.Website, entity.MaxURL},
		{"PrimaryImageURL", p.PrimaryImageURL, entity.MaxURL},
	} {
		if err := entity.CheckText(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	switch {
	case strings.TrimSpace(p.Name) == "":
		return dynastay.Invalid("Name", "is required")
	case p.Stars < 0 || p.Stars > 5:
		return dynastay.Invalid("Stars", "must be between 0 and 5")
	case p.Status == Approved && !p.Prices.Min.IsSet():
		return dynastay.Invalid("Status", "cannot be approved without a room type")
	}
	if _, err := (availability.House{TimeZone: p.TimeZone}).Location(); err != nil {
		return err
	}
	for field, clock := range map[string]string{"CheckInTime": p.CheckInTime, "CheckOutTime": p.CheckOutTime} {
		if _, err := time.Parse("15:04", clock); clock != "" && err != nil {
			return dynastay.Invalid(field, "must be a time in the form HH:MM")
		}
	}
	if err := p.CancellationPolicy.Validate(); err != nil {
		return dynastay.Within("CancellationPolicy", err)
	}
	return p.validateKeys()
}

// validateKeys builds every key that the property may ever have, whether or not it has that key in its current status.
// A value that is accepted while the property is pending must not make its approval fail.
func (p *Property) validateKeys() error {
	if _, err := keys.Of(keys.Property{PropertyID: p.ID}); err != nil {
		return renamed("ID", err)
	}
	if _, err := key.PlaceOf(p.Address.Latitude, p.Address.Longitude); err != nil {
		return dynastay.Within("Address", err)
	}
	if err := p.Rating.Validate(); err != nil {
		return dynastay.Within("Rating", err)
	}
	if _, err := keys.Of(keys.PropertyByCity{City: p.Address.City, Country: p.Address.Country, Rating: p.Rating, PropertyID: p.ID}); err != nil {
		return dynastay.Within("Address", err)
	}
	for _, key := range []func() (dynastay.Key, error){
		func() (dynastay.Key, error) {
			return keys.Of(keys.PropertyByOwner{OwnerID: p.OwnerID, PropertyID: p.ID})
		},
		func() (dynastay.Key, error) { return keys.Of(keys.PropertyBySlug{Slug: p.Slug}) },
		func() (dynastay.Key, error) {
			return keys.Of(keys.PropertyByType{Type: string(p.Type), Rating: p.Rating, PropertyID: p.ID})
		},
		func() (dynastay.Key, error) {
			return keys.Of(keys.PropertyByStatus{Status: string(p.Status), Created: p.CreatedAt, PropertyID: p.ID})
		},
	} {
		if _, err := key(); err != nil {
			return err
		}
	}
	if _, err := keys.Of(keys.FeaturedProperty{Score: int64(p.FeaturedScore), PropertyID: p.ID}); err != nil {
		return dynastay.Invalid("FeaturedScore", "must be between 0 and 9,999,999,999")
	}
	return nil
}

// renamed replaces the field name of a key's error with the name that the field has outside package keys.
func renamed(field string, err error) error {
	var invalid *dynastay.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return dynastay.Invalid(field, "%s", invalid.Reason)
}
