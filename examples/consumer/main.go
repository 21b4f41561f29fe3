// Frontdesk is a small service that uses dynastay: it books rooms over HTTP, and confirms each booking through its own
// outbox. It is a separate module, as a consumer's service is. Only the replace directive in go.mod ties it to the sources of
// this repository.
//
// Its purpose is its tests: they show what package dyntest does for a service outside the library.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"

	"example.com/frontdesk/desk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	db := dynastay.Open(dynamodb.NewFromConfig(cfg), &dynastay.Options{TablePrefix: os.Getenv("TABLE_PREFIX")})
	d := desk.New(db)
	server := &http.Server{Addr: "localhost:8080", Handler: d, ReadHeaderTimeout: 5 * time.Second}
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	work.Go(func() error {
		relay(ctx, d)
		return nil
	})
	work.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return server.Shutdown(end)
	})
	return work.Wait()
}

// relay delivers pending messages every second.
func relay(ctx context.Context, d *desk.Desk) {
	outbox := d.Relay(func(_ context.Context, b *bookings.Booking) error {
		_, err := fmt.Println("confirmed", b.Reference, "to", b.Guest.Email) // a real service would send mail here
		return err
	})
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if _, err := outbox.Run(ctx); err != nil && ctx.Err() == nil {
			log.Print("relay: ", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
