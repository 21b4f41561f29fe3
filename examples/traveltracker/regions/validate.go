package regions

import (
	"errors"
	"fmt"
	"math"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Validate checks a region before it is written. Name and every alias must contain a letter or a digit; a Center must
// be within the Box. Errors name the field, such as "Box.North" or "Aliases[1]".
func (r *Region) Validate() error {
	if err := r.Type.Validate(); err != nil {
		return err
	}
	if _, err := key.Of(keys.Region{Type: string(r.Type), Code: r.Code}); err != nil {
		return err
	}
	if err := dynastay.Within("Name", checkName(r.Name)); err != nil {
		return err
	}
	if len(r.Aliases) > MaxAliases {
		return dynastay.Invalid("Aliases", "must have at most %d entries, got %d", MaxAliases, len(r.Aliases))
	}
	for i, alias := range r.Aliases {
		if err := checkName(alias); err != nil {
			return dynastay.Within(fmt.Sprintf("Aliases[%d]", i), err)
		}
	}
	if err := r.Continent.Validate(); err != nil {
		return err
	}
	for _, text := range []struct {
		field, text string
		most        int
	}{
		{"DisplayName", r.DisplayName, entity.MaxName}, {"Parent", r.Parent, entity.MaxName},
		{"Capital", r.Capital, entity.MaxName}, {"DataVersion", r.DataVersion, entity.MaxName},
		{"BoundaryURL", r.BoundaryURL, entity.MaxURL}, {"SimplifiedURL", r.SimplifiedURL, entity.MaxURL},
	} {
		if err := entity.CheckText(text.text, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	if r.Population < 0 {
		return dynastay.Invalid("Population", "must not be negative")
	}
	if !(r.AreaKM2 >= 0 && r.AreaKM2 <= math.MaxInt32) { // false for NaN as well
		return dynastay.Invalid("AreaKM2", "must be between 0 and %d", math.MaxInt32)
	}
	return r.validatePlace()
}

func (r *Region) validatePlace() error {
	if r.Box != nil {
		if err := r.Box.Validate(); err != nil {
			return dynastay.Within("Box", err)
		}
	}
	if r.Center == nil {
		return nil
	}
	if _, err := key.PlaceOf(r.Center.Latitude, r.Center.Longitude); err != nil {
		return dynastay.Within("Center", err)
	}
	if r.Box != nil && !r.Box.Contains(*r.Center) {
		return dynastay.Invalid("Center", "must be within the Box")
	}
	return nil
}

// checkName returns an error without a field if a region cannot be found by a name: if the name contains neither a
// letter nor a digit, or is more than [entity.MaxName] bytes, or more than that when it is folded.
func checkName(name string) error {
	if err := entity.CheckText(name, entity.MaxName); err != nil {
		return err
	}
	_, err := key.SortPrefix(keys.Alias{Name: name})
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid("", "%s", invalid.Reason)
	}
	return err
}
