package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
)

// The program's clock stands still.
var (
	now    = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	season = dynastay.MustStay("2026-06-01", "2026-07-31")
	stay   = dynastay.MustStay("2026-06-12", "2026-06-15")
)

const (
	racers    = 64
	lastRooms = 20
)

// document holds items of the hotel-booking document, unchanged, by table.
//
//go:embed document.json
var document []byte

func documentItems() (map[string][]dynastay.Item, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber() // a price keeps its digits
	var tables map[string][]map[string]any
	if err := decoder.Decode(&tables); err != nil {
		return nil, fmt.Errorf("document.json: %w", err)
	}
	items := make(map[string][]dynastay.Item)
	for table, rows := range tables {
		for _, row := range rows {
			item, err := attributevalue.MarshalMap(row)
			if err != nil {
				return nil, fmt.Errorf("document.json, %s: %w", table, err)
			}
			items[table] = append(items[table], item)
		}
	}
	return items, nil
}

// hotel is a property and how it is sold.
type hotel struct {
	property properties.Property
	rooms    []properties.RoomType
	minStay  int
}

func hotels() []hotel {
	return []hotel{
		{
			property: newYork("163 Orchard Street", "10002", 40.7211, -73.9883, properties.Property{
				ID: "prop_orchard", Name: "Orchard Street Hotel", Slug: "orchard-street-hotel",
				Type: properties.Hotel, Stars: 4,
				CancellationPolicy: availability.FreeCancellation(48),
			}),
			rooms: []properties.RoomType{
				// One for the first guest of the day, and the last ones for all the others.
				sleeps(2, "room_orchard_queen", "Queen Room", "219.00", 1+lastRooms),
				sleeps(2, "room_orchard_king", "King Studio", "289.50", 12),
				sleeps(1, "room_orchard_single", "Single Room", "149.00", 6),
			},
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

// racer is the request of one of the guests who want the same offer.
func racer(i int, offer *availability.Quote) bookings.Request {
	return bookings.Request{
		Quote:  offer,
		UserID: fmt.Sprintf("user_racer_%d", i),
		Guest:  bookings.Guest{FirstName: "Racer", LastName: fmt.Sprint(i), Email: fmt.Sprintf("racer%d@example.com", i)},
	}
}
