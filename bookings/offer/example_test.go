package offer_test

import (
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
)

// A guest is shown a price, and books it ten minutes later. The token is all that is kept in the meantime.
func Example() {
	sealer, err := offer.NewSealer(offer.Key{ID: "2026-06", Secret: []byte("at least 32 bytes from crypto/rand")})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) // usually db.Now()
	token, err := sealer.Seal(offer.Offer{
		Quote:        twoNights(now),
		UserID:       "user_789",
		TaxesAndFees: dynastay.MustMoney("83.85", "USD"),
		Expires:      now.Add(15 * time.Minute),
	})
	if err != nil {
		log.Fatal(err)
	}

	// The browser sends the token back, with the details of the guest.
	opened, err := sealer.Open(token, "user_789", now.Add(10*time.Minute))
	if err != nil {
		log.Fatal(err)
	}
	john := bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"}
	request, err := opened.Request(john)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(request.Quote.Stay, request.Quote.Total, "+", request.TaxesAndFees) // for bookings.Repository.Create

	_, err = sealer.Open(token, "user_790", now)
	fmt.Println(errors.Is(err, offer.ErrOtherUser))
	_, err = sealer.Open(token, "user_789", now.Add(time.Hour))
	fmt.Println(err)
	_, err = sealer.Open(token[:len(token)-1]+"!", "user_789", now)
	fmt.Println(err)
	// Output:
	// 2026-07-10 to 2026-07-12 559.00 USD + 83.85 USD
	// true
	// invalid Token: expired at 2026-06-01T12:15:00Z
	// invalid Token: is not a token of this package
}

// twoNights is a quote as availability.Repository.Quote returns it.
func twoNights(now time.Time) *availability.Quote {
	price, total := dynastay.MustMoney("279.50", "USD"), dynastay.MustMoney("559", "USD")
	return &availability.Quote{
		Property: availability.House{ID: "prop_123", Name: "Grand Luxury Hotel", TimeZone: "America/New_York", CheckInTime: "15:00"},
		Stay:     dynastay.MustStay("2026-07-10", "2026-07-12"),
		Guests:   availability.Guests{Adults: 2},
		Lines: []availability.Line{{
			RoomTypeID: "room_789", Name: "Deluxe King", Quantity: 1,
			CancellationPolicy: availability.FreeCancellation(48),
			Nights: []availability.NightPrice{
				{Date: dynastay.MustDate("2026-07-10"), Price: price},
				{Date: dynastay.MustDate("2026-07-11"), Price: price},
			},
			Subtotal: total,
		}},
		Sleeps: availability.Limits{MaxAdults: 2, MaxOccupancy: 2},
		Total:  total,
		At:     now,
	}
}
