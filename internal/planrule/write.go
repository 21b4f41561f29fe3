package planrule

import (
	"encoding/json"
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// writer writes amounts in one currency, and keeps the first error.
type writer struct {
	currency dynastay.Currency
	err      error
}

// digits returns "" for the zero Money.
func (w *writer) digits(field string, m dynastay.Money) json.Number {
	if m == (dynastay.Money{}) {
		return ""
	}
	switch {
	case w.err != nil:
	case !m.IsSet():
		w.err = dynastay.Invalid(field, "must have a currency")
	case m.Currency() != w.currency:
		w.err = dynastay.Invalid(field+".Currency", "must be %s, the currency of the plan's other amounts", w.currency)
	}
	return json.Number(m.Digits())
}

func (w *writer) derivation(d *availability.Derivation) *derivation {
	if d == nil {
		return nil
	}
	return &derivation{
		From: d.From, Percent: int(d.Percent), Amount: w.digits("Derived.Amount", d.Amount), Step: w.digits("Derived.Step", d.Step),
	}
}

func (w *writer) party(p *availability.PartyPrices) *party {
	if p == nil {
		return nil
	}
	return &party{
		Included: p.Included, ExtraAdult: w.supplement("Party.ExtraAdult", p.ExtraAdult),
		SingleUse: w.supplement("Party.SingleUse", p.SingleUse),
		Bands: each(p.Bands, func(i int, b availability.AgeBand) ageBand {
			at := fmt.Sprintf("Party.Bands[%d]", i)
			return ageBand{b.Through, w.supplement(at+".Bedless", b.Bedless), w.supplement(at+".WithBed", b.WithBed)}
		}),
	}
}

func (w *writer) supplement(field string, s availability.Supplement) supplement {
	return supplement{int(s.Percent), w.digits(field+".Amount", s.Amount)}
}

func (w *writer) meals(m availability.Meals) meals {
	return meals{
		Plan: m.Plan, Added: m.Added, Adult: w.digits("Meals.Adult", m.Adult),
		Bands: each(m.Bands, func(i int, b availability.MealBand) mealBand {
			return mealBand{b.Through, w.digits(fmt.Sprintf("Meals.Bands[%d].Amount", i), b.Amount)}
		}),
	}
}

func conditionsOf(c availability.RateConditions) conditions {
	result := conditions{
		MinStay: c.MinStay, MaxStay: c.MaxStay, MinDaysAhead: c.MinDaysAhead, MaxDaysAhead: c.MaxDaysAhead, Arrivals: c.Arrivals,
	}
	for _, dates := range c.Dates {
		result.Dates = append(result.Dates, dates.CheckIn, dates.CheckOut)
	}
	return result
}

func discountsOf(d availability.Discounts) discounts {
	days := func(_ int, d availability.DaysDiscount) discount { return discount{d.Days, int(d.Percent)} }
	nights := func(_ int, d availability.NightsDiscount) discount { return discount{d.Nights, int(d.Percent)} }
	return discounts{each(d.Early, days), each(d.Late, days), each(d.Length, nights), d.FreeNight}
}
