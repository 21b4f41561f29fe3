// Package tariff draws random rate plans and stays, and prices them a second time: from the documentation only, with
// fractions. Tests compare the library with it. It uses the types of package availability, and no code of it.
package tariff

import (
	"math/big"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// Price returns what a stay costs under a plan, night by night, or why it is refused. It counts in met what it came to.
func Price(plan *availability.RatePlan, r availability.RateRequest, met *model.Tally) ([]availability.RateNight, []availability.RefusedNight) {
	o := oracle{plan: plan, r: r, met: met}
	return o.price()
}

// inOrder returns refused nights by date, each once for each reason.
func inOrder(refused []availability.RefusedNight) []availability.RefusedNight {
	all := slices.Clone(refused)
	slices.SortStableFunc(all, func(a, b availability.RefusedNight) int { return a.Date.Compare(b.Date) })
	return slices.Compact(all)
}

// oracle prices a stay.
type oracle struct {
	plan *availability.RatePlan
	r    availability.RateRequest
	met  *model.Tally

	currency dynastay.Currency
	unit     *big.Rat
	parties  []partyExtra // what the party may add, one for each way in which unknown ages may turn out
	meals    *big.Rat     // nil without amounts
	known    map[dynastay.Money]*nightFigures
}

// partyExtra is the sum of a party's supplements.
type partyExtra struct {
	percent int64 // hundredths
	value   *big.Rat
}

// nightFigures are those of a night before discounts, which depend on nothing but its stored price.
type nightFigures struct {
	source, derived, whole, lodging *big.Rat
	refused                         bool
}

// discountOffer is a discount that the stay gets: what it leaves of each night.
type discountOffer struct {
	kind   availability.StepKind
	nights []*big.Rat
	total  *big.Rat
}

func fraction(n, d int64) *big.Rat { return big.NewRat(n, d) }

func plus(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// rational returns an amount; that of one that is unset is 0.
func rational(m dynastay.Money) *big.Rat {
	value := new(big.Rat)
	if m.IsSet() {
		value.SetString(m.Digits())
	}
	return value
}

// halfUp rounds to a multiple of a unit; what is in the middle goes up.
func (o *oracle) halfUp(x, unit *big.Rat) *big.Rat {
	units := new(big.Rat).Quo(x, unit)
	twice := new(big.Int).Lsh(units.Num(), 1)
	if twice.Add(twice, units.Denom()); units.Denom().Cmp(big.NewInt(2)) == 0 {
		o.met.Add("half", 1)
	}
	whole := new(big.Int).Div(twice, new(big.Int).Lsh(units.Denom(), 1))
	return times(new(big.Rat).SetInt(whole), unit)
}

func (o *oracle) money(x *big.Rat) dynastay.Money {
	return dynastay.MustMoney(x.FloatString(o.currency.MinorUnit()), o.currency)
}

func (o *oracle) price() (nights []availability.RateNight, refused []availability.RefusedNight) {
	o.prepare()
	refused = o.conditions()
	figures := make([]*nightFigures, len(o.r.Sources))
	for i, source := range o.r.Sources {
		date := o.r.Stay.CheckIn.AddDays(i)
		switch {
		case !source.IsSet():
			refused = append(refused, availability.RefusedNight{Date: date, Reason: availability.NotOnSale})
		case source.Currency() != o.currency:
			refused = append(refused, availability.RefusedNight{Date: date, Reason: availability.OtherCurrency, Price: source})
		default:
			if figures[i] = o.figures(source); figures[i].refused {
				refused = append(refused, availability.RefusedNight{Date: date, Reason: availability.NotOnSale})
			}
		}
	}
	if len(refused) > 0 {
		for i := range refused {
			refused[i].RatePlanID = o.plan.ID
			o.met.Add(string(refused[i].Reason), 1)
		}
		return nil, inOrder(refused)
	}
	o.met.Add("priced", 1)
	best := o.best(figures)
	type same struct {
		figures *nightFigures
		left    *big.Rat
	}
	made := map[same]availability.RateNight{}
	for i, f := range figures {
		night, ok := made[same{f, best.nights[i]}]
		if !ok {
			night = o.night(i, f, best)
			made[same{f, best.nights[i]}] = night
		}
		night.Date = o.r.Stay.CheckIn.AddDays(i)
		nights = append(nights, night)
	}
	return nights, nil
}

// night adds up what a night costs.
func (o *oracle) night(i int, f *nightFigures, best discountOffer) availability.RateNight {
	lodging := o.money(best.nights[i])
	n := availability.RateNight{Source: o.r.Sources[i], Lodging: lodging, Price: lodging}
	step := func(kind availability.StepKind, change *big.Rat) {
		if change.Sign() != 0 {
			o.met.Add(string(kind), 1)
			n.Steps = append(n.Steps, availability.Step{Kind: kind, Amount: o.money(change)})
		}
	}
	step(availability.StepDerived, minus(f.derived, f.source))
	step(availability.StepParty, minus(f.whole, f.derived))
	step(best.kind, minus(best.nights[i], f.lodging))
	if o.meals != nil {
		n.Meals, n.Price = o.money(o.meals), o.money(plus(best.nights[i], o.meals))
	}
	if o.plan.Meals.Added && o.meals != nil {
		step(availability.StepMeals, o.meals)
	} else if o.meals != nil {
		o.met.Add("meals included", 1)
	}
	return n
}

// figures derives the price of a night, adds the dearest of the supplements, and sets included meals apart.
func (o *oracle) figures(source dynastay.Money) *nightFigures {
	if f := o.known[source]; f != nil {
		return f
	}
	f := &nightFigures{source: rational(source)}
	o.known[source] = f
	f.derived = f.source
	if d := o.plan.Derived; d != nil {
		unit := o.unit
		if d.Step.IsSet() {
			unit = rational(d.Step)
		}
		f.derived = o.halfUp(plus(times(f.source, fraction(10_000+int64(d.Percent), 10_000)), rational(d.Amount)), unit)
	}
	var dearest *big.Rat
	for _, extra := range o.parties {
		sum := plus(plus(f.derived, times(f.derived, fraction(extra.percent, 10_000))), extra.value)
		if dearest == nil || sum.Cmp(dearest) > 0 {
			dearest = sum
		}
	}
	f.whole = o.halfUp(dearest, o.unit)
	f.lodging = f.whole
	if o.meals != nil && !o.plan.Meals.Added {
		f.lodging = minus(f.whole, o.meals)
	}
	f.refused = f.derived.Sign() < 0 || f.lodging.Sign() < 0
	return f
}

// best returns the lodging of the nights after the discount that leaves the least, the first of equal ones.
func (o *oracle) best(figures []*nightFigures) discountOffer {
	best := o.offer("", figures, func(_ int, lodging *big.Rat) *big.Rat { return lodging })
	try := func(kind availability.StepKind, left func(int, *big.Rat) *big.Rat) {
		switch offer := o.offer(kind, figures, left); offer.total.Cmp(best.total) {
		case -1:
			best = offer
		case 0:
			o.met.Add("tie", 1)
		}
	}
	percent := func(kind availability.StepKind, p dynastay.Percent) {
		cache := map[*big.Rat]*big.Rat{}
		try(kind, func(_ int, lodging *big.Rat) *big.Rat {
			if cache[lodging] == nil {
				cache[lodging] = o.halfUp(times(lodging, fraction(10_000-int64(p), 10_000)), o.unit)
			}
			return cache[lodging]
		})
	}
	ahead, d := o.r.Today.DaysUntil(o.r.Stay.CheckIn), o.plan.Discounts
	for _, e := range d.Early {
		if e.Days <= ahead {
			percent(availability.StepEarly, e.Percent)
		}
	}
	for _, l := range d.Late {
		if ahead <= l.Days {
			percent(availability.StepLate, l.Percent)
		}
	}
	for _, l := range d.Length {
		if l.Nights <= len(figures) {
			percent(availability.StepLength, l.Percent)
		}
	}
	if every := d.FreeNight; every > 0 {
		free := new(big.Rat)
		try(availability.StepFreeNight, func(i int, lodging *big.Rat) *big.Rat {
			if i%every == every-1 {
				return free
			}
			return lodging
		})
	}
	return best
}

func (o *oracle) offer(
	kind availability.StepKind, figures []*nightFigures, left func(int, *big.Rat) *big.Rat,
) discountOffer {
	offer := discountOffer{kind: kind, total: new(big.Rat), nights: make([]*big.Rat, len(figures))}
	for i, f := range figures {
		offer.nights[i] = left(i, f.lodging)
		offer.total.Add(offer.total, offer.nights[i])
	}
	return offer
}
