// Receipts books rooms in eight cities, each with taxes and fees of its own, and prints the receipts:
//
//	go run ./examples/receipts
//	go run ./examples/receipts -html receipts.html
//
// The second command also writes a page for a browser or a printer. One of the guests cancels, one stays a night less, one has
// a promo code, one pays a deposit, and some have children for whom no city tax is owed. The charges are those of package
// dyntest/world: they are from general knowledge, so look up your own.
//
// The program runs against a real DynamoDB engine, which package dyntest/engine chooses, and prints the requests that each
// booking with its receipt took, and the units that the engine charged.
package main

import (
	"context"
	"flag"
	"io"
	"os"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

func main() {
	report.Main("receipts", func(ctx context.Context, out io.Writer, _ bool) error { return run(ctx, os.Args[1:], out, os.Stderr) })
}

// now is when everything is booked. The program's clock stands still.
var now = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("receipts", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("html", "", "file for a page with the receipts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var all []*receipt
	p := report.Program{Name: "receipts", Tables: keys.Tables(), Options: dynastay.Options{Clock: func() time.Time { return now }}}
	err := p.Run(ctx, stdout, func(ctx context.Context, out *report.Report, open func() *dynastay.DB) error {
		db := open()
		d := &desk{properties.New(db, nil), availability.New(db), bookings.New(db, nil)}
		for _, at := range places {
			if err := out.Step(ctx, at.city+": "+at.story, func(ctx context.Context, found *report.Findings) error {
				r, err := d.receipt(ctx, at)
				if err == nil {
					r.print(found)
					all = append(all, r)
				}
				return err
			}); err != nil {
				return err
			}
		}
		return out.Total()
	})
	if err != nil || *file == "" {
		return err
	}
	return writePage(*file, all)
}
