package availability

import (
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
)

// Reason is why a night cannot be sold.
type Reason string

// The reasons.
const (
	SoldOut           Reason = "sold_out"            // fewer rooms are left than asked for
	StopSell          Reason = "stop_sell"           // the host, or the property as a whole, is off sale
	NotOnSale         Reason = "not_on_sale"         // the night was never opened, or belongs to another property
	ClosedToArrival   Reason = "closed_to_arrival"   // a stay may not begin on this date
	ClosedToDeparture Reason = "closed_to_departure" // a stay may not end on the morning after
	MinStay           Reason = "min_stay"            // an arrival on this date must stay longer
	MaxStay           Reason = "max_stay"            // an arrival on this date may not stay so long
	PriceChanged      Reason = "price_changed"       // the price is no longer the quoted one; quote again
)

// RefusedNight is one night that cannot be sold, and why.
type RefusedNight struct {
	RoomTypeID string
	Date       dynastay.Date
	Reason     Reason
	Left       int            // rooms that are left, for SoldOut
	Nights     int            // the bound, for MinStay and MaxStay
	Price      dynastay.Money // the present price, for PriceChanged
}

// String is the form "2025-01-15 sold_out".
func (n RefusedNight) String() string { return n.Date.String() + " " + string(n.Reason) }

// Refused says that a stay cannot be sold as asked for. Nothing was written.
type Refused struct {
	Nights []RefusedNight // in order of room type and date; a night may have several reasons
}

// Error names every night and its reason.
func (r *Refused) Error() string {
	texts := make([]string, len(r.Nights))
	for i, n := range r.Nights {
		texts[i] = fmt.Sprintf("%s %s", n.RoomTypeID, n)
	}
	return "refused: " + strings.Join(texts, ", ")
}

// Has reports whether any night was refused for the reason.
func (r *Refused) Has(reason Reason) bool {
	for _, n := range r.Nights {
		if n.Reason == reason {
			return true
		}
	}
	return false
}

// refuse looks at one night of a stay as a sale would; night is nil where there is no item.
func refuse(propertyID string, line Line, stay dynastay.Stay, date dynastay.Date, night *Night) []RefusedNight {
	because := func(reason Reason) RefusedNight {
		return RefusedNight{RoomTypeID: line.RoomTypeID, Date: date, Reason: reason}
	}
	if night == nil || night.PropertyID != propertyID {
		return []RefusedNight{because(NotOnSale)}
	}
	var all []RefusedNight
	if night.StopSell || night.PropertyClosed {
		all = append(all, because(StopSell))
	}
	if night.Available < line.Quantity {
		soldOut := because(SoldOut)
		soldOut.Left = max(0, night.Available)
		all = append(all, soldOut)
	}
	if date == stay.CheckIn {
		if night.ClosedToArrival {
			all = append(all, because(ClosedToArrival))
		}
		if night.MinStay > stay.Nights() {
			short := because(MinStay)
			short.Nights = night.MinStay
			all = append(all, short)
		}
		if night.MaxStay > 0 && night.MaxStay < stay.Nights() {
			long := because(MaxStay)
			long.Nights = night.MaxStay
			all = append(all, long)
		}
	}
	if date == stay.LastNight() && night.ClosedToDeparture {
		all = append(all, because(ClosedToDeparture))
	}
	return all
}
