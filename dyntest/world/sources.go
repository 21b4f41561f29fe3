package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

const (
	frontDesk       = "front desk"
	agreedPercent   = 50 // of the bookings of a channel that are under no plan are at its own price
	campaignPercent = 12 // of the other guests came by a campaign
)

var (
	channels = []share[string]{{82, ""}, {6, "booking.com"}, {5, "expedia"}, {3, "hotelbeds"}, {4, frontDesk}}
	// What a channel pays of the price of a night.
	agreedRates = []int{80, 85, 88, 90}
	commissions = []string{"12", "15", "18"}
	campaigns   = []string{"newsletter", "summer", "weekend"}
)

// origin is where a sale comes from, and the platform's own data about it.
type origin struct {
	bookings.Source
	noUser bool
	agreed int // what the guest pays, in percent of the price of each night; 0 for that of the hotel
	data   bookings.Data
	line   bookings.Data // of each line
}

// sellThroughChannels plans which sales are those of a channel or of the front desk. The dice are of no other use, so that
// everything else about a sale is the same as without channels. Guests with a promo code are those of the platform.
func (h *house) sellThroughChannels(d dice, sales []sale) {
	for n := range sales {
		s := &sales[n]
		switch channel := draw(d, channels); {
		case s.code != "":
		case channel == frontDesk:
			s.origin = origin{Source: bookings.Source{Channel: channel}, noUser: true}
		case channel != "":
			s.origin = origin{
				Source: bookings.Source{Channel: channel, ExternalReference: "ext" + strings.TrimPrefix(s.id, "bkg")}, noUser: true,
				data: bookings.Data{"commission": pick(d, commissions)},
			}
			if s.plan == "" && d.percent(agreedPercent) {
				s.agreed = pick(d, agreedRates)
				s.line = bookings.Data{"contract": fmt.Sprintf("net %d", s.agreed)}
			}
		case d.percent(campaignPercent):
			s.data = bookings.Data{"campaign": pick(d, campaigns)}
		}
	}
}

// agree sets the agreed prices of a sale in its request.
func (h *house) agree(req *availability.QuoteRequest, s sale) {
	if s.agreed == 0 {
		return
	}
	for n := range req.Rooms {
		room := &req.Rooms[n]
		k := slices.IndexFunc(s.rooms, func(c choice) bool { return h.rooms[c.k].ID == room.RoomTypeID })
		for date := range req.Stay.Dates() {
			price, _ := h.night(s.rooms[k].k, date)
			room.Agreed = append(room.Agreed, times(price, s.agreed, 100))
		}
	}
}

// tell sets in the request of a sale where it comes from, and the platform's own data.
func (o origin) tell(req *bookings.Request) {
	req.Source, req.UniqueReference, req.Data = o.Source, o.ExternalReference != "", o.data
	if req.NoUser = o.noUser; o.noUser {
		req.UserID = ""
	}
	if o.line != nil {
		req.LineData = slices.Repeat([]bookings.Data{o.line}, len(req.Quote.Lines))
	}
}
