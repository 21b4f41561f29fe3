package entity_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity"
)

// A name belongs to one house, regardless of case. It is free again once the house has a different name.
func ExampleUnique() {
	ctx := context.Background()
	type house struct{ ID, Name string }
	table := &dynastay.Schema{Name: "Houses", Key: dynastay.KeyNames{Partition: "pk"}}
	houses := entity.New(entity.Spec[house]{
		Name: "House", Schema: table, ID: "id",
		Key: func(h *house) (dynastay.Key, error) { return dynastay.Key{PK: "HOUSE#" + h.ID}, nil },
		Codec: entity.Declare(func(f *entity.Fields, h *house) {
			f.String("id", &h.ID)
			f.String("name", &h.Name)
		}),
		Unique: []entity.Unique[house]{{
			Field: "Name", Owner: []string{"id"},
			Guard: func(h *house) (dynastay.Key, error) { return dynastay.Key{PK: "NAME#" + strings.ToLower(h.Name)}, nil },
		}},
	})

	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, table); err != nil {
		log.Fatal(err)
	}
	repo := entity.NewTable(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}), houses)

	if _, err := repo.Create(ctx, &house{ID: "1", Name: "Seaview"}); err != nil {
		log.Fatal(err)
	}
	_, err = repo.Create(ctx, &house{ID: "2", Name: "SEAVIEW"})
	fmt.Println(err)
	found, err := repo.Find(ctx, "Name", &house{Name: "seaview"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("found", found.ID)

	rename := func(h *house) error { h.Name = "Hilltop"; return nil }
	if _, err := repo.Update(ctx, dynastay.Key{PK: "HOUSE#1"}, rename); err != nil {
		log.Fatal(err)
	}
	_, err = repo.Find(ctx, "Name", &house{Name: "Seaview"})
	fmt.Println("found:", !errors.Is(err, dynastay.ErrNotFound))
	_, err = repo.Create(ctx, &house{ID: "2", Name: "Seaview"})
	fmt.Println("free:", err == nil)
	// Output:
	// House.Create: House HOUSE#2 (Name): already exists
	// found 1
	// found: false
	// free: true
}
