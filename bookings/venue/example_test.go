package venue_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// A user requests overlapping slots of a day, and an administrator wants to approve both requests.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := rand.Text() + "-" // the engine may still have tables from an earlier run
	if err := e.CreateTables(ctx, prefix, venuekeys.Table); err != nil {
		log.Fatal(err)
	}
	now := time.Date(2037, 6, 1, 12, 0, 0, 0, time.UTC)
	repo := venue.New(dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix, Clock: func() time.Time { return now },
	}), nil)

	admin := venue.Actor{UserID: "user_carla", Role: venue.Admin}
	date := dynastay.MustDate("2037-07-11")
	ann, err := repo.CreateUser(ctx, venue.User{Name: "Ann", Email: "ann@example.com"})
	if err != nil {
		log.Fatal(err)
	}
	var asked []*venue.Booking
	for _, slot := range []venue.Slot{venue.FullDay, venue.Morning} {
		b, err := repo.Request(ctx, venue.Actor{UserID: ann.ID, Role: ann.Role}, venue.Request{
			UserID: ann.ID, Date: date, Slot: slot, Description: "Birthday party", Attendees: 50,
		})
		if err != nil {
			log.Fatal(err)
		}
		asked = append(asked, b)
	}
	for _, b := range asked {
		_, err := repo.Approve(ctx, admin, venue.Approval{BookingID: b.ID, Version: b.Version})
		var taken *venue.SlotTaken
		switch {
		case errors.As(err, &taken):
			first, _, _ := strings.Cut(taken.Error(), " by event ")
			fmt.Println(first)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println(b.Date, b.Slot, "is approved")
		}
	}
	for b, err := range repo.Pending().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(b.Date, b.Slot, "is still", b.Status)
	}
	days, err := repo.Availability(ctx, dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(2)})
	if err != nil {
		log.Fatal(err)
	}
	for _, day := range days {
		fmt.Println(day.Date, "morning free:", day.Free(venue.Morning))
	}
	// Output:
	// 2037-07-11 FULL_DAY is approved
	// 2037-07-11 MORNING is taken: FULL_DAY
	// 2037-07-11 MORNING is still pending
	// 2037-07-11 morning free: false
	// 2037-07-12 morning free: true
}
