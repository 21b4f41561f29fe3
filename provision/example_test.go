package provision_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision"
)

// A table has been created, and must have a tag from now on. Look says so, and Apply adds it.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	tables := provision.Tables("example-"+rand.Text()+"-", "", keys.UsersTable)
	tables[0].Settings.Deletable = true
	if err := provision.Apply(ctx, e.Client(), tables, nil); err != nil {
		log.Fatal(err)
	}

	tables[0].Settings.Tags = map[string]string{"stage": "production"}
	report, err := provision.Look(ctx, e.Client(), tables[0], nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range report.Differences {
		fmt.Println(d)
		fmt.Println("changed by:", d.Mend)
	}
	opts := &provision.Options{Progress: func(p provision.Progress) { fmt.Println(p.Difference.Setting, p.State) }}
	if err := provision.Apply(ctx, e.Client(), tables, opts); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Tags must be stage=production, but is none
	// changed by: apply
	// Tags begun
	// Tags done
}
