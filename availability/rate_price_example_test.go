package availability_test

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// A hotel sells a double room at 160 EUR. Its early bird is 10 percent cheaper, in steps of 1 EUR, and includes
// breakfast. A guest alone pays 25 EUR less, a child of up to six nothing, an older one 20 EUR. Seven nights cost the
// price of six.
func ExampleRatePlan_Price() {
	plan := availability.RatePlan{
		PropertyID: "prop_1", ID: "early", Name: "Early bird with breakfast", Active: true, Advertised: true,
		CancellationPolicy: availability.NonRefundable,
		Derived:            &availability.Derivation{Percent: -10_00, Step: dynastay.MustMoney("1", "EUR")},
		Party: &availability.PartyPrices{
			Included:  2,
			SingleUse: availability.Supplement{Amount: dynastay.MustMoney("-25", "EUR")},
			Bands: []availability.AgeBand{
				{Through: 6},
				{Through: 15, Bedless: availability.Supplement{Amount: dynastay.MustMoney("20", "EUR")},
					WithBed: availability.Supplement{Amount: dynastay.MustMoney("35", "EUR")}},
			},
		},
		Meals: availability.Meals{
			Plan: availability.Breakfast, Adult: dynastay.MustMoney("14", "EUR"), Bands: []availability.MealBand{{Through: 6},
				{Through: 15, Amount: dynastay.MustMoney("7", "EUR")}},
		},
		Conditions: availability.RateConditions{MinDaysAhead: 30},
		Discounts:  availability.Discounts{FreeNight: 7},
	}
	if err := plan.Validate(); err != nil {
		fmt.Println(err)
	}
	night := dynastay.MustMoney("160", "EUR")
	request := availability.RateRequest{
		Stay:    dynastay.MustStay("2026-07-01", "2026-07-03"),
		Today:   dynastay.MustDate("2026-05-20"),
		Party:   availability.Party{Guests: availability.Guests{Adults: 2, Children: 2}, ChildAges: []int{5, 9}},
		Sources: []dynastay.Money{night, night},
	}
	nights, err := plan.Price(request)
	if err != nil {
		fmt.Println(err)
	}
	for _, n := range nights {
		fmt.Println(n.Date, n.Price, "lodging", n.Lodging, "meals", n.Meals, n.Steps)
	}
	request.Today = dynastay.MustDate("2026-06-20")
	_, err = plan.Price(request)
	fmt.Println(err)
	// Output:
	// 2026-07-01 164.00 EUR lodging 129.00 EUR meals 35.00 EUR [{derived -16.00 EUR} {party 20.00 EUR}]
	// 2026-07-02 164.00 EUR lodging 129.00 EUR meals 35.00 EUR [{derived -16.00 EUR} {party 20.00 EUR}]
	// cannot be sold: early 2026-07-01 too_late
}
