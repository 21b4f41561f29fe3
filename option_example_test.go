package dynastay_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity"
)

// A lock is an item that one caller creates and deletes. Its write id distinguishes the current holder from a previous
// one, whose delete may arrive late.
func ExampleIfWritten() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	type job struct {
		Name    string
		WriteID dynastay.WriteID
	}
	table := &dynastay.Schema{Name: "Locks", Key: dynastay.KeyNames{Partition: "name"}}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, table); err != nil {
		log.Fatal(err)
	}
	key := func(j *job) (dynastay.Key, error) { return dynastay.Key{PK: j.Name}, nil }
	locks := entity.NewTable(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}), entity.New(entity.Spec[job]{
		Name: "Lock", Schema: table, Key: key,
		Codec: entity.Declare(func(f *entity.Fields, j *job) {
			f.String("name", &j.Name)
			f.WriteID("WriteId", &j.WriteID)
		}),
	}))

	mine, err := locks.Create(ctx, &job{Name: "night audit"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = locks.Create(ctx, &job{Name: "night audit"})
	fmt.Println("another caller:", errors.Is(err, dynastay.ErrAlreadyExists))

	release := func() error {
		return locks.Delete(ctx, dynastay.Key{PK: "night audit"}, dynastay.IfWritten(mine.WriteID))
	}
	fmt.Println("released:", release() == nil)
	if _, err := locks.Create(ctx, &job{Name: "night audit"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("a late release of the first:", errors.Is(release(), dynastay.ErrVersion))
	// Output:
	// another caller: true
	// released: true
	// a late release of the first: true
}
