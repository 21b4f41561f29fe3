package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
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

// The bookings of other software are adopted as they are in an export of the table, which was copied from S3. It takes nothing
// that the service needs but the writes.
func ExampleMover_Walk_export() {
	var client migrate.Client // a *dynamodb.Client
	var ctx context.Context
	run := func() {
		mover := migrate.New(client, migrate.Options{DB: dynastay.Options{TablePrefix: "prod-"}, UnitsPerSecond: 200})
		report, err := mover.Walk(ctx, migrate.Walk{
			Name:   "adopt-bookings",
			Table:  keys.BookingsTable,
			Export: os.DirFS("AWSDynamoDB/01693685827463-2d8752fd"),
			Each:   bookings.New(mover.DB, nil).AdoptRow,
		})
		fmt.Println(report.Changed, err)
	}
	_ = run
}

// The bookings of another system are loaded from a CSV file, whose properties and nights are there already.
func ExampleMover_Load() {
	var client migrate.Client // a *dynamodb.Client
	var ctx context.Context
	run := func() {
		mover := migrate.New(client, migrate.Options{DB: dynastay.Options{TablePrefix: "prod-"}})
		loaded, err := mover.Load(ctx, migrate.Load{
			Name:    "pms-bookings",
			Lines:   migrate.Bookings(bookings.New(mover.DB, nil), properties.New(mover.DB, nil)),
			Open:    func() (io.ReadCloser, error) { return os.Open("bookings.csv") },
			CSV:     true,
			Refused: func(line migrate.LineError) { log.Print(line) },
		})
		var invalid *migrate.InvalidLinesError
		if errors.As(err, &invalid) { // nothing was written
			for _, line := range invalid.Lines {
				fmt.Println(line)
			}
			return
		}
		fmt.Println(loaded.Written, err) // after an error, the same call goes on
	}
	_ = run
}

// What is stored about a person, as JSON Lines.
func ExampleMover_Export() {
	var client migrate.Client // a *dynamodb.Client
	var ctx context.Context
	run := func() error {
		parts, err := migrate.OfUser("user_456")
		if err != nil {
			return err
		}
		mover := migrate.New(client, migrate.Options{DB: dynastay.Options{TablePrefix: "prod-"}})
		return mover.Export(ctx, parts, migrate.JSONLines(os.Stdout))
	}
	_ = run
}
