package catalog

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Location is a destination: a city that people search for.
type Location struct {
	ID string // generated if empty; with ids of its own, such as "new-york-usa", a platform avoids duplicates
	// City and Country are the texts that the addresses of properties have. A search by city takes both exactly as they
	// are here, including case.
	City, Country       string
	State               string
	Aliases             []string `json:",omitzero"` // other names of the city, such as "NYC", at most 20
	Latitude, Longitude float64  // in decimal degrees
	Version             int
}

// Locations returns the catalogue "locations". A location is found by its city and by each alias, alone and followed by
// the country: as "New York", "new york, usa", "NYC" and "nyc usa". It sends no requests.
func Locations(db *dynastay.DB) *Catalog[Location] {
	return New(db, Spec[Location]{
		Type: "locations", Entity: "Location", ID: "LocationId", Prefix: "loc_", Version: keys.AttrVersion,
		IDOf:     func(l *Location) string { return l.ID },
		Names:    (*Location).names,
		Validate: (*Location).Validate,
		Codec: entity.Declare(func(f *entity.Fields, l *Location) {
			f.String("LocationId", &l.ID)
			f.String("City", &l.City)
			f.String("State", &l.State)
			f.String("Country", &l.Country)
			f.Strings("Aliases", &l.Aliases)
			f.Float("Latitude", &l.Latitude)
			f.Float("Longitude", &l.Longitude)
			f.IfSet().Int(keys.AttrVersion, &l.Version)
		}),
	})
}

func (l *Location) names() (all []string) {
	for _, name := range append([]string{l.City}, l.Aliases...) {
		all = append(all, name, name+" "+l.Country)
	}
	return all
}

// Validate requires a city and a country that can be part of the key of a property, see [key.Text], and valid
// coordinates. State and each alias must be at most [entity.MaxName] bytes. The city and each alias must satisfy
// [CheckName], both alone and followed by the country. Errors name the field.
func (l *Location) Validate() error {
	if _, err := keys.Partition(keys.PropertyByCity{City: l.City, Country: l.Country}); err != nil {
		return err
	}
	if _, err := key.PlaceOf(l.Latitude, l.Longitude); err != nil {
		return err
	}
	if err := entity.CheckText(l.State, entity.MaxName); err != nil {
		return dynastay.Within("State", err)
	}
	return checkNames("City", l.City, l.Aliases, " "+l.Country)
}
