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
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/report"
	keys "github.com/dynastay/dynastay/keys/listing"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	colours := os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(os.Stdout.Fd()))
	err := run(ctx, os.Stdout, colours)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		os.Exit(1)
	}
}

// run makes a table of its own, because others may use the engine too, and deletes it at the end.
func run(ctx context.Context, w io.Writer, colours bool) (err error) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		return err
	}
	out := report.To(w)
	prefix := "host-" + rand.Text()[:8] + "-"
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		return err
	}
	s := &story{today: time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC), zone: lisbon, colours: colours}
	db := dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix, Observer: out.Observe, Clock: func() time.Time { return s.today },
	})
	defer func() {
		// The end of the context may be why the program ends.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, e.DeleteTables(ctx, prefix, keys.Table), e.Stop(ctx))
	}()
	if err := e.CreateTables(ctx, prefix, keys.Table); err != nil {
		return err
	}
	if err := out.Head(e.Name(), s.today); err != nil {
		return err
	}
	s.calendar = listing.New(db)
	return s.month(ctx, out)
}
