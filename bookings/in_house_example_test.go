package bookings_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// On the morning of their departure, the desk lists who has still to leave. The list says when; the bookings say who.
func ExampleRepository_Departures() {
	ctx := context.Background()
	db, clock, quote, stop := openHotel(ctx)
	defer stop()
	repo := bookings.New(db, nil)
	booking, err := repo.Create(ctx, bookings.Request{
		Quote: quote, UserID: "user_789", Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"},
	})
	if err != nil {
		log.Fatal(err)
	}
	*clock = time.Date(2037, 7, 10, 20, 0, 0, 0, time.UTC)
	if _, err := repo.CheckIn(ctx, booking.ID, nil); err != nil {
		log.Fatal(err)
	}
	*clock = time.Date(2037, 7, 12, 13, 0, 0, 0, time.UTC)
	today := dynastay.MustDate("2037-07-12")
	page, err := repo.Departures(bookings.CheckOutQuery{
		PropertyID: quote.Property.ID, To: today.AddDays(1), // and those who should have left before
	}).Page(ctx, dynastay.Paging{})
	if err != nil {
		log.Fatal(err)
	}
	var ids []string
	for _, one := range page.Items {
		ids = append(ids, one.BookingID)
	}
	leaving, err := repo.GetAll(ctx, ids)
	if err != nil {
		log.Fatal(err)
	}
	for i, b := range leaving {
		fmt.Println(page.Items[i].CheckOut, b.Guest.LastName, b.Stay)
	}

	// Output:
	// 2037-07-12 Doe 2037-07-10 to 2037-07-12
}
