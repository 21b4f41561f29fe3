// Marketplace is a month of a marketplace for building work, told by a program that runs against a real DynamoDB
// engine:
//
//	go run ./examples/marketplace
//
// Ana wants a foundation built. She finds bricklayers near her, posts the job, gets bids and asks a question. The
// worker changes his quote at the moment in which she accepts it; she sees the new one and accepts that. The other bids
// have lost at once, also while they are still to be rejected, which another process completes. Then she orders bricks,
// of which there are not enough for the next buyer, and in the end everybody is reviewed. Each step is printed with the
// requests that it sent and the units that the engine charged. Local engines disagree about the units of a transaction;
// the requests are the same on DynamoDB.
//
// The program fails unless stock and orders add up to what was supplied, and the counters of all profiles are those of
// what has happened.
package main

import (
	"context"
	"io"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/examples/report"
)

func main() { report.Main("marketplace", run) }

func run(ctx context.Context, w io.Writer, _ bool) error {
	s := &story{now: time.Date(2037, 1, 20, 10, 0, 0, 0, time.UTC)}
	p := report.Program{
		Name: "marketplace", Tables: []*dynastay.Schema{keys.Table},
		Options: dynastay.Options{Idempotency: keys.Table, Clock: func() time.Time { return s.now }},
	}
	return p.Run(ctx, w, func(ctx context.Context, out *report.Report, open func() *dynastay.DB) error {
		db := open()
		s.people = people.New(db, nil)
		s.projects = projects.New(db, s.people, nil)
		s.shop = shop.New(db, s.people, nil)
		s.messages = messages.New(db)
		s.reviews = reviews.New(db, s.people, s.projects, s.shop)
		other := open() // another process
		s.others = projects.New(other, people.New(other, nil), nil)
		return s.month(ctx, out)
	})
}
