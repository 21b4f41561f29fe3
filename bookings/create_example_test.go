package bookings_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// At 01:30 in New York, a guest walks in for the night that has begun. The hotel still works on the date before.
func ExampleRepository_Create_afterMidnight() {
	ctx := context.Background()
	db, clock, quote, stop := openHotel(ctx)
	defer stop()
	*clock = time.Date(2037, 7, 11, 5, 30, 0, 0, time.UTC)
	line := quote.Lines[0]
	request := availability.QuoteRequest{
		Property: quote.Property, Stay: dynastay.MustStay("2037-07-10", "2037-07-11"), Guests: quote.Guests,
		Rooms: []availability.Room{{RoomTypeID: line.RoomTypeID, Name: line.Name, Quantity: 1, Limits: quote.Sleeps}},
	}
	nights := availability.New(db)
	_, err := nights.Quote(ctx, request)
	fmt.Println(err)

	request.BusinessDate = dynastay.MustDate("2037-07-10")
	tonight, err := nights.Quote(ctx, request)
	if err != nil {
		log.Fatal(err)
	}
	repo := bookings.New(db, nil)
	booking, err := repo.Create(ctx, bookings.Request{
		Quote: tonight, NoUser: true, Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"},
	})
	if err != nil {
		log.Fatal(err)
	}
	there, err := repo.CheckIn(ctx, booking.ID, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(there.Stay, there.Status, there.Total)

	// Output:
	// invalid Stay.CheckIn: must not be before today, which is 2037-07-11 at the property
	// 2037-07-10 to 2037-07-11 checked_in 279.50 USD
}
