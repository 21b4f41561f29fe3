package world

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// Hotel is a property with everything that belongs to it, as it is stored. It is a copy: changing it does not change
// the world.
type Hotel struct {
	*properties.WithRooms
	// Images are in their order.
	Images []properties.Image
	// RatePlans are the plans under which the hotel also sells its rooms, in their order. About four of ten hotels with
	// nights have some, and the others have none.
	RatePlans []availability.RatePlan
	// Charges are the taxes and fees of the hotel, as [ChargesIn] returns them, or nil if it has none. Half of the hotels
	// with nights have some in New York, Berlin, Paris, Rome, Amsterdam, Zürich, Tokyo and Bangkok, and their bookings have
	// a bill. The bookings of the others may have taxes and fees too, as one amount.
	Charges *charges.List
	// Units are the rooms of the hotel one by one, by their ids, if [Options].Units is set and the hotel has some. Who has which on
	// which nights is in the lines of Bookings and PastStays; those that are out of order say when.
	Units []units.Unit
	// Nights are the nights on sale, by room type and date, with the numbers of rooms that remain after the bookings. A
	// property that is pending or rejected has none; those of a suspended one are marked as PropertyClosed.
	Nights []*availability.Night
	// Bookings are in the order of their ids, which is that of their creation, with their lines and with the status
	// that they have at [World.Now]. Those that were cancelled or have expired have returned their rooms.
	Bookings []*bookings.Booking
	// PastStays are the bookings of nights before Today, in the order of their ids, which follow those of Bookings and
	// are in the order of creation too. Their guests have stayed, or were no-shows.
	PastStays []*bookings.Booking
	// Payments is what is recorded about the payments of Bookings and PastStays, by the id of the booking. Bookings
	// without payments are not in the map.
	Payments map[string]Payments
	// PromoCode is the promo code of the hotel, or nil if it has none. UsageCount is the number of bookings with the
	// code that were not cancelled and have not expired.
	PromoCode *bookings.PromoCode
	// Reviews are those of PastStays, in the same order, with their responses and with the status that they have at
	// [World.Now]. The rating of the property is that of the approved ones.
	Reviews []*reviews.Review
	// Votes are the ids of the users who find a review helpful, by the id of the review. Reviews without votes are not
	// in the map.
	Votes map[string][]string

	now time.Time
}

// Payments is what is recorded about the payments of a booking.
type Payments struct {
	Summary *bookings.PaymentSummary
	History bookings.PaymentHistory
}

// Offer returns a request for the first stay of that many nights for which that many rooms of one type are available at
// the hotel, with two adults in each room, or one adult if the room holds only one. [availability.Repository.Quote]
// prices the request, and package bookings then books the quote, provided that nobody else has booked at the hotel in
// the meantime. The charges of the request are those of the card, which are named by their ids. Offer returns false if there
// is no such stay.
func (h *Hotel) Offer(nights, rooms int) (availability.QuoteRequest, bool) {
	loc, err := time.LoadLocation(h.TimeZone)
	if err != nil || nights < 1 || nights > availability.MaxNights || rooms < 1 || len(h.Nights) == 0 {
		return availability.QuoteRequest{}, false
	}
	today := dynastay.DateOf(h.now, loc)
	type night struct {
		room string
		date dynastay.Date
	}
	on := map[night]*availability.Night{}
	last := today
	for _, n := range h.Nights {
		on[night{n.RoomTypeID, n.Date}] = n
		if n.Date.After(last) {
			last = n.Date
		}
	}
	for arrival := today; !arrival.After(last); arrival = arrival.AddDays(1) {
		stay := dynastay.Stay{CheckIn: arrival, CheckOut: arrival.AddDays(nights)}
		for _, room := range h.Rooms {
			free := true
			for date := range stay.Dates() {
				free = free && sellable(on[night{room.ID, date}], stay, rooms)
			}
			if !free {
				continue
			}
			each := availability.Guests{Adults: min(2, room.MaxAdults)}
			choice := properties.Choice{RoomTypeID: room.ID, Quantity: rooms}
			if rooms > 1 && h.Charges != nil && h.Charges.AsksWhoStays() {
				choice.Party = &availability.Party{Guests: each}
			}
			req, err := h.Card().QuoteRequest(stay, availability.Guests{Adults: each.Adults * rooms}, choice)
			return req, err == nil
		}
	}
	return availability.QuoteRequest{}, false
}

// sellable reports whether a night of a stay is for sale.
func sellable(n *availability.Night, stay dynastay.Stay, rooms int) bool {
	if n == nil || n.StopSell || n.PropertyClosed || n.Available < rooms {
		return false
	}
	if n.Date == stay.CheckIn && (n.ClosedToArrival || n.MinStay > stay.Nights() || n.MaxStay > 0 && n.MaxStay < stay.Nights()) {
		return false
	}
	return n.Date != stay.LastNight() || !n.ClosedToDeparture
}
