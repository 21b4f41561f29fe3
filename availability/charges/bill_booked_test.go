package charges_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

func TestInvalidStays(t *testing.T) {
	t.Parallel()
	unknown, err := dynastay.MoneyOfDigits("1", "XYZ")
	require.NoError(t, err)
	none, err := dynastay.MoneyOfDigits("1", "")
	require.NoError(t, err)
	negative := eur("-0.01")
	ages := func(all ...int) func(*charges.Booked) {
		return func(b *charges.Booked) {
			b.Lines[0].Guests = &charges.Guests{Adults: 1, Children: 2, ChildAges: all}
		}
	}
	for _, c := range []struct {
		field, reason string
		change        func(b *charges.Booked)
	}{
		{"Stay.CheckIn", "is required", func(b *charges.Booked) { b.Stay.CheckIn = dynastay.Date{} }},
		{"Stay.CheckOut", "must be after", func(b *charges.Booked) { b.Stay.CheckOut = b.Stay.CheckIn }},
		{"Stay", "must have at most 90 nights", func(b *charges.Booked) { b.Stay.CheckOut = b.Stay.CheckIn.AddDays(91) }},
		{"Lines", "must have at least one line", func(b *charges.Booked) { b.Lines = nil }},
		{"Lines[1].Rooms", "must be between 1 and 1,000,000", func(b *charges.Booked) { b.Lines[1].Rooms = 0 }},
		{"Lines[0].Rooms", "must be between", func(b *charges.Booked) { b.Lines[0].Rooms = 1_000_001 }},
		{"Lines[0].Nights", "one price for each of the 2 nights", func(b *charges.Booked) { b.Lines[0].Nights = nil }},
		{"Lines[1].Nights", "one price for each", func(b *charges.Booked) { b.Lines[1].Nights = b.Lines[1].Nights[:1] }},
		{"Lines[1].Guests", "for all lines or for none", func(b *charges.Booked) { b.Lines[1].Guests = nil }},
		{"Lines[1].Guests", "for all lines or for none", func(b *charges.Booked) { b.Lines[0].Guests = nil }},
		{"Lines[0].Guests.Adults", "must be between 1 and", func(b *charges.Booked) { b.Lines[0].Guests.Adults = 0 }},
		{"Lines[0].Guests.Adults", "must be between 1 and", func(b *charges.Booked) { b.Lines[0].Guests.Adults = 1_000_001 }},
		{"Lines[0].Guests.Children", "must be between 0 and", func(b *charges.Booked) { b.Lines[0].Guests.Children = -1 }},
		{"Lines[0].Guests.Children", "must be between 0", func(b *charges.Booked) { b.Lines[0].Guests.Children = 1_000_001 }},
		{"Lines[0].Guests.ChildAges", "at most one age for each of the 2 children", ages(1, 2, 3)},
		{"Lines[0].Guests.ChildAges[1]", "must be between 0 and 17", ages(0, 18)},
		{"Lines[0].Guests.ChildAges[0]", "must be between 0 and 17", ages(-1, 17)},
		{"Adults", "must be between 1", func(b *charges.Booked) { b.Adults, b.Lines[0].Guests, b.Lines[1].Guests = 0, nil, nil }},
		{"Children", "must be between 0", func(b *charges.Booked) { b.Children, b.Lines[0].Guests, b.Lines[1].Guests = -1, nil, nil }},
		{"Lines[0].Nights[1].Lodging", "is required", func(b *charges.Booked) { b.Lines[0].Nights[1].Lodging = dynastay.Money{} }},
		{"Lines[0].Nights[0].Lodging", "is required", func(b *charges.Booked) { b.Lines[0].Nights[0].Lodging = none }},
		{"Lines[0].Nights[0].Meals", "must have a currency", func(b *charges.Booked) { b.Lines[0].Nights[0].Meals = none }},
		{"Lines[0].Nights[0].Lodging.Currency", "must be an active", func(b *charges.Booked) {
			b.Lines[0].Nights[0].Lodging = unknown
		}},
		{"Lines[1].Nights[0].Lodging.Currency", "must be EUR", func(b *charges.Booked) { b.Lines[1].Nights[0].Lodging = jpy("1") }},
		{"Lines[0].Nights[0].Meals.Currency", "must be EUR", func(b *charges.Booked) { b.Lines[0].Nights[0].Meals = jpy("1") }},
		{"Lines[0].Nights[0].Meals", "must not be negative", func(b *charges.Booked) { b.Lines[0].Nights[0].Meals = negative }},
		{"Lines[0].Nights[0].Lodging", "must not be negative", func(b *charges.Booked) { b.Lines[0].Nights[0].Lodging = negative }},
		{"Discount", "must not be negative", func(b *charges.Booked) { b.Discount = negative }},
		{"Discount", "must have a currency", func(b *charges.Booked) { b.Discount = none }},
		{"Discount.Currency", "must be EUR", func(b *charges.Booked) { b.Discount = jpy("1") }},
		{"Discount", "must be at most the total of the lines", func(b *charges.Booked) { b.Discount = eur("640.01") }},
	} {
		b := stay(room(2, 2, "100", "10", &charges.Guests{Adults: 1}), room(1, 2, "100", "", &charges.Guests{Adults: 1}))
		b.Discount = eur("640")
		_, err := list().Bill(b)
		require.NoError(t, err)
		c.change(&b)
		_, err = list().Bill(b)
		refused(t, err, c.field, c.reason)
	}
}

func TestLimitsOfStays(t *testing.T) {
	t.Parallel()
	b := stay(room(1_000_000, 90, "1", "", &charges.Guests{Adults: 1_000_000, Children: 1_000_000, ChildAges: []int{0, 17}}))
	bill := billOf(t, list(with(tax("x", charges.PerGuest, "0.01"), func(c *charges.Charge) { c.UnderAge = 18 })), b)
	assert.Equal(t, "x 20000.00; 0.00 20000.00 0.00 0.00", written(bill))
}
