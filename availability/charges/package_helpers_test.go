package charges_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

var (
	lodging = []charges.Component{charges.Lodging}
	meals   = []charges.Component{charges.Meals}
	both    = []charges.Component{charges.Lodging, charges.Meals}
)

func eur(amount string) dynastay.Money { return dynastay.MustMoney(amount, "EUR") }

func jpy(amount string) dynastay.Money { return dynastay.MustMoney(amount, "JPY") }

func amounts(all ...string) (of []dynastay.Money) {
	for _, amount := range all {
		of = append(of, eur(amount))
	}
	return of
}

// tax returns a tax of an amount, which needs no base.
func tax(id string, per charges.Per, amount string) charges.Charge {
	return charges.Charge{ID: id, Name: id, Kind: charges.Tax, Per: per, Amount: eur(amount)}
}

// percent returns a tax of a percentage of the lodging for the stay.
func percent(id string, rate charges.Rate) charges.Charge {
	return charges.Charge{ID: id, Name: id, Kind: charges.Tax, Per: charges.PerStay, Rate: rate, Of: lodging}
}

// with returns the charge after a change.
func with(c charges.Charge, change func(c *charges.Charge)) charges.Charge {
	change(&c)
	return c
}

func included(c charges.Charge) charges.Charge {
	c.Included = true
	return c
}

func list(all ...charges.Charge) *charges.List {
	return &charges.List{PropertyID: "prop_1", Charges: all}
}

// room returns a line of rooms that have the same price in each of so many nights.
func room(rooms, nights int, lodging, meals string, guests *charges.Guests) charges.Line {
	l := charges.Line{Rooms: rooms, Guests: guests}
	for range nights {
		price := charges.Price{Lodging: eur(lodging)}
		if meals != "" {
			price.Meals = eur(meals)
		}
		l.Nights = append(l.Nights, price)
	}
	return l
}

// stay returns a stay from 1 May 2026.
func stay(lines ...charges.Line) charges.Booked {
	checkIn := dynastay.MustDate("2026-05-01")
	return charges.Booked{
		Stay: dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(len(lines[0].Nights))}, Adults: 2, Lines: lines,
	}
}

// double is a stay of two adults in one room.
func double(nights int, price string) charges.Booked {
	return stay(room(1, nights, price, "", &charges.Guests{Adults: 2}))
}

func billOf(t *testing.T, l *charges.List, b charges.Booked) *charges.Bill {
	t.Helper()
	require.NoError(t, l.Validate())
	bill, err := l.Bill(b)
	require.NoError(t, err)
	require.NoError(t, bill.Validate(len(b.Lines), b.Stay.Nights(), b.Lines[0].Nights[0].Lodging.Currency()))
	return bill
}

// refused asserts that an error is about a field, with a reason.
func refused(t *testing.T, err error, field, reason string) {
	t.Helper()
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, field, invalid.Field)
	assert.Contains(t, invalid.Reason, reason)
}
