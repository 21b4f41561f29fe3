package world_test

import (
	"fmt"

	"github.com/dynastay/dynastay/dyntest/world"
)

func Example() {
	w := world.New(world.Options{Seed: 1, Properties: 10_000})

	hotel := w.Hotel(4321) // without making the 4,321 hotels before it
	fmt.Println(hotel.ID, hotel.Name, "in", hotel.Address.City)
	for _, room := range hotel.Rooms {
		fmt.Println(room.ID, room.Name, "from", room.BasePrice)
	}
	first := hotel.Bookings[0]
	fmt.Println(first.ID, first.Reference, "of", first.Guest.FirstName, "for", first.Stay)

	if ask, ok := hotel.Offer(3, 1); ok {
		fmt.Println("the first three nights that are free:", ask.Stay)
	}
	// Output:
	// prop_004321 Ember Inn in Bangkok
	// room_004321_1 Standard Double from 2530.00 THB
	// room_004321_2 Family Room from 4600.00 THB
	// room_004321_3 Junior Suite from 5940.00 THB
	// bkg_004321_0000 BKG-2026-RF7ZA2 of Hiroshi for 2026-06-01 to 2026-06-05
	// the first three nights that are free: 2026-06-01 to 2026-06-04
}
