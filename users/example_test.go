package users_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// An address belongs to one user, regardless of case.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow()) // in a test, dyntest.New does this and creates the tables
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, keys.UsersTable); err != nil {
		log.Fatal(err)
	}
	repo := users.New(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}), nil)

	made, err := repo.Create(ctx, users.User{
		Email: "John.Doe@example.com", FirstName: "John", LastName: "Doe", Role: users.Customer,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.Email)

	_, err = repo.Create(ctx, users.User{
		Email: "john.doe@EXAMPLE.com", FirstName: "Jane", LastName: "Doe", Role: users.Customer,
	})
	var failure *dynastay.Error
	if errors.As(err, &failure) && errors.Is(err, dynastay.ErrAlreadyExists) {
		fmt.Println("taken:", failure.Field)
	}

	found, err := repo.ByEmail(ctx, " john.doe@example.com")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.FirstName, found.ID == made.ID)
	// Output:
	// john.doe@example.com
	// taken: Email
	// John true
}
