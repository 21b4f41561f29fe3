package people_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// A buyer looks for somebody who can build a wall and plaster it.
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
	db := dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix, Idempotency: keys.Table})
	repo := people.New(db, nil)
	for i, skills := range [][]string{{"Brick-laying", "Plastering"}, {"bricklaying"}, {"Plastering", "Bricklaying", "painting"}} {
		_, err := repo.SignUp(ctx, people.Profile{
			ID: fmt.Sprint("worker_", i), Role: people.Worker, Name: []string{"Mike", "Zola", "Thandi"}[i],
			Phone: fmt.Sprint("+2781234567", i), Work: people.Work{Skills: skills},
			Location: people.Location{City: "Estcourt", Latitude: -29.01 - float64(i)/100, Longitude: 29.875},
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	_, err = repo.SignUp(ctx, people.Profile{
		Role: people.Buyer, Name: "John", Phone: "+27812345670", Location: people.Location{City: "Estcourt"},
	})
	var taken *dynastay.Error
	if errors.As(err, &taken) && errors.Is(err, dynastay.ErrAlreadyExists) {
		fmt.Println("another user has this", taken.Field)
	}

	for p, err := range repo.WithAllSkills("Estcourt", "brick laying", "plastering").All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Name, p.Work.Skills)
	}
	near, err := repo.Near(ctx, people.NearQuery{
		Role: people.Worker, Latitude: -29.03, Longitude: 29.875, Radius: 5_000, Skills: []string{"bricklaying"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range near {
		fmt.Printf("%s, %.0f m\n", p.Name, p.Distance)
	}
	// Output:
	// another user has this Phone
	// Mike [Brick-laying Plastering]
	// Thandi [Plastering Bricklaying painting]
	// Thandi, 0 m
	// Zola, 1112 m
	// Mike, 2224 m
}
