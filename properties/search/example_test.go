package search_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// openDB starts an engine and creates the tables that a search reads. Tests use dyntest.New instead.
func openDB(ctx context.Context) (db *dynastay.DB, stop func()) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, keys.PropertiesTable, keys.AvailabilityTable); err != nil {
		log.Fatal(err)
	}
	noon := func() time.Time { return time.Date(2037, 1, 10, 12, 0, 0, 0, time.UTC) }
	return dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix, Clock: noon}), func() { _ = e.Stop(ctx) }
}

var january = dynastay.MustStay("2037-01-10", "2037-02-01")

// openHotel creates a hotel with a double and a family room, and puts them on sale.
func openHotel(ctx context.Context, db *dynastay.DB, id, name string, double, family string) {
	property := properties.Property{
		ID: id, Name: name, Slug: id, Type: properties.Hotel, Stars: 4, OwnerID: "user_456", Status: properties.Approved,
		Address:            properties.Address{City: "New York", Country: "USA", Latitude: 40.7589, Longitude: -73.9851},
		TimeZone:           "America/New_York",
		CancellationPolicy: availability.FreeCancellation(48),
	}
	rooms := []properties.RoomType{
		{
			ID: id + "_double", Name: "Double", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1},
			BasePrice: dynastay.MustMoney(double, "USD"), Total: 10,
		},
		{
			ID: id + "_family", Name: "Family", Limits: availability.Limits{MaxOccupancy: 4, MaxAdults: 2, MaxChildren: 2},
			BasePrice: dynastay.MustMoney(family, "USD"), Total: 2,
		},
	}
	if _, err := properties.New(db, nil).Create(ctx, property, rooms); err != nil {
		log.Fatal(err)
	}
	for _, room := range rooms {
		_, err := availability.New(db).Open(ctx, availability.OpenRequest{
			PropertyID: id, RoomTypeID: room.ID, Nights: january, Rooms: room.Total, Price: room.BasePrice,
		})
		if err != nil {
			log.Fatal(err)
		}
	}
}

// A party that no single room holds is offered the cheapest combination of rooms.
func Example() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	openHotel(ctx, db, "grand", "Grand Luxury Hotel", "250.00", "400.00")
	openHotel(ctx, db, "inn", "City Inn", "120.00", "210.00")

	hotels := search.New(db, properties.New(db, nil))
	for _, guests := range []availability.Guests{{Adults: 2}, {Adults: 2, Children: 3}} {
		found, err := hotels.Page(ctx, search.Request{
			City: "New York", Country: "USA",
			Stay:     dynastay.MustStay("2037-01-15", "2037-01-18"),
			Guests:   guests,
			Currency: "USD",
			Filter:   search.Filter{Stars: []int{4, 5}, FreeCancellation: true},
			Sort:     search.LowestTotal,
		}, dynastay.Paging{Limit: 20})
		if err != nil {
			log.Fatal(err)
		}
		for _, offer := range found.Offers {
			cheapest := offer.Quotes[0] // bookings.Create takes it as it is
			fmt.Print(offer.Property.Name, ", ", cheapest.Total, ":")
			for _, line := range cheapest.Lines {
				fmt.Printf(" %d %s", line.Quantity, line.Name)
			}
			fmt.Println()
		}
	}
	// The page of a hotel shows the same, and all that can be booked there.
	whole, err := properties.New(db, nil).GetWhole(ctx, "inn")
	if err != nil {
		log.Fatal(err)
	}
	offer, err := hotels.OfferOf(ctx, whole.Card(), search.Request{
		Stay: dynastay.MustStay("2037-01-15", "2037-01-18"), Guests: availability.Guests{Adults: 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range offer.Quotes {
		fmt.Println(q.Lines[0].Name, q.Total)
	}
	// Output:
	// City Inn, 360.00 USD: 1 Double
	// Grand Luxury Hotel, 750.00 USD: 1 Double
	// City Inn, 990.00 USD: 1 Double 1 Family
	// Grand Luxury Hotel, 1950.00 USD: 1 Double 1 Family
	// Double 360.00 USD
	// Family 630.00 USD
}
