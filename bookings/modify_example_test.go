package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// A guest leaves a day earlier, and another one gets the night. A change that the inventory does not allow leaves the booking
// as it is.
func ExampleRepository_Modify() {
	ctx := context.Background()
	db, _, quote, stop := openHotel(ctx)
	defer stop()
	repo := bookings.New(db, nil)
	john := bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"}
	booking, err := repo.Create(ctx, bookings.Request{Quote: quote, UserID: "user_789", Guest: john})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(booking.Stay, booking.Total)

	room := quote.Lines[0]
	ask := availability.QuoteRequest{ // usually from properties.Card.QuoteRequest
		Property: quote.Property, Stay: dynastay.MustStay("2037-07-10", "2037-07-11"), Guests: quote.Guests,
		Rooms: []availability.Room{{RoomTypeID: room.RoomTypeID, Name: room.Name, Quantity: 1, Limits: quote.Sleeps}}, // of one room
	}
	shorter, err := repo.QuoteModification(ctx, booking.ID, ask)
	if err != nil {
		log.Fatal(err)
	}
	modified, err := repo.Modify(ctx, shorter, dynastay.IdempotencyKey("request-2"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(modified.Booking.Stay, modified.Booking.Total)

	ask.Stay = dynastay.MustStay("2037-07-11", "2037-07-12")
	free, err := availability.New(db).Quote(ctx, ask)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := repo.Create(ctx, bookings.Request{Quote: free, UserID: "user_790", Guest: john}); err != nil {
		log.Fatal(err)
	}
	ask.Stay = quote.Stay
	_, err = repo.QuoteModification(ctx, booking.ID, ask)
	var refused *bookings.Refused
	if errors.As(err, &refused) {
		fmt.Println(refused.Nights)
	}
	// Output:
	// 2037-07-10 to 2037-07-12 559.00 USD
	// 2037-07-10 to 2037-07-11 279.50 USD
	// [2037-07-11 sold_out]
}
