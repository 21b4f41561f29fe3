package availability_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// The nights of a room type are put on sale, a restriction is checked, and a stay is priced.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := rand.Text() + "-" // the engine may still have tables from an earlier run
	if err := e.CreateTables(ctx, prefix, keys.Tables()...); err != nil {
		log.Fatal(err)
	}
	db := dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix,
		Clock:       func() time.Time { return time.Date(2037, 6, 1, 12, 0, 0, 0, time.UTC) },
		NewID:       func(prefix string) string { return prefix + "123" },
	})
	nights := availability.New(db)

	hotel, err := properties.New(db, nil).Create(ctx, properties.Property{
		Name: "Grand Luxury Hotel", Slug: "grand-luxury-hotel", Type: properties.Hotel, OwnerID: "user_456",
		Status: properties.Approved, TimeZone: "America/New_York", CancellationPolicy: availability.FreeCancellation(48),
		Address: properties.Address{City: "New York", Country: "USA", Latitude: 40.7589, Longitude: -73.9851},
	}, []properties.RoomType{{
		Name: "Deluxe King", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: dynastay.MustMoney("250", "USD"), Total: 20,
	}})
	if err != nil {
		log.Fatal(err)
	}
	room := hotel.Rooms[0]

	// Weekdays at one price; the weekend at a different price, with a minimum stay of two nights.
	for _, o := range []availability.OpenRequest{
		{Nights: dynastay.MustStay("2037-07-06", "2037-07-10"), Rooms: 20, Price: dynastay.MustMoney("250.00", "USD")},
		{Nights: dynastay.MustStay("2037-07-10", "2037-07-12"), Rooms: 20, Price: dynastay.MustMoney("279.50", "USD"), MinStay: 2},
	} {
		o.PropertyID, o.RoomTypeID = hotel.ID, room.ID
		opened, err := nights.Open(ctx, o)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("opened", len(opened.Opened))
	}

	checked, err := nights.Check(ctx, hotel.ID, room.ID, 1, dynastay.MustStay("2037-07-10", "2037-07-11"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("one night:", checked.OK(), checked.Refused)

	quote := func(stay dynastay.Stay) (*availability.Quote, error) {
		request, err := hotel.Card().QuoteRequest(stay, availability.Guests{Adults: 4}, properties.Choice{RoomTypeID: room.ID, Quantity: 2})
		if err != nil {
			return nil, err
		}
		return nights.Quote(ctx, request)
	}
	offer, err := quote(dynastay.MustStay("2037-07-09", "2037-07-12"))
	if err != nil {
		log.Fatal(err)
	}
	for _, night := range offer.Lines[0].Nights {
		fmt.Println(night.Date, night.Price)
	}
	fmt.Println("2 rooms:", offer.Total, offer.Lines[0].CancellationPolicy)

	_, err = quote(dynastay.MustStay("2037-07-11", "2037-07-13"))
	var refused *availability.Refused
	if errors.As(err, &refused) {
		fmt.Println(refused.Nights)
	}
	// Output:
	// opened 4
	// opened 2
	// one night: false [2037-07-10 min_stay]
	// 2037-07-09 250.00 USD
	// 2037-07-10 279.50 USD
	// 2037-07-11 279.50 USD
	// 2 rooms: 1618.00 USD free_cancellation_48h
	// [2037-07-12 not_on_sale]
}

// Weekend prices, and a minimum stay for arrivals on Fridays, for a whole summer and two room types in one call. The
// report lists every date; a program that shows progress sets the Progress field.
func ExampleRepository_Update() {
	nights, hotel, stop := exampleHotel()
	defer stop()
	summer := dynastay.MustStay("2037-07-01", "2037-09-01")
	rooms := []string{hotel.Rooms[0].ID, hotel.Rooms[1].ID}
	weekend := dynastay.MustMoney("310.00", "USD")
	report, err := nights.Update(context.Background(), availability.UpdateRequest{
		PropertyID: hotel.ID,
		Changes: []availability.Change{
			{RoomTypeIDs: rooms, Dates: summer, Weekdays: availability.On(time.Friday, time.Saturday), Price: weekend},
			{RoomTypeIDs: rooms, Dates: summer, Weekdays: availability.On(time.Friday), MinStay: aws.Int(2)},
			{
				RoomTypeIDs: rooms[:1], Dates: dynastay.MustStay("2037-08-30", "2037-09-03"),
				StopSell: aws.Bool(true), StopSellReason: "new bathrooms",
			},
		},
	})
	var failed *availability.UpdateError
	if errors.As(err, &failed) {
		for _, date := range failed.Dates {
			fmt.Println(date)
		}
		fmt.Println("worth retrying:", len(report.Retry()))
	} else if err != nil {
		log.Fatal(err)
	}
	fmt.Println("written:", report.Count(availability.Written))
	// Output:
	// room_1 2037-09-01 not_written: night is not open
	// room_1 2037-09-02 not_written: night is not open
	// worth retrying: 0
	// written: 38
}

func ExampleRepository_Calendar() {
	nights, hotel, stop := exampleHotel()
	defer stop()
	calendar, err := nights.Calendar(context.Background(), hotel.ID, dynastay.MonthOf(dynastay.MustDate("2037-07-14")))
	if err != nil {
		log.Fatal(err)
	}
	first := calendar.Days[0]
	fmt.Println(len(calendar.Days), "days,", calendar.RoomTypeIDs)
	fmt.Println(first.Date, first.Totals().Left, "left,", first.Night("room_2").Price)
	fmt.Printf("%.0f %% of the month is sold\n", 100*calendar.Totals().Occupancy())
	// Output:
	// 31 days, [room_1 room_2]
	// 2037-07-01 14 left, 180.00 USD
	// 0 % of the month is sold
}

func ExampleCancellationPolicy_Terms() {
	for _, policy := range []availability.CancellationPolicy{
		availability.FreeCancellation(48), availability.PartialRefund(50, 24), availability.NonRefundable,
		availability.CustomPolicy("house_rules"),
	} {
		terms, ok := policy.Terms()
		fmt.Printf("%s: %d%% until %d hours before check-in, %t\n", policy, terms.Percent, terms.Hours, ok)
	}
	// Output:
	// free_cancellation_48h: 100% until 48 hours before check-in, true
	// partial_50_24h: 50% until 24 hours before check-in, true
	// non_refundable: 0% until 0 hours before check-in, true
	// custom_house_rules: 0% until 0 hours before check-in, false
}

// exampleHotel creates a property with two room types that are open from July to August 2037. stop ends the engine.
func exampleHotel() (nights *availability.Repository, hotel *properties.WithRooms, stop func()) {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	prefix := rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, keys.Tables()...); err != nil {
		log.Fatal(err)
	}
	db := dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix,
		Clock:       func() time.Time { return time.Date(2037, 6, 1, 12, 0, 0, 0, time.UTC) },
	})
	hotel, err = properties.New(db, nil).Create(ctx, properties.Property{
		Name: "Grand Luxury Hotel", Slug: "grand-luxury-hotel", Type: properties.Hotel, OwnerID: "user_456", Status: properties.Approved,
		Address: properties.Address{City: "New York", Country: "USA", Latitude: 40.7589, Longitude: -73.9851},
	}, []properties.RoomType{
		{ID: "room_1", Name: "Deluxe King", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: dynastay.MustMoney("250", "USD"), Total: 6},
		{ID: "room_2", Name: "Double", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: dynastay.MustMoney("180", "USD"), Total: 8},
	})
	if err != nil {
		log.Fatal(err)
	}
	nights = availability.New(db)
	for _, room := range hotel.Rooms {
		if _, err := nights.Open(ctx, availability.OpenRequest{
			PropertyID: hotel.ID, RoomTypeID: room.ID, Nights: dynastay.MustStay("2037-07-01", "2037-09-01"), Rooms: room.Total, Price: room.BasePrice,
		}); err != nil {
			log.Fatal(err)
		}
	}
	return nights, hotel, func() { _ = e.Stop(ctx) }
}
