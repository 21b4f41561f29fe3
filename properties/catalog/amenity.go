package catalog

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// maxAliases is the maximum number of aliases of an amenity or a location.
const maxAliases = 20

// Amenity is an amenity that properties and rooms can have.
type Amenity struct {
	ID           string // chosen by the platform, such as "wifi"; it must be valid as [key.ID]
	Name         string
	Category     string // such as "basic"
	Icon         string // a name or a URL
	DisplayOrder int
	Aliases      []string `json:",omitzero"` // other names under which it is found, at most 20
	Version      int
}

// Amenities returns the catalogue "amenities". Its entries are found by their names and aliases. It sends no requests.
func Amenities(db *dynastay.DB) *Catalog[Amenity] {
	return New(db, Spec[Amenity]{
		Type: "amenities", Entity: "Amenity", ID: "AmenityId", Version: keys.AttrVersion,
		IDOf:     func(a *Amenity) string { return a.ID },
		Names:    func(a *Amenity) []string { return append([]string{a.Name}, a.Aliases...) },
		Validate: (*Amenity).Validate,
		Codec: entity.Declare(func(f *entity.Fields, a *Amenity) {
			f.String("AmenityId", &a.ID)
			f.String("Name", &a.Name)
			f.String("Category", &a.Category)
			f.String("Icon", &a.Icon)
			f.Int("DisplayOrder", &a.DisplayOrder)
			f.Strings("Aliases", &a.Aliases)
			f.IfSet().Int(keys.AttrVersion, &a.Version)
		}),
	})
}

// Validate requires a name. Name, Category and each alias must be at most [entity.MaxName] bytes, Icon at most
// [entity.MaxURL], and the name and the aliases must satisfy [CheckName]. Errors name the field.
func (a *Amenity) Validate() error {
	if err := entity.CheckText(a.Category, entity.MaxName); err != nil {
		return dynastay.Within("Category", err)
	}
	if err := entity.CheckText(a.Icon, entity.MaxURL); err != nil {
		return dynastay.Within("Icon", err)
	}
	if a.Name == "" {
		return dynastay.Invalid("Name", "is required")
	}
	return checkNames("Name", a.Name, a.Aliases, "")
}

// checkNames checks the name in a field and the aliases. With the addition, each must still be short enough.
func checkNames(field, name string, aliases []string, addition string) error {
	if len(aliases) > maxAliases {
		return dynastay.Invalid("Aliases", "must have at most %d entries, got %d", maxAliases, len(aliases))
	}
	for i, text := range append([]string{name}, aliases...) {
		err := entity.CheckText(text, entity.MaxName)
		if err == nil {
			err = CheckName(text)
		}
		if err == nil {
			err = CheckName(text + addition)
		}
		if err != nil {
			if i > 0 {
				field = fmt.Sprintf("Aliases[%d]", i-1)
			}
			return dynastay.Within(field, err)
		}
	}
	return nil
}
