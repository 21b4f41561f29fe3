package listing

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Changes are decoders for the changes of listings' calendars.
//
// The schema of the table enables no stream, because the listing-availability document has none. To use these decoders,
// enable a stream of the table with the view type NEW_AND_OLD_IMAGES.
type Changes struct {
	// Events is one booking, block or imported reservation, as [Repository.Get] returns it. Every method that changes
	// an event produces a change of it, and one that takes several transactions produces a change for each of them: its
	// Stay differs in the last one only. Events of software that writes only nights have none.
	Events stream.Decoder[Event]
	// Nights is one night of one listing. A night is created, deleted, or given to another event of the same feed.
	Nights stream.Decoder[Night]
}

// Changes returns decoders for the changes of the repository's entities, see package entity/stream. It sends no
// requests.
func (r *Repository) Changes() Changes {
	return Changes{
		Events: stream.NewDecoder(r.db, listingkeys.Table, func(at dynastay.Key) bool { return listingkeys.EventIDOf(at) != "" }, r.event.Value),
		Nights: stream.NewDecoder(r.db, listingkeys.Table, key.Is[listingkeys.Night], r.night.Value),
	}
}
