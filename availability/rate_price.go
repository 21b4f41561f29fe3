package availability

import (
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
)

// RateRequest is a stay in one room whose price a plan determines.
type RateRequest struct {
	Stay  dynastay.Stay
	Party Party
	Today dynastay.Date // at the property
	// Sources are the stored prices of the nights of the stay, in order: the plan's own, or those that it is derived
	// from. Unset for a night that has none.
	Sources []dynastay.Money
	// From is the plan that Derived.From names; otherwise nil. The plan has its prices for a party, unless it has its own.
	From *RatePlan
}

// RateNight is the price of one room for one night under a plan, and how it came about.
type RateNight struct {
	Date    dynastay.Date  `json:",omitzero"`
	Price   dynastay.Money `json:",omitzero"` // what the guest pays: Lodging + Meals
	Lodging dynastay.Money `json:",omitzero"`
	Meals   dynastay.Money `json:",omitzero"` // unset if the plan has neither Meals.Adult nor Meals.Bands
	Source  dynastay.Money `json:",omitzero"` // the stored price
	Steps   []Step         `json:",omitzero"` // from Source to Price, in order; those that change nothing are left out
}

// Step is a change of a price.
type Step struct {
	Kind   StepKind
	Amount dynastay.Money `json:",omitzero"` // may be negative
}

// StepKind is why a price changes.
type StepKind string

// The steps of a price, in their order. A night has at most one discount.
const (
	StepDerived   StepKind = "derived"         // the price is derived from another one
	StepParty     StepKind = "party"           // supplements for who stays
	StepEarly     StepKind = "early_discount"  // for an early booking
	StepLate      StepKind = "late_discount"   // for a late booking
	StepLength    StepKind = "length_discount" // for a long stay
	StepFreeNight StepKind = "free_night"
	StepMeals     StepKind = "meals" // meals that the price does not include
)

// Price returns what one room costs in each night of a stay under the plan. It is a pure function, and exact: a night is
// rounded half up when it is derived, after the supplements for the party, and after a discount. The steps, in order: the
// price is derived; the party's supplements are added, percentages of the derived price; included meals are set apart;
// the best discount reduces the lodging; added meals are added.
//
// A stay that the plan is not sold for is refused with a [*Refused]. It has the conditions that the stay does not meet,
// and each night that has no price, or a price in another currency than the plan's amounts or the other nights, or whose
// lodging is below 0. Whether the plan and From are active and sold for the room type, the rooms left and the
// restrictions of the nights are not looked at. An invalid request or plan, and a price that needs more than 18 digits,
// is a [*dynastay.InvalidError].
func (p *RatePlan) Price(r RateRequest) ([]RateNight, error) {
	if err := p.checkRequest(r); err != nil {
		return nil, err
	}
	return p.priceFor(r, p.Conditions)
}

// priceFor returns the prices of a checked request that meets conditions: those of the plan, or those of them that hold
// for a booking that is changed.
func (p *RatePlan) priceFor(r RateRequest, conditions RateConditions) ([]RateNight, error) {
	party, currency, err := p.prices(r.From)
	if err != nil {
		return nil, err
	}
	refused := &Refused{}
	refused.add(conditions.broken(r.Stay, r.Today))
	nights := make([]pricing, len(r.Sources))
	for i, source := range r.Sources {
		n := RefusedNight{Date: r.Stay.CheckIn.AddDays(i)}
		nights[i], n.Reason = p.night(source, party, r.Party)
		switch {
		case source.IsSet() && currency == "":
			currency = source.Currency()
		case source.IsSet() && source.Currency() != currency:
			n.Reason, n.Price = OtherCurrency, source
		}
		if n.Reason != "" {
			refused.add([]RefusedNight{n})
		}
	}
	if refused.Nights = slices.Compact(refused.Nights); len(refused.Nights) > 0 {
		for i := range refused.Nights {
			refused.Nights[i].RatePlanID = p.ID
		}
		return nil, refused
	}
	lodging := make([]exact, len(nights))
	for i := range nights {
		lodging[i] = nights[i].lodging
	}
	reduced, kind := p.Discounts.cheapest(lodging, r.Today.DaysUntil(r.Stay.CheckIn))
	all := make([]RateNight, len(nights))
	for i, n := range nights {
		n.step(kind, reduced[i].minus(n.lodging))
		n.lodging = reduced[i]
		if p.Meals.Added {
			n.step(StepMeals, n.meals)
		}
		var err error
		if all[i], err = n.result(r.Sources[i], p.Meals); err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Sources[%d]", i), err)
		}
		all[i].Date = r.Stay.CheckIn.AddDays(i)
	}
	return all, nil
}

func (p *RatePlan) checkRequest(r RateRequest) error {
	if err := r.Stay.Validate(); err != nil {
		return dynastay.Within("Stay", err)
	}
	if r.Stay.Nights() > MaxNights {
		return dynastay.Invalid("Stay", "must have at most %d nights", MaxNights)
	}
	if err := r.Party.Validate(); err != nil {
		return dynastay.Within("Party", err)
	}
	if r.Today.IsZero() {
		return dynastay.Invalid("Today", "is required")
	}
	if len(r.Sources) != r.Stay.Nights() {
		return dynastay.Invalid("Sources", "must have one entry for each of the %d nights of the stay", r.Stay.Nights())
	}
	if err := r.checkSources(); err != nil {
		return err
	}
	switch named := p.Derived != nil && p.Derived.From != ""; {
	case named && (r.From == nil || r.From.ID != p.Derived.From):
		return dynastay.Invalid("From", "must be the plan %s, from which %s is derived", p.Derived.From, p.ID)
	case !named && r.From != nil:
		return dynastay.Invalid("From", "must be nil, because %s is not derived from a plan", p.ID)
	case named && r.From.Derived != nil:
		return dynastay.Invalid("From", "must not be derived itself")
	case named && r.From.PropertyID != p.PropertyID:
		return dynastay.Invalid("From", "must be a plan of the same property")
	}
	return nil
}

func (r RateRequest) checkSources() error {
	for i, source := range r.Sources {
		if !source.IsSet() {
			continue
		}
		at := fmt.Sprintf("Sources[%d]", i)
		if err := source.Validate(); err != nil {
			return dynastay.Within(at, err)
		}
		if err := (&amounts{}).positive(at, source); err != nil {
			return err
		}
	}
	return nil
}

// prices returns the prices for a party that the plan has, its own or those of the plan that it is derived from, and the
// currency of all amounts. It checks them, because a plan that other software stored may be anything.
func (p *RatePlan) prices(from *RatePlan) (*PartyPrices, dynastay.Currency, error) {
	c := &amounts{}
	if err := p.validatePrices(c); err != nil {
		return nil, "", dynastay.Within("RatePlan", err)
	}
	if p.Party != nil || from == nil || from.Party == nil {
		return p.Party, c.currency, nil
	}
	return from.Party, c.currency, dynastay.Within("From.Party", from.Party.validate(c))
}

// pricing is a night that is being priced.
type pricing struct {
	lodging, meals exact
	steps          []pricingStep
}

type pricingStep struct {
	kind   StepKind
	amount exact
}

func (n *pricing) step(kind StepKind, amount exact) {
	if amount.n.Sign() != 0 {
		n.steps = append(n.steps, pricingStep{kind, amount})
	}
}

// night prices a night before discounts. It returns a reason if the night is not on sale.
func (p *RatePlan) night(source dynastay.Money, party *PartyPrices, guests Party) (n pricing, reason Reason) {
	if !source.IsSet() {
		return n, NotOnSale
	}
	price := exactOf(source)
	if d := p.Derived; d != nil {
		derived := price.percent(dynastay.MaxPercent + d.Percent).plus(exactOf(d.Amount)).round(d.step())
		n.step(StepDerived, derived.minus(price))
		price = derived
	}
	if party != nil && price.n.Sign() >= 0 {
		total := party.price(price, guests).round(1)
		n.step(StepParty, total.minus(price))
		price = total
	}
	n.lodging, n.meals = price, p.Meals.price(guests)
	if !p.Meals.Added {
		n.lodging = price.minus(n.meals)
	}
	if n.lodging.n.Sign() < 0 { // and so if the price is
		return n, NotOnSale
	}
	return n, ""
}

// step returns what the price is rounded to, in minor units.
func (d *Derivation) step() int64 {
	if !d.Step.IsSet() {
		return 1
	}
	step, _ := d.Step.Minor() // cannot overflow: the amounts of a plan are limited
	return step
}

// Currency returns the currency of the plan's amounts, or "" if it has none.
func (p *RatePlan) Currency() dynastay.Currency {
	var all []dynastay.Money
	if d := p.Derived; d != nil {
		all = append(all, d.Amount, d.Step)
	}
	if p.Party != nil {
		all = append(all, p.Party.ExtraAdult.Amount, p.Party.SingleUse.Amount)
		for _, band := range p.Party.Bands {
			all = append(all, band.Bedless.Amount, band.WithBed.Amount)
		}
	}
	all = append(all, p.Meals.Adult)
	for _, band := range p.Meals.Bands {
		all = append(all, band.Amount)
	}
	for _, m := range all {
		if m.IsSet() {
			return m.Currency()
		}
	}
	return ""
}

// result returns the night with its amounts.
func (n pricing) result(source dynastay.Money, meals Meals) (night RateNight, err error) {
	currency := source.Currency()
	money := func(x exact) dynastay.Money {
		m, failed := x.money(currency)
		if failed != nil {
			err = failed
		}
		return m
	}
	night = RateNight{Source: source, Lodging: money(n.lodging), Price: money(n.lodging.plus(n.meals))}
	if meals.Adult.IsSet() || len(meals.Bands) > 0 {
		night.Meals = money(n.meals)
	}
	for _, s := range n.steps {
		night.Steps = append(night.Steps, Step{s.kind, money(s.amount)})
	}
	return night, err
}
