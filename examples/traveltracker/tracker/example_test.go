package tracker_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// A phone marks Italy, and changes its notes while a tablet does the same. The fields are merged.
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
	repo := tracker.New(dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix, Idempotency: keys.Table}), nil)
	_, err = repo.SignUp(ctx, tracker.Profile{ID: "user_ana", AuthProvider: "apple", AuthProviderID: "001234.abcd"})
	if err != nil {
		log.Fatal(err)
	}

	now := time.Now()
	italy := tracker.VisitID{RegionType: regions.Country, RegionCode: "IT", MarkedAt: now}
	push := func(device string, o tracker.Operation) {
		o.Visit, o.ClientTime = italy, now
		results, err := repo.Push(ctx, tracker.Push{
			UserID: "user_ana", DeviceID: device, Operations: []tracker.Operation{o}, Rule: tracker.MergeFields,
		})
		if err != nil {
			log.Fatal(err)
		}
		for _, r := range results {
			fmt.Printf("%s: %s, version %d, %q, visited on %q\n", device, r.Outcome, r.Version, r.Visit.Notes, r.Visit.VisitedDate)
		}
	}
	notes, day := "Rome", dynastay.MustDate("2037-06-01")
	push("phone", tracker.Operation{ID: "1", Type: tracker.Create, Place: tracker.VisitEdit{Notes: &notes}})
	push("tablet", tracker.Operation{ID: "2", Type: tracker.Update, ClientVersion: 2, Place: tracker.VisitEdit{VisitedDate: &day}})
	notes = "Rome and Naples"
	more := tracker.Operation{ID: "3", Type: tracker.Update, ClientVersion: 2, Place: tracker.VisitEdit{Notes: &notes}}
	push("phone", more)
	push("phone", more) // the answer was lost
	// Output:
	// phone: applied, version 2, "Rome", visited on ""
	// tablet: applied, version 3, "Rome", visited on "2037-06-01"
	// phone: applied, version 4, "Rome and Naples", visited on "2037-06-01"
	// phone: already_applied, version 4, "Rome and Naples", visited on "2037-06-01"
}
