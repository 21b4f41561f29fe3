package regions_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

// Regions are loaded, and found by what a person types and by the part of the map that is on the screen.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := rand.Text() + "-" // the engine may still have tables from an earlier run
	if err := e.CreateTables(ctx, prefix, keys.Table); err != nil {
		log.Fatal(err)
	}
	repo := regions.New(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}))

	for range 2 {
		changed, err := repo.Load(ctx, []regions.Region{
			{
				Type: regions.Country, Code: "FO", Name: "Faroe Islands", Aliases: []string{"Føroyar", "Færøerne"},
				Box: &regions.Box{North: 62.36, South: 61.41, East: -6.4, West: -7.43},
			},
			{
				Type: regions.Country, Code: "FJ", Name: "Fiji",
				Box: &regions.Box{North: -12.47, South: -21.76, East: -178.2, West: 174.62}, // across the antimeridian
			},
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(changed, "regions changed")
	}
	for match, err := range repo.ByName(regions.Country, "faero").All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(match.Matched, "is", match.Name)
	}
	inView, err := repo.InView(ctx, regions.Box{North: -15, South: -20, East: -179, West: -180})
	if err != nil {
		log.Fatal(err)
	}
	for _, region := range inView {
		fmt.Println(region.Code, "is in view")
	}
	// Output:
	// 2 regions changed
	// 0 regions changed
	// Færøerne is Faroe Islands
	// FJ is in view
}
