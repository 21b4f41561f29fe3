package registration

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

type byID struct{ ID string }

func (k *byID) Form(f *key.Form) {
	f.PK("CARD#", key.ID("ID", &k.ID))
	f.SK("CARD")
}

// guard is the key of the item that reserves a booking for its card.
type guard struct{ BookingID string }

func (k *guard) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("GUARD")
}

// byArrival is the key of a card in [ArrivalIndex].
type byArrival struct {
	PropertyID string
	Arrival    dynastay.Date
	CardID     string
}

func (k *byArrival) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("ARRIVAL#", key.Date("Arrival", &k.Arrival), "#CARD#", key.ID("CardID", &k.CardID))
}
