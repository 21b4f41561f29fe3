package messages_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
)

// A buyer writes to a worker, who reads it and answers.
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
	repo := messages.New(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix, Idempotency: keys.Table}))

	send := func(from, to, text string) *messages.Message {
		m, err := repo.Send(ctx, messages.Message{SenderID: from, RecipientID: to, ProjectID: "proj_1", Content: text})
		if err != nil {
			log.Fatal(err)
		}
		return m
	}
	send("buyer", "worker", "Can you start on February 5th?")
	last := send("buyer", "worker", "Or on the 6th?")
	inbox := func(user string) {
		page, err := repo.Inbox(user).Page(ctx, dynastay.Paging{Limit: 20})
		if err != nil {
			log.Fatal(err)
		}
		for _, c := range page.Items {
			fmt.Printf("%s: %d unread of %s: %q\n", user, c.Unread(), c.OtherID, c.LastText)
		}
	}
	inbox("worker")
	if err := repo.MarkRead(ctx, "worker", "buyer", last.Number); err != nil {
		log.Fatal(err)
	}
	send("worker", "buyer", "On the 6th.")
	inbox("worker")
	inbox("buyer")

	worker, err := repo.Conversation(ctx, "worker", "buyer")
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range repo.Messages("worker", "buyer").All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s (read by the worker: %t)\n", m.SenderID, m.Content, m.ReadBy(worker))
	}
	// Output:
	// worker: 2 unread of buyer: "Or on the 6th?"
	// worker: 0 unread of buyer: "On the 6th."
	// buyer: 1 unread of worker: "On the 6th."
	// buyer: Can you start on February 5th? (read by the worker: true)
	// buyer: Or on the 6th? (read by the worker: true)
	// worker: On the 6th. (read by the worker: true)
}
