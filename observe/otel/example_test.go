package dynaotel_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/keys"
	dynaotel "github.com/dynastay/dynastay/observe/otel"
	"github.com/dynastay/dynastay/users"
)

// open opens a database with an observer, as a program does at its start.
func open(client *dynamodb.Client, prefix string, tracers *sdktrace.TracerProvider, meters *metric.MeterProvider) (*dynastay.DB, *dynaotel.Observer, error) {
	// page otel
	observer, err := dynaotel.New(dynaotel.Options{
		TracerProvider: tracers, // by default, the global providers
		MeterProvider:  meters,
		ServerAddress:  "dynamodb.eu-central-1.amazonaws.com",
	})
	if err != nil {
		return nil, nil, err
	}
	db := dynastay.Open(client, &dynastay.Options{TablePrefix: prefix, Observer: observer})
	// end of page
	return db, observer, nil
}

// consume returns what a consumer needs to be observed.
func consume(db *dynastay.DB, observer *dynaotel.Observer, router *stream.Router, park func(context.Context, stream.Record, error) error) consumer.Spec {
	// page otel-stream
	observed := stream.NewRouter(
		stream.OnItems(db, keys.BookingsTable, observer.Records(router.Handle, keys.BookingsTable)),
		stream.OnItems(db, keys.UsersTable, observer.Records(router.Handle, keys.UsersTable)),
	)
	spec := consumer.Spec{Name: "notifications", Router: observed, Start: consumer.Now, DeadLetter: observer.DeadLetters(park)}
	// end of page
	return spec
}

// tell tells the observer what only a job of the application knows. It runs every minute.
func tell(ctx context.Context, observer *dynaotel.Observer, c *consumer.Consumer, overdue func(context.Context) (int, error)) error {
	// page otel-alarms
	shards, err := c.Shards(ctx)
	if err != nil {
		return err
	}
	var behind time.Duration
	for _, s := range shards {
		behind = max(behind, s.Behind)
	}
	observer.Behind(behind)
	holds, err := overdue(ctx)
	if err != nil {
		return err
	}
	observer.OverdueHolds(ctx, holds)
	// end of page
	return nil
}

// A user is created and read. The spans are printed as they end: a request ends before its operation, and a part before the
// operation that it is a part of.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = e.Stop(ctx) }()
	prefix := rand.Text() + "-" // the engine may still have tables from an earlier run
	if err := e.CreateTables(ctx, prefix, keys.Tables()...); err != nil {
		log.Fatal(err)
	}

	spans := tracetest.NewInMemoryExporter() // a service has an exporter of OTLP here
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	db, _, err := open(e.Client(), prefix, tracers, metric.NewMeterProvider(metric.WithReader(metric.NewManualReader())))
	if err != nil {
		log.Fatal(err)
	}
	repo := users.New(db, nil)
	made, err := repo.Create(ctx, users.User{Email: "anna@example.com", FirstName: "Anna", LastName: "Berg", Role: users.Customer})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := repo.Get(ctx, made.ID); err != nil {
		log.Fatal(err)
	}
	if _, err := repo.Get(ctx, "user_unknown"); err == nil {
		log.Fatal("there is no such user")
	}
	for _, s := range spans.GetSpans() {
		fmt.Print(s.SpanKind, " ", s.Status.Code)
		for _, a := range s.Attributes {
			switch a.Key {
			case "db.operation.name", "dynastay.verdict", "dynastay.operation", "dynastay.requests", "error.type":
				fmt.Print(" ", a.Value.String())
			}
		}
		fmt.Println()
	}
	// Output:
	// client Unset GetItem done
	// client Unset PutItem done
	// internal Unset EmailConfig.Create 1
	// client Unset TransactWriteItems done
	// internal Unset users.Create 3
	// client Unset GetItem done
	// internal Unset users.Get 1
	// client Unset GetItem done
	// internal Unset users.Get 1 dynastay.ErrNotFound
}
