// Traveltracker is a traveller with two devices that are often offline, told by a program that runs against a real
// DynamoDB engine:
//
//	go run ./examples/traveltracker
//
// The regions of the world are loaded. Ana signs up, marks where she has been on her phone and on her tablet, and both
// change the same visits while they are offline: each rule for conflicts decides in its own way, and one conflict waits
// until Ana decides. A push whose answer was lost is sent again, the clock of the tablet is two days fast, and a new
// device begins with a snapshot. Then her progress around the world is drawn, and in the end she leaves. Each step is
// printed with the requests that it sent and the units that the engine charged. Local engines disagree about the units
// of a transaction; the requests are the same on DynamoDB.
//
// The program fails unless all devices have the same visits in the end, and the counters are those of a recount.
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
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/regions/reference"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	colours := os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(os.Stdout.Fd()))
	err := run(ctx, os.Stdout, colours)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "traveltracker:", err)
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
	prefix := "traveltracker-" + rand.Text()[:8] + "-"
	s := &story{now: time.Date(2037, 8, 20, 18, 0, 0, 0, time.UTC), colours: colours}
	db := dynastay.Open(e.Client(), &dynastay.Options{
		TablePrefix: prefix, Observer: out.Observe, Clock: func() time.Time { return s.now }, Idempotency: keys.Table,
	})
	s.regions = regions.New(db)
	s.repo = tracker.New(db, &tracker.Options{Reference: tracker.ReferenceOf(reference.Regions())})
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
	return s.summer(ctx, out)
}
