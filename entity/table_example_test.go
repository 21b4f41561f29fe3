package entity_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"maps"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity"
)

// note is a note of the night shift, in a table whose key is the date and a number.
type note struct {
	Date    dynastay.Date
	Number  int
	Text    string
	Version int
}

var notesTable = &dynastay.Schema{Name: "Notes", Key: dynastay.KeyNames{Partition: "date", Sort: "number"}}

func noteKey(date dynastay.Date, number int) dynastay.Key {
	return dynastay.Key{PK: date.String(), SK: fmt.Sprintf("%04d", number)}
}

var noteEntity = entity.New(entity.Spec[note]{
	Name: "Note", Schema: notesTable, Version: "version",
	Key: func(n *note) (dynastay.Key, error) { return noteKey(n.Date, n.Number), nil },
	Codec: entity.Declare(func(f *entity.Fields, n *note) {
		f.Date("day", &n.Date)
		f.Int("n", &n.Number)
		f.String("text", &n.Text)
		f.IfSet().Int("version", &n.Version)
	}),
})

// How a note is stored in the table, and what happens with an item that is not a note.
func ExampleEntity() {
	n := &note{Date: dynastay.MustDate("2026-07-10"), Number: 1, Text: "Lift stuck."}
	item, err := noteEntity.Item(n)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(item)) {
		fmt.Println(name, dynastay.RowOf(item).Value(name).Text())
	}

	read, err := noteEntity.Value(dynastay.RowOf(item))
	fmt.Println(*read == *n, err)

	item["text"] = dynastay.Number(7)
	_, err = noteEntity.Value(dynastay.RowOf(item))
	fmt.Println(err)

	n.Text = "\xff"
	_, err = noteEntity.Item(n)
	fmt.Println(err)
	// Output:
	// date 2026-07-10
	// day 2026-07-10
	// n 1
	// number 0001
	// text Lift stuck.
	// true <nil>
	// Note 2026-07-10/0001 (text): unreadable item: must be text, got a number
	// invalid Text: must be valid UTF-8
}

// Two people change the same note. The second one has either seen what the first one wrote, or gets an error.
func ExampleTable() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, notesTable); err != nil {
		log.Fatal(err)
	}
	notes := entity.NewTable(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}), noteEntity)

	seen, err := notes.Create(ctx, &note{Date: dynastay.MustDate("2026-07-10"), Number: 1, Text: "Lift stuck."})
	if err != nil {
		log.Fatal(err)
	}
	at := noteKey(seen.Date, seen.Number)
	now, err := notes.Update(ctx, at, func(n *note) error { n.Text = "Lift mended."; return nil }, dynastay.IfVersion(seen.Version))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("version", now.Version)
	_, err = notes.Update(ctx, at, func(n *note) error { n.Text = "Lift?"; return nil }, dynastay.IfVersion(seen.Version))
	fmt.Println("seen before:", errors.Is(err, dynastay.ErrVersion))
	_, err = notes.Update(ctx, at, func(n *note) error { n.Version = 7; return nil })
	fmt.Println(err)

	fmt.Println(notes.Delete(ctx, at), notes.Delete(ctx, at, dynastay.OrMissing()))
	fmt.Println(errors.Is(notes.Delete(ctx, at), dynastay.ErrNotFound))
	// Output:
	// version 2
	// seen before: true
	// invalid Version: is managed by the library and cannot be changed
	// <nil> <nil>
	// true
}

// One page of a partition, and an iteration over the whole partition.
func ExampleTable_List() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, notesTable); err != nil {
		log.Fatal(err)
	}
	notes := entity.NewTable(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}), noteEntity)
	for i, text := range []string{"Lift stuck.", "Noise in 12.", "Lift mended."} {
		if _, err := notes.Create(ctx, &note{Date: dynastay.MustDate("2026-07-10"), Number: i + 1, Text: text}); err != nil {
			log.Fatal(err)
		}
	}

	ofDay := notes.List(dynastay.Query{Name: "notes.OfDay", Partition: "2026-07-10", Descending: true})
	page, err := ofDay.Page(ctx, dynastay.Paging{Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the last:", page.Items[0].Text, page.Next != "")
	for n, err := range ofDay.All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n.Number, n.Text)
	}
	// Output:
	// the last: Lift mended. true
	// 3 Lift mended.
	// 2 Noise in 12.
	// 1 Lift stuck.
}
