// Plots measures what docs/costs.md shows as images, and draws them anew:
//
//	cd docs/plots && DYNTEST_ENGINE=dynoxide go run .
//
// It is a module of its own, so that the library does not depend on what draws.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	e, err := engine.Start(ctx)
	if err != nil {
		return err
	}
	prefix := "plots-" + rand.Text()[:8] + "-"
	defer func() { err = errors.Join(err, e.DeleteTables(ctx, prefix, keys.Tables()...), e.Stop(ctx)) }()
	if err := e.CreateTables(ctx, prefix, keys.Tables()...); err != nil {
		return err
	}
	if err := drawSales(ctx, e.Client(), prefix); err != nil {
		return err
	}
	return drawSearches(ctx, e.Client(), prefix)
}

// now is a time in 2026 at which all nights are to come.
func now() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

func open(client *dynamodb.Client, prefix string, observe func(context.Context, dynastay.Call)) *dynastay.DB {
	return dynastay.Open(client, &dynastay.Options{TablePrefix: prefix, Clock: now, Observer: dynastay.RequestObserver(observe)})
}

var (
	stay   = dynastay.MustStay("2026-07-01", "2026-07-04")
	guests = availability.Guests{Adults: 2}
)

// hotel creates a hotel whose nights are on sale.
func hotel(ctx context.Context, db *dynastay.DB, p properties.Property, rooms []properties.RoomType) (*properties.WithRooms, error) {
	p.Type, p.Status, p.OwnerID, p.TimeZone = properties.Hotel, properties.Approved, "user_1", "Europe/Lisbon"
	h, err := properties.New(db, nil).Create(ctx, p, rooms)
	if err != nil {
		return nil, err
	}
	for _, room := range h.Rooms {
		if _, err := availability.New(db).Open(ctx, availability.OpenRequest{
			PropertyID: h.ID, RoomTypeID: room.ID, Rooms: room.Total, Price: room.BasePrice, Nights: stay,
		}); err != nil {
			return nil, err
		}
	}
	return h, nil
}
