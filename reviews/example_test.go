package reviews_test

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
	"github.com/dynastay/dynastay/reviews"
)

// checkedIn starts an engine with a hotel, and a guest who is staying there until 12 July.
func checkedIn(ctx context.Context) (db *dynastay.DB, clock *time.Time, b *bookings.Booking, stop func()) {
	e, err := engine.Start(ctx, docker.Allow()) // in a test, dyntest.New does this and creates the tables
	if err != nil {
		log.Fatal(err)
	}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, keys.Tables()...); err != nil {
		log.Fatal(err)
	}
	now := time.Date(2037, 7, 10, 16, 0, 0, 0, time.UTC)
	db = dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix, Clock: func() time.Time { return now }})
	hotel, err := properties.New(db, nil).Create(ctx, properties.Property{
		ID: "prop_grand", Name: "Grand Luxury Hotel", Slug: "grand-luxury-hotel", Type: properties.Hotel, OwnerID: "user_host",
		Status: properties.Approved, TimeZone: "Europe/Riga", Address: properties.Address{City: "Riga", Country: "Latvia"},
	}, []properties.RoomType{{
		Name: "Deluxe King", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: dynastay.MustMoney("250", "EUR"), Total: 20,
	}})
	if err != nil {
		log.Fatal(err)
	}
	nights, stay := availability.New(db), dynastay.MustStay("2037-07-10", "2037-07-12")
	if _, err := nights.Open(ctx, availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: hotel.Rooms[0].ID, Nights: stay, Rooms: 20, Price: dynastay.MustMoney("250", "EUR"),
	}); err != nil {
		log.Fatal(err)
	}
	ask, err := hotel.Card().QuoteRequest(stay, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: hotel.Rooms[0].ID, Quantity: 1})
	if err != nil {
		log.Fatal(err)
	}
	quote, err := nights.Quote(ctx, ask)
	if err != nil {
		log.Fatal(err)
	}
	if b, err = bookings.New(db, nil).Create(ctx, bookings.Request{
		Quote: quote, UserID: "user_john", Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"},
	}); err != nil {
		log.Fatal(err)
	}
	if b, err = bookings.New(db, nil).CheckIn(ctx, b.ID, nil); err != nil {
		log.Fatal(err)
	}
	return db, &now, b, func() { _ = e.Stop(ctx) }
}

// A guest reviews a stay once it is over. The review counts in the rating of the hotel as soon as it is approved; then
// the hotel responds, and another guest finds it helpful.
func Example() {
	ctx := context.Background()
	db, clock, booking, stop := checkedIn(ctx)
	defer stop()
	hotels := properties.New(db, nil)
	repo := reviews.New(db, hotels, nil)

	stay := reviews.Review{
		BookingID: booking.ID, UserID: "user_john", PropertyID: "prop_grand", StayDate: booking.Stay.CheckIn,
		Ratings: reviews.Ratings{Overall: 93, Staff: 100}, Title: "Wonderful stay!", TripType: reviews.Couple, GuestName: "John D.",
	}
	_, err := repo.Create(ctx, stay)
	fmt.Println(errors.Is(err, reviews.ErrNotOver))

	*clock = time.Date(2037, 7, 12, 10, 0, 0, 0, time.UTC)
	if _, err := bookings.New(db, nil).CheckOut(ctx, booking.ID); err != nil {
		log.Fatal(err)
	}
	review, err := repo.Create(ctx, stay)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(review.Status, review.Verified)
	_, err = repo.Create(ctx, stay)
	fmt.Println(errors.Is(err, dynastay.ErrAlreadyExists))

	// A moderator approves the review that the moderator has read, not one that its author has changed since.
	for waiting, err := range repo.Pending().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if _, err := repo.Approve(ctx, waiting.ID, waiting.Version); err != nil {
			log.Fatal(err)
		}
	}
	hotel, err := hotels.Get(ctx, "prop_grand")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(hotel.Rating, hotel.ReviewCount)

	if _, err := repo.Respond(ctx, reviews.Response{
		ReviewID: review.ID, ResponderID: "user_host", ResponderName: "Hotel Manager", Text: "Thank you for your feedback.",
	}); err != nil {
		log.Fatal(err)
	}
	if err := repo.Vote(ctx, review.ID, "user_jane"); err != nil {
		log.Fatal(err)
	}
	page, err := dynastay.Load(repo.ByProperty("prop_grand"), repo.WithResponses).Page(ctx, dynastay.Paging{Limit: 20})
	if err != nil {
		log.Fatal(err)
	}
	for _, shown := range page.Items {
		fmt.Println(shown.Ratings.Overall, shown.Title, shown.HelpfulCount, "found it helpful")
		fmt.Println(shown.Response.ResponderName+":", shown.Response.Text)
	}
	// Output:
	// true
	// pending true
	// true
	// 9.3 1
	// 9.3 Wonderful stay! 1 found it helpful
	// Hotel Manager: Thank you for your feedback.
}
