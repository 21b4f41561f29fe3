package dynastay_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
)

var suppliers = &dynastay.Schema{
	Name: "Suppliers", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{{
		Name: "Offers", Key: dynastay.KeyNames{Partition: "offerPK", Sort: "offerSK"}, Project: dynastay.ProjectKeys,
	}},
}

// openSuppliers starts an engine with some suppliers. Each of them has an item for everything that it offers. Rinse has
// gone out of business, but its offers are still there.
func openSuppliers(ctx context.Context) (db *dynastay.DB, stop func()) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, suppliers); err != nil {
		log.Fatal(err)
	}
	db = dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix})
	err = db.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for name, offers := range map[string]string{
			"Bubble": "soap", "Clean": "linen soap towels", "Fluff": "towels linen", "Rinse": "soap towels", "Tidy": "towels soap",
		} {
			pk := dynastay.Text("SUPPLIER#" + name)
			if name != "Rinse" && !yield(suppliers, dynastay.Item{
				"PK": pk, "SK": dynastay.Text("SUPPLIER"), "phone": dynastay.Text("555-" + name),
			}) {
				return
			}
			for _, offer := range strings.Fields(offers) {
				if !yield(suppliers, dynastay.Item{
					"PK": pk, "SK": dynastay.Text("OFFER#" + offer), "offerPK": dynastay.Text("OFFER#" + offer), "offerSK": pk,
				}) {
					return
				}
			}
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	return db, func() { _ = e.Stop(ctx) }
}

// offering lists the names of the suppliers that offer something.
func offering(db *dynastay.DB, what string) dynastay.List[string] {
	return dynastay.ListOf(db, suppliers, dynastay.Query{
		Name: "suppliers.Offering", Index: "Offers", Partition: "OFFER#" + what,
	}, func(_ context.Context, row dynastay.Row) (string, error) {
		return strings.TrimPrefix(row.Text("offerSK"), "SUPPLIER#"), nil
	})
}

// The suppliers that offer both soap and towels.
func ExampleIntersect() {
	ctx := context.Background()
	db, stop := openSuppliers(ctx)
	defer stop()

	for name, err := range dynastay.Intersect(offering(db, "soap"), offering(db, "towels")).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name)
	}
	// Output:
	// Clean
	// Rinse
	// Tidy
}

// The suppliers that offer soap, linen or both.
func ExampleUnion() {
	ctx := context.Background()
	db, stop := openSuppliers(ctx)
	defer stop()

	for name, err := range dynastay.Union(offering(db, "soap"), offering(db, "linen")).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name)
	}
	// Output:
	// Bubble
	// Clean
	// Fluff
	// Rinse
	// Tidy
}

// The index contains only keys, so the phone numbers are read from the table, for a whole page at once.
func ExampleLoad() {
	ctx := context.Background()
	db, stop := openSuppliers(ctx)
	defer stop()

	names := dynastay.Intersect(offering(db, "soap"), offering(db, "towels"))
	phones := dynastay.Load(names, func(ctx context.Context, names []string) ([]string, error) {
		keys := make([]dynastay.Key, len(names))
		for i, name := range names {
			keys[i] = dynastay.Key{PK: "SUPPLIER#" + name, SK: "SUPPLIER"}
		}
		rows, err := db.GetAll(ctx, suppliers, keys)
		if err != nil {
			return nil, err
		}
		var phones []string
		for _, row := range rows {
			if row.Exists() {
				phones = append(phones, row.Text("phone"))
			}
		}
		return phones, nil
	})
	page, err := phones.Page(ctx, dynastay.Paging{Limit: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Items)
	// Output: [555-Clean 555-Tidy]
}
