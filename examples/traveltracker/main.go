// Traveltracker is a traveller with two devices that are often offline, told by a program that runs against a real
// DynamoDB engine:
//
//	go run ./examples/traveltracker
//
// The regions of the world are loaded. Ana signs up, marks where she has been on her phone and on her tablet, and both
// change the same visits while they are offline: each rule for conflicts decides in its own way, and one conflict waits
// until Ana decides. A push whose answer was lost is sent again, the clock of the tablet is slow, then fast, and a new
// device begins with a snapshot. Then her progress around the world is drawn, and in the end she leaves. Each step is
// printed with the requests that it sent and the units that the engine charged. Local engines disagree about the units
// of a transaction; the requests are the same on DynamoDB.
//
// The program fails unless all devices have the same visits in the end, and the counters are those of a recount.
package main

import (
	"context"
	"io"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/regions/reference"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

func main() { report.Main("traveltracker", run) }

func run(ctx context.Context, w io.Writer, colours bool) error {
	s := &story{now: time.Date(2037, 8, 20, 18, 0, 0, 0, time.UTC), colours: colours}
	p := report.Program{
		Name: "traveltracker", Tables: []*dynastay.Schema{keys.Table},
		Options: dynastay.Options{Idempotency: keys.Table, Clock: func() time.Time { return s.now }},
	}
	return p.Run(ctx, w, func(ctx context.Context, out *report.Report, open func() *dynastay.DB) error {
		db := open()
		s.regions = regions.New(db)
		s.repo = tracker.New(db, &tracker.Options{Reference: tracker.ReferenceOf(reference.Regions())})
		return s.summer(ctx, out)
	})
}
