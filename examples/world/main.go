// World fills a real DynamoDB engine with a generated hotel world, and runs a search on it:
//
//	go run ./examples/world -properties 10000 -nights 30 -seed 1
//
// It creates its own tables, loads the hotels with their images, rate plans, charges, nights, bookings, payments, promo codes and
// reviews, the users with their preferences, points and wishlists, the listings with their calendars, a venue, and the
// catalogues, as fast as the engine accepts them, prints the number of items and the rate, searches a city, and removes
// the tables. The same options make the same world, item by item; -users, -listings and -requests change the numbers of
// these, and -occupancy the share of the hotels' rooms that are booked.
//
// Progress is written to standard error: a bar on a terminal, otherwise a line now and then. Package dyntest/engine
// decides which engine is used; its documentation says how to choose one.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	"github.com/dynastay/dynastay/properties"
)

func main() {
	report.Main("world", func(ctx context.Context, out io.Writer, _ bool) error { return run(ctx, os.Args[1:], out, os.Stderr) })
}

// in prints numbers with commas.
var in = message.NewPrinter(language.English)

func options(args []string, stderr io.Writer) (world.Options, error) {
	var o world.Options
	flags := flag.NewFlagSet("world", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the random numbers")
	flags.IntVar(&o.Properties, "properties", 1000, "number of hotels")
	flags.IntVar(&o.Users, "users", 0, "total number of users; 0 means five for each hotel")
	flags.IntVar(&o.Listings, "listings", 500, "number of listings")
	flags.IntVar(&o.Requests, "requests", 500, "number of requests for slots of a venue")
	flags.IntVar(&o.Nights, "nights", 30, "number of nights on sale")
	flags.Float64Var(&o.Occupancy, "occupancy", 0.5, "share of the rooms on sale that are booked, up to 0.95")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.Empty = o.Occupancy == 0
	return o, o.Validate()
}

// run creates its own tables, since others may use the engine as well, and removes them at the end.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := options(args, stderr)
	if err != nil {
		return err
	}
	w := world.New(o)
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		return err
	}
	prefix, tables := "world-"+rand.Text()[:8]+"-", withoutStreams(append(keys.Tables(), listingkeys.Table, venuekeys.Table))
	defer func() {
		// The program may end because the context has ended.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = errors.Join(err, e.DeleteTables(ctx, prefix, tables...), e.Stop(ctx))
	}()
	if err := e.CreateTables(ctx, prefix, tables...); err != nil {
		return err
	}
	in.Fprintf(stdout, "%s\n%d hotels, %d users, %d listings, %d requests for a venue, %d nights from %s, seed %d\n\n",
		e.Name(), w.Options().Properties, w.Options().Users, o.Listings, o.Requests, w.Options().Nights, w.Options().Today, o.Seed)

	counter := &counter{Client: e.Client(), prefix: prefix, items: map[string]int{}}
	db := dynastay.Open(counter, &dynastay.Options{TablePrefix: prefix, Clock: w.Now})
	started := time.Now()
	if err := w.Load(ctx, db, newProgress(stderr, w.Options().Properties, counter)); err != nil {
		return err
	}
	if err := counter.report(stdout, time.Since(started)); err != nil {
		return err
	}
	return search(ctx, stdout, w, e, prefix)
}

// withoutStreams returns the tables without streams, since nobody reads them here. An engine that keeps every record of
// a stream, as dynoxide does, becomes slower with each.
func withoutStreams(schemas []*dynastay.Schema) (plain []*dynastay.Schema) {
	for _, s := range schemas {
		table := *s
		table.Stream = false
		plain = append(plain, &table)
	}
	return plain
}

// search prints a page of the hotels in the first hotel's city.
func search(ctx context.Context, out io.Writer, w *world.World, e *engine.Engine, prefix string) error {
	var requests int
	var units float64
	db := dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix, Clock: w.Now,
		Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) {
			requests += c.Requests()
			units += c.ReadUnits()
		}),
	})
	at := w.Hotel(0).Address
	page, err := properties.New(db, nil).ByCity(properties.CityQuery{City: at.City, Country: at.Country}).Page(ctx, dynastay.Paging{Limit: 10})
	if err != nil {
		return err
	}
	in.Fprintf(out, "\nHotels in %s, a page of %d: %d request, %.1f read units\n", at.City, len(page.Items), requests, units)
	rows := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, card := range page.Items {
		in.Fprintf(rows, "  %s\t%s\t%d stars\tfrom %s\n", card.Name, card.Type, card.Stars, card.Prices.Min)
	}
	return rows.Flush()
}
