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

// A code gives 15 % on rooms from 200 dollars, but never more than 100 dollars, until the end of August.
func ExamplePromoCode() {
	ctx := context.Background()
	db, clock, _, stop := openHotel(ctx)
	defer stop()
	repo := bookings.New(db, nil)

	_, err := repo.CreatePromoCode(ctx, bookings.PromoCode{
		Code: "SUMMER2037", Description: "Summer special discount", Percent: 15_00, Active: true,
		MinAmount: dynastay.MustMoney("200", "USD"), MaxDiscount: dynastay.MustMoney("100", "USD"),
		ValidUntil: time.Date(2037, 8, 31, 23, 59, 59, 0, time.UTC), UsageLimit: 1000,
	})
	if err != nil {
		log.Fatal(err)
	}

	// A guest types the code.
	code, err := repo.PromoCode(ctx, "summer2037")
	if err != nil {
		log.Fatal(err)
	}
	for _, price := range []string{"559", "750", "199.99"} {
		discount, err := code.Discount(dynastay.MustMoney(price, "USD"))
		if errors.Is(err, bookings.ErrPromoMinimum) {
			fmt.Println(err)
			continue
		}
		fmt.Println(code.Code, discount, code.Usable(*clock))
	}

	code, err = repo.DeactivatePromoCode(ctx, "SUMMER2037")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(code.Usable(*clock))
	// Output:
	// SUMMER2037 83.85 USD <nil>
	// SUMMER2037 100.00 USD <nil>
	// cannot use promo code SUMMER2037: the price of the rooms is below the minimum of the code of 200.00 USD
	// cannot use promo code SUMMER2037: the code is not active
}
