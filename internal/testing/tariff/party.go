package tariff

import (
	"math/big"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// The part of [oracle] that depends on who stays, and when.

// prepare works out what is the same for all nights.
func (o *oracle) prepare() {
	o.known = map[dynastay.Money]*nightFigures{}
	for _, m := range append(o.amounts(), o.r.Sources...) {
		if m.IsSet() {
			o.currency = m.Currency()
			break
		}
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(o.currency.MinorUnit())), nil)
	o.unit = new(big.Rat).SetFrac(big.NewInt(1), ten)
	o.parties = o.extras()
	o.meals = o.mealsOf()
}

// terms are the prices for a party: the plan's own, or those of the plan that it is derived from.
func (o *oracle) terms() *availability.PartyPrices {
	if o.plan.Party == nil && o.r.From != nil {
		return o.r.From.Party
	}
	return o.plan.Party
}

// amounts returns all amounts that may change a price.
func (o *oracle) amounts() (all []dynastay.Money) {
	if d := o.plan.Derived; d != nil {
		all = append(all, d.Amount, d.Step)
	}
	if p := o.terms(); p != nil {
		all = append(all, p.ExtraAdult.Amount, p.SingleUse.Amount)
		for _, band := range p.Bands {
			all = append(all, band.Bedless.Amount, band.WithBed.Amount)
		}
	}
	all = append(all, o.plan.Meals.Adult)
	for _, band := range o.plan.Meals.Bands {
		all = append(all, band.Amount)
	}
	return all
}

// extras returns what the party may cost: one entry for each way to put its children of unknown age into bands. Those
// get extra beds first. All who have one are of the same age, the dearest, and so are all others.
func (o *oracle) extras() []partyExtra {
	terms := o.terms()
	if terms == nil {
		return []partyExtra{{value: new(big.Rat)}}
	}
	unknown := o.r.Party.Children - len(o.r.Party.ChildAges)
	if unknown == 0 || len(terms.Bands) == 0 {
		return []partyExtra{o.extra(terms, nil)}
	}
	var all []partyExtra
	for _, with := range terms.Bands {
		for _, without := range terms.Bands {
			var supplements []availability.Supplement
			for i := range unknown {
				if i < o.r.Party.ExtraBeds {
					supplements = append(supplements, with.WithBed)
				} else {
					supplements = append(supplements, without.Bedless)
				}
			}
			if extra := o.extra(terms, supplements); !slices.ContainsFunc(all, extra.same) {
				all = append(all, extra)
			}
		}
	}
	if len(all) > 1 {
		o.met.Add("dearest age", 1)
	}
	return all
}

func (e partyExtra) same(other partyExtra) bool {
	return e.percent == other.percent && e.value.Cmp(other.value) == 0
}

// extra adds up the supplements for a party whose children of unknown age have certain ones; without bands they are
// adults. Those who count as adults use extra beds up, as the eldest.
func (o *oracle) extra(terms *availability.PartyPrices, unknown []availability.Supplement) partyExtra {
	sum := partyExtra{value: new(big.Rat)}
	add := func(s availability.Supplement, n int) {
		sum.percent += int64(s.Percent) * int64(n)
		sum.value.Add(sum.value, times(rational(s.Amount), fraction(int64(n), 1)))
	}
	party := o.r.Party
	for _, supplement := range unknown {
		add(supplement, 1)
	}
	beds, adults := party.ExtraBeds-len(unknown), party.Adults
	if len(unknown) == 0 {
		adults += party.Children - len(party.ChildAges)
	}
	eldest := slices.Clone(party.ChildAges)
	slices.SortFunc(eldest, func(a, b int) int { return b - a })
	for _, age := range eldest {
		band := slices.IndexFunc(terms.Bands, func(b availability.AgeBand) bool { return age <= b.Through })
		switch {
		case band < 0:
			adults++
		case beds > 0:
			add(terms.Bands[band].WithBed, 1)
		default:
			add(terms.Bands[band].Bedless, 1)
		}
		beds--
	}
	if adults == 1 && party.Children == 0 {
		add(terms.SingleUse, 1)
	}
	if terms.Included > 0 && adults > terms.Included {
		add(terms.ExtraAdult, adults-terms.Included)
	}
	return sum
}

// mealsOf returns what the party eats in a night, or nil if the plan has no amounts. A child of unknown age is in the
// dearest band; without bands it is an adult.
func (o *oracle) mealsOf() *big.Rat {
	m := o.plan.Meals
	if !m.Adult.IsSet() && len(m.Bands) == 0 {
		return nil
	}
	at := func(age int) *big.Rat {
		for _, band := range m.Bands {
			if age <= band.Through {
				return rational(band.Amount)
			}
		}
		return rational(m.Adult)
	}
	dearest := new(big.Rat)
	if len(m.Bands) == 0 {
		dearest = rational(m.Adult)
	}
	for _, band := range m.Bands {
		if price := rational(band.Amount); price.Cmp(dearest) > 0 {
			dearest = price
		}
	}
	party := o.r.Party
	sum := times(fraction(int64(party.Adults), 1), rational(m.Adult))
	for _, age := range party.ChildAges {
		sum.Add(sum, at(age))
	}
	return sum.Add(sum, times(fraction(int64(party.Children-len(party.ChildAges)), 1), dearest))
}

// conditions returns which of the plan's conditions the stay breaks.
func (o *oracle) conditions() (refused []availability.RefusedNight) {
	c, stay := o.plan.Conditions, o.r.Stay
	nights, ahead := len(o.r.Sources), o.r.Today.DaysUntil(stay.CheckIn)
	edge := func(broken bool, reason availability.Reason, nights, days int) {
		if broken {
			refused = append(refused, availability.RefusedNight{Date: stay.CheckIn, Reason: reason, Nights: nights, Days: days})
		}
	}
	edge(nights < c.MinStay, availability.MinStay, c.MinStay, 0)
	edge(c.MaxStay != 0 && nights > c.MaxStay, availability.MaxStay, c.MaxStay, 0)
	edge(c.MinDaysAhead != 0 && ahead < c.MinDaysAhead, availability.TooLate, 0, c.MinDaysAhead)
	if c.MaxDaysAhead != nil {
		edge(ahead > *c.MaxDaysAhead, availability.TooEarly, 0, *c.MaxDaysAhead)
	}
	edge(c.Arrivals != 0 && c.Arrivals&(1<<stay.CheckIn.Weekday()) == 0, availability.ClosedToArrival, 0, 0)
	for i := range nights {
		date := stay.CheckIn.AddDays(i)
		inside := len(c.Dates) == 0
		for _, dates := range c.Dates {
			inside = inside || !date.Before(dates.CheckIn) && date.Before(dates.CheckOut)
		}
		if !inside {
			refused = append(refused, availability.RefusedNight{Date: date, Reason: availability.NotOnSale})
		}
	}
	return refused
}
