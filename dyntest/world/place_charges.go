package world

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// ChargesIn returns the taxes and the fees of a house with so many stars in one of eight cities, and none for any other city.
// The cities are New York (USA), Berlin (DEU), Paris (FRA), Rome (ITA), Amsterdam (NLD), Zürich (CHE), Tokyo (JPN) and
// Bangkok (THA). The amounts are in the currency of the country.
//
// They are from general knowledge of the year 2026, simplified, and not maintained: look up those that your hotels owe. What
// is exempt for stays of half a year is left out, because no stay has more than 90 nights.
func ChargesIn(city, country string, stars int) []charges.Charge {
	if of := chargesIn[[2]string{city, country}]; of != nil {
		return of(min(max(stars, 0), 5))
	}
	return nil
}

var chargesIn = map[[2]string]func(stars int) []charges.Charge{
	{"New York", "USA"}:  newYork,
	{"Berlin", "DEU"}:    berlin,
	{"Paris", "FRA"}:     paris,
	{"Rome", "ITA"}:      rome,
	{"Amsterdam", "NLD"}: amsterdam,
	{"Zürich", "CHE"}:    zurich,
	{"Tokyo", "JPN"}:     tokyo,
	{"Bangkok", "THA"}:   bangkok,
}

var (
	lodging = []charges.Component{charges.Lodging}
	board   = []charges.Component{charges.Lodging, charges.Meals}
)

// percentage returns a tax of so many percent of each night.
func percentage(id, name string, rate charges.Rate, of []charges.Component) charges.Charge {
	return charges.Charge{ID: id, Name: name, Kind: charges.Tax, Rate: rate, Per: charges.PerNight, Of: of}
}

// vat returns a tax that is included in the prices of the nights.
func vat(name string, rate charges.Rate, of []charges.Component) charges.Charge {
	c := percentage("vat", name, rate, of)
	c.Included = true
	return c
}

// eachNight returns a tax of an amount, which only those owe who stay.
func eachNight(id, name, amount string, currency dynastay.Currency, per charges.Per) charges.Charge {
	return charges.Charge{
		ID: id, Name: name, Kind: charges.Tax, Amount: dynastay.MustMoney(amount, currency), Per: per, Kept: charges.KeptIfStayed,
	}
}

func newYork(int) []charges.Charge {
	return []charges.Charge{
		percentage("sales", "State and city sales tax", 8_8750, lodging),
		percentage("occupancy", "Hotel room occupancy tax", 5_8750, lodging),
		eachNight("unit", "State hotel unit fee", "1.50", "USD", charges.PerRoomNight),
		eachNight("city", "City occupancy fee", "2.00", "USD", charges.PerRoomNight),
	}
}

// The city tax of Berlin is of the net price, without VAT.
func berlin(int) []charges.Charge {
	tax := percentage("city", "City tax", 7_5000, lodging)
	tax.Kept = charges.KeptIfStayed
	return []charges.Charge{vat("VAT", 7_0000, board), tax}
}

// parisTax is the tourist tax of Paris for each adult and night, by stars, and the surtax for public transport.
// Houses without stars pay as those with one.
var parisTax = [6]struct{ city, transport string }{
	{"0.80", "1.60"}, {"0.80", "1.60"}, {"1.00", "2.00"}, {"1.70", "3.40"}, {"2.60", "5.20"}, {"3.50", "7.00"},
}

// Three surtaxes are on the tourist tax of Paris. That of 200 % is an amount, because a rate is at most 100 %.
func paris(stars int) []charges.Charge {
	tax := eachNight("tourist", "Tourist tax", parisTax[stars].city, "EUR", charges.PerGuestNight)
	transport := eachNight("transport", "Surtax for public transport", parisTax[stars].transport, "EUR", charges.PerGuestNight)
	tax.FromAge, transport.FromAge = 18, 18
	department := percentage("department", "Surtax of the department", 10_0000, nil)
	express := percentage("express", "Surtax for the Grand Paris Express", 15_0000, nil)
	all := []charges.Charge{vat("VAT", 10_0000, board), tax, department, express, transport}
	for i := range all[1:] {
		c := &all[1+i]
		c.AtProperty, c.Kept = true, charges.KeptIfStayed
		if c.Rate != 0 {
			c.On = []string{tax.ID}
		}
	}
	return all
}

var romeTax = [6]string{"5.00", "4.00", "5.00", "6.00", "7.50", "10.00"}

// Guests of Rome owe the city tax for ten nights at most, and children under ten never do.
func rome(stars int) []charges.Charge {
	tax := eachNight("city", "City tax", romeTax[stars], "EUR", charges.PerGuestNight)
	tax.FirstNights, tax.FromAge, tax.AtProperty = 10, 10, true
	return []charges.Charge{vat("VAT", 10_0000, board), tax}
}

// The VAT of Amsterdam has risen for nights from 2026 on. The tourist tax is of the net price.
func amsterdam(int) []charges.Charge {
	rises := dynastay.MustDate("2026-01-01")
	before, after := vat("VAT", 9_0000, lodging), vat("VAT", 21_0000, lodging)
	before.ID, before.Until, after.From = "vat9", rises, rises
	meals := vat("VAT of meals", 9_0000, []charges.Component{charges.Meals})
	meals.ID = "vatmeals"
	tax := percentage("tourist", "Tourist tax", 12_5000, lodging)
	tax.Kept = charges.KeptIfStayed
	return []charges.Charge{before, after, meals, tax}
}

func zurich(int) []charges.Charge {
	return []charges.Charge{
		vat("VAT", 3_8000, board),
		eachNight("city", "City tax", "3.50", "CHF", charges.PerGuestNight),
	}
}

// The accommodation tax of Tokyo is by the net price for one guest and night.
func tokyo(int) []charges.Charge {
	yen := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "JPY") }
	return []charges.Charge{
		vat("Consumption tax", 10_0000, board),
		{
			ID: "stay", Name: "Accommodation tax", Kind: charges.Tax, Per: charges.PerGuestNight, Of: lodging, Kept: charges.KeptIfStayed,
			Brackets: []charges.Bracket{
				{From: yen("0"), Amount: yen("0")}, {From: yen("10000"), Amount: yen("100")}, {From: yen("15000"), Amount: yen("200")},
			},
		},
	}
}

// Prices in Bangkok are "++": a service charge comes on top of them, and VAT on top of both.
func bangkok(int) []charges.Charge {
	tax := percentage("vat", "VAT", 7_0000, board)
	tax.On = []string{"service"}
	return []charges.Charge{
		{ID: "service", Name: "Service charge", Kind: charges.Fee, Rate: 10_0000, Per: charges.PerNight, Of: board}, tax,
	}
}
