package bookings_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
)

// A worker tells the guest when a booking is held, confirmed or cancelled, and accounting when money is refunded. Other
// changes of a booking, such as a payment that was only recorded, do not concern the guest.
func ExampleRepository_Changes() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = e.Stop(ctx) }()
	db, _, quote := hotelOn(ctx, e)
	repo := bookings.New(db, nil)

	is := func(status bookings.Status) func(*bookings.Booking) bool {
		return func(b *bookings.Booking) bool { return b.Status == status }
	}
	changes := repo.Changes()
	router := stream.NewRouter(
		stream.On(changes.Bookings, func(_ context.Context, c stream.Change[bookings.Booking]) error {
			for _, status := range []bookings.Status{bookings.Pending, bookings.Confirmed, bookings.Cancelled} {
				if c.Became(is(status)) {
					fmt.Println("to", c.New.Guest.Email+": your booking is", status)
				}
			}
			return nil
		}),
		stream.On(changes.Refunds, func(_ context.Context, c stream.Change[bookings.Refund]) error {
			if c.Became(func(r *bookings.Refund) bool { return r.Status == bookings.PaymentRefunded }) {
				fmt.Println("to accounting: refunded", c.New.Amount)
			}
			return nil
		}),
	)
	worker := consumer.New(db, e.Streams(), consumer.Spec{Name: "notifications", Router: router, Start: consumer.Oldest})

	b, err := repo.Create(ctx, bookings.Request{
		Quote: quote, UserID: "user_789", Hold: 15 * time.Minute,
		Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"},
	})
	if err != nil {
		log.Fatal(err)
	}
	paid := bookings.Payment{
		BookingID: b.ID, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: b.Total, Status: bookings.PaymentPaid,
	}
	if _, err := repo.RecordPayment(ctx, paid); err != nil {
		log.Fatal(err)
	}
	if _, err := repo.Confirm(ctx, b.ID, nil); err != nil {
		log.Fatal(err)
	}
	if err := worker.Drain(ctx); err != nil { // in a service, Run in a goroutine
		log.Fatal(err)
	}
	refund := bookings.Refund{ID: "re_1", Amount: dynastay.MustMoney("500", "USD")}
	if _, err := repo.Cancel(ctx, b.ID, "plans changed", []bookings.Refund{refund}); err != nil {
		log.Fatal(err)
	}
	if err := worker.Drain(ctx); err != nil {
		log.Fatal(err)
	}

	// Unordered output:
	// to john.doe@example.com: your booking is pending
	// to john.doe@example.com: your booking is confirmed
	// to john.doe@example.com: your booking is cancelled
	// to accounting: refunded 500.00 USD
}
