package units_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// A small hotel says which rooms it has, and housekeeping asks which of them are to be cleaned.
func Example() {
	ctx := context.Background()
	db, hotel, stop := openHotel(ctx)
	defer stop()
	repo := units.New(db)
	_, err := repo.CreateAll(ctx, []units.Unit{
		{PropertyID: hotel, ID: "301", RoomTypeID: "room_king", Floor: "3", Features: []string{"sea view"}},
		{PropertyID: hotel, ID: "302", RoomTypeID: "room_king", Floor: "3"},
		{PropertyID: hotel, ID: "401", RoomTypeID: "room_king", Floor: "4"},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := repo.SetHousekeeping(ctx, hotel, "302", units.Dirty, "staff_7"); err != nil {
		log.Fatal(err)
	}
	for unit, err := range repo.ToBeCleaned(hotel).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(unit.ID, "on floor", unit.Floor, "is", unit.Housekeeping)
	}

	// Output:
	// 302 on floor 3 is dirty
}

// Two stays fit into one room, one after the other; a guest who wishes for the view gets it.
func ExampleChoose() {
	rooms := []units.Unit{
		{ID: "301", RoomTypeID: "room_king", Features: []string{"sea view"}},
		{ID: "302", RoomTypeID: "room_king"},
	}
	need := func(in, out string, features ...string) units.Need {
		return units.Need{RoomTypeID: "room_king", Nights: dynastay.MustStay(in, out), Wish: units.Wish{Features: features}}
	}
	fmt.Println(units.Choose(rooms, nil, []units.Need{
		need("2026-07-10", "2026-07-12"), need("2026-07-12", "2026-07-15"), need("2026-07-11", "2026-07-13", "sea view"),
	}))

	// Output:
	// [302 302 301]
}

// openHotel starts an engine with a hotel that has one room type.
func openHotel(ctx context.Context) (*dynastay.DB, string, func()) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	prefix := rand.Text() + "-" // the engine may still have tables from an earlier run
	if err := e.CreateTables(ctx, prefix, keys.Tables()...); err != nil {
		log.Fatal(err)
	}
	db := dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix})
	hotel, err := properties.New(db, nil).Create(ctx, properties.Property{
		Name: "Sea House", Slug: "sea-house", Type: properties.Hotel, OwnerID: "user_host",
		Address: properties.Address{City: "Nice", Country: "France", Latitude: 43.6953, Longitude: 7.2655},
	}, []properties.RoomType{{
		ID: "room_king", Name: "King", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: dynastay.MustMoney("140", "EUR"), Total: 3,
	}})
	if err != nil {
		log.Fatal(err)
	}
	return db, hotel.ID, func() { _ = e.Stop(ctx) }
}
