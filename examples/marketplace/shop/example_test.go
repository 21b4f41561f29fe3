package shop_test

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
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// Two buyers want more bricks than there are. The second one gets what the first one returns.
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
	repo := shop.New(db, users, nil)

	seller, err := users.SignUp(ctx, people.Profile{
		Role: people.Seller, Shop: people.Shop{BusinessName: "Estcourt Building Supplies"},
		Location: people.Location{City: "Estcourt", Latitude: -29.005, Longitude: 29.88},
	})
	if err != nil {
		log.Fatal(err)
	}
	price := dynastay.MustMoney("5.50", "ZAR")
	if _, err := repo.Create(ctx, shop.Product{
		SellerID: seller.ID, Title: "Red Clay Bricks", Category: "Bricks", Price: price, Unit: "per brick", Stock: 10000, MinOrder: 100,
	}); err != nil {
		log.Fatal(err)
	}

	page, err := repo.InCategory("Bricks", "ZAR").Page(ctx, dynastay.Paging{})
	if err != nil {
		log.Fatal(err)
	}
	bricks := page.Items[0]
	fmt.Printf("%s of %s, %s %s\n", bricks.Title, bricks.SellerName, bricks.Price, bricks.Unit)

	place := func(buyerID string, quantity int) (*shop.Order, error) {
		order := shop.Order{
			BuyerID: buyerID, SellerID: bricks.SellerID,
			Items:    []shop.Item{{ProductID: bricks.ID, Title: bricks.Title, Quantity: quantity, UnitPrice: bricks.Price}},
			Totals:   shop.Totals{Delivery: dynastay.MustMoney("500", "ZAR"), Tax: dynastay.MustMoney("4200", "ZAR")},
			Delivery: shop.Destination{Address: "123 Main St, Estcourt", Date: dynastay.MustDate("2037-02-10")},
		}
		if err := order.AddUp(); err != nil { // the page that the buyer sees shows the total
			return nil, err
		}
		return repo.Place(ctx, order)
	}
	first, err := place("user_john", 5000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first.Status, first.Totals.Total)

	_, err = place("user_thandi", 6000)
	var refused *shop.Refused
	if errors.As(err, &refused) {
		fmt.Println(refused)
	}
	if _, err := repo.Cancel(ctx, shop.Cancellation{OrderID: first.ID, By: "user_john", Reason: "found cheaper ones"}); err != nil {
		log.Fatal(err)
	}
	second, err := place("user_thandi", 6000)
	if err != nil {
		log.Fatal(err)
	}
	_, err = repo.Ship(ctx, second.ID)
	fmt.Println(err)
	for _, next := range []func(context.Context, string, ...dynastay.WriteOption) (*shop.Order, error){
		repo.Confirm, repo.Ship, repo.Deliver,
	} {
		if second, err = next(ctx, second.ID); err != nil {
			log.Fatal(err)
		}
		fmt.Println(second.Status)
	}
	// Output:
	// Red Clay Bricks of Estcourt Building Supplies, 5.50 ZAR per brick
	// PENDING 32200.00 ZAR
	// cannot be ordered: Red Clay Bricks is out of stock, 5000 left
	// the order is PENDING and cannot become SHIPPED
	// CONFIRMED
	// SHIPPED
	// DELIVERED
}
