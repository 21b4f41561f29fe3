package listing_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// A stay is booked, a channel reports a reservation of the same nights, and its calendar feed is synchronised.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := rand.Text() + "-" // the engine may still have tables from an earlier run
	if err := e.CreateTables(ctx, prefix, listingkeys.Table); err != nil {
		log.Fatal(err)
	}
	now := time.Date(2037, 6, 1, 12, 0, 0, 0, time.UTC)
	repo := listing.New(dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix, Clock: func() time.Time { return now },
	}))

	booked, err := repo.Book(ctx, listing.Booking{
		ListingID: "lst_1", HostID: "host_4", BookingID: "bk_1", Stay: dynastay.MustStay("2037-07-06", "2037-07-10"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(booked.ID, booked.Stay)

	_, err = repo.Import(ctx, listing.Reservation{
		ListingID: "lst_1", HostID: "host_4", Source: listing.BookingCom, ExternalID: "BC789456", Revision: 1,
		Stay: dynastay.MustStay("2037-07-09", "2037-07-12"),
	})
	var taken *listing.Taken
	if !errors.As(err, &taken) {
		log.Fatal(err)
	}
	fmt.Println(taken)

	feed := "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//channel//EN\r\nBEGIN:VEVENT\r\nUID:1@channel\r\n" +
		"DTSTART;VALUE=DATE:20370720\r\nDTEND;VALUE=DATE:20370723\r\nSUMMARY:Reserved\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	synced, err := repo.Sync(ctx, listing.Feed{
		ListingID: "lst_1", HostID: "host_4", Name: "airbnb", Source: listing.Airbnb, TimeZone: "Europe/Rome",
		Fetched: now, Calendar: strings.NewReader(feed),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(synced.Added), "reservation from the feed:", synced.Added[0].Stay)

	for night, err := range repo.ByHostBetween("host_4", dynastay.MonthOf(booked.Stay.CheckIn)).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(night.Date, night.Kind, night.Source)
	}
	// Output:
	// BOOKING#bk_1 2037-07-06 to 2037-07-10
	// lst_1 is not available: 2037-07-09 by BOOKING#bk_1 (LOCALSTAYS)
	// 1 reservation from the feed: 2037-07-20 to 2037-07-23
	// 2037-07-06 BOOKING LOCALSTAYS
	// 2037-07-07 BOOKING LOCALSTAYS
	// 2037-07-08 BOOKING LOCALSTAYS
	// 2037-07-09 BOOKING LOCALSTAYS
	// 2037-07-20 BOOKING AIRBNB
	// 2037-07-21 BOOKING AIRBNB
	// 2037-07-22 BOOKING AIRBNB
}
