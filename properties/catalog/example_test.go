package catalog_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties/catalog"
)

// openDB starts an engine and creates the table. Tests use dyntest.New instead.
func openDB(ctx context.Context) (db *dynastay.DB, stop func()) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, keys.MetadataTable); err != nil {
		log.Fatal(err)
	}
	return dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}), func() { _ = e.Stop(ctx) }
}

// What a guest types is completed, and becomes the city and the country of a search.
func Example() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	locations := catalog.Locations(db)
	for _, l := range []catalog.Location{
		{City: "New York", Country: "USA", State: "NY", Aliases: []string{"NYC", "Big Apple"}},
		{City: "Zürich", Country: "Switzerland", Aliases: []string{"ZRH"}},
	} {
		if _, err := locations.Create(ctx, l); err != nil {
			log.Fatal(err)
		}
	}
	page, err := locations.Complete("new y").Page(ctx, dynastay.Paging{Limit: 5})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range page.Items {
		fmt.Printf("new y… is completed to %s, %s\n", l.City, l.Country)
	}
	for _, typed := range []string{"nyc", "zurich switzerland"} {
		for l, err := range locations.Find(typed).All(ctx) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s: city %q, country %q\n", typed, l.City, l.Country)
		}
	}
	// Output:
	// new y… is completed to New York, USA
	// nyc: city "New York", country "USA"
	// zurich switzerland: city "Zürich", country "Switzerland"
}

// A platform stores its commission as a setting.
func ExampleSetting() {
	ctx := context.Background()
	db, stop := openDB(ctx)
	defer stop()
	type Commission struct{ Percent int }
	setting := catalog.NewSetting(db, "commission", func(f *entity.Fields, v *Commission) {
		f.Int("Percent", &v.Percent)
	})
	if _, err := setting.Create(ctx, Commission{Percent: 15}); err != nil {
		log.Fatal(err)
	}
	raise := func(v *Commission) error {
		v.Percent++
		return nil
	}
	if _, err := setting.Update(ctx, raise); err != nil {
		log.Fatal(err)
	}
	got, err := setting.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Value.Percent, "percent, version", got.Version)
	// Output: 16 percent, version 2
}
