package migrate_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
	"github.com/dynastay/dynastay/properties"
)

// The properties of other software are adopted at night, with 200 units a second that the service does not need.
func ExampleMover_Walk() {
	var client migrate.Client // a *dynamodb.Client
	var ctx context.Context
	run := func() {
		mover := migrate.New(client, migrate.Options{DB: dynastay.Options{TablePrefix: "prod-"}, UnitsPerSecond: 200})
		report, err := mover.Walk(ctx, migrate.Walk{
			Name:     "adopt-properties",
			Table:    keys.PropertiesTable,
			Segments: 4,
			Each:     properties.New(mover.DB, nil).AdoptRow,
			Refused:  func(key dynastay.Key, err error) { log.Printf("%s: %v", key.PK, err) },
		})
		fmt.Println(report.Changed, err) // after an error, the same call goes on
	}
	_ = run
}
