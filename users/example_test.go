package users_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// openTables starts an engine and creates the tables of package users. In a test, dyntest.New does this.
func openTables(ctx context.Context) (db *dynastay.DB, stop func()) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, keys.UsersTable, keys.MetadataTable); err != nil {
		log.Fatal(err)
	}
	db = dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix,
		IndexLag:    time.Millisecond, // local engines have no lag; leave the default in production
	})
	return db, func() { e.Stop(ctx) }
}

// An address belongs to one user, regardless of case.
func Example() {
	ctx := context.Background()
	db, stop := openTables(ctx)
	defer stop()
	repo := users.New(db, nil)

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

// Points are earned and redeemed once for each reason.
func ExampleRepository_Earn() {
	ctx := context.Background()
	db, stop := openTables(ctx)
	defer stop()
	repo := users.New(db, nil)

	stay := users.Movement{UserID: "user_456", ReasonID: "bkg_12345", Points: 1200, Note: "3 nights in New York"}
	for range 2 { // the message that the guest has left is delivered twice
		entry, err := repo.Earn(ctx, stay)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("earned", entry.Points, "balance", entry.Balance)
	}

	_, err := repo.Redeem(ctx, users.Movement{UserID: "user_456", ReasonID: "upgrade_1", Points: 2000})
	var refused *users.PointsError
	if errors.As(err, &refused) {
		fmt.Println("not enough:", refused.Balance)
	}
	if _, err := repo.Redeem(ctx, users.Movement{UserID: "user_456", ReasonID: "breakfast_1", Points: 300}); err != nil {
		log.Fatal(err)
	}

	account, err := repo.Loyalty(ctx, "user_456", dynastay.Consistent)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Tier, account.Points, "of", account.LifetimePoints)
	// Output:
	// earned 1200 balance 1200
	// earned 1200 balance 1200
	// not enough: 1200
	// silver 900 of 1200
}

// comments is what a platform stores itself: an example of an Eraser.
type comments map[string]int

func (c comments) Check(context.Context, string) error { return nil }

func (c comments) Erase(_ context.Context, userID string) (map[string]int, error) {
	n := c[userID]
	delete(c, userID)
	if n == 0 {
		return nil, nil
	}
	return map[string]int{"comments deleted": n}, nil
}

// A user is erased together with what the platform itself stores. Afterwards nothing can be created under the id.
func ExampleRepository_Erase() {
	ctx := context.Background()
	db, stop := openTables(ctx)
	defer stop()
	repo := users.New(db, nil)

	made, err := repo.Create(ctx, users.User{Email: "john.doe@example.com", FirstName: "John", LastName: "Doe", Role: users.Customer})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := repo.CreateWishlist(ctx, users.Wishlist{UserID: made.ID, Name: "Summer Vacation Ideas"}); err != nil {
		log.Fatal(err)
	}

	report, err := repo.Erase(ctx, made.ID, comments{made.ID: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Done)

	_, err = repo.CreateWishlist(ctx, users.Wishlist{UserID: made.ID, Name: "Winter"})
	fmt.Println(errors.Is(err, users.ErrErased))

	// In a write of the platform itself, the same check prevents that data of the user is stored after the erasure.
	err = db.Write(ctx, repo.NotErasedOp(made.ID))
	fmt.Println(errors.Is(err, users.ErrErased))
	// Output:
	// map[comments deleted:3 profiles deleted:1 wishlists deleted:1]
	// true
	// true
}
