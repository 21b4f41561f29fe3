package properties

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// StarsQuery selects the approved properties of a city with a number of stars. City and Country must be exactly as in
// the addresses of the properties, including case.
type StarsQuery struct {
	City, Country string
	Stars         int             // 1 to 5; properties without stars are not indexed by them
	MinRating     dynastay.Rating // 0 means all properties, including unrated ones
}

// ByStars lists the approved properties of a city that have exactly the given number of stars, best rated first. The
// list is eventually consistent: recent changes may not be visible yet.
//
// A row that other software wrote has no card. ByStars then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list, or missing if there is a minimum rating.
//
// Pattern P4: GSI8-RatingIndex, GSI8PK = CITY#{city}#{country}#STAR#{stars}, GSI8SK from RATING#{minimum}, 1 request
func (r *Repository) ByStars(q StarsQuery) dynastay.List[*Card] {
	at := keys.PropertyByStars{City: q.City, Country: q.Country, Stars: q.Stars, Rating: q.MinRating}
	return bestRated(r, "properties.ByStars", keys.RatingIndex, at, q.MinRating, 1, func(c *Card) bool { return c.Stars == q.Stars })
}
