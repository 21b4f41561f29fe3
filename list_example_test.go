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
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// ticket is a request that a guest makes of the house.
type ticket struct{ ID, Text string }

type ticketKey struct{ ID string }

func (k *ticketKey) Form(f *key.Form) { f.PK("TICKET#", key.ID("ID", &k.ID)) }

// openTicket is the ticket's row in the list of all open tickets, which is spread over shards.
type openTicket struct {
	Shard int
	ID    string
}

func (k *openTicket) Form(f *key.Form) {
	f.PK("OPEN", key.Shard("Shard", &k.Shard))
	f.SK("TICKET#", key.ID("ID", &k.ID))
}

// A list of three shards: a page of it, what follows the page, and a list that leaves items out.
func ExampleList() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	table := &dynastay.Schema{
		Name: "Tickets", Key: dynastay.KeyNames{Partition: "PK"},
		Indexes: []dynastay.Index{{Name: "Open", Key: dynastay.KeyNames{Partition: "openPK", Sort: "openSK"}}},
	}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, table); err != nil {
		log.Fatal(err)
	}
	shards := key.Shards{Write: 3, Read: 3}
	tickets := entity.NewTable(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix}), entity.New(entity.Spec[ticket]{
		Name: "Ticket", Schema: table, ID: "ticketId",
		Key: func(t *ticket) (dynastay.Key, error) { return key.Of(ticketKey{t.ID}) },
		Codec: entity.Declare(func(f *entity.Fields, t *ticket) {
			f.String("ticketId", &t.ID)
			f.String("text", &t.Text)
		}),
		Indexes: map[string]func(*ticket) (dynastay.Key, error){
			"Open": func(t *ticket) (dynastay.Key, error) { return key.Of(openTicket{shards.Of(t.ID), t.ID}) },
		},
	}))
	for i, text := range []string{"Towels", "Noise", "Late breakfast", "Breakfast for two", "Lift"} {
		if _, err := tickets.Create(ctx, &ticket{ID: fmt.Sprint(i + 1), Text: text}); err != nil {
			log.Fatal(err)
		}
	}

	partitions, err := key.Partitions(openTicket{}, shards.Read)
	if err != nil {
		log.Fatal(err)
	}
	open := tickets.List(dynastay.Query{
		Name: "tickets.Open", Index: "Open", Partition: partitions[0], Shards: partitions[1:],
	})
	first, err := open.Page(ctx, dynastay.Paging{Limit: 2})
	if err != nil {
		log.Fatal(err)
	}
	rest, err := open.Page(ctx, dynastay.Paging{After: first.Next})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(first.Items), "and", len(rest.Items))

	breakfast := func(t *ticket) bool { return strings.Contains(strings.ToLower(t.Text), "breakfast") }
	for t, err := range open.Filter(breakfast).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.ID, t.Text)
	}
	// Output:
	// 2 and 3
	// 3 Late breakfast
	// 4 Breakfast for two
}
