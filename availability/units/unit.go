package units

import (
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Unit is one room, apartment or bed that a property sells.
type Unit struct {
	PropertyID string
	// ID is what the property calls it, such as "301": it must be valid as [key.ID], and is unique in the property.
	ID         string
	RoomTypeID string
	Name       string   // if the id does not say it, at most entity.MaxName bytes
	Floor      string   // such as "3" or "G", at most entity.MaxName bytes
	Features   []string `json:",omitzero"` // such as "sea view"; at most 20 different ones, of at most entity.MaxName bytes each

	Housekeeping Housekeeping
	// HousekeepingBy is who set it: the id that the platform has for a member of the staff, "" if a departure did.
	HousekeepingBy string
	HousekeepingAt time.Time `json:",omitzero"`

	// OutOfOrder is when the unit cannot be used, in the order in which that was decided. bookings.Repository.TakeOutOfOrder and
	// EndOutOfOrder change it, and nothing else does.
	OutOfOrder []OutOfOrder `json:",omitzero"`

	Retired   bool      // it is not assigned any more
	retiring  bool      // somebody looks whether it can be
	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int
}

// Housekeeping is the state of a unit for those who clean it.
type Housekeeping string

// The states.
const (
	Clean     Housekeeping = "clean"
	Dirty     Housekeeping = "dirty"
	Inspected Housekeeping = "inspected" // clean, and somebody has looked
)

const (
	maxFeatures = 20
	maxBy       = 128 // bytes
)

// Validate returns a [*dynastay.InvalidError] that names the field. A unit without a state of housekeeping is valid: creating it
// makes it clean.
func (u *Unit) Validate() error {
	if _, err := keys.Of(keys.RoomType{PropertyID: u.PropertyID, RoomTypeID: u.RoomTypeID}); err != nil {
		return err
	}
	for _, text := range []struct{ field, value string }{{"Name", u.Name}, {"Floor", u.Floor}} {
		if err := entity.CheckText(text.value, entity.MaxName); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	if len(u.Features) > maxFeatures {
		return dynastay.Invalid("Features", "must have at most %d entries, got %d", maxFeatures, len(u.Features))
	}
	seen := map[string]bool{}
	for i, feature := range u.Features {
		at := fmt.Sprintf("Features[%d]", i)
		switch err := entity.CheckText(feature, entity.MaxName); {
		case err != nil:
			return dynastay.Within(at, err)
		case feature == "":
			return dynastay.Invalid(at, "must not be empty")
		case seen[feature]:
			return dynastay.Invalid(at, "appears more than once")
		}
		seen[feature] = true
	}
	if u.Housekeeping != "" {
		if err := u.Housekeeping.validate(); err != nil {
			return err
		}
	}
	return dynastay.Within("HousekeepingBy", entity.CheckText(u.HousekeepingBy, maxBy))
}

func (h Housekeeping) validate() error {
	switch h {
	case Clean, Dirty, Inspected:
		return nil
	}
	return dynastay.Invalid("Housekeeping", "must be %q, %q or %q", Clean, Dirty, Inspected)
}

const attrRetired = "IsRetired"

// The attributes that change without a new write id.
const (
	attrHousekeeping   = "Housekeeping"
	attrHousekeepingBy = "HousekeepingBy"
	attrHousekeepingAt = "HousekeepingAt"
)

var unitEntity = entity.New(entity.Spec[Unit]{
	Name: "Unit", Operations: "units", Schema: keys.PropertiesTable, Validate: (*Unit).Validate,
	Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
	Key: func(u *Unit) (dynastay.Key, error) {
		return keys.Of(keys.Unit{PropertyID: u.PropertyID, UnitID: u.ID})
	},
	IDOf: idOf,
	// Guests who leave make a unit dirty, in the transaction of their booking, which does not read it.
	Counters: []string{attrHousekeeping, attrHousekeepingBy, attrHousekeepingAt},
	// Whoever edits the unit meanwhile must not be told that it has changed.
	Kept: []string{attrOutOfOrder},
	Codec: entity.Declare(func(f *entity.Fields, u *Unit) {
		f.Const(keys.AttrEntityType, "Unit")
		f.String("PropertyId", &u.PropertyID)
		f.String("UnitId", &u.ID)
		f.String("RoomTypeId", &u.RoomTypeID)
		f.String("Name", &u.Name)
		f.String("Floor", &u.Floor)
		f.IfSet().Strings("Features", &u.Features)
		entity.String(f, attrHousekeeping, &u.Housekeeping)
		f.String(attrHousekeepingBy, &u.HousekeepingBy)
		f.Time(attrHousekeepingAt, &u.HousekeepingAt)
		entity.List(f, attrOutOfOrder, &u.OutOfOrder, declareOutOfOrder)
		f.IfSet().Bool(attrRetired, &u.Retired)
		f.IfSet().Bool("IsRetiring", &u.retiring)
		f.Time("CreatedAt", &u.CreatedAt)
		f.Time("UpdatedAt", &u.UpdatedAt)
		f.IfSet().Int(keys.AttrVersion, &u.Version)
	}),
})

// CheckID checks the id of a unit, or one that must be valid like that, in a field of a request.
func CheckID(field, id string) error {
	_, err := keys.Of(keys.Unit{PropertyID: "any", UnitID: id})
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return err
}

// idOf returns the unit's id, for errors.
func idOf(k dynastay.Key) string {
	if at, err := keys.Parse[keys.Unit](k); err == nil {
		return at.UnitID
	}
	return k.String()
}
