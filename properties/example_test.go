package properties_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// openDB starts an engine and creates the table of properties. Tests use dyntest.New instead.
func openDB(ctx context.Context) (db *dynastay.DB, stop func()) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, keys.PropertiesTable); err != nil {
		log.Fatal(err)
	}
	return dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}), func() { _ = e.Stop(ctx) }
}

// hotel returns a property that is waiting for approval, and its only room type.
func hotel(id, name string) (properties.Property, []properties.RoomType) {
	p := properties.Property{
		ID: id, Name: name, Slug: "slug-" + id, Type: properties.Hotel, Stars: 4, OwnerID: "user_456",
		Address:            properties.Address{City: "New York", Country: "USA", Latitude: 40.7589, Longitude: -73.9851},
		TimeZone:           "America/New_York",
		CancellationPolicy: availability.FreeCancellation(48),
		AmenityIDs:         []string{"wifi", "pool"},
	}
	return p, []properties.RoomType{{
		ID: "room_" + id, Name: "Deluxe King", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1},
		BasePrice: dynastay.MustMoney("250.00", "USD"), Total: 20,
	}}
}

// Searches find a property once it is approved.
func Example() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	repo := properties.New(db, nil)

	property, rooms := hotel("grand", "Grand Luxury Hotel")
	if _, err := repo.Create(ctx, property, rooms); err != nil {
		log.Fatal(err)
	}
	newYork := properties.CityQuery{City: "New York", Country: "USA"}
	page, err := repo.ByCity(newYork).Page(ctx, dynastay.Paging{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("while pending:", len(page.Items))

	if _, err := repo.Approve(ctx, "grand"); err != nil {
		log.Fatal(err)
	}
	if page, err = repo.ByCity(newYork).Page(ctx, dynastay.Paging{}); err != nil {
		log.Fatal(err)
	}
	card := page.Items[0]
	fmt.Println(card.Name, card.Stars, card.AmenityIDs, "from", card.Prices.Min)

	found, err := repo.BySlug(ctx, card.Slug)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Rooms[0].Name, found.Rooms[0].Total)
	// Output:
	// while pending: 0
	// Grand Luxury Hotel 4 [wifi pool] from 250.00 USD
	// Deluxe King 20
}

// Five more lists find the same properties: by price in a city, by stars in a city, by type, those that are featured,
// and by amenities in a city. The default order of prices is lowest first, that of amenities is by id; the others begin
// with the best.
func Example_lists() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	repo := properties.New(db, nil)
	for id, price := range map[string]string{"budget": "90.00", "middle": "150.00", "grand": "1000.00"} {
		property, rooms := hotel(id, "Hotel "+id)
		property.Status = properties.Approved
		property.Featured, property.FeaturedScore = id != "middle", len(id)
		if id == "budget" {
			property.AmenityIDs = []string{"wifi"}
		}
		rooms[0].BasePrice = dynastay.MustMoney(price, "USD")
		if _, err := repo.Create(ctx, property, rooms); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := repo.Rate(ctx, "grand", 0, 100); err != nil {
		log.Fatal(err)
	}
	show := func(what string, list dynastay.List[*properties.Card]) {
		fmt.Print(what)
		for card, err := range list.All(ctx) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Print(" ", card.PropertyID)
		}
		fmt.Println()
	}

	query := properties.PriceQuery{City: "New York", Country: "USA", Currency: "USD"}
	show("by price:", repo.ByPrice(query))
	query.Max, query.Descending = dynastay.MustMoney("150", "USD"), true
	show("at most 150 USD:", repo.ByPrice(query))
	show("four stars, rated 9.0:", repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 4, MinRating: 90}))
	show("hotels:", repo.ByType(properties.TypeQuery{Type: properties.Hotel}))
	show("featured:", repo.Featured())
	show("with wifi and a pool:", repo.ByAmenities(properties.AmenityQuery{
		City: "New York", Country: "USA", AmenityIDs: []string{"wifi", "pool"},
	}))
	// Output:
	// by price: budget middle grand
	// at most 150 USD: middle budget
	// four stars, rated 9.0: grand
	// hotels: grand middle budget
	// featured: budget grand
	// with wifi and a pool: grand middle
}

// A slug belongs to one property.
func ExampleRepository_Create() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	repo := properties.New(db, nil)

	first, rooms := hotel("grand", "Grand Luxury Hotel")
	made, err := repo.Create(ctx, first, rooms)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.Status, made.Prices.Min, made.Version)

	second, rooms := hotel("other", "Another Grand Hotel")
	second.Slug = first.Slug
	_, err = repo.Create(ctx, second, rooms)
	var failure *dynastay.Error
	if errors.As(err, &failure) && errors.Is(err, dynastay.ErrAlreadyExists) {
		fmt.Println("taken:", failure.Field)
	}

	second.Slug, second.Address.Latitude = "another", 140.7589
	_, err = repo.Create(ctx, second, rooms)
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		fmt.Println(invalid.Field, invalid.Reason)
	}
	// Output:
	// pending 250.00 USD 1
	// taken: Slug
	// Address.Latitude must be between -90 and 90
}

// Two owners of one property each fill in a form. If they change different fields, both updates succeed. With
// IfVersion, the second update fails because its form was filled in from an older version.
func ExampleRepository_Update() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	repo := properties.New(db, nil)
	property, rooms := hotel("grand", "Grand Luxury Hotel")
	if _, err := repo.Create(ctx, property, rooms); err != nil {
		log.Fatal(err)
	}
	form, err := repo.Get(ctx, "grand") // both owners see this version
	if err != nil {
		log.Fatal(err)
	}

	rename := func(p *properties.Property) error {
		p.Name = "Small Luxury Hotel"
		return nil
	}
	got, err := repo.Update(ctx, "grand", rename, dynastay.IfVersion(form.Version))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Name, got.Version)

	move := func(p *properties.Property) error {
		p.CheckInTime = "14:00"
		return nil
	}
	_, err = repo.Update(ctx, "grand", move, dynastay.IfVersion(form.Version))
	fmt.Println(errors.Is(err, dynastay.ErrVersion))

	got, err = repo.Update(ctx, "grand", move)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Name, got.CheckInTime, got.Version)
	// Output:
	// Small Luxury Hotel 2
	// true
	// Small Luxury Hotel 14:00 3
}

// The properties within 2 km of a point, with their distances.
func ExampleRepository_Near() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	repo := properties.New(db, nil)
	for name, at := range map[string][2]float64{
		"Grand Central": {40.7527, -73.9772}, "Times Square": {40.7580, -73.9855}, "Battery": {40.7033, -74.0170},
	} {
		property, rooms := hotel(strings.ReplaceAll(strings.ToLower(name), " ", "-"), name)
		property.Address.Latitude, property.Address.Longitude = at[0], at[1]
		if _, err := repo.Create(ctx, property, rooms); err != nil {
			log.Fatal(err)
		}
		if _, err := repo.Approve(ctx, property.ID); err != nil {
			log.Fatal(err)
		}
	}

	bryantPark := properties.NearQuery{Latitude: 40.7536, Longitude: -73.9832, Radius: 2_000}
	near, err := repo.Near(ctx, bryantPark)
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range near {
		fmt.Printf("%s, %.0f m, from %s\n", n.Name, n.Distance, n.Prices.Min)
	}

	_, err = repo.Near(ctx, properties.NearQuery{Latitude: 40.7536, Longitude: -73.9832, Radius: 5})
	fmt.Println(err)
	// Output:
	// Grand Central, 515 m, from 250.00 USD
	// Times Square, 526 m, from 250.00 USD
	// invalid Radius: must be between 100 and 100,000 metres
}

// A hotel adds its taxes. With IfVersion, a form that was filled in before somebody else's change is refused.
func ExampleRepository_UpdateCharges() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	repo := properties.New(db, nil)
	property, rooms := hotel("grand", "Grand Luxury Hotel")
	if _, err := repo.Create(ctx, property, rooms); err != nil {
		log.Fatal(err)
	}
	form, err := repo.Charges(ctx, "grand")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(form.Charges), form.Version)

	taxes := func(l *charges.List) error {
		l.Charges = append(l.Charges, charges.Charge{
			ID: "state", Name: "State sales tax", Kind: charges.Tax, Rate: 8_8750, // 8.875 %
			Per: charges.PerNight, Of: []charges.Component{charges.Lodging},
		}, charges.Charge{
			ID: "unit", Name: "Unit fee", Kind: charges.Tax, Amount: dynastay.MustMoney("1.50", "USD"), Per: charges.PerRoomNight,
		})
		return nil
	}
	list, err := repo.UpdateCharges(ctx, "grand", taxes, dynastay.IfVersion(form.Version))
	if err != nil {
		log.Fatal(err)
	}
	for _, charge := range list.Charges {
		fmt.Println(charge.ID, charge.Name)
	}
	_, err = repo.UpdateCharges(ctx, "grand", taxes, dynastay.IfVersion(form.Version))
	fmt.Println(errors.Is(err, dynastay.ErrVersion))
	// Output:
	// 0 0
	// state State sales tax
	// unit Unit fee
	// true
}
