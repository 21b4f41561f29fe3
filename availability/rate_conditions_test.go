package availability_test

import (
	"testing"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

func TestRatePricesUnderConditions(t *testing.T) {
	type conditions = availability.RateConditions
	inside := func(dates ...string) availability.RatePlan {
		c := conditions{}
		for i := 0; i < len(dates); i += 2 {
			c.Dates = append(c.Dates, dynastay.MustStay(dates[i], dates[i+1]))
		}
		return under(c)
	}
	const sold = "160.00 | 160.00 | 160.00"
	all := []rateCase{
		{name: "as short as allowed", plan: under(conditions{MinStay: 3}), want: sold},
		{name: "too short", plan: under(conditions{MinStay: 4}), want: "2026-07-01 min_stay 4"},
		{name: "as long as allowed", plan: under(conditions{MaxStay: 3}), want: sold},
		{name: "too long", plan: under(conditions{MaxStay: 2}), want: "2026-07-01 max_stay 2"},
		{name: "as late as allowed", plan: under(conditions{MinDaysAhead: 10}), want: sold},
		{name: "too late", plan: under(conditions{MinDaysAhead: 11}), want: "2026-07-01 too_late"},
		{name: "as early as allowed", plan: under(conditions{MaxDaysAhead: ptr(10)}), want: sold},
		{name: "too early", plan: under(conditions{MaxDaysAhead: ptr(9)}), want: "2026-07-01 too_early"},
		{name: "on the same day", plan: under(conditions{MaxDaysAhead: ptr(0)}), ahead: "0", want: sold},
		{name: "only on the same day", plan: under(conditions{MaxDaysAhead: ptr(0)}), ahead: "1",
			want: "2026-07-01 too_early"},
		{name: "any time", plan: under(), ahead: "3000", want: sold},
		{name: "arrival on the day", plan: under(conditions{Arrivals: availability.On(time.Wednesday)}), want: sold},
		{name: "arrival on another day", plan: under(conditions{Arrivals: availability.On(time.Tuesday, time.Thursday)}),
			want: "2026-07-01 closed_to_arrival"},
		{name: "exactly in the dates", plan: inside("2026-07-01", "2026-07-04"), want: sold},
		{name: "first night outside", plan: inside("2026-07-02", "2026-08-01"), want: "2026-07-01 not_on_sale"},
		{name: "last night outside", plan: inside("2026-06-01", "2026-07-03"), want: "2026-07-03 not_on_sale"},
		{name: "ranges that meet", plan: inside("2026-07-02", "2026-07-09", "2026-06-01", "2026-07-02"), want: sold},
		{name: "night between ranges", plan: inside("2026-06-01", "2026-07-02", "2026-07-03", "2026-07-09"),
			want: "2026-07-02 not_on_sale"},
		{name: "all outside", plan: inside("2026-08-01", "2026-09-01"),
			want: "2026-07-01 not_on_sale | 2026-07-02 not_on_sale | 2026-07-03 not_on_sale"},
		{name: "everything else",
			plan: under(conditions{MinStay: 4, MinDaysAhead: 11, Arrivals: availability.On(time.Monday)}),
			want: "2026-07-01 min_stay 4 | 2026-07-01 too_late | 2026-07-01 closed_to_arrival"},

		{name: "no price", plan: under(), nights: "160 - 160", want: "2026-07-02 not_on_sale"},
		{name: "no prices", plan: under(), nights: "- -", want: "2026-07-01 not_on_sale | 2026-07-02 not_on_sale"},
		{name: "no price to derive from", plan: under(availability.Derivation{Amount: eur("5")}), nights: "-",
			want: "2026-07-01 not_on_sale"},
		{name: "another currency", plan: under(), nights: "160 170USD 180", want: "2026-07-02 other_currency 170.00 USD"},
		{name: "other currencies than the first", plan: under(), nights: "160USD 170 180",
			want: "2026-07-02 other_currency 170.00 EUR | 2026-07-03 other_currency 180.00 EUR"},
		{name: "other currency than the first price", plan: under(), nights: "- 170USD 180",
			want: "2026-07-01 not_on_sale | 2026-07-03 other_currency 180.00 EUR"},
		{name: "condition and no price", plan: under(conditions{MinStay: 3}), nights: "160 -",
			want: "2026-07-01 min_stay 3 | 2026-07-02 not_on_sale"},
		{name: "condition and another currency", plan: under(conditions{MaxStay: 1}), nights: "160 170USD",
			want: "2026-07-01 max_stay 1 | 2026-07-02 other_currency 170.00 USD"},
	}
	five := extra("5")
	for name, plan := range map[string]availability.RatePlan{
		"derived amount": under(availability.Derivation{Amount: eur("-500")}),
		"step":           under(availability.Derivation{Step: eur("5")}),
		"extra adult":    under(availability.PartyPrices{Included: 5, ExtraAdult: five}),
		"single use":     under(availability.PartyPrices{SingleUse: five}),
		"child": under(availability.PartyPrices{Bands: []availability.AgeBand{{Through: 1},
			{Through: 2, Bedless: five}}}),
		"child's bed": under(availability.PartyPrices{Bands: []availability.AgeBand{{Through: 1},
			{Through: 2, WithBed: five}}}),
		"meals": under(availability.Meals{Plan: availability.Breakfast, Adult: eur("5")}),
		"child's meals": under(availability.Meals{Plan: availability.Breakfast, Bands: []availability.MealBand{{Through: 1},
			{Through: 2, Amount: eur("5")}}}),
	} {
		all = append(all, rateCase{name: "another currency than " + name, plan: plan, nights: "7USD 600",
			want: "2026-07-01 other_currency 7.00 USD"})
	}
	all = append(all, rateCase{name: "another currency than the source's",
		plan: under(availability.Derivation{From: "bar"}),
		from: bar(availability.PartyPrices{SingleUse: five}), nights: "7USD 600", want: "2026-07-01 other_currency 7.00 USD"})
	for i := range all {
		if all[i].nights == "" {
			all[i].nights = "160 160 160"
		}
	}
	checkRates(t, all)
}
