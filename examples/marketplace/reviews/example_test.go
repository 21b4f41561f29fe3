package reviews_test

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
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// A buyer reviews a worker once the project is completed, and later raises the rating. The worker's score follows.
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
	users := people.New(db, nil)
	jobs := projects.New(db, users, nil)
	repo := reviews.New(db, users, jobs, shop.New(db, users, nil))
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}

	_, err = users.SignUp(ctx, people.Profile{ID: "ana", Role: people.Buyer, Name: "Ana", Location: people.Location{City: "Estcourt"}})
	check(err)
	_, err = users.SignUp(ctx, people.Profile{ID: "mike", Role: people.Worker, Name: "Mike", Location: people.Location{City: "Estcourt"}})
	check(err)
	quote := dynastay.MustMoney("65000", "ZAR")
	project, err := jobs.Post(ctx, projects.Project{
		BuyerID: "ana", Title: "Foundation", Category: "Construction", Budget: projects.Budget{Min: quote, Max: quote},
	})
	check(err)
	_, err = jobs.Bid(ctx, projects.Bid{ProjectID: project.ID, WorkerID: "mike", Quote: quote})
	check(err)
	_, err = jobs.Accept(ctx, projects.Acceptance{ProjectID: project.ID, WorkerID: "mike", Quote: quote})
	check(err)

	score := func() {
		mike, err := users.Profile(ctx, "mike", dynastay.Consistent)
		check(err)
		fmt.Println(mike.Name, "has", mike.TrustScore, "of", mike.Ratings)
	}
	opinion := reviews.Review{ProjectID: project.ID, ReviewerID: "ana", RevieweeID: "mike", Rating: 3, Comment: "On time"}
	_, err = repo.Create(ctx, opinion)
	var refused *reviews.PartyError
	fmt.Println(errors.As(err, &refused), refused.Status)
	_, err = jobs.Complete(ctx, project.ID)
	check(err)
	review, err := repo.Create(ctx, opinion)
	check(err)
	score()

	_, err = repo.Create(ctx, opinion)
	fmt.Println(errors.Is(err, dynastay.ErrAlreadyExists))
	_, err = repo.Update(ctx, review.Key(), func(v *reviews.Review) error { v.Rating = 5; return nil })
	check(err)
	score()
	for v, err := range repo.Of("mike").All(ctx) {
		check(err)
		fmt.Println(v.ReviewerName, v.Rating, v.Comment)
	}
	check(repo.Delete(ctx, review.Key()))
	score()
	// Output:
	// true IN_PROGRESS
	// Mike has 3.0 of 1
	// true
	// Mike has 5.0 of 1
	// Ana 5 On time
	// Mike has 0.0 of 0
}
