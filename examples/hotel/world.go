package main

import (
	_ "embed"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// The program's clock stands still.
var (
	now    = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	season = dynastay.MustStay("2026-06-01", "2026-07-31")
	stay   = dynastay.MustStay("2026-06-12", "2026-06-15")
	month  = dynastay.MonthOf(stay.CheckIn)
	later  = dynastay.MustStay("2026-06-22", "2026-06-24") // a stay that is not sold out at the end of the day
	two    = availability.Guests{Adults: 2}
	family = availability.Guests{Adults: 2, Children: 3}
	park   = key.Point{Latitude: 40.7536, Longitude: -73.9832}
)

// The hotel whose inventory changes during the day.
const (
	orchard = "prop_orchard"
	king    = "room_orchard_king"
	queen   = "room_orchard_queen"
	single  = "room_orchard_single"
)

// singleSeason is shorter than that of the other room types.
var singleSeason = dynastay.MustStay("2026-06-08", "2026-07-31")

const (
	racers    = 64
	lastRooms = 20
	parties   = 60 // who want to stay during the month
)

// hotel is a property and how it is sold.
type hotel struct {
	property properties.Property
	rooms    []properties.RoomType
	minStay  int
	seasons  map[string]dynastay.Stay // of room types with a season of their own
}

func hotels() []hotel {
	return []hotel{
		{
			property: newYork("163 Orchard Street", "10002", 40.7211, -73.9883, properties.Property{
				ID: orchard, Name: "Orchard Street Hotel", Slug: "orchard-street-hotel",
				Type: properties.Hotel, Stars: 4,
				CancellationPolicy: availability.FreeCancellation(48),
			}),
			rooms: []properties.RoomType{
				// One for the first guest of the day, and the last ones for all the others.
				sleeps(2, queen, "Queen Room", "219.00", 1+lastRooms),
				sleeps(2, king, "King Studio", "289.50", 12),
				sleeps(1, single, "Single Room", "149.00", 6),
			},
			seasons: map[string]dynastay.Stay{single: singleSeason},
		},
		{
			property: newYork("54 West 40th Street", "10018", 40.7530, -73.9837, properties.Property{
				ID: "prop_bryant", Name: "Bryant Park Inn", Slug: "bryant-park-inn",
				Type: properties.Hotel, Stars: 3,
				CancellationPolicy: availability.PartialRefund(50, 24),
			}),
			rooms: []properties.RoomType{
				sleeps(2, "room_bryant_double", "Double Room", "239.90", 30),
				sleeps(4, "room_bryant_family", "Family Room", "324.00", 8),
			},
		},
		{
			property: newYork("231 West 20th Street", "10011", 40.7427, -73.9977, properties.Property{
				ID: "prop_chelsea", Name: "Chelsea Loft House", Slug: "chelsea-loft-house",
				Type:               properties.Apartment,
				CancellationPolicy: availability.NonRefundable,
			}),
			rooms: []properties.RoomType{
				sleeps(2, "room_chelsea_studio", "Studio Loft", "198.00", 4),
				sleeps(4, "room_chelsea_garden", "Garden Loft", "295.00", 2),
			},
			minStay: 4,
		},
	}
}

// harbourHouse is the hotel that its host registers during the day.
const harbourHouse = "prop_harbour"

func harbour() (properties.Property, []properties.RoomType) {
	p := newYork("17 Battery Place", "10004", 40.7056, -74.0170, properties.Property{
		ID: harbourHouse, Name: "Harbour House", Slug: "harbour-house", Type: properties.Hotel, Stars: 3,
		CancellationPolicy: availability.FreeCancellation(24),
	})
	p.Status = properties.Pending
	return p, []properties.RoomType{
		sleeps(2, "room_harbour_double", "Double Room", "210.00", 5),
		sleeps(4, "room_harbour_family", "Family Room", "330.00", 2),
	}
}

// newYork gives a property its place, and what all of these share.
func newYork(street, postalCode string, latitude, longitude float64, p properties.Property) properties.Property {
	p.OwnerID = "user_owner"
	p.Status = properties.Approved
	p.Address = properties.Address{
		Line1: street, City: "New York", State: "NY", Country: "USA", PostalCode: postalCode,
		Latitude: latitude, Longitude: longitude,
	}
	p.TimeZone = "America/New_York"
	p.CheckInTime, p.CheckOutTime = "15:00", "11:00"
	return p
}

// sleeps is a room type for a number of guests, with its price for a night and its number of rooms.
func sleeps(guests int, id, name, price string, rooms int) properties.RoomType {
	return properties.RoomType{
		ID: id, Name: name,
		Limits:    availability.Limits{MaxOccupancy: guests, MaxAdults: guests, MaxChildren: guests - 1},
		BasePrice: dynastay.MustMoney(price, "USD"),
		Total:     rooms,
	}
}

// someone is the request of a guest, under an id, for an offer.
func someone(id string, offer *availability.Quote) bookings.Request {
	return bookings.Request{
		Quote:  offer,
		UserID: "user_" + id,
		Guest:  bookings.Guest{FirstName: "Guest", LastName: id, Email: id + "@example.com"},
	}
}
