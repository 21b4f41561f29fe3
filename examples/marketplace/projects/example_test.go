package projects_test

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
)

// Two workers bid for a project. The buyer accepts one bid, whose quote has changed in the meantime; the other has
// lost.
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
	repo := projects.New(db, users, nil)
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	for id, role := range map[string]people.Role{"ana": people.Buyer, "mike": people.Worker, "thandi": people.Worker} {
		_, err := users.SignUp(ctx, people.Profile{ID: id, Role: role, Name: id, Location: people.Location{City: "Estcourt"}})
		check(err)
	}
	zar := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "ZAR") }

	project, err := repo.Post(ctx, projects.Project{
		BuyerID: "ana", Title: "Build a foundation", Category: "Construction", Skills: []string{"bricklaying"},
		Budget: projects.Budget{Min: zar("50000"), Max: zar("80000")},
	})
	check(err)
	bid := func(worker, quote string) {
		_, err := repo.Bid(ctx, projects.Bid{
			ProjectID: project.ID, WorkerID: worker, Quote: zar(quote), Duration: 35, Unit: projects.Days,
		})
		check(err)
	}
	bid("mike", "65000")
	bid("thandi", "70000")
	list := func() {
		for b, err := range repo.Bids(project.ID).All(ctx) {
			check(err)
			fmt.Println(b.WorkerName, b.Quote, b.Status)
		}
	}
	list()

	seen := projects.Acceptance{ProjectID: project.ID, WorkerID: "mike", Quote: zar("65000")}
	_, err = repo.Revise(ctx, project.ID, "mike", func(b *projects.Bid) error { b.Quote = zar("66000"); return nil })
	check(err)
	_, err = repo.Accept(ctx, seen)
	var changed *projects.QuoteError
	if errors.As(err, &changed) {
		fmt.Println("not", changed.Seen, "but", changed.Now)
		seen.Quote = changed.Now // the buyer agrees to it
	}
	project, err = repo.Accept(ctx, seen)
	check(err)
	fmt.Println(project.Status, project.AcceptedWorkerID)
	list() // thandi has lost, though her bid is still stored as pending
	n, err := repo.RejectRest(ctx, project.ID)
	check(err)
	fmt.Println(n, "rejected")

	project, err = repo.Complete(ctx, project.ID)
	check(err)
	mike, err := users.Profile(ctx, "mike")
	check(err)
	fmt.Println(project.Status, mike.Jobs, mike.CompletionRate)
	// Output:
	// mike 65000.00 ZAR PENDING
	// thandi 70000.00 ZAR PENDING
	// not 65000.00 ZAR but 66000.00 ZAR
	// IN_PROGRESS mike
	// mike 66000.00 ZAR ACCEPTED
	// thandi 70000.00 ZAR REJECTED
	// 1 rejected
	// COMPLETED 1 1
}
