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
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/report"
	keys "github.com/dynastay/dynastay/keys/venue"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	colours := os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(os.Stdout.Fd()))
	err := run(ctx, os.Stdout, colours)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "venue:", err)
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
	prefix := "venue-" + rand.Text()[:8] + "-"
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		return err
	}
	s := &story{now: time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC), colours: colours, bookings: map[string]*venue.Booking{}}
	open := func() *dynastay.DB {
		return dynastay.Open(e.Client(), &dynastay.Options{
			TablePrefix: prefix, Observer: out.Observe, Clock: func() time.Time { return s.now }, Idempotency: keys.Table,
		})
	}
	s.db = open()
	s.hall = venue.New(s.db, &venue.Options{TimeZone: rome})
	s.other = venue.New(open(), &venue.Options{TimeZone: rome}) // another process
	defer func() {
		// The end of the context may be why the program ends.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, e.DeleteTables(ctx, prefix, keys.Table), e.Stop(ctx))
	}()
	if err := e.CreateTables(ctx, prefix, keys.Table); err != nil {
		return err
	}
	if err := out.Head(e.Name(), s.now); err != nil {
		return err
	}
	return s.month(ctx, out)
}
