package properties

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// TypeQuery selects the approved properties of a type, in all cities.
type TypeQuery struct {
	Type      Type
	MinRating dynastay.Rating // 0 means all properties, including unrated ones
}

// ByType lists the approved properties of a type, best rated first. The list is eventually consistent: recent changes
// may not be visible yet. Each shard takes 1 request per page, see [Options.TypeShards]; the requests are sent in
// parallel.
//
// A row that other software wrote has no card. ByType then reads the property, with 1 more request for each such row.
// Until [Repository.Adopt], it may be in a different place in the list, or missing if there is a minimum rating.
//
// Pattern P5: GSI4-TypeRatingIndex, GSI4PK = TYPE#{type}, GSI4SK from RATING#{minimum}, 1 request
func (r *Repository) ByType(q TypeQuery) dynastay.List[*Card] {
	at := keys.PropertyByType{Type: string(q.Type), Rating: q.MinRating}
	return bestRated(
		r, "properties.ByType", keys.TypeRatingIndex, at, q.MinRating, r.opts.TypeShards.Read, func(c *Card) bool { return c.Type == q.Type },
	)
}
