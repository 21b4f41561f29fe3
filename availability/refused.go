package availability

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
)

// Reason is why a night cannot be sold.
type Reason string

// The reasons.
const (
	SoldOut           Reason = "sold_out"            // fewer rooms can be sold than requested
	StopSell          Reason = "stop_sell"           // the host has taken the night off sale
	PropertyClosed    Reason = "property_closed"     // the whole property is off sale
	NotOnSale         Reason = "not_on_sale"         // the night was never opened, or the rate plan is not sold for it
	ClosedToArrival   Reason = "closed_to_arrival"   // a stay may not begin on this date
	ClosedToDeparture Reason = "closed_to_departure" // a stay may not end on the morning after
	MinStay           Reason = "min_stay"            // an arrival on this date must stay longer
	MaxStay           Reason = "max_stay"            // an arrival on this date may not stay this long
	PriceChanged      Reason = "price_changed"       // the price is no longer the quoted price; quote again
	OtherCurrency     Reason = "other_currency"      // the price is not in the currency of the other nights, or of the request
	TooEarly          Reason = "too_early"           // the rate plan is not sold so many days ahead yet
	TooLate           Reason = "too_late"            // the rate plan must be booked earlier
)

// RefusedNight is one night that cannot be sold, and why. What a rate plan demands of the stay as a whole, such as its
// minimum stay, is reported for the night of arrival.
type RefusedNight struct {
	RoomTypeID string
	RatePlanID string        // if the plan refuses the night; "" otherwise
	Date       dynastay.Date `json:",omitzero"`
	Reason     Reason
	Left       int            // the rooms left, for SoldOut; 0 if the night is overbooked
	Nights     int            // the limit, for MinStay and MaxStay
	Days       int            // the limit, for TooEarly and TooLate
	Price      dynastay.Money `json:",omitzero"` // the current price, for PriceChanged and OtherCurrency; unset if there is none
}

// String returns the date and the reason, such as "2025-01-15 sold_out".
func (n RefusedNight) String() string { return n.Date.String() + " " + string(n.Reason) }

// Refused is the error for a stay that cannot be sold as requested. Nothing was written.
type Refused struct {
	Nights []RefusedNight `json:",omitzero"` // ordered by room type and date; a night may have several reasons
}

// Error lists every night with its reason.
func (r *Refused) Error() string {
	texts := make([]string, len(r.Nights))
	for i, n := range r.Nights {
		texts[i] = strings.Join(strings.Fields(n.RoomTypeID+" "+n.RatePlanID+" "+n.String()), " ")
	}
	return "cannot be sold: " + strings.Join(texts, ", ")
}

// Is makes it match [dynastay.ErrRefused].
func (*Refused) Is(target error) bool { return target == dynastay.ErrRefused }

// Has reports whether any night was refused for this reason.
func (r *Refused) Has(reason Reason) bool {
	for _, n := range r.Nights {
		if n.Reason == reason {
			return true
		}
	}
	return false
}

// addNew is add for nights of which some may be there already.
func (r *Refused) addNew(nights []RefusedNight) {
	var all []RefusedNight
	for _, n := range nights {
		if !slices.Contains(r.Nights, n) && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	r.add(all)
}

// add adds nights in the order of the others.
func (r *Refused) add(nights []RefusedNight) {
	r.Nights = append(r.Nights, nights...)
	slices.SortStableFunc(r.Nights, func(a, b RefusedNight) int {
		return cmp.Or(cmp.Compare(a.RoomTypeID, b.RoomTypeID), a.Date.Compare(b.Date))
	})
}
