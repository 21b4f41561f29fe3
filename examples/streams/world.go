package main

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

const (
	guests    = 64
	rooms     = 20
	cancelled = 6
	late      = 2 // of the refunds
	renamed   = 8 // guests
	stopAfter = 4 // messages that a process has delivered
)

const (
	hotelID = "prop_harbour"
	double  = "room_harbour_double"
)

// stay is in a month. The program has the real clock, because the engine gives changes the real time.
func stay() dynastay.Stay {
	day := dynastay.DateOf(time.Now(), time.UTC).AddDays(30)
	return dynastay.Stay{CheckIn: day, CheckOut: day.AddDays(2)}
}

func hotel() (properties.Property, []properties.RoomType) {
	p := properties.Property{
		ID: hotelID, Name: "Harbour House", Slug: "harbour-house", Type: properties.Hotel, Stars: 3,
		OwnerID: "user_owner", Status: properties.Approved, TimeZone: "Europe/Lisbon", CheckInTime: "15:00", CheckOutTime: "11:00",
		Address: properties.Address{
			Line1: "4 Rua da Alfândega", City: "Lisbon", Country: "Portugal", PostalCode: "1100-016",
			Latitude: 38.7081, Longitude: -9.1340,
		},
		CancellationPolicy: availability.FreeCancellation(48),
	}
	return p, []properties.RoomType{{
		ID: double, Name: "Double Room", Total: rooms, BasePrice: dynastay.MustMoney("142.00", "EUR"),
		Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1},
	}}
}

func guest(n int) users.User {
	return users.User{
		ID: numbered("user_guest", n), Email: numbered("guest", n) + "@example.com",
		FirstName: "Guest", LastName: numbered("Number", n), Role: users.Customer,
	}
}

func payment(b *bookings.Booking) bookings.Payment {
	return bookings.Payment{
		Provider: "stripe", ProviderTransactionID: "ch_" + b.ID, Method: "credit_card", Amount: b.Total, Status: bookings.PaymentPaid,
	}
}
