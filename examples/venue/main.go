// Venue is a month of a hall that people book for half a day or a whole day, told by a program that runs against a real
// DynamoDB engine:
//
//	go run ./examples/venue
//
// Users sign up and request slots, some of them the same ones. An administrator approves a request with a lock code and
// a message in one transaction, two administrators approve requests for overlapping slots at the same moment, another
// one approves what a user has changed meanwhile, a payment is reported twice, and a party is cancelled. In the end,
// the slots of the month are drawn, and each user's statistics are compared with a recount. Each step is printed with
// the requests that it sent and the units that the engine charged. Local engines disagree about the units of a
// transaction; the requests are the same on DynamoDB.
//
// The program fails unless exactly one of the racing administrators gets the slot, the other request stays pending, and
// the statistics are correct.
package main

import (
	"context"
	"io"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

func main() { report.Main("venue", run) }

func run(ctx context.Context, w io.Writer, colours bool) error {
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		return err
	}
	s := &story{now: time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC), colours: colours, bookings: map[string]*venue.Booking{}}
	p := report.Program{
		Name: "venue", Tables: []*dynastay.Schema{venuekeys.Table},
		Options: dynastay.Options{Idempotency: venuekeys.Table, Clock: func() time.Time { return s.now }},
	}
	return p.Run(ctx, w, func(ctx context.Context, out *report.Report, open func() *dynastay.DB) error {
		s.db = open()
		s.hall = venue.New(s.db, &venue.Options{TimeZone: rome})
		s.other = venue.New(open(), &venue.Options{TimeZone: rome}) // another process
		return s.month(ctx, out)
	})
}
