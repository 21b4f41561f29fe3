package planrule

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// reader reads amounts in one currency, and keeps the first error.
type reader struct {
	currency dynastay.Currency
	err      error
}

func (r *reader) fail(field, reason string) {
	if r.err == nil {
		r.err = dynastay.Invalid(field, "%s", reason)
	}
}

func (r *reader) money(field string, digits json.Number) dynastay.Money {
	switch {
	case digits == "":
		return dynastay.Money{}
	case r.currency == "":
		r.fail(field, "must have a currency")
		return dynastay.Money{}
	}
	m, err := dynastay.NewMoney(string(digits), r.currency)
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		r.fail(field, invalid.Reason)
	}
	return m
}

func (r *reader) derivation(d *derivation) *availability.Derivation {
	if d == nil {
		return nil
	}
	return &availability.Derivation{
		From: d.From, Percent: dynastay.Percent(d.Percent),
		Amount: r.money("Derived.Amount", d.Amount), Step: r.money("Derived.Step", d.Step),
	}
}

func (r *reader) party(p *party) *availability.PartyPrices {
	if p == nil {
		return nil
	}
	return &availability.PartyPrices{
		Included: p.Included, ExtraAdult: r.supplement("Party.ExtraAdult", p.ExtraAdult),
		SingleUse: r.supplement("Party.SingleUse", p.SingleUse),
		Bands: each(p.Bands, func(i int, b ageBand) availability.AgeBand {
			at := fmt.Sprintf("Party.Bands[%d]", i)
			return availability.AgeBand{
				Through: b.Through, Bedless: r.supplement(at+".Bedless", b.Bedless), WithBed: r.supplement(at+".WithBed", b.WithBed),
			}
		}),
	}
}

func (r *reader) supplement(field string, s supplement) availability.Supplement {
	return availability.Supplement{Percent: dynastay.Percent(s.Percent), Amount: r.money(field+".Amount", s.Amount)}
}

func (r *reader) meals(m meals) availability.Meals {
	return availability.Meals{
		Plan: m.Plan, Added: m.Added, Adult: r.money("Meals.Adult", m.Adult),
		Bands: each(m.Bands, func(i int, b mealBand) availability.MealBand {
			return availability.MealBand{Through: b.Through, Amount: r.money(fmt.Sprintf("Meals.Bands[%d].Amount", i), b.Amount)}
		}),
	}
}

func (r *reader) conditions(c conditions) availability.RateConditions {
	result := availability.RateConditions{
		MinStay: c.MinStay, MaxStay: c.MaxStay, MinDaysAhead: c.MinDaysAhead, MaxDaysAhead: c.MaxDaysAhead, Arrivals: c.Arrivals,
	}
	if len(c.Dates)%2 != 0 {
		r.fail("Conditions.Dates", "must have two dates for each range")
		return result
	}
	for i := 0; i < len(c.Dates); i += 2 {
		result.Dates = append(result.Dates, dynastay.Stay{CheckIn: c.Dates[i], CheckOut: c.Dates[i+1]})
	}
	return result
}

func (d discounts) discounts() availability.Discounts {
	days := func(_ int, d discount) availability.DaysDiscount {
		return availability.DaysDiscount{Days: d.From, Percent: dynastay.Percent(d.Percent)}
	}
	nights := func(_ int, d discount) availability.NightsDiscount {
		return availability.NightsDiscount{Nights: d.From, Percent: dynastay.Percent(d.Percent)}
	}
	return availability.Discounts{
		Early: each(d.Early, days), Late: each(d.Late, days), Length: each(d.Length, nights), FreeNight: d.FreeNight,
	}
}
