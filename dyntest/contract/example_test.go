package contract_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay/dyntest/contract"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
)

// A program asks an engine, and looks at the answers that it is interested in.
func ExampleCheck() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)

	client := e.Client()
	results, err := contract.Check(ctx, contract.Target{
		Client: client, Admin: client, Prefix: "example-", Lag: time.Second, Units: 160,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		if r.Group == "conditional writes" {
			fmt.Println(r)
		}
	}
	// Output:
	// conditional writes: a put whose condition fails changes nothing: as required
	// conditional writes: an update whose condition fails changes nothing: as required
	// conditional writes: a delete whose condition fails deletes nothing: as required
	// conditional writes: an update with a condition creates no item: as required
	// conditional writes: a refused put returns the item that is stored: as required
	// conditional writes: a refused update returns the item that is stored: as required
	// conditional writes: a refused delete returns the item that is stored: as required
	// conditional writes: a refusal has no item if none is stored: as required
	// conditional writes: comparisons and functions of conditions: as required
}
