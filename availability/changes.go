package availability

import (
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
)

// Changes are decoders for the changes of nights.
//
// The schema of [keys.AvailabilityTable] enables no stream, because every sale of a stay changes each of its nights,
// and few platforms need to know. To use these decoders, enable a stream of the table with the view type
// NEW_AND_OLD_IMAGES.
type Changes struct {
	// Nights is one night of one room type. Opening and updating nights, closing and reopening sales, and every
	// booking, modification, cancellation and expiry produce a change for each night that they write. A night is
	// deleted only by its time to live, two years after its date; [stream.Record.ByTTL] is then true, in the region
	// that deletes it. A night that has expired has changes too, although no method returns it any more.
	Nights stream.Decoder[Night]
}

// Changes returns decoders for the changes of the repository's entities, see package entity/stream. It sends no
// requests.
func (r *Repository) Changes() Changes {
	return Changes{
		Nights: stream.NewDecoder(r.db, keys.AvailabilityTable, keys.Is[keys.Night], r.entity.Value),
	}
}
