package tariff

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// Draw draws plans and stays. Small numbers and simple percentages are frequent, so that halves and ties are.
type Draw struct{ *rand.Rand }

// PropertyID is that of the plans.
const PropertyID = "prop_123"

// New returns the draws of a seed.
func New(seed uint64) Draw { return Draw{rand.New(rand.NewPCG(seed, 0))} }

func (d Draw) One(in int) bool { return d.IntN(in) == 0 }

func (d Draw) Between(least, most int) int { return least + d.IntN(most-least+1) }

func Pick[T any](d Draw, all ...T) T { return all[d.IntN(len(all))] }

// Stay returns a stay and the plan under which it is priced.
func (d Draw) Stay() (*availability.RatePlan, availability.RateRequest) {
	currency := Pick(d, dynastay.Currency("USD"), "EUR", "JPY", "KWD", "HUF", "CHF")
	plan := d.Plan("plan", currency)
	nights := d.Between(1, 7)
	if d.One(20) {
		nights = d.Between(1, availability.MaxNights)
	}
	today := dynastay.MustDate("2026-03-05").AddDays(d.IntN(400))
	checkIn := today.AddDays(Pick(d, -1, 0, 0, 1, 2, 3, 7, 14, 30, 60, d.IntN(733)))
	r := availability.RateRequest{
		Today: today, Stay: dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(nights)}, Party: d.Party(),
		Sources: d.Sources(nights, currency),
	}
	if d.One(2) {
		plan.Derived = d.Derivation(currency)
	}
	if plan.Derived != nil && plan.Derived.From != "" {
		r.From = d.Plan(plan.Derived.From, currency)
	}
	if d.One(6) {
		plan.Conditions = d.Conditions(r)
	}
	return plan, r
}

// Sources mostly repeats few prices.
func (d Draw) Sources(nights int, currency dynastay.Currency) []dynastay.Money {
	prices := []dynastay.Money{d.Price(currency), d.Price(currency)}
	all := make([]dynastay.Money, nights)
	for i := range all {
		all[i] = Pick(d, prices...)
		switch {
		case d.One(30):
			all[i] = d.Price(currency)
		case d.One(300):
			all[i] = dynastay.Money{}
		case d.One(300):
			all[i] = d.Price(Pick(d, dynastay.Currency("GBP"), "USD"))
		}
	}
	return all
}

func (d Draw) Price(currency dynastay.Currency) dynastay.Money {
	unit := 1
	for range currency.MinorUnit() {
		unit *= 10
	}
	switch d.IntN(20) {
	case 0:
		return d.minor(0, 9, currency)
	case 1:
		return d.minor(0, 99_999_999_999_999, currency)
	case 2, 3, 4, 5:
		return d.minor(0, 999_999, currency)
	default:
		return d.minor(5*unit, 500*unit, currency)
	}
}

func (d Draw) minor(least, most int, currency dynastay.Currency) dynastay.Money {
	m, err := dynastay.MoneyOfMinor(int64(d.Between(least, most)), currency)
	if err != nil {
		panic(err)
	}
	return m
}

// amount is often round, and never negative.
func (d Draw) amount(currency dynastay.Currency) dynastay.Money {
	if d.One(3) {
		return d.minor(0, 9_999, currency)
	}
	return Pick(d, d.minor(0, 5, currency), dynastay.MustMoney(Pick(d, "5", "10", "15", "20", "25"), currency))
}

func (d Draw) percent(least, most dynastay.Percent) dynastay.Percent {
	simple := Pick[dynastay.Percent](d,
		-50_00, -33_33, -20_00, -15_00, -12_50, -10_00, -7_50, -5_00, 50, 5_00, 10_00, 15_00, 25_00, 50_00)
	if simple < least || simple > most || d.One(3) {
		return dynastay.Percent(d.Between(int(least), int(most)))
	}
	return simple
}

func (d Draw) Plan(id string, currency dynastay.Currency) *availability.RatePlan {
	p := &availability.RatePlan{PropertyID: PropertyID, ID: id, Name: "A plan", Active: true}
	if d.One(2) {
		p.Party = d.partyPrices(currency)
	}
	if d.One(2) {
		p.Meals = d.meals(currency)
	}
	if d.One(2) {
		p.Discounts = d.discounts()
	}
	switch {
	case d.One(3):
		p.Payment.Percent = dynastay.Percent(d.Between(1, 9999))
	case d.One(3):
		p.Payment.Nights = d.Between(1, 5)
	}
	if d.One(2) {
		p.Payment.RestDays = d.Between(1, 30)
	}
	return p
}

func (d Draw) Derivation(currency dynastay.Currency) *availability.Derivation {
	v := &availability.Derivation{From: Pick(d, "", "other")}
	if d.One(2) {
		v.Percent = d.percent(-60_00, 60_00)
	}
	if d.One(10) {
		v.Percent = d.percent(-99_99, 999_99)
	}
	if d.One(2) {
		v.Amount = d.amount(currency)
		if d.One(2) {
			v.Amount, _ = v.Amount.Times(-1)
		}
	}
	switch steps := []string{"1", "5", "10", "100"}; d.IntN(4) {
	case 0:
		v.Step = dynastay.MustMoney(Pick(d, steps...), currency)
	case 1:
		v.Step = d.minor(1, 50, currency)
	case 2:
		if currency.MinorUnit() >= 2 {
			v.Step = dynastay.MustMoney(Pick(d, "0.05", "0.5", "0.1", "2.5"), currency)
		}
	}
	return v
}

func (d Draw) supplement(currency dynastay.Currency) availability.Supplement {
	switch d.IntN(6) {
	case 0:
		return availability.Supplement{}
	case 1, 2:
		return availability.Supplement{Percent: d.percent(0, Pick(d, 100_00, dynastay.Percent(999_99)))}
	default:
		return availability.Supplement{Amount: d.amount(currency)}
	}
}

func (d Draw) partyPrices(currency dynastay.Currency) *availability.PartyPrices {
	p := &availability.PartyPrices{Included: d.IntN(4)}
	if p.Included > 0 {
		p.ExtraAdult = d.supplement(currency)
	}
	if p.SingleUse = d.supplement(currency); d.One(2) {
		p.SingleUse.Percent = min(p.SingleUse.Percent, 100_00) * -1
		p.SingleUse.Amount, _ = p.SingleUse.Amount.Times(-1)
	}
	for _, through := range d.ages() {
		band := availability.AgeBand{Through: through, Bedless: d.supplement(currency), WithBed: d.supplement(currency)}
		p.Bands = append(p.Bands, band)
	}
	return p
}

func (d Draw) meals(currency dynastay.Currency) availability.Meals {
	m := availability.Meals{Plan: Pick(d, availability.Breakfast, availability.HalfBoard, availability.AllInclusive)}
	m.Added = d.One(2)
	if !d.One(5) {
		m.Adult = d.amount(currency)
	}
	for _, through := range d.ages() {
		band := availability.MealBand{Through: through}
		if !d.One(5) {
			band.Amount = d.amount(currency)
		}
		m.Bands = append(m.Bands, band)
	}
	return m
}

// ages returns the highest ages of up to six bands.
func (d Draw) ages() []int {
	all := make([]int, Pick(d, 0, 1, 2, 2, 3, d.IntN(7)))
	for i := range all {
		all[i] = Pick(d, 0, 2, 6, 11, 15, 17, d.IntN(18))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (d Draw) Party() availability.Party {
	p := availability.Party{Guests: availability.Guests{Adults: Pick(d, 1, 1, 2, 2, 2, 3, 4)}}
	if d.One(2) {
		return p
	}
	p.Children = d.Between(1, 4)
	for range p.Children - Pick(d, 0, 0, 0, 1, 2, 3) {
		p.ChildAges = append(p.ChildAges, d.IntN(18))
	}
	if d.One(2) {
		p.ExtraBeds = d.IntN(p.Children + 1)
	}
	return p
}

func (d Draw) discounts() (all availability.Discounts) {
	days := func() (tiers []availability.DaysDiscount) {
		for _, n := range d.limits(0, 1, 3, 7, 14, 30, 60, d.IntN(733)) {
			tiers = append(tiers, availability.DaysDiscount{Days: n, Percent: d.percent(1, 100_00)})
		}
		return tiers
	}
	if d.One(2) {
		all.Early = days()
	}
	if d.One(2) {
		all.Late = days()
	}
	if d.One(2) {
		for _, n := range d.limits(2, 3, 4, 7, d.Between(2, availability.MaxNights)) {
			all.Length = append(all.Length, availability.NightsDiscount{Nights: n, Percent: d.percent(1, 100_00)})
		}
	}
	if d.One(2) {
		all.FreeNight = Pick(d, 2, 3, 4, 7, d.Between(2, availability.MaxNights))
	}
	return all
}

// limits returns up to three of the numbers, in order.
func (d Draw) limits(of ...int) (all []int) {
	for range d.Between(1, 3) {
		all = append(all, Pick(d, of...))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Conditions are about those that a stay just meets, or just fails to meet.
func (d Draw) Conditions(r availability.RateRequest) (c availability.RateConditions) {
	nights, ahead := r.Stay.Nights(), r.Today.DaysUntil(r.Stay.CheckIn)
	if d.One(3) {
		c.MinStay = min(max(0, nights+d.Between(-2, 1)), availability.MaxNights)
	}
	if d.One(3) {
		c.MaxStay = min(max(c.MinStay, nights+d.Between(-1, 2)), availability.MaxNights)
	}
	if d.One(3) {
		c.MinDaysAhead = min(max(0, ahead+d.Between(-2, 1)), 732)
	}
	if d.One(3) {
		days := min(max(c.MinDaysAhead, ahead+d.Between(-1, 2)), 732)
		c.MaxDaysAhead = &days
	}
	if d.One(3) {
		c.Arrivals = availability.On(time.Weekday(d.IntN(7)), r.Stay.CheckIn.Weekday())
	} else if d.One(5) {
		c.Arrivals = availability.On(time.Weekday(d.IntN(7)), time.Weekday(d.IntN(7)))
	}
	if d.One(3) {
		for range d.Between(1, 3) {
			from := r.Stay.CheckIn.AddDays(d.Between(-3, nights))
			c.Dates = append(c.Dates, dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(d.Between(1, 2*nights))})
		}
	}
	return c
}
