package levy

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// AnyList draws every field of a list of charges on its own, whether or not the list would be valid. The ids are c0, c1, …, and
// the names are the same.
func AnyList(r *rapid.T) *charges.List {
	currency := rapid.SampledFrom([]dynastay.Currency{"USD", "JPY", "KWD"}).Draw(r, "currency")
	money := func(name string) dynastay.Money {
		if !rapid.Bool().Draw(r, name) {
			return dynastay.Money{}
		}
		m, _ := dynastay.MoneyOfMinor(rapid.Int64Range(0, 1_000_000).Draw(r, name), currency) // cannot fail
		return m
	}
	count := func(name string) int { return rapid.IntRange(0, 30).Draw(r, name) }
	rate := func(name string) charges.Rate {
		return charges.Rate(rapid.IntRange(0, int(charges.MaxRate)).Draw(r, name))
	}
	date := func(name string) dynastay.Date {
		if n := count(name); n > 0 {
			return dynastay.MustDate("2026-06-01").AddDays(n)
		}
		return dynastay.Date{}
	}
	l := &charges.List{}
	for i := range rapid.IntRange(0, 20).Draw(r, "charges") {
		c := charges.Charge{
			ID: fmt.Sprint("c", i), Name: fmt.Sprint("c", i), Rate: rate("rate"), Amount: money("amount"),
			Kind: rapid.SampledFrom([]charges.Kind{charges.Tax, charges.Fee, charges.Deposit}).Draw(r, "kind"),
			Per: rapid.SampledFrom([]charges.Per{
				charges.PerStay, charges.PerNight, charges.PerRoom, charges.PerRoomNight, charges.PerGuest, charges.PerGuestNight,
			}).Draw(r, "per"),
			Gross: rapid.Bool().Draw(r, "gross"), Included: rapid.Bool().Draw(r, "included"), AtProperty: rapid.Bool().Draw(r, "there"),
			FirstNights: count("nights"), FromAge: count("from age"), UnderAge: count("under"), MinStay: count("min"), MaxStay: count("max"),
			From: date("from"), Until: date("until"),
			Kept: rapid.SampledFrom([]charges.Kept{charges.KeptByPolicy, charges.KeptIfStayed, charges.NeverKept}).Draw(r, "kept"),
		}
		for range rapid.IntRange(0, 6).Draw(r, "brackets") {
			c.Brackets = append(c.Brackets, charges.Bracket{From: money("from"), Rate: rate("rate"), Amount: money("amount")})
		}
		for range rapid.IntRange(0, 2).Draw(r, "of") {
			c.Of = append(c.Of, rapid.SampledFrom([]charges.Component{charges.Lodging, charges.Meals}).Draw(r, "of"))
		}
		for n := range rapid.IntRange(0, i).Draw(r, "on") {
			c.On = append(c.On, fmt.Sprint("c", n))
		}
		l.Charges = append(l.Charges, c)
	}
	return l
}
