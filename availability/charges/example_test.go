package charges_test

import (
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// A hotel's prices include 7 % VAT on the room and 19 % on breakfast. A city tax of 3 EUR for each adult and night is due
// at the property.
func ExampleList_Bill() {
	eur := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "EUR") }
	list := charges.List{PropertyID: "prop_1", Charges: []charges.Charge{
		{ID: "vat", Name: "VAT 7 %", Kind: charges.Tax, Rate: 7_0000, Per: charges.PerStay,
			Of: []charges.Component{charges.Lodging}, Included: true},
		{ID: "vat-food", Name: "VAT 19 %", Kind: charges.Tax, Rate: 19_0000, Per: charges.PerStay,
			Of: []charges.Component{charges.Meals}, Included: true},
		{ID: "city", Name: "City tax", Kind: charges.Tax, Amount: eur("3"), Per: charges.PerGuestNight,
			FromAge: 18, AtProperty: true, Kept: charges.KeptIfStayed},
	}}
	if err := list.Validate(); err != nil {
		fmt.Println(err)
	}
	night := charges.Price{Lodging: eur("107"), Meals: eur("23.80")}
	bill, err := list.Bill(charges.Booked{
		Stay: dynastay.MustStay("2026-05-01", "2026-05-03"),
		Lines: []charges.Line{{
			Rooms: 1, Nights: []charges.Price{night, night},
			Guests: &charges.Guests{Adults: 2, Children: 1, ChildAges: []int{9}},
		}},
	})
	if err != nil {
		fmt.Println(err)
	}
	for _, e := range bill.Entries {
		fmt.Println(e.Name, e.Amount)
	}
	fmt.Println("included", bill.Included, "added", bill.Added, "at the property", bill.AtProperty)
	// Output:
	// VAT 7 % 14.00 EUR
	// VAT 19 % 7.60 EUR
	// City tax 12.00 EUR
	// included 21.60 EUR added 0.00 EUR at the property 12.00 EUR
}
