package properties

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// RoomType is a type of room that a property sells. Its id belongs to only one property, because the key of a night
// holds only the id of the room type.
type RoomType struct {
	ID          string
	PropertyID  string
	Name        string
	Description string

	availability.Limits

	SizeSqm   float64        // 0 means unknown
	Beds      []Bed          `json:",omitzero"`
	BasePrice dynastay.Money `json:",omitzero"` // for one night; a property's room types share one currency
	Amenities []string       `json:",omitzero"` // not checked against a catalogue
	Images    []string       `json:",omitzero"` // URLs; independent of the images of the property
	Total     int            // number of rooms of this type in the property, 1 to availability.MaxRooms
	// CancellationPolicy overrides the property's policy; "" means that the property's policy applies.
	CancellationPolicy availability.CancellationPolicy

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int
}

// Bed is a type of bed, and the number of them in a room.
type Bed struct {
	Type  string
	Count int
}

var roomEntity = sync.OnceValue(func() *entity.Entity[RoomType] {
	return entity.New(entity.Spec[RoomType]{
		Name: "RoomType", Schema: keys.PropertiesTable, Validate: (*RoomType).Validate,
		Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Key: func(r *RoomType) (dynastay.Key, error) {
			return keys.Of(keys.RoomType{PropertyID: r.PropertyID, RoomTypeID: r.ID})
		},
		Codec: entity.Declare(func(f *entity.Fields, r *RoomType) {
			f.Const(keys.AttrEntityType, "RoomType")
			f.String("RoomTypeId", &r.ID)
			f.String("PropertyId", &r.PropertyID)
			f.String("Name", &r.Name)
			f.String("Description", &r.Description)
			f.Int("MaxOccupancy", &r.MaxOccupancy)
			f.Int("MaxAdults", &r.MaxAdults)
			f.Int("MaxChildren", &r.MaxChildren)
			f.IfSet().Float("RoomSizeSqm", &r.SizeSqm)
			entity.List(f, "BedConfiguration", &r.Beds, func(f *entity.Fields, b *Bed) {
				f.String("type", &b.Type)
				f.Int("count", &b.Count)
			})
			f.Money("BasePricePerNight", "Currency", &r.BasePrice)
			f.Strings("RoomAmenities", &r.Amenities)
			f.Strings("Images", &r.Images)
			f.Int("TotalRooms", &r.Total)
			entity.String(f, "CancellationPolicy", &r.CancellationPolicy)
			f.Time("CreatedAt", &r.CreatedAt)
			f.Time("UpdatedAt", &r.UpdatedAt)
			f.IfSet().Int(keys.AttrVersion, &r.Version)
		}),
	})
})

// The maximum lengths of the lists of a room type. They are more than any room needs, and even with elements of maximum
// length the item stays far below DynamoDB's limit of 400 KB.
const (
	maxBeds          = 32
	maxRoomAmenities = 100
	maxRoomImages    = 50
)

// Validate checks the room type without accessing the database. It requires ID and PropertyID, even though
// [Repository.AddRoomTypes] sets them. Its errors name the field. The description has at most 16 KB, each image, which
// is a URL, [entity.MaxURL] bytes, and every other text [entity.MaxName] bytes. A room type has at most 32 types of
// beds, 100 amenities and 50 images.
func (r *RoomType) Validate() error {
	if _, err := keys.Of(keys.Property{PropertyID: r.PropertyID}); err != nil {
		return err
	}
	return r.validate()
}

// validate is Validate for a room type whose property has no id yet.
func (r *RoomType) validate() error {
	if _, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: r.ID}); err != nil {
		return renamed("ID", err)
	}
	if err := r.validateTexts(); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(r.Name) == "":
		return dynastay.Invalid("Name", "is required")
	case r.Total < 1 || r.Total > availability.MaxRooms:
		return dynastay.Invalid("Total", "must be between 1 and 10,000")
	case !(r.SizeSqm >= 0 && r.SizeSqm < 1e6): // false for NaN as well
		return dynastay.Invalid("SizeSqm", "must be at least 0 and less than 1,000,000")
	}
	if err := r.Limits.Validate(); err != nil {
		return err
	}
	if err := r.BasePrice.Validate(); err != nil {
		return dynastay.Within("BasePrice", err)
	}
	if _, err := key.PriceOf(r.BasePrice); err != nil {
		return dynastay.Invalid("BasePrice", "must be at least 0 and less than 1,000,000,000,000")
	}
	return dynastay.Within("CancellationPolicy", r.CancellationPolicy.Validate())
}

func (r *RoomType) validateTexts() error {
	if err := entity.CheckText(r.Name, entity.MaxName); err != nil {
		return dynastay.Within("Name", err)
	}
	if err := entity.CheckText(r.Description, maxDescription); err != nil {
		return dynastay.Within("Description", err)
	}
	if len(r.Beds) > maxBeds {
		return dynastay.Invalid("Beds", "must have at most %d entries", maxBeds)
	}
	for i, bed := range r.Beds {
		if err := entity.CheckText(bed.Type, entity.MaxName); err != nil {
			return dynastay.Within(fmt.Sprintf("Beds[%d].Type", i), err)
		}
	}
	if err := checkList("Amenities", r.Amenities, maxRoomAmenities, entity.MaxName); err != nil {
		return err
	}
	return checkList("Images", r.Images, maxRoomImages, entity.MaxURL)
}

// checkList checks the number of texts before it checks any of them.
func checkList(field string, texts []string, most, mostBytes int) error {
	if len(texts) > most {
		return dynastay.Invalid(field, "must have at most %d entries", most)
	}
	for i, text := range texts {
		if err := entity.CheckText(text, mostBytes); err != nil {
			return dynastay.Within(fmt.Sprintf("%s[%d]", field, i), err)
		}
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }
