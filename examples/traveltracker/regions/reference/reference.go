// Package reference has the data of the regions: all countries of ISO 3166-1, the 50 US states and the District of
// Columbia, and the 13 provinces and territories of Canada.
//
// Codes, and what is not corrected here, come from the module github.com/biter777/countries. Its names are partly the
// official ones; this package has the usual English names, and the official and local ones as aliases. Regions that are
// not in ISO 3166-1, such as Kosovo, and withdrawn codes are left out. Population and area are unknown.
//
// Boxes are in boxes.csv, which names their sources: Natural Earth and the US Census Bureau, both in the public domain.
// Those of small countries and of the Canadian provinces are rounded extreme points. The United States Minor Outlying
// Islands have none: they are scattered over half of the earth.
package reference

import (
	"slices"
	"strings"
	"sync"

	"github.com/biter777/countries"

	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

// Version is the DataVersion of all regions. It changes with the data.
const Version = "2"

// Regions returns all regions. The caller may change the result.
func Regions() (all []regions.Region) {
	boxes := boxes()
	add := func(r regions.Region) {
		r.DataVersion = Version
		if box, ok := boxes[r.Ref()]; ok {
			r.Box = &box
		}
		all = append(all, r)
	}
	for _, c := range countries.All() {
		if !notInISO[c] {
			add(country(c))
		}
	}
	for _, s := range countries.US.Subdivisions() {
		if capital, ok := stateCapitals[code(s)]; ok { // the others are territories, which are countries in ISO 3166-1
			add(subdivision(regions.USState, s, capital, stateAliases))
		}
	}
	for _, s := range countries.CA.Subdivisions() {
		add(subdivision(regions.CanadianProvince, s, provinceCapitals[code(s)], provinceAliases))
	}
	return all
}

// notInISO are entries of the module that ISO 3166-1 does not have: two have been withdrawn, and one was never
// assigned.
var notInISO = map[countries.CountryCode]bool{countries.ANT: true, countries.YUG: true, countries.XKX: true}

func country(c countries.CountryCode) regions.Region {
	r := regions.Region{
		Type: regions.Country, Code: c.Alpha2(), Name: c.String(), Capital: c.Capital().String(),
		Continent: continents[c.Region()],
	}
	if name, ok := names[r.Code]; ok {
		r.Name = name
	}
	if capital, ok := capitals[r.Code]; ok {
		r.Capital = capital
	}
	if r.Capital == "None" {
		r.Capital = ""
	}
	if continent, ok := corrected[r.Code]; ok {
		r.Continent = continent
	}
	r.DisplayName = r.Name
	r.Aliases = slices.Clone(aliases[r.Code])
	return r
}

func subdivision(t regions.Type, s countries.SubdivisionCode, capital string, aliases map[string][]string) regions.Region {
	parent := s.Info().Country
	name := strings.TrimSuffix(s.String(), " Territory") // Yukon, since 2003
	return regions.Region{
		Type: t, Code: code(s), Name: name, DisplayName: name + ", " + parent.String(), Aliases: slices.Clone(aliases[code(s)]),
		Continent: regions.NorthAmerica, Parent: parent.Alpha2(), Capital: capital,
	}
}

// code returns the code without that of the country: CA for US-CA.
func code(s countries.SubdivisionCode) string {
	_, code, _ := strings.Cut(string(s), "-")
	return code
}

var continents = map[countries.RegionCode]regions.Continent{
	countries.RegionAF: regions.Africa, countries.RegionAN: regions.Antarctica, countries.RegionAS: regions.Asia,
	countries.RegionEU: regions.Europe, countries.RegionNA: regions.NorthAmerica, countries.RegionOC: regions.Oceania,
	countries.RegionSA: regions.SouthAmerica,
}

// boxes returns the boxes of boxes.csv.
var boxes = sync.OnceValue(func() map[regions.Ref]regions.Box {
	boxes, err := parse(boxesCSV)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return boxes
})
