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
	AmenityIDs      []string        `json:",omitzero"` // set by a create; later changed by SetAmenities and the like
	Prices          PriceRange      `json:",omitzero"` // computed from the room types; managed by the library
	Featured        bool
	FeaturedScore   int // 0 to 9,999,999,999

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"` // changed only together with Version
	Version   int       // 1 after the create, incremented by Update only

	rooms     []CardRoom // as the card shows them, so that a write of one room type does not have to read the others
	ratingSum ratingSum
	adopting  bool // write the items of all amenities
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
	entity.Custom(f, "RatingSum", &p.ratingSum, ratingSum.stored, ratingSumOf)
	f.Strings("AmenityList", &p.AmenityIDs)
	declarePrices(f, &p.Prices)
	f.Bool("IsFeatured", &p.Featured)
	f.IfSet().Int("FeaturedScore", &p.FeaturedScore)
	f.Time("CreatedAt", &p.CreatedAt)
	f.Time("UpdatedAt", &p.UpdatedAt)
	f.IfSet().Int(keys.AttrVersion, &p.Version)
	f.Map(keys.AttrCard, func(f *entity.Fields) { declareCardRooms(f, &p.rooms) })
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
