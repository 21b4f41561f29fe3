package properties

import (
	"errors"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Status is where a property stands with the platform.
type Status string

// The statuses. Only an approved property is found by a search. Suspended and Deleting are for what is read.
const (
	Pending   Status = "pending"
	Approved  Status = "approved"
	Rejected  Status = "rejected"
	Suspended Status = "suspended"
	Deleting  Status = "deleting"
)

// Type is the kind of a property. The platform may have kinds of its own, words in lower case.
type Type string

// The common kinds.
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
	Stars       int // 0 to 5; 0 for none
	Description string
	OwnerID     string
	Status      Status

	Address Address
	Contact Contact

	CheckInTime  string // local time of day, "15:00"; "" for none
	CheckOutTime string
	TimeZone     string // IANA; "" means UTC
	// CancellationPolicy is the one that room types without their own take over.
	CancellationPolicy availability.CancellationPolicy

	PrimaryImageURL string
	ImageCount      int             // kept by the image writes
	Rating          dynastay.Rating // the average of the reviews, kept by them
	ReviewCount     int             // kept by the reviews
	AmenityIDs      []string        // kept by the amenity writes
	Prices          PriceRange      // kept by the room writes
	Featured        bool
	FeaturedScore   int // 0 to 9,999,999,999

	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int
}

// Address is where the property is; the coordinates are decimal degrees.
type Address struct {
	Line1, Line2         string
	City, State, Country string
	PostalCode           string
	Latitude, Longitude  float64
}

// Contact is how guests reach the property.
type Contact struct {
	Phone, Email, Website string
}

// PriceRange holds the lowest and the highest base price of the room types; both are unset without any.
type PriceRange struct {
	Min, Max dynastay.Money
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
	f.Rating("AverageRating", &p.Rating)
	f.Int("ReviewCount", &p.ReviewCount)
	f.Strings("AmenityList", &p.AmenityIDs)
	declarePrices(f, &p.Prices)
	f.Bool("IsFeatured", &p.Featured)
	f.IfSet().Int("FeaturedScore", &p.FeaturedScore)
	f.Time("CreatedAt", &p.CreatedAt)
	f.Time("UpdatedAt", &p.UpdatedAt)
	f.IfSet().Int(keys.AttrVersion, &p.Version)
})

func declarePrices(f *entity.Fields, p *PriceRange) {
	f.Map("PriceRange", func(f *entity.Fields) {
		f.Money("Min", "Currency", &p.Min)
		f.Money("Max", "Currency", &p.Max)
	})
}

// maxDescription is a dozen pages.
const maxDescription = 16 << 10

// Validate checks what can be checked without the database; its errors name the field. The description has at most 16 KB,
// a URL [entity.MaxURL] bytes, every other text [entity.MaxName].
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
		return dynastay.Invalid("Name", "is missing")
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
			return dynastay.Invalid(field, "must be a time of day in the form 15:04")
		}
	}
	if err := p.CancellationPolicy.Validate(); err != nil {
		return dynastay.Within("CancellationPolicy", err)
	}
	return p.validateKeys()
}

// validateKeys builds every key that the property may ever have, whether or not its status gives it one now: what was
// accepted while it was pending must not fail its approval.
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

// renamed gives the error of a key the name that the field has outside of keys.
func renamed(field string, err error) error {
	var invalid *dynastay.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return dynastay.Invalid(field, "%s", invalid.Reason)
}
