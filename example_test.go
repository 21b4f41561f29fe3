package dynastay_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
)

func ExampleStay() {
	stay := dynastay.MustStay("2025-01-30", "2025-02-02")
	fmt.Println(stay, "has", stay.Nights(), "nights, the last on", stay.LastNight())
	for night := range stay.Dates() {
		fmt.Println(night, night.Weekday())
	}
	next := dynastay.MustStay("2025-02-02", "2025-02-05")
	fmt.Println("overlaps the next:", stay.Overlaps(next))

	_, err := dynastay.ParseStay("2025-02-02", "2025-01-30")
	fmt.Println(err)
	// Output:
	// 2025-01-30 to 2025-02-02 has 3 nights, the last on 2025-02-01
	// 2025-01-30 Thursday
	// 2025-01-31 Friday
	// 2025-02-01 Saturday
	// overlaps the next: false
	// invalid CheckOut: must be after CheckIn (2025-02-02), got 2025-01-30
}

func ExampleMoney() {
	night := dynastay.MustMoney("33.335", "USD")
	total, err := night.Times(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(total, "is paid as", total.Round())
	half, _ := total.DividedBy(2)
	fmt.Println("half of it:", half)
	fmt.Println(dynastay.MustMoney("250", "USD") == dynastay.MustMoney("250.00", "USD"))

	_, err = total.Add(dynastay.MustMoney("1", "EUR"))
	fmt.Println(err)
	// Output:
	// 100.005 USD is paid as 100.01 USD
	// half of it: 50.00 USD
	// true
	// invalid Currency: cannot add or subtract amounts in USD and EUR
}

func ExampleDate() {
	d := dynastay.MustDate("2024-02-28")
	fmt.Println(d.AddDays(1), d.AddDays(2))
	fmt.Println(d.DaysUntil(dynastay.MustDate("2024-12-31")), "days left")

	tokyo := time.FixedZone("Asia/Tokyo", 9*60*60)
	fmt.Println(dynastay.DateOf(time.Date(2024, 2, 28, 20, 0, 0, 0, time.UTC), tokyo))

	_, err := dynastay.ParseDate("2025-02-29")
	fmt.Println(err)
	// Output:
	// 2024-02-29 2024-03-01
	// 307 days left
	// 2024-02-29
	// invalid Date: must be a valid date in the form YYYY-MM-DD, got "2025-02-29"
}

func ExampleError() {
	var err error = &dynastay.Error{
		Op: "users.Create", Entity: "User", ID: "user_1", Field: "Email", Kind: dynastay.ErrAlreadyExists,
	}
	err = fmt.Errorf("signing up: %w", err)

	var failure *dynastay.Error
	if errors.Is(err, dynastay.ErrAlreadyExists) && errors.As(err, &failure) {
		fmt.Println(failure.Field, "is taken")
	}
	fmt.Println(err)
	// Output:
	// Email is taken
	// signing up: users.Create: User user_1 (Email): already exists
}

func ExampleInvalidError() {
	_, err := dynastay.NewMoney("1e3", "USD")
	err = dynastay.Within("Price", err)

	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		fmt.Println("field: ", invalid.Field)
		fmt.Println("reason:", invalid.Reason)
	}
	// Output:
	// field:  Price.Amount
	// reason: must be a decimal number, got "1e3"
}
