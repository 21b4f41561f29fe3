package bookings_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// openHotel starts an engine with a hotel that has one room on sale, and quotes it.
func openHotel(ctx context.Context, more ...*dynastay.Schema) (db *dynastay.DB, clock *time.Time, quote *availability.Quote, stop func()) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	db, clock, quote = hotelOn(ctx, e, more...)
	return db, clock, quote, func() { _ = e.Stop(ctx) }
}

// hotelOn opens a hotel with one room on sale, and quotes it.
func hotelOn(ctx context.Context, e *engine.Engine, more ...*dynastay.Schema) (db *dynastay.DB, clock *time.Time, quote *availability.Quote) {
	prefix := rand.Text() + "-" // the engine may still have tables from an earlier run
	if err := e.CreateTables(ctx, prefix, append(keys.Tables(), more...)...); err != nil {
		log.Fatal(err)
	}
	drawn := 0
	now := time.Date(2037, 6, 20, 12, 0, 0, 0, time.UTC) // in the future: an engine may delete what has expired by the machine's clock
	db = dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix,
		Clock:       func() time.Time { return now },
		NewID: func(prefix string) string {
			drawn++
			return fmt.Sprintf("%s%d", prefix, drawn)
		},
	})
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
	stay := dynastay.MustStay("2037-07-10", "2037-07-12")
	if _, err := availability.New(db).Open(ctx, availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: hotel.Rooms[0].ID, Nights: stay, Rooms: 1, Price: dynastay.MustMoney("279.50", "USD"),
	}); err != nil {
		log.Fatal(err)
	}
	ask, err := hotel.Card().QuoteRequest(stay, availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: hotel.Rooms[0].ID, Quantity: 1})
	if err != nil {
		log.Fatal(err)
	}
	if quote, err = availability.New(db).Quote(ctx, ask); err != nil {
		log.Fatal(err)
	}
	return db, &now, quote
}

// The last room is quoted to two guests and booked by one of them. It is available again once that guest cancels.
func Example() {
	ctx := context.Background()
	db, _, quote, stop := openHotel(ctx)
	defer stop()

	repo := bookings.New(db, nil)
	request := bookings.Request{
		Quote: quote, UserID: "user_789", TaxesAndFees: dynastay.MustMoney("83.85", "USD"),
		Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com", Phone: "+1-555-123-4567"},
	}
	booking, err := repo.Create(ctx, request, dynastay.IdempotencyKey("request-1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(booking.ID, booking.Status, booking.Stay, booking.Total)

	// Suppose the response was lost: a retry with the same key returns the same booking.
	again, err := repo.Create(ctx, request, dynastay.IdempotencyKey("request-1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.ID, again.Reference == booking.Reference)

	// Another guest has the same quote.
	request.UserID = "user_790"
	_, err = repo.Create(ctx, request, dynastay.IdempotencyKey("request-2"))
	var refused *bookings.Refused
	if errors.As(err, &refused) {
		fmt.Println(refused.Nights)
	}

	cancelled, err := repo.Cancel(ctx, booking.ID, "plans changed", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cancelled.Booking.Status)
	booking, err = repo.Create(ctx, request, dynastay.IdempotencyKey("request-2"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(booking.UserID, booking.Status)
	// Output:
	// bkg_3 confirmed 2037-07-10 to 2037-07-12 642.85 USD
	// bkg_3 true
	// [2037-07-10 sold_out 2037-07-11 sold_out]
	// cancelled
	// user_790 confirmed
}
