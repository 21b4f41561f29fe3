package regions

import (
	"slices"

	"github.com/dynastay/dynastay"
)

// Type is a kind of region. Each is a partition of the table.
type Type string

// The types of regions.
const (
	Country          Type = "country"
	USState          Type = "us_state" // and the District of Columbia
	CanadianProvince Type = "canadian_province"
)

// Types returns all types.
func Types() []Type { return []Type{Country, USState, CanadianProvince} }

// String returns the type as it is stored.
func (t Type) String() string { return string(t) }

// Validate returns an error for the field "Type" if there is no such type.
func (t Type) Validate() error {
	if !slices.Contains(Types(), t) {
		return dynastay.Invalid("Type", "must be one of %v", Types())
	}
	return nil
}

// Continent is the code of a continent.
type Continent string

// The continents.
const (
	Africa       Continent = "AF"
	Antarctica   Continent = "AN"
	Asia         Continent = "AS"
	Europe       Continent = "EU"
	NorthAmerica Continent = "NA"
	Oceania      Continent = "OC"
	SouthAmerica Continent = "SA"
)

// Validate returns an error for the field "Continent" if there is no such continent. The empty code is valid.
func (c Continent) Validate() error {
	switch c {
	case "", Africa, Antarctica, Asia, Europe, NorthAmerica, Oceania, SouthAmerica:
		return nil
	}
	return dynastay.Invalid("Continent", "must be one of AF, AN, AS, EU, NA, OC and SA")
}

// Ref identifies a region.
type Ref struct {
	Type Type
	Code string
}
