package availability_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// unchecked returns a plan as other software may have stored it, and a request for three nights.
func unchecked(edit func(*availability.RatePlan)) (*availability.RatePlan, availability.RateRequest) {
	p := &availability.RatePlan{PropertyID: propertyID, ID: "plan", Name: "A plan"}
	edit(p)
	r := availability.RateRequest{
		Stay: dynastay.MustStay("2026-07-01", "2026-07-04"), Today: dynastay.MustDate("2026-06-01"),
		Party:   availability.Party{Guests: availability.Guests{Adults: 3}},
		Sources: []dynastay.Money{eur("160"), eur("160"), eur("160")},
	}
	return p, r
}

// A plan that no repository has checked is refused, and neither panics nor makes a price.
func TestRatePricesOfUncheckedPlans(t *testing.T) {
	t.Parallel()
	for field, edit := range map[string]func(*availability.RatePlan){
		"RatePlan.Derived.Step": func(p *availability.RatePlan) { p.Derived = &availability.Derivation{Step: eur("0.001")} },
		"RatePlan.Discounts.FreeNight": func(p *availability.RatePlan) {
			p.Discounts.FreeNight = 1
		},
		"RatePlan.Discounts.Length[0].Percent": func(p *availability.RatePlan) {
			p.Discounts.Length = []availability.NightsDiscount{{Nights: 2, Percent: 100_01}}
		},
		"RatePlan.Meals.Adult.Currency": func(p *availability.RatePlan) {
			p.Derived = &availability.Derivation{Amount: eur("1")}
			p.Meals = availability.Meals{Plan: availability.Breakfast, Adult: dynastay.MustMoney("9", "USD")}
		},
	} {
		p, r := unchecked(edit)
		_, err := p.Price(r)
		blame.Invalid(t, err, field)
	}
}

// The amounts of a plan and those that it takes from another one are in one currency.
func TestRatePricesInOneCurrency(t *testing.T) {
	t.Parallel()
	p, r := unchecked(func(p *availability.RatePlan) { p.Derived = &availability.Derivation{From: "bar", Amount: eur("5")} })
	bar, _ := unchecked(func(p *availability.RatePlan) {
		p.ID = "bar"
		p.Party = &availability.PartyPrices{Included: 2, ExtraAdult: availability.Supplement{Amount: dynastay.MustMoney("3000", "JPY")}}
	})
	r.From = bar
	_, err := p.Price(r)
	blame.Invalid(t, err, "From.Party.ExtraAdult.Amount.Currency")
	p.Party = &availability.PartyPrices{}
	nights, err := p.Price(r)
	require.NoError(t, err)
	assert.Equal(t, eur("165"), nights[0].Price)
	bar.PropertyID = "another"
	_, err = p.Price(r)
	blame.Invalid(t, err, "From")
}

// Refused nights are in their order, each once for each reason, with the limit or the price that is the reason.
func TestRefusedNightsOfRatePlans(t *testing.T) {
	t.Parallel()
	days := 20
	p, r := unchecked(func(p *availability.RatePlan) {
		p.Conditions = availability.RateConditions{
			MinStay: 4, MinDaysAhead: 40, Dates: []dynastay.Stay{dynastay.MustStay("2026-07-01", "2026-07-03")},
		}
	})
	r.Sources = []dynastay.Money{eur("160"), {}, {}}
	_, err := p.Price(r)
	on := func(day int, reason availability.Reason) availability.RefusedNight {
		return availability.RefusedNight{RatePlanID: "plan", Date: r.Stay.CheckIn.AddDays(day - 1), Reason: reason}
	}
	short, late := on(1, availability.MinStay), on(1, availability.TooLate)
	short.Nights, late.Days = 4, 40
	assert.Equal(t, &availability.Refused{Nights: []availability.RefusedNight{
		short, late, on(2, availability.NotOnSale), on(3, availability.NotOnSale),
	}}, err)
	assert.EqualError(t, err, "cannot be sold: plan 2026-07-01 min_stay, plan 2026-07-01 too_late, plan 2026-07-02 not_on_sale, "+
		"plan 2026-07-03 not_on_sale")

	p.Conditions = availability.RateConditions{MaxDaysAhead: &days}
	r.Sources = []dynastay.Money{eur("160"), dynastay.MustMoney("160", "USD"), eur("160")}
	_, err = p.Price(r)
	early, dollars := on(1, availability.TooEarly), on(2, availability.OtherCurrency)
	early.Days, dollars.Price = 20, dynastay.MustMoney("160", "USD")
	assert.Equal(t, &availability.Refused{Nights: []availability.RefusedNight{early, dollars}}, err)
}

// After midnight, a guest who arrives books a stay that began yesterday: no plan is too late for that by itself.
func TestRatePricesAfterMidnight(t *testing.T) {
	t.Parallel()
	p, r := unchecked(func(p *availability.RatePlan) {
		p.Discounts.Late = []availability.DaysDiscount{{Days: 0, Percent: 10_00}}
	})
	r.Today = r.Stay.CheckIn.AddDays(1)
	nights, err := p.Price(r)
	require.NoError(t, err)
	assert.Equal(t, eur("144"), nights[0].Price)
	p.Conditions.MinDaysAhead = 1
	_, err = p.Price(r)
	require.ErrorIs(t, err, dynastay.ErrRefused)
}

// Steps may be as large as amounts.
func TestRatePricesWithTheLargestStep(t *testing.T) {
	t.Parallel()
	p, r := unchecked(func(p *availability.RatePlan) { p.Derived = &availability.Derivation{Step: eur("9999999999999.99")} })
	nights, err := p.Price(r)
	require.NoError(t, err)
	assert.Equal(t, eur("0"), nights[0].Price)
	r.Sources[0] = eur("5000000000000")
	nights, err = p.Price(r)
	require.NoError(t, err)
	assert.Equal(t, eur("9999999999999.99"), nights[0].Price)
}

// One extra bed is for the elder child, who counts as an adult; the younger one has none.
func TestExtraBedOfAChildWhoCountsAsAnAdult(t *testing.T) {
	t.Parallel()
	p, r := unchecked(func(p *availability.RatePlan) {
		p.Party = &availability.PartyPrices{Included: 2, ExtraAdult: availability.Supplement{Amount: eur("30")}, Bands: []availability.AgeBand{
			{Through: 12, Bedless: availability.Supplement{Amount: eur("10")}, WithBed: availability.Supplement{Amount: eur("25")}},
		}}
	})
	for beds, want := range []string{"200", "200", "215"} {
		r.Party = availability.Party{Guests: availability.Guests{Adults: 2, Children: 2}, ChildAges: []int{5, 16}, ExtraBeds: beds}
		nights, err := p.Price(r)
		require.NoError(t, err)
		assert.Equal(t, eur(want), nights[0].Price, "%d beds", beds)
	}
}

// The currency of a plan is that of whichever amount it has.
func TestCurrencyOfARatePlan(t *testing.T) {
	t.Parallel()
	for _, edit := range []func(*availability.RatePlan){
		func(p *availability.RatePlan) { p.Derived = &availability.Derivation{Amount: eur("1")} },
		func(p *availability.RatePlan) { p.Derived = &availability.Derivation{Step: eur("1")} },
		func(p *availability.RatePlan) {
			p.Party = &availability.PartyPrices{Included: 1, ExtraAdult: availability.Supplement{Amount: eur("1")}}
		},
		func(p *availability.RatePlan) {
			p.Party = &availability.PartyPrices{SingleUse: availability.Supplement{Amount: eur("-1")}}
		},
		func(p *availability.RatePlan) {
			p.Party = &availability.PartyPrices{Bands: []availability.AgeBand{{Bedless: availability.Supplement{Amount: eur("1")}}}}
		},
		func(p *availability.RatePlan) {
			p.Party = &availability.PartyPrices{Bands: []availability.AgeBand{{WithBed: availability.Supplement{Amount: eur("1")}}}}
		},
		func(p *availability.RatePlan) {
			p.Meals = availability.Meals{Plan: availability.Breakfast, Adult: eur("1")}
		},
		func(p *availability.RatePlan) {
			p.Meals = availability.Meals{Plan: availability.Breakfast, Bands: []availability.MealBand{{Amount: eur("1")}}}
		},
	} {
		p, _ := unchecked(edit)
		require.NoError(t, p.Validate())
		assert.Equal(t, dynastay.Currency("EUR"), p.Currency())
	}
	p, _ := unchecked(func(*availability.RatePlan) {})
	assert.Empty(t, p.Currency())
}
