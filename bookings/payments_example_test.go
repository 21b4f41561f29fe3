package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// A webhook records what the payment provider reports. The first notification that a payment was made confirms the
// booking; a repeated one changes nothing. A payment that arrives too late is recorded, and then refunded.
func ExampleRepository_Confirm() {
	ctx := context.Background()
	db, clock, quote, stop := openHotel(ctx)
	defer stop()
	repo := bookings.New(db, nil)
	notified := func(p bookings.Payment) error {
		_, err := repo.Confirm(ctx, p.BookingID, []bookings.Payment{p})
		var state *bookings.StatusError
		if !errors.As(err, &state) {
			return err
		}
		// It is confirmed already, or the hold has ended.
		done, err := repo.RecordPayment(ctx, p)
		if err != nil || done.Booking.Status == bookings.Confirmed {
			return err
		}
		_, err = repo.RecordRefund(ctx, bookings.Refund{
			BookingID: p.BookingID, ID: "re_" + p.ProviderTransactionID, Amount: p.Amount, Status: bookings.PaymentPending,
			ProviderTransactionID: p.ProviderTransactionID, Reason: "the hold has ended",
		})
		return err
	}
	show := func(id string) {
		b, err := repo.Get(ctx, id)
		if err != nil {
			log.Fatal(err)
		}
		s, err := repo.Payment(ctx, id)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(b.Status, b.PaymentStatus, "paid", s.Paid, "refunded", s.Refunded)
	}
	request := bookings.Request{
		Quote: quote, UserID: "user_789", Hold: 15 * time.Minute,
		Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"},
	}
	for _, delay := range []time.Duration{time.Hour, time.Minute} {
		b, err := repo.Create(ctx, request)
		if err != nil {
			log.Fatal(err)
		}
		*clock = clock.Add(delay)
		paid := bookings.Payment{
			BookingID: b.ID, Provider: "stripe", ProviderTransactionID: "ch_" + b.ID, Method: "credit_card",
			Amount: b.Total, Status: bookings.PaymentPaid, Card: bookings.Card{Brand: "visa", Last4: "4242"}, At: *clock,
		}
		for range 2 {
			if err := notified(paid); err != nil {
				log.Fatal(err)
			}
		}
		if _, err := repo.ExpireHolds(ctx); err != nil {
			log.Fatal(err)
		}
		show(b.ID)
	}

	// Output:
	// expired refunded paid 559.00 USD refunded 559.00 USD
	// confirmed paid paid 559.00 USD refunded 0.00 USD
}

// A cancellation refunds what is due by the policy. The provider is asked for it under the id of the refund.
func ExampleRepository_Cancel() {
	ctx := context.Background()
	db, _, quote, stop := openHotel(ctx)
	defer stop()
	repo := bookings.New(db, nil)
	b, err := repo.Create(ctx, bookings.Request{
		Quote: quote, UserID: "user_789", Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := repo.RecordPayment(ctx, bookings.Payment{
		BookingID: b.ID, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: b.Total, Status: bookings.PaymentPaid,
	}); err != nil {
		log.Fatal(err)
	}
	due, err := b.Settle(b.Total, db.Now(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the guest is told:", due.Refund)

	cancelled, err := repo.Cancel(ctx, b.ID, "plans changed",
		[]bookings.Refund{{ID: "re_1", Status: bookings.PaymentPending}}, dynastay.IdempotencyKey("request-1").Of(b.UserID))
	if err != nil {
		log.Fatal(err)
	}
	for _, refund := range cancelled.Refunds {
		fmt.Println("ask the provider to refund", refund.Amount, "of", refund.ProviderTransactionID)
		refund.Status, refund.At = bookings.PaymentRefunded, db.Now() // the provider reports that it is done
		if _, err := repo.RecordRefund(ctx, refund); err != nil {
			log.Fatal(err)
		}
	}
	s, err := repo.Payment(ctx, b.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Status, s.Refunded)

	// Output:
	// the guest is told: 559.00 USD
	// ask the provider to refund 559.00 USD of ch_1
	// refunded 559.00 USD
}
