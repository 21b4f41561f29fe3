package availability_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// planWith returns a valid plan that has everything.
func planWith() *availability.RatePlan {
	p := under(
		availability.Derivation{From: "bar", Percent: -10_00, Amount: eur("-5"), Step: eur("1")},
		availability.PartyPrices{Included: 2, ExtraAdult: extra("30"), SingleUse: extra("-25"), Bands: []availability.AgeBand{
			{Through: 6, Bedless: extra("5"), WithBed: extra("10")}, {Through: 15, Bedless: extra("7"), WithBed: extra("14")},
		}},
		availability.Meals{Plan: availability.Breakfast, Adult: eur("14"), Bands: []availability.MealBand{
			{Through: 6}, {Through: 15, Amount: eur("7")},
		}},
		availability.RateConditions{MinStay: 2, MaxStay: 20, MinDaysAhead: 3, MaxDaysAhead: ptr(300),
			Dates: []dynastay.Stay{dynastay.MustStay("2026-07-01", "2026-09-01")}},
		availability.Discounts{
			Early:     []availability.DaysDiscount{{Days: 30, Percent: 5_00}, {Days: 60, Percent: 10_00}},
			Late:      []availability.DaysDiscount{{Days: 3, Percent: 10_00}, {Days: 7, Percent: 5_00}},
			Length:    []availability.NightsDiscount{{Nights: 7, Percent: 5_00}, {Nights: 14, Percent: 10_00}},
			FreeNight: 7,
		},
	)
	p.RoomTypeIDs, p.CancellationPolicy = []string{"room_1", "room_2"}, availability.NonRefundable
	p.Payment = availability.PaymentTerms{Percent: 30_00, RestDays: 14}
	return &p
}

// limit is a field with the values at its limits.
type limit[T any] struct {
	field string
	ok    []func(*T)
	bad   []func(*T)
}

func edits[T any](all ...func(*T)) []func(*T) { return all }

func TestInvalidRatePlans(t *testing.T) {
	t.Parallel()
	type plan = availability.RatePlan
	limits := []limit[plan]{
		{"PropertyID", nil, edits(func(p *plan) { p.PropertyID = "" }, func(p *plan) { p.PropertyID = "a#b" })},
		{"ID", edits(
			func(p *plan) { p.ID = "a" }, func(p *plan) { p.ID = "0" }, func(p *plan) { p.ID = "az09_-az09_-" },
			func(p *plan) { p.ID = "z9" },
		), edits(
			func(p *plan) { p.ID = "" }, func(p *plan) { p.ID = "a234567890123" }, func(p *plan) { p.ID = "A" },
			func(p *plan) { p.ID = "_a" },
			func(p *plan) { p.ID = "-a" }, func(p *plan) { p.ID = "a.b" }, func(p *plan) { p.ID = "a b" },
			func(p *plan) { p.ID = "ä" },
			func(p *plan) { p.ID = "a\n" }, func(p *plan) { p.ID = "\na" }, func(p *plan) { p.ID = "a#b" },
		)},
		{"Name", edits(func(p *plan) { p.Name = strings.Repeat("x", 256) }),
			edits(func(p *plan) { p.Name = "" }, func(p *plan) { p.Name = strings.Repeat("x", 257) },
				func(p *plan) { p.Name = "\xff" })},
		{"Description", edits(func(p *plan) { p.Description = "" },
			func(p *plan) { p.Description = strings.Repeat("x", 1_000) }),
			edits(func(p *plan) { p.Description = strings.Repeat("x", 1_001) }, func(p *plan) { p.Description = "\xff" })},
		{"RoomTypeIDs", edits(func(p *plan) { p.RoomTypeIDs = nil }, func(p *plan) { p.RoomTypeIDs = roomTypes(100) }),
			edits(func(p *plan) { p.RoomTypeIDs = roomTypes(101) })},
		{"RoomTypeIDs[1]", nil, edits(func(p *plan) { p.RoomTypeIDs[1] = "" }, func(p *plan) { p.RoomTypeIDs[1] = "a#b" },
			func(p *plan) { p.RoomTypeIDs[1] = "room_1" })},
		{"CancellationPolicy", edits(func(p *plan) { p.CancellationPolicy = "" }),
			edits(func(p *plan) { p.CancellationPolicy = "flexibel" })},
		{"Payment.Percent", edits(func(p *plan) { p.Payment.Percent = 0 }, func(p *plan) { p.Payment = availability.PaymentTerms{Percent: 100_00} }),
			edits(func(p *plan) { p.Payment.Percent = -1 }, func(p *plan) { p.Payment.Percent = 100_01 })},
		{"Payment.Nights", edits(func(p *plan) { p.Payment = availability.PaymentTerms{Nights: 90, RestDays: 1} }),
			edits(func(p *plan) { p.Payment.Nights = 1 }, func(p *plan) { p.Payment = availability.PaymentTerms{Nights: 91} },
				func(p *plan) { p.Payment.Nights = -1 })},
		{"Payment.RestDays", edits(func(p *plan) { p.Payment = availability.PaymentTerms{RestDays: 365} }),
			edits(func(p *plan) { p.Payment.RestDays = -1 }, func(p *plan) { p.Payment.RestDays = 366 },
				func(p *plan) { p.Payment.Percent = 100_00 })},
		{"DisplayOrder", edits(func(p *plan) { p.DisplayOrder = 0 }, func(p *plan) { p.DisplayOrder = 1_000 }),
			edits(func(p *plan) { p.DisplayOrder = -1 }, func(p *plan) { p.DisplayOrder = 1_001 })},

		{"Derived.From", edits(func(p *plan) { p.Derived.From = "" }),
			edits(func(p *plan) { p.Derived.From = "plan" }, func(p *plan) { p.Derived.From = "Bar" })},
		{"Derived.Percent", edits(func(p *plan) { p.Derived.Percent = -99_99 }, func(p *plan) { p.Derived.Percent = 999_99 }),
			edits(func(p *plan) { p.Derived.Percent = -100_00 }, func(p *plan) { p.Derived.Percent = 1000_00 })},
		{"Derived.Amount", edits(
			func(p *plan) { p.Derived.Amount = dynastay.Money{} }, func(p *plan) { p.Derived.Amount = eur("0") },
			func(p *plan) { p.Derived.Amount = eur("9999999999999.99") },
			func(p *plan) { p.Derived.Amount = eur("-9999999999999.99") },
		), edits(
			func(p *plan) { p.Derived.Amount = eur("10000000000000") },
			func(p *plan) { p.Derived.Amount = eur("-10000000000000") },
			func(p *plan) { p.Derived.Amount = eur("0.001") },
		)},
		{"Derived.Step", edits(func(p *plan) { p.Derived.Step = dynastay.Money{} },
			func(p *plan) { p.Derived.Step = eur("0.01") }),
			edits(func(p *plan) { p.Derived.Step = eur("0") }, func(p *plan) { p.Derived.Step = eur("-0.01") },
				func(p *plan) { p.Derived.Step = eur("0.005") })},
		{"Derived.Step.Currency", nil, edits(func(p *plan) { p.Derived.Step = money("1 USD") })},

		{"Party.Included", edits(func(p *plan) { p.Party.Included = 1 }, func(p *plan) { p.Party.Included = 1_000 },
			func(p *plan) { p.Party = &availability.PartyPrices{} }),
			edits(func(p *plan) { p.Party.Included = -1 }, func(p *plan) { p.Party.Included = 1_001 })},
		{"Party.ExtraAdult", nil, edits(func(p *plan) { p.Party.Included = 0 },
			func(p *plan) { p.Party.Included, p.Party.ExtraAdult = 0, part(1) })},
		{"Party.ExtraAdult.Percent", edits(func(p *plan) { p.Party.ExtraAdult = part(999_99) }),
			edits(func(p *plan) { p.Party.ExtraAdult = part(1000_00) }, func(p *plan) { p.Party.ExtraAdult = part(-1) })},
		{"Party.ExtraAdult.Amount", edits(func(p *plan) { p.Party.ExtraAdult = extra("0") }),
			edits(func(p *plan) { p.Party.ExtraAdult = extra("-0.01") }, func(p *plan) { p.Party.ExtraAdult.Percent = 1 },
				func(p *plan) { p.Party.ExtraAdult = extra("0.001") })},
		{"Party.ExtraAdult.Amount.Currency", nil, edits(func(p *plan) { p.Party.ExtraAdult.Amount = money("1 USD") })},
		{"Party.SingleUse.Percent", edits(func(p *plan) { p.Party.SingleUse = part(-100_00) },
			func(p *plan) { p.Party.SingleUse = part(999_99) }),
			edits(func(p *plan) { p.Party.SingleUse = part(-100_01) }, func(p *plan) { p.Party.SingleUse = part(1000_00) })},
		{"Party.SingleUse.Amount", edits(func(p *plan) { p.Party.SingleUse = extra("25") }),
			edits(func(p *plan) { p.Party.SingleUse.Percent = -1 }, func(p *plan) { p.Party.SingleUse = extra("0.001") })},
		{"Party.SingleUse.Amount.Currency", nil, edits(func(p *plan) { p.Party.SingleUse.Amount = money("-1 USD") })},
		{"Party.Bands", edits(func(p *plan) { p.Party.Bands = nil }, func(p *plan) { p.Party.Bands = ageBands(6) }),
			edits(func(p *plan) { p.Party.Bands = ageBands(7) })},
		{"Party.Bands[0].Through", edits(func(p *plan) { p.Party.Bands[0].Through = 0 }),
			edits(func(p *plan) { p.Party.Bands[0].Through = -1 }, func(p *plan) { p.Party.Bands[0].Through = 18 })},
		{"Party.Bands[1].Through", edits(func(p *plan) { p.Party.Bands[1].Through = 7 },
			func(p *plan) { p.Party.Bands[1].Through = 17 }),
			edits(func(p *plan) { p.Party.Bands[1].Through = 6 }, func(p *plan) { p.Party.Bands[1].Through = 5 },
				func(p *plan) { p.Party.Bands[1].Through = 18 })},
		{"Party.Bands[1].Bedless.Percent", edits(func(p *plan) { p.Party.Bands[1].Bedless = part(999_99) }),
			edits(func(p *plan) { p.Party.Bands[1].Bedless = part(-1) },
				func(p *plan) { p.Party.Bands[1].Bedless = part(1000_00) })},
		{"Party.Bands[1].Bedless.Amount", nil, edits(func(p *plan) { p.Party.Bands[1].Bedless = extra("-0.01") })},
		{"Party.Bands[1].Bedless.Amount.Currency", nil,
			edits(func(p *plan) { p.Party.Bands[1].Bedless.Amount = money("1 USD") })},
		{"Party.Bands[1].WithBed.Percent", edits(func(p *plan) { p.Party.Bands[1].WithBed = part(999_99) }),
			edits(func(p *plan) { p.Party.Bands[1].WithBed = part(-1) },
				func(p *plan) { p.Party.Bands[1].WithBed = part(1000_00) })},
		{"Party.Bands[1].WithBed.Amount", nil, edits(func(p *plan) { p.Party.Bands[1].WithBed = extra("-0.01") })},
		{"Party.Bands[1].WithBed.Amount.Currency", nil,
			edits(func(p *plan) { p.Party.Bands[1].WithBed.Amount = money("1 USD") })},

		{"Meals.Plan", edits(
			func(p *plan) { p.Meals = availability.Meals{} },
			func(p *plan) { p.Meals = availability.Meals{Plan: availability.RoomOnly} },
			func(p *plan) { p.Meals = availability.Meals{Plan: availability.Breakfast} },
			func(p *plan) { p.Meals.Plan = availability.HalfBoard },
			func(p *plan) { p.Meals.Plan = availability.FullBoard }, func(p *plan) { p.Meals.Plan = availability.AllInclusive },
		), edits(
			func(p *plan) { p.Meals.Plan = "brunch" }, func(p *plan) { p.Meals.Plan = "" },
			func(p *plan) { p.Meals.Plan = availability.RoomOnly },
			func(p *plan) { p.Meals = availability.Meals{Added: true} },
			func(p *plan) { p.Meals = availability.Meals{Adult: eur("0")} },
			func(p *plan) { p.Meals = availability.Meals{Plan: availability.RoomOnly, Bands: mealBands(1)} },
		)},
		{"Meals.Adult", edits(func(p *plan) { p.Meals.Adult = eur("0") },
			func(p *plan) { p.Meals.Adult = eur("9999999999999.99") }),
			edits(func(p *plan) { p.Meals.Adult = eur("-0.01") }, func(p *plan) { p.Meals.Adult = eur("10000000000000") })},
		{"Meals.Adult.Currency", nil, edits(func(p *plan) { p.Meals.Adult = money("1 USD") })},
		{"Meals.Bands", edits(func(p *plan) { p.Meals.Bands = mealBands(6) }),
			edits(func(p *plan) { p.Meals.Bands = mealBands(7) })},
		{"Meals.Bands[0].Through", edits(func(p *plan) { p.Meals.Bands[0].Through = 0 }),
			edits(func(p *plan) { p.Meals.Bands[0].Through = -1 })},
		{"Meals.Bands[1].Through", edits(func(p *plan) { p.Meals.Bands[1].Through = 7 },
			func(p *plan) { p.Meals.Bands[1].Through = 17 }),
			edits(func(p *plan) { p.Meals.Bands[1].Through = 6 }, func(p *plan) { p.Meals.Bands[1].Through = 18 })},
		{"Meals.Bands[1].Amount", edits(func(p *plan) { p.Meals.Bands[1].Amount = eur("0") }),
			edits(func(p *plan) { p.Meals.Bands[1].Amount = eur("-0.01") })},
		{"Meals.Bands[1].Amount.Currency", nil, edits(func(p *plan) { p.Meals.Bands[1].Amount = money("1 USD") })},

		{"Conditions.MinStay", edits(func(p *plan) { p.Conditions.MinStay = 0 },
			func(p *plan) { p.Conditions.MinStay, p.Conditions.MaxStay = 90, 0 }),
			edits(func(p *plan) { p.Conditions.MinStay = -1 }, func(p *plan) { p.Conditions.MinStay = 91 })},
		{"Conditions.MaxStay", edits(func(p *plan) { p.Conditions.MaxStay = 0 }, func(p *plan) { p.Conditions.MaxStay = 2 },
			func(p *plan) { p.Conditions.MaxStay = 90 }),
			edits(func(p *plan) { p.Conditions.MaxStay = -1 }, func(p *plan) { p.Conditions.MaxStay = 1 },
				func(p *plan) { p.Conditions.MaxStay = 91 })},
		{"Conditions.MinDaysAhead", edits(func(p *plan) { p.Conditions.MinDaysAhead = 0 },
			func(p *plan) { p.Conditions.MinDaysAhead, p.Conditions.MaxDaysAhead = 732, nil }),
			edits(func(p *plan) { p.Conditions.MinDaysAhead = -1 }, func(p *plan) { p.Conditions.MinDaysAhead = 733 })},
		{"Conditions.MaxDaysAhead", edits(func(p *plan) { p.Conditions.MaxDaysAhead = ptr(3) },
			func(p *plan) { p.Conditions.MaxDaysAhead = ptr(732) },
			func(p *plan) { p.Conditions.MinDaysAhead, p.Conditions.MaxDaysAhead = 0, ptr(0) }),
			edits(func(p *plan) { p.Conditions.MaxDaysAhead = ptr(2) }, func(p *plan) { p.Conditions.MaxDaysAhead = ptr(733) },
				func(p *plan) { p.Conditions.MinDaysAhead, p.Conditions.MaxDaysAhead = 0, ptr(-1) })},
		{"Conditions.Arrivals", edits(func(p *plan) { p.Conditions.Arrivals = availability.On(time.Sunday) }),
			edits(func(p *plan) { p.Conditions.Arrivals = availability.On() })},
		{"Conditions.Dates", edits(func(p *plan) { p.Conditions.Dates = nil },
			func(p *plan) { p.Conditions.Dates = ranges(10) }),
			edits(func(p *plan) { p.Conditions.Dates = ranges(11) })},
		{"Conditions.Dates[0].CheckOut", nil,
			edits(func(p *plan) { p.Conditions.Dates[0].CheckOut = p.Conditions.Dates[0].CheckIn })},

		{"Discounts.Early", edits(func(p *plan) { p.Discounts.Early = tiers(3) }),
			edits(func(p *plan) { p.Discounts.Early = tiers(4) })},
		{"Discounts.Early[0].Days", edits(func(p *plan) { p.Discounts.Early[0].Days = 0 }),
			edits(func(p *plan) { p.Discounts.Early[0].Days = -1 })},
		{"Discounts.Early[1].Days", edits(func(p *plan) { p.Discounts.Early[1].Days = 31 },
			func(p *plan) { p.Discounts.Early[1].Days = 732 }),
			edits(func(p *plan) { p.Discounts.Early[1].Days = 30 }, func(p *plan) { p.Discounts.Early[1].Days = 733 })},
		{"Discounts.Early[1].Percent", edits(func(p *plan) { p.Discounts.Early[1].Percent = 1 },
			func(p *plan) { p.Discounts.Early[1].Percent = 100_00 }),
			edits(func(p *plan) { p.Discounts.Early[1].Percent = 0 }, func(p *plan) { p.Discounts.Early[1].Percent = 100_01 })},
		{"Discounts.Late", edits(func(p *plan) { p.Discounts.Late = tiers(3) }),
			edits(func(p *plan) { p.Discounts.Late = tiers(4) })},
		{"Discounts.Late[0].Days", edits(func(p *plan) { p.Discounts.Late[0].Days = 0 }),
			edits(func(p *plan) { p.Discounts.Late[0].Days = -1 })},
		{"Discounts.Late[1].Days", edits(func(p *plan) { p.Discounts.Late[1].Days = 4 },
			func(p *plan) { p.Discounts.Late[1].Days = 732 }),
			edits(func(p *plan) { p.Discounts.Late[1].Days = 3 }, func(p *plan) { p.Discounts.Late[1].Days = 733 })},
		{"Discounts.Late[1].Percent", edits(func(p *plan) { p.Discounts.Late[1].Percent = 1 }),
			edits(func(p *plan) { p.Discounts.Late[1].Percent = -1 })},
		{"Discounts.Length", edits(func(p *plan) { p.Discounts.Length = lengths(3) }),
			edits(func(p *plan) { p.Discounts.Length = lengths(4) })},
		{"Discounts.Length[0].Nights", edits(func(p *plan) { p.Discounts.Length[0].Nights = 2 }),
			edits(func(p *plan) { p.Discounts.Length[0].Nights = 1 })},
		{"Discounts.Length[1].Nights", edits(func(p *plan) { p.Discounts.Length[1].Nights = 8 },
			func(p *plan) { p.Discounts.Length[1].Nights = 90 }),
			edits(func(p *plan) { p.Discounts.Length[1].Nights = 7 }, func(p *plan) { p.Discounts.Length[1].Nights = 91 })},
		{"Discounts.Length[1].Percent", edits(func(p *plan) { p.Discounts.Length[1].Percent = 100_00 }),
			edits(func(p *plan) { p.Discounts.Length[1].Percent = 0 })},
		{"Discounts.FreeNight", edits(func(p *plan) { p.Discounts.FreeNight = 0 },
			func(p *plan) { p.Discounts.FreeNight = 2 }, func(p *plan) { p.Discounts.FreeNight = 90 }),
			edits(func(p *plan) { p.Discounts.FreeNight = -1 }, func(p *plan) { p.Discounts.FreeNight = 1 },
				func(p *plan) { p.Discounts.FreeNight = 91 })},
	}
	checkLimits(t, limits, planWith, (*availability.RatePlan).Validate)
	require.NoError(t, (&plan{PropertyID: propertyID, ID: "a", Name: "b"}).Validate())
}

// An amount without a currency, which only MoneyOfDigits returns, counts when a price is computed, so it must not count as
// unset when the plan is checked. Other software may have stored one: see TestRatePlanWithoutCurrency.
func TestAmountsNeedACurrency(t *testing.T) {
	t.Parallel()
	five := must(dynastay.MoneyOfDigits("5", ""))
	for _, amount := range []struct {
		field string
		of    func(p *availability.RatePlan) *dynastay.Money
	}{
		{"Derived.Amount", func(p *availability.RatePlan) *dynastay.Money { return &p.Derived.Amount }},
		{"Derived.Step", func(p *availability.RatePlan) *dynastay.Money { return &p.Derived.Step }},
		{"Party.ExtraAdult.Amount", func(p *availability.RatePlan) *dynastay.Money { return &p.Party.ExtraAdult.Amount }},
		{"Party.SingleUse.Amount", func(p *availability.RatePlan) *dynastay.Money { return &p.Party.SingleUse.Amount }},
		{"Party.Bands[1].Bedless.Amount", func(p *availability.RatePlan) *dynastay.Money { return &p.Party.Bands[1].Bedless.Amount }},
		{"Party.Bands[1].WithBed.Amount", func(p *availability.RatePlan) *dynastay.Money { return &p.Party.Bands[1].WithBed.Amount }},
		{"Meals.Adult", func(p *availability.RatePlan) *dynastay.Money { return &p.Meals.Adult }},
		{"Meals.Bands[1].Amount", func(p *availability.RatePlan) *dynastay.Money { return &p.Meals.Bands[1].Amount }},
	} {
		mixed, alone := planWith(), under(
			availability.Derivation{}, availability.PartyPrices{Included: 1, Bands: ageBands(2)},
			availability.Meals{Plan: availability.Breakfast, Bands: mealBands(2)},
		)
		require.NoError(t, alone.Validate())
		for _, p := range []*availability.RatePlan{mixed, &alone} {
			*amount.of(p) = five
			blame.Invalid(t, p.Validate(), amount.field)
		}
		r := availability.RateRequest{
			Stay: dynastay.MustStay("2026-07-01", "2026-07-02"), Today: date("2026-06-01"), Party: readParty("2 + 1 1 beds 1"),
			Sources: []dynastay.Money{eur("100")},
		}
		_, err := alone.Price(r)
		blame.Invalid(t, err, "RatePlan."+amount.field)
		derived := under(availability.Derivation{From: "plan"})
		if derived.ID = "other"; strings.HasPrefix(amount.field, "Party.") {
			alone.Derived, r.From = nil, &alone
			_, err = derived.Price(r)
			blame.Invalid(t, err, "From."+amount.field)
		}
	}
}

// checkLimits edits a valid value.
func checkLimits[T any](t *testing.T, limits []limit[T], valid func() *T, validate func(*T) error) {
	require.NoError(t, validate(valid()))
	for _, l := range limits {
		for i, edit := range l.ok {
			v := valid()
			edit(v)
			assert.NoError(t, validate(v), "%s: allowed %d", l.field, i)
		}
		for i, edit := range l.bad {
			v := valid()
			edit(v)
			blame.Invalid(t, validate(v), l.field, "%s: refused %d", l.field, i)
		}
	}
}

func TestInvalidRateRequests(t *testing.T) {
	t.Parallel()
	type request = availability.RateRequest
	valid := func() *request {
		r := request{Stay: dynastay.MustStay("2026-07-01", "2026-07-04"), Today: date("2026-06-01"), From: bar()}
		r.Party = readParty("2 + 5 9 beds 1")
		for range 3 {
			r.Sources = append(r.Sources, eur("160"))
		}
		return &r
	}
	long := func(nights int) func(*request) {
		return func(r *request) {
			r.Stay.CheckOut, r.Sources = r.Stay.CheckIn.AddDays(nights), make([]dynastay.Money, nights)
			for i := range r.Sources {
				r.Sources[i] = eur("160")
			}
		}
	}
	limits := []limit[request]{
		{"Stay", edits(long(1), long(90)), edits(long(91))},
		{"Stay.CheckIn", nil, edits(func(r *request) { r.Stay.CheckIn = dynastay.Date{} })},
		{"Stay.CheckOut", nil, edits(func(r *request) { r.Stay.CheckOut = r.Stay.CheckIn })},
		{"Party.Adults", edits(func(r *request) { r.Party.Adults = 1 }, func(r *request) { r.Party.Adults = 1_000 }),
			edits(func(r *request) { r.Party.Adults = 0 }, func(r *request) { r.Party.Adults = 1_001 })},
		{"Party.Children", edits(func(r *request) { r.Party = availability.Party{Guests: availability.Guests{Adults: 1}} },
			func(r *request) { r.Party.Children = 1_000 }),
			edits(func(r *request) { r.Party.Children = -1 }, func(r *request) { r.Party.Children = 1_001 })},
		{"Party.ChildAges", edits(func(r *request) { r.Party.ChildAges = nil },
			func(r *request) { r.Party.ChildAges = []int{1} }),
			edits(func(r *request) { r.Party.ChildAges = []int{1, 2, 3} })},
		{"Party.ChildAges[1]", edits(func(r *request) { r.Party.ChildAges[1] = 0 },
			func(r *request) { r.Party.ChildAges[1] = 17 }),
			edits(func(r *request) { r.Party.ChildAges[1] = -1 }, func(r *request) { r.Party.ChildAges[1] = 18 })},
		{"Party.ExtraBeds", edits(func(r *request) { r.Party.ExtraBeds = 0 }, func(r *request) { r.Party.ExtraBeds = 2 }),
			edits(func(r *request) { r.Party.ExtraBeds = -1 }, func(r *request) { r.Party.ExtraBeds = 3 })},
		{"Today", edits(func(r *request) { r.Today = r.Stay.CheckIn }),
			edits(func(r *request) { r.Today = dynastay.Date{} })},
		{"Sources", nil, edits(func(r *request) { r.Sources = nil }, func(r *request) { r.Sources = r.Sources[:2] },
			func(r *request) { r.Sources = append(r.Sources, eur("160")) })},
		{"Sources[1]", edits(func(r *request) { r.Sources[1] = eur("0") },
			func(r *request) { r.Sources[1] = eur("9999999999999.99") }),
			edits(func(r *request) { r.Sources[1] = eur("-0.01") }, func(r *request) { r.Sources[1] = eur("10000000000000") },
				func(r *request) { r.Sources[1] = eur("160.001") })},
		{"Sources[1].Currency", nil, edits(func(r *request) { r.Sources[1] = dynastay.MustMoney("160", "HRK") })},
		{"From", nil, edits(func(r *request) { r.From = nil }, func(r *request) { r.From.ID = "plan" },
			func(r *request) { r.From.Derived = &availability.Derivation{} })},
	}
	derived := under(availability.Derivation{From: "bar"})
	checkLimits(t, limits, valid, func(r *request) error { return second(derived.Price(*r)) })
	for _, plan := range []availability.RatePlan{under(), under(availability.Derivation{})} {
		_, err := plan.Price(*valid())
		blame.Invalid(t, err, "From")
	}
}

// A price that the plan raises so far that it is no amount any more.
func TestRatePricesThatAreTooHigh(t *testing.T) {
	t.Parallel()
	r := availability.RateRequest{
		Stay: dynastay.MustStay("2026-07-01", "2026-07-03"), Today: date("2026-06-01"),
		Sources: []dynastay.Money{eur("1"), eur("9999999999999.99")},
	}
	plan := under(availability.PartyPrices{Included: 1, ExtraAdult: part(999_99)})
	r.Party.Adults = 100
	nights, err := plan.Price(r)
	require.NoError(t, err)
	assert.Equal(t, "9909900999999990.09", nights[1].Price.Amount())
	for _, adults := range []int{102, 500, 1_000} {
		r.Party.Adults = adults
		nights, err = plan.Price(r)
		blame.Invalid(t, err, "Sources[1].Amount", "%d adults: %v", adults, err)
		assert.Nil(t, nights)
	}
	// Its last 64 bits would be an amount.
	plan.Derived = &availability.Derivation{Percent: 100_00}
	r.Sources = []dynastay.Money{eur("9508000000000"), eur("1")}
	_, err = plan.Price(r)
	blame.Invalid(t, err, "Sources[0].Amount")
}

func roomTypes(n int) (ids []string) {
	for i := range n {
		ids = append(ids, "room_"+string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	return ids
}

func ageBands(n int) []availability.AgeBand {
	all := make([]availability.AgeBand, n)
	for i := range all {
		all[i].Through = i
	}
	return all
}

func mealBands(n int) []availability.MealBand {
	all := make([]availability.MealBand, n)
	for i := range all {
		all[i].Through = i
	}
	return all
}

func tiers(n int) []availability.DaysDiscount {
	all := make([]availability.DaysDiscount, n)
	for i := range all {
		all[i] = availability.DaysDiscount{Days: i, Percent: 1}
	}
	return all
}

func lengths(n int) []availability.NightsDiscount {
	all := make([]availability.NightsDiscount, n)
	for i := range all {
		all[i] = availability.NightsDiscount{Nights: i + 2, Percent: 1}
	}
	return all
}

func ranges(n int) []dynastay.Stay {
	all := make([]dynastay.Stay, n)
	for i := range all {
		all[i] = dynastay.MustStay("2026-07-01", "2026-07-02")
	}
	return all
}
