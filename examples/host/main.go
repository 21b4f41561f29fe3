// Host is a month in the calendar of a host with three listings, told by a program that runs against a real DynamoDB
// engine:
//
//	go run ./examples/host
//
// Guests book on the platform, two of them race for the same nights, the host blocks a week for the painter,
// Booking.com delivers reservations late, twice and out of order, and an Airbnb feed is synchronised, also when it is
// empty by mistake. The calendar of one listing is exported and read back. In the end, the month is drawn for all
// listings. Each step is printed with the requests that it sent and the units that the engine charged. Local engines
// disagree about the units of a transaction; the requests are the same on DynamoDB.
//
// The program fails unless exactly one of the racing guests gets the nights, a late delivery changes nothing, the empty
// feed frees nothing, and what was exported changes nothing when it is read back.
package main

import (
	"context"
	"io"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

func main() { report.Main("host", run) }

func run(ctx context.Context, w io.Writer, colours bool) error {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		return err
	}
	s := &story{today: time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC), zone: lisbon, colours: colours}
	p := report.Program{
		Name: "host", Tables: []*dynastay.Schema{listingkeys.Table},
		Options: dynastay.Options{Clock: func() time.Time { return s.today }},
	}
	return p.Run(ctx, w, func(ctx context.Context, out *report.Report, open func() *dynastay.DB) error {
		s.calendar = listing.New(open())
		return s.month(ctx, out)
	})
}
