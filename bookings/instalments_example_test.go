package bookings_test

import (
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// 30 % of the price is due at booking, and the rest two weeks before the arrival.
func ExampleBooking_Instalments() {
	price := dynastay.MustMoney("480", "EUR")
	b := bookings.Booking{
		Summary: bookings.Summary{
			Stay: dynastay.MustStay("2026-07-10", "2026-07-14"), Total: price, CreatedAt: time.Date(2026, 6, 1, 9, 30, 0, 0, time.UTC),
		},
		TimeZone: "Europe/Rome",
		Lines: []bookings.Line{{Line: availability.Line{Quantity: 1, Subtotal: price, Plan: &availability.RatePlan{
			ID: "flex", Payment: availability.PaymentTerms{Percent: 30_00, RestDays: 14},
		}}}},
	}
	all, err := b.Instalments()
	if err != nil {
		log.Fatal(err)
	}
	for _, one := range all {
		fmt.Println(one.When, one.DueAt, one.Amount)
	}

	// Output:
	// at_booking 2026-06-01 09:30:00 +0000 UTC 144.00 EUR
	// before_arrival 2026-06-26 22:00:00 +0000 UTC 336.00 EUR
}
