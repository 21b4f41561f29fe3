package properties

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
)

// RoomType is a kind of room that a property sells. Its id belongs to one property only, since it is all that the key
// of a night holds.
type RoomType struct {
	ID          string
	PropertyID  string
	Name        string
	Description string

	MaxOccupancy int // the limits of one room
	MaxAdults    int
	MaxChildren  int

	SizeSqm   float64 // 0 for unknown
	Beds      []Bed
	BasePrice dynastay.Money // for one night; a property's room types share one currency
	Amenities []string
	Images    []string
	Total     int // rooms of this type that the house has
	// CancellationPolicy overrides the property's; "" takes that over.
	CancellationPolicy availability.CancellationPolicy

	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int
}

// Bed is a kind of bed and how many of it a room has.
type Bed struct {
	Type  string
	Count int
}

var roomEntity = &dynastay.Entity[RoomType]{
	Name:     "RoomType",
	Schema:   keys.PropertiesTable,
	Version:  keys.AttrVersion,
	Touched:  "UpdatedAt",
	Validate: (*RoomType).Validate,
	Key: func(r *RoomType) (dynastay.Key, error) {
		return keys.Of(keys.RoomType{PropertyID: r.PropertyID, RoomTypeID: r.ID})
	},
	Codec: dynastay.Declare(func(f *dynastay.Fields, r *RoomType) {
		f.Const(keys.AttrEntityType, "RoomType")
		f.String("RoomTypeId", &r.ID)
		f.String("PropertyId", &r.PropertyID)
		f.String("Name", &r.Name)
		f.String("Description", &r.Description)
		f.Int("MaxOccupancy", &r.MaxOccupancy)
		f.Int("MaxAdults", &r.MaxAdults)
		f.Int("MaxChildren", &r.MaxChildren)
		f.IfSet().Float("RoomSizeSqm", &r.SizeSqm)
		dynastay.List(f, "BedConfiguration", &r.Beds, func(f *dynastay.Fields, b *Bed) {
			f.String("type", &b.Type)
			f.Int("count", &b.Count)
		})
		f.Money("BasePricePerNight", "Currency", &r.BasePrice)
		f.Strings("RoomAmenities", &r.Amenities)
		f.Strings("Images", &r.Images)
		f.Int("TotalRooms", &r.Total)
		dynastay.Text(f, "CancellationPolicy", &r.CancellationPolicy)
		f.Time("CreatedAt", &r.CreatedAt)
		f.Time("UpdatedAt", &r.UpdatedAt)
		f.IfSet().Int(keys.AttrVersion, &r.Version)
	}),
}

// Validate checks what can be checked without the database; its errors name the field.
func (r *RoomType) Validate() error {
	if _, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: r.ID}); err != nil {
		return renamed("ID", err)
	}
	if _, err := keys.Of(keys.Property{PropertyID: r.PropertyID}); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(r.Name) == "":
		return dynastay.Invalid("Name", "is missing")
	case r.MaxOccupancy < 1:
		return dynastay.Invalid("MaxOccupancy", "%d is not a number of guests", r.MaxOccupancy)
	case r.MaxAdults < 1:
		return dynastay.Invalid("MaxAdults", "%d is not a number of adults", r.MaxAdults)
	case r.MaxChildren < 0:
		return dynastay.Invalid("MaxChildren", "%d is negative", r.MaxChildren)
	case r.Total < 1:
		return dynastay.Invalid("Total", "%d is not a number of rooms", r.Total)
	case !(r.SizeSqm >= 0 && r.SizeSqm < 1e6): // false for NaN as well
		return dynastay.Invalid("SizeSqm", "is not a size")
	}
	if err := r.BasePrice.Currency().Validate(); err != nil {
		return dynastay.Within("BasePrice.Currency", err)
	}
	if _, err := keys.PriceOf(r.BasePrice); err != nil {
		return dynastay.Invalid("BasePrice", "%s is negative or out of range", r.BasePrice)
	}
	return dynastay.Within("CancellationPolicy", r.CancellationPolicy.Validate())
}

// priceRange is the lowest and the highest base price; all must be in one currency.
func priceRange(rooms []RoomType) (PriceRange, error) {
	var p PriceRange
	for i, r := range rooms {
		if i == 0 {
			p = PriceRange{r.BasePrice, r.BasePrice}
			continue
		}
		low, err := r.BasePrice.Compare(p.Min)
		if err != nil {
			return p, dynastay.Invalid(fmt.Sprintf("Rooms[%d].BasePrice.Currency", i), "%s is not the %s of the other room types",
				r.BasePrice.Currency(), p.Min.Currency())
		}
		if low < 0 {
			p.Min = r.BasePrice
		}
		if high, _ := r.BasePrice.Compare(p.Max); high > 0 {
			p.Max = r.BasePrice
		}
	}
	return p, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
