package main

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// place is a hotel and who stays there.
type place struct {
	city, country, zone string
	currency            dynastay.Currency
	id, hotel, story    string
	stars               int
	rooms               []room
	nights              int
	policy              availability.CancellationPolicy
	code                string           // of a promo code for a part of the price
	off                 dynastay.Percent // that the code gives
	pays                int              // in percent of the total; all of it if 0
	// then is what happens after the payment; nil for nothing.
	then func(*desk, context.Context, place, *bookings.Booking) error
}

// room is a room type, and the guests of the one room that is booked.
type room struct {
	name, price string // of a night
	guests      availability.Party
}

func adults(n int, ages ...int) availability.Party {
	return availability.Party{Guests: availability.Guests{Adults: n, Children: len(ages)}, ChildAges: ages}
}

// arrival is that of all stays, a week from now.
var arrival = dynastay.MustDate("2026-06-08")

var places = []place{
	{
		city: "New York", country: "USA", zone: "America/New_York", currency: "USD", id: "hudson", hotel: "Hudson House", stars: 3,
		story: "cancelled for half of the price", nights: 2, policy: availability.PartialRefund(50, 24),
		rooms: []room{{"Queen Room", "200", adults(2)}}, then: (*desk).cancel,
	},
	{
		city: "Berlin", country: "DEU", zone: "Europe/Berlin", currency: "EUR", id: "spree", hotel: "Hotel an der Spree", stars: 3,
		story: "a promo code", nights: 3, policy: availability.FreeCancellation(48),
		rooms: []room{{"Double Room", "107", adults(2)}}, code: "SOMMER", off: 10_00,
	},
	{
		city: "Paris", country: "FRA", zone: "Europe/Paris", currency: "EUR", id: "marais", hotel: "Hôtel du Marais", stars: 3,
		story: "a tourist tax with three surtaxes, at the property", nights: 3, policy: availability.FreeCancellation(48),
		rooms: []room{{"Family Room", "165", adults(2, 9)}},
	},
	{
		city: "Rome", country: "ITA", zone: "Europe/Rome", currency: "EUR", id: "tevere", hotel: "Albergo sul Tevere", stars: 3,
		story: "twelve nights, of which ten are taxed, and a child of eight", nights: 12, policy: availability.FreeCancellation(48),
		rooms: []room{{"Family Room", "132", adults(2, 8, 12)}},
	},
	{
		city: "Amsterdam", country: "NLD", zone: "Europe/Amsterdam", currency: "EUR", id: "amstel", hotel: "Amstel Rooms", stars: 2,
		story: "a night less than was paid for", nights: 3, policy: availability.PartialRefund(50, 24),
		rooms: []room{{"Canal Room", "242", adults(2)}}, then: (*desk).shorten,
	},
	{
		city: "Zürich", country: "CHE", zone: "Europe/Zurich", currency: "CHF", id: "limmat", hotel: "Limmathof", stars: 3,
		story: "a deposit", nights: 2, policy: availability.FreeCancellation(48),
		rooms: []room{{"Double Room", "207.60", adults(2)}}, pays: 30,
	},
	{
		city: "Tokyo", country: "JPN", zone: "Asia/Tokyo", currency: "JPY", id: "sumida", hotel: "Sumida Inn", stars: 4,
		story: "two rooms, taxed by the price for each guest", nights: 2, policy: availability.NonRefundable,
		rooms: []room{{"River Twin", "33000", adults(2)}, {"Single Room", "11000", adults(1)}},
	},
	{
		city: "Bangkok", country: "THA", zone: "Asia/Bangkok", currency: "THB", id: "orchid", hotel: "Orchid Resort", stars: 5,
		story: "prices plus service, plus VAT on both", nights: 2, policy: availability.FreeCancellation(48),
		rooms: []room{{"Garden Room", "5000", adults(2)}},
	},
}
