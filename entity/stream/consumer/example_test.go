package consumer_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// A consumer keeps an index of users up to date. Drain handles what there is and returns; a service calls Run instead.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, keys.UsersTable, keys.MetadataTable); err != nil {
		log.Fatal(err)
	}
	db := dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix})
	repo := users.New(db, nil)

	index := map[dynastay.Key]string{}
	router := stream.NewRouter(
		stream.On(repo.Changes().Users, func(_ context.Context, c stream.Change[users.User]) error {
			if c.New == nil {
				delete(index, c.Key)
			} else {
				index[c.Key] = c.New.FirstName
			}
			return nil
		}),
	)
	c := consumer.New(db, e.Streams(), consumer.Spec{
		Name: "user-index", Router: router, Start: consumer.Oldest, Poll: 10 * time.Millisecond,
	})

	anna, err := repo.Create(ctx, users.User{Email: "anna@example.com", FirstName: "Anna", LastName: "Berg", Role: users.Customer})
	if err != nil {
		log.Fatal(err)
	}
	if err := c.Drain(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(index), "user:", index[dynastay.Key{PK: "USER#" + anna.ID, SK: "PROFILE"}])

	if _, err := repo.Update(ctx, anna.ID, func(u *users.User) error { u.FirstName = "Anne"; return nil }); err != nil {
		log.Fatal(err)
	}
	if err := c.Drain(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(index), "user:", index[dynastay.Key{PK: "USER#" + anna.ID, SK: "PROFILE"}])
	// Output:
	// 1 user: Anna
	// 1 user: Anne
}
