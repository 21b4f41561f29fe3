package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
)

// Two guests have booked. The first one gets room 301, so the second one cannot have it, and gets another one. Later the first one
// complains about the noise.
func ExampleRepository_AssignUnits() {
	ctx := context.Background()
	db, _, quote, stop := openHotel(ctx)
	defer stop()
	king, rooms := quote.Lines[0].RoomTypeID, 3
	if _, err := availability.New(db).Update(ctx, availability.UpdateRequest{
		PropertyID: quote.Property.ID, Changes: []availability.Change{{RoomTypeIDs: []string{king}, Dates: quote.Stay, Rooms: &rooms}},
	}); err != nil {
		log.Fatal(err)
	}
	_, err := units.New(db).CreateAll(ctx, []units.Unit{
		{PropertyID: quote.Property.ID, ID: "301", RoomTypeID: king}, {PropertyID: quote.Property.ID, ID: "302", RoomTypeID: king},
		{PropertyID: quote.Property.ID, ID: "303", RoomTypeID: king},
	})
	if err != nil {
		log.Fatal(err)
	}
	repo := bookings.New(db, nil)
	var ids []string
	for range 2 {
		booking, err := repo.Create(ctx, bookings.Request{
			Quote: quote, NoUser: true, Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"},
		})
		if err != nil {
			log.Fatal(err)
		}
		ids = append(ids, booking.ID)
	}

	assign := func(id, unit string) error {
		_, err := repo.AssignUnits(ctx, id, []bookings.Assignment{{RoomTypeID: king, UnitID: unit}})
		return err
	}
	if err := assign(ids[0], "301"); err != nil {
		log.Fatal(err)
	}
	var taken *units.TakenError
	if err := assign(ids[1], "301"); errors.As(err, &taken) {
		fmt.Println(len(taken.Nights), "nights are taken by the first booking:", taken.Nights[0].By.BookingID == ids[0])
	}
	if err := assign(ids[1], "302"); err != nil {
		log.Fatal(err)
	}
	moved, err := repo.MoveUnit(ctx, ids[0], bookings.UnitMove{From: "301", To: "303", On: quote.Stay.CheckIn.AddDays(1)})
	if err != nil {
		log.Fatal(err)
	}
	for _, unit := range moved.Lines[0].Units {
		fmt.Println(unit.UnitID, unit.Nights)
	}

	// Output:
	// 2 nights are taken by the first booking: true
	// 301 2037-07-10 to 2037-07-11
	// 303 2037-07-11 to 2037-07-12
}
