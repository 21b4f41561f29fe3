package properties

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// CityQuery selects the approved properties of a city. City and Country must be exactly as in the addresses of the
// properties, including case.
type CityQuery struct {
	City, Country string
	MinRating     dynastay.Rating // 0 means all properties, including unrated ones
}

// ByCity lists the approved properties of a city, best rated first. The list is eventually consistent: recent changes
// may not be visible yet.
//
// A row that other software wrote has no card. ByCity then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list, or missing if there is a minimum rating.
//
// Pattern P1: GSI1-LocationIndex, GSI1PK = CITY#{city}#{country}, GSI1SK from RATING#{minimum}, 1 request
func (r *Repository) ByCity(q CityQuery) dynastay.List[*Card] {
	at := keys.PropertyByCity{City: q.City, Country: q.Country, Rating: q.MinRating}
	return bestRated(r, "properties.ByCity", keys.LocationIndex, at, q.MinRating, 1, func(*Card) bool { return true })
}
