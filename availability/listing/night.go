package listing

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// Night is one night on which a listing is not available, because an event holds it.
type Night struct {
	ListingID  string
	HostID     string
	Date       dynastay.Date `json:",omitzero"`
	Kind       Kind
	Source     Source
	EventID    string    // see Event.ID
	BookingID  string    // see Event.BookingID
	ExternalID string    // see Event.ExternalID
	CreatedAt  time.Time `json:",omitzero"`
}

// attrEventID is the attribute that says which event holds a night.
const attrEventID = "eventId"

func newNights() *entity.Entity[Night] {
	return entity.New(entity.Spec[Night]{
		Name: "Night", Operations: "listing", Schema: listingkeys.Table,
		Key: func(n *Night) (dynastay.Key, error) {
			return key.Of(listingkeys.Night{ListingID: n.ListingID, Date: n.Date})
		},
		Indexes: map[string]func(*Night) (dynastay.Key, error){
			listingkeys.HostAvailabilityIndex: func(n *Night) (dynastay.Key, error) {
				return key.Of(listingkeys.NightByHost{HostID: n.HostID, Date: n.Date, ListingID: n.ListingID})
			},
		},
		Codec: entity.Declare(func(f *entity.Fields, n *Night) {
			f.String("listingId", &n.ListingID)
			f.String("hostId", &n.HostID)
			f.Date("date", &n.Date)
			entity.String(f, "kind", &n.Kind)
			entity.String(f, "eventSource", &n.Source)
			f.String(attrEventID, &n.EventID)
			f.String("bookingId", &n.BookingID)
			f.String("externalReservationId", &n.ExternalID)
			f.Time("createdAt", &n.CreatedAt)
		}),
	})
}
