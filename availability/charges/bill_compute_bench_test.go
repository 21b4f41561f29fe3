package charges_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// Two lines, seven nights and five charges.
func BenchmarkBill(b *testing.B) {
	eur := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "EUR") }
	lodging, meals := []charges.Component{charges.Lodging}, []charges.Component{charges.Meals}
	list := charges.List{PropertyID: "prop_1", Charges: []charges.Charge{
		{ID: "vat", Name: "VAT", Kind: charges.Tax, Rate: 7_0000, Per: charges.PerStay, Of: lodging, Included: true},
		{ID: "food", Name: "VAT on meals", Kind: charges.Tax, Rate: 19_0000, Per: charges.PerStay, Of: meals, Included: true},
		{ID: "city", Name: "City tax", Kind: charges.Tax, Rate: 7_5000, Per: charges.PerNight, Of: lodging, FirstNights: 21},
		{ID: "spa", Name: "Spa", Kind: charges.Fee, Amount: eur("2.5"), Per: charges.PerGuestNight, FromAge: 16, AtProperty: true},
		{ID: "clean", Name: "Cleaning", Kind: charges.Fee, Amount: eur("40"), Per: charges.PerStay},
	}}
	booked := charges.Booked{Stay: dynastay.MustStay("2026-05-01", "2026-05-08"), Discount: eur("33.33")}
	for _, price := range []string{"129", "249.5"} {
		line := charges.Line{Rooms: 1, Guests: &charges.Guests{Adults: 2, Children: 1, ChildAges: []int{9}}}
		for range 7 {
			line.Nights = append(line.Nights, charges.Price{Lodging: eur(price), Meals: eur("36")})
		}
		booked.Lines = append(booked.Lines, line)
	}
	for b.Loop() {
		_, err := list.Bill(booked)
		require.NoError(b, err)
	}
}
