package availability_test

import (
	"testing"

	"github.com/dynastay/dynastay/availability"
)

func TestRatePricesOfParties(t *testing.T) {
	type (
		derived = availability.Derivation
		party   = availability.PartyPrices
		bands   = []availability.AgeBand
	)
	two := party{Included: 2, ExtraAdult: extra("30"), SingleUse: extra("-25"), Bands: bands{
		{Through: 2}, {Through: 11, Bedless: extra("10"), WithBed: extra("25")},
		{Through: 15, Bedless: extra("20"), WithBed: extra("40")},
	}}
	family := party{Bands: bands{{Through: 2}, {Through: 11, Bedless: extra("10"), WithBed: extra("25")},
		{Through: 17, Bedless: extra("20"), WithBed: extra("40")}}}
	checkRates(t, []rateCase{
		{name: "no prices for parties", plan: under(), party: "7 + 3 ? beds 1", nights: "160", want: "160.00"},
		{name: "prices that say nothing", plan: under(party{}), party: "7 + 3 ? beds 1", nights: "160", want: "160.00"},
		{name: "as included", plan: under(two), nights: "160", want: "160.00"},
		{name: "one further adult", plan: under(two), party: "3", nights: "160", want: "190.00: party 30.00"},
		{name: "three further adults", plan: under(two), party: "5", nights: "160", want: "250.00: party 90.00"},
		{name: "one included", plan: under(party{Included: 1, ExtraAdult: extra("30")}), nights: "160",
			want: "190.00: party 30.00"},
		{name: "any number included", plan: under(party{SingleUse: extra("-25")}), party: "7", nights: "160", want: "160.00"},
		{name: "each night", plan: under(two), party: "3", nights: "160 170",
			want: "190.00: party 30.00 | 200.00: party 30.00"},
		{name: "thousand adults", plan: under(two), party: "1000", nights: "160", want: "30100.00: party 29940.00"},

		{name: "alone", plan: under(two), party: "1", nights: "160", want: "135.00: party -25.00"},
		{name: "alone for more", plan: under(party{SingleUse: extra("5")}), party: "1", nights: "160",
			want: "165.00: party 5.00"},
		{name: "alone for nothing", plan: under(party{SingleUse: part(-100_00)}), party: "1", nights: "160",
			want: "0.00: party -160.00"},
		{name: "alone, exactly 0", plan: under(two), party: "1", nights: "25", want: "0.00: party -25.00"},
		{name: "alone, below 0", plan: under(two), party: "1", nights: "24.99", want: "2026-07-01 not_on_sale"},
		{name: "alone, half a cent goes up", plan: under(party{SingleUse: part(-50_00)}), party: "1", nights: "0.05",
			want: "0.03: party -0.02"},
		{name: "alone with a child", plan: under(two), party: "1 + 5", nights: "160", want: "170.00: party 10.00"},
		{name: "alone with a child that costs nothing", plan: under(two), party: "1 + 2", nights: "160", want: "160.00"},
		{name: "alone with a child of unknown age", plan: under(family), party: "1 + ?", nights: "160",
			want: "180.00: party 20.00"},
		{name: "alone with a child over the last band", plan: under(two), party: "1 + 16", nights: "160", want: "160.00"},
		{name: "alone with a child, without bands", plan: under(party{SingleUse: extra("-25")}), party: "1 + 5",
			nights: "160", want: "160.00"},

		{name: "ages within the bands", plan: under(two), party: "2 + 0 2 3 11 12 15", nights: "160",
			want: "220.00: party 60.00"},
		{name: "age of 2", plan: under(two), party: "2 + 2", nights: "160", want: "160.00"},
		{name: "age of 3", plan: under(two), party: "2 + 3", nights: "160", want: "170.00: party 10.00"},
		{name: "age of 11", plan: under(two), party: "2 + 11", nights: "160", want: "170.00: party 10.00"},
		{name: "age of 12", plan: under(two), party: "2 + 12", nights: "160", want: "180.00: party 20.00"},
		{name: "age of 15", plan: under(two), party: "2 + 15", nights: "160", want: "180.00: party 20.00"},
		{name: "age over the last band", plan: under(two), party: "2 + 16", nights: "160", want: "190.00: party 30.00"},
		{name: "ages over the last band", plan: under(two), party: "1 + 16 17", nights: "160", want: "190.00: party 30.00"},
		{name: "age over the last band, any number included",
			plan: under(party{Bands: bands{{Through: 5, Bedless: extra("10")}}}), party: "2 + 6", nights: "160", want: "160.00"},
		{name: "age without bands", plan: under(party{Included: 2, ExtraAdult: extra("30")}), party: "2 + 0", nights: "160",
			want: "190.00: party 30.00"},
		{name: "unknown age without bands", plan: under(party{Included: 2, ExtraAdult: extra("30")}), party: "2 + ? 3",
			nights: "160", want: "220.00: party 60.00"},

		{name: "extra bed", plan: under(two), party: "2 + 5 beds 1", nights: "160", want: "185.00: party 25.00"},
		{name: "extra bed for the eldest", plan: under(two), party: "2 + 5 13 beds 1", nights: "160",
			want: "210.00: party 50.00"},
		{name: "extra bed for the eldest, named first", plan: under(two), party: "2 + 13 5 beds 1", nights: "160",
			want: "210.00: party 50.00"},
		{name: "extra beds for all", plan: under(two), party: "2 + 5 13 beds 2", nights: "160", want: "225.00: party 65.00"},
		{name: "extra bed for one of two of the same age", plan: under(two), party: "2 + 5 5 beds 1", nights: "160",
			want: "195.00: party 35.00"},
		{name: "extra bed for who would pay nothing", plan: under(party{Bands: bands{{Through: 5, WithBed: extra("9")}}}),
			party: "2 + 5 beds 1", nights: "160", want: "169.00: party 9.00"},

		{name: "unknown age", plan: under(family), party: "2 + ?", nights: "160", want: "180.00: party 20.00"},
		{name: "unknown ages", plan: under(family), party: "2 + ? ?", nights: "160", want: "200.00: party 40.00"},
		{name: "unknown age with a bed", plan: under(family), party: "2 + ? beds 1", nights: "160",
			want: "200.00: party 40.00"},
		{name: "unknown ages with one bed", plan: under(family), party: "2 + ? ? beds 1", nights: "160",
			want: "220.00: party 60.00"},
		{name: "unknown age with a bed, known one without", plan: under(family), party: "2 + ? 5 beds 1", nights: "160",
			want: "210.00: party 50.00"},
		{name: "unknown age and known one with beds", plan: under(family), party: "2 + ? 5 beds 2", nights: "160",
			want: "225.00: party 65.00"},
		{name: "unknown age is in the first band",
			plan:  under(party{Bands: bands{{Through: 5, Bedless: extra("40")}, {Through: 17, Bedless: extra("20")}}}),
			party: "2 + ?", nights: "160",
			want: "200.00: party 40.00"},
		{name: "unknown age is in the middle band",
			plan: under(party{Bands: bands{{Through: 5}, {Through: 9, Bedless: extra("40")},
				{Through: 17, Bedless: extra("20")}}}), party: "2 + ?",
			nights: "160", want: "200.00: party 40.00"},
		{name: "unknown age is where the price puts it",
			plan:   under(party{Bands: bands{{Through: 5, Bedless: part(10_00)}, {Through: 17, Bedless: extra("12")}}}),
			party:  "2 + ?",
			nights: "100 160", want: "112.00: party 12.00 | 176.00: party 16.00"},
		{name: "unknown age is where the derived price puts it",
			plan: under(derived{Amount: eur("-50")}, party{Bands: bands{{Through: 5, Bedless: part(10_00)},
				{Through: 17, Bedless: extra("12")}}}),
			party: "2 + ?", nights: "160", want: "122.00: derived -50.00, party 12.00"},
		{name: "unknown age, all bands free", plan: under(party{Bands: bands{{Through: 5}, {Through: 17}}}), party: "2 + ?",
			nights: "160", want: "160.00"},

		{name: "percent for an adult", plan: under(party{Included: 2, ExtraAdult: part(20_00)}), party: "4", nights: "160",
			want: "224.00: party 64.00"},
		{name: "percent for a child",
			plan: under(party{Bands: bands{{Through: 5, Bedless: part(10_00), WithBed: part(15_00)}}}), party: "2 + 5 5 beds 1",
			nights: "160",
			want:   "200.00: party 40.00"},
		{name: "percents of the price before supplements",
			plan:   under(party{Included: 1, ExtraAdult: part(100_00), Bands: bands{{Through: 5, Bedless: part(50_00)}}}),
			party:  "2 + 5",
			nights: "160", want: "400.00: party 240.00"},
		{name: "supplements that are rounded once", plan: under(party{Included: 1, ExtraAdult: part(10_00)}), party: "4",
			nights: "0.05", want: "0.07: party 0.02"},
		{name: "supplement of less than half a cent", plan: under(party{Included: 1, ExtraAdult: part(9_99)}),
			nights: "0.05", want: "0.05"},
		{name: "percent of 0", plan: under(party{Included: 1, ExtraAdult: part(10_00)}), nights: "0", want: "0.00"},

		{name: "prices of the source", plan: under(derived{From: "bar"}), from: bar(two), party: "3 + 5", nights: "160",
			want: "200.00: party 40.00"},
		{name: "own prices", plan: under(derived{From: "bar"}, party{Included: 2, ExtraAdult: extra("7")}), from: bar(two),
			party: "3 + 2", nights: "160", want: "174.00: party 14.00"},
		{name: "own prices that say nothing", plan: under(derived{From: "bar"}, party{}), from: bar(two), party: "3",
			nights: "160", want: "160.00"},
		{name: "source without prices", plan: under(derived{From: "bar"}), from: bar(), party: "3", nights: "160",
			want: "160.00"},
		{name: "nothing else of the source", plan: under(derived{From: "bar"}), nights: "160 160", from: bar(
			availability.Meals{Plan: availability.Breakfast, Adult: eur("14")}, availability.Discounts{FreeNight: 2},
			availability.RateConditions{MinStay: 3}), want: "160.00 | 160.00"},
	})
}

func TestRatePricesWithMeals(t *testing.T) {
	type (
		meals = availability.Meals
		bands = []availability.MealBand
	)
	with := func(added bool, all ...availability.MealBand) availability.RatePlan {
		return under(meals{Plan: availability.HalfBoard, Adult: eur("14"), Bands: all, Added: added})
	}
	kids := bands{{Through: 5}, {Through: 11, Amount: eur("7")}}
	teens := bands{{Through: 5}, {Through: 17, Amount: eur("10")}}
	checkRates(t, []rateCase{
		{name: "only named", plan: under(meals{Plan: availability.Breakfast}), nights: "160", want: "160.00"},
		{name: "included", plan: with(false), nights: "160", want: "160.00 = 132.00 + 28.00"},
		{name: "added", plan: with(true), nights: "160", want: "188.00 = 160.00 + 28.00: meals 28.00"},
		{name: "added each night", plan: with(true), party: "1", nights: "160 0",
			want: "174.00 = 160.00 + 14.00: meals 14.00 | 14.00 = 0.00 + 14.00: meals 14.00"},
		{name: "included of 0", plan: under(meals{Plan: availability.Breakfast, Adult: eur("0")}), nights: "160",
			want: "160.00 = 160.00 + 0.00"},
		{name: "added of 0", plan: under(meals{Plan: availability.Breakfast, Adult: eur("0"), Added: true}), nights: "160",
			want: "160.00 = 160.00 + 0.00"},
		{name: "for children only",
			plan: under(meals{Plan: availability.Breakfast, Bands: bands{{Through: 17, Amount: eur("7")}}}), nights: "160",
			want: "160.00 = 160.00 + 0.00"},
		{name: "as much as the price", plan: with(false), nights: "28", want: "28.00 = 0.00 + 28.00"},
		{name: "more than the price", plan: with(false), nights: "27.99", want: "2026-07-01 not_on_sale"},
		{name: "more than the price of one night", plan: with(false), nights: "28 27 28", want: "2026-07-02 not_on_sale"},
		{name: "added, more than the price", plan: with(true), nights: "27.99", want: "55.99 = 27.99 + 28.00: meals 28.00"},

		{name: "age of 5", plan: with(true, kids...), party: "2 + 5", nights: "160",
			want: "188.00 = 160.00 + 28.00: meals 28.00"},
		{name: "age of 6", plan: with(true, kids...), party: "2 + 6", nights: "160",
			want: "195.00 = 160.00 + 35.00: meals 35.00"},
		{name: "age of 11", plan: with(true, kids...), party: "2 + 11", nights: "160",
			want: "195.00 = 160.00 + 35.00: meals 35.00"},
		{name: "age over the last band", plan: with(true, kids...), party: "2 + 12", nights: "160",
			want: "202.00 = 160.00 + 42.00: meals 42.00"},
		{name: "age without bands", plan: with(true), party: "2 + 0", nights: "160",
			want: "202.00 = 160.00 + 42.00: meals 42.00"},
		{name: "unknown age without bands", plan: with(true), party: "2 + ?", nights: "160",
			want: "202.00 = 160.00 + 42.00: meals 42.00"},
		{name: "unknown age", plan: under(meals{Plan: availability.Breakfast, Bands: teens}), party: "2 + ?", nights: "160",
			want: "160.00 = 150.00 + 10.00"},
		{name: "unknown age is in the first band",
			plan: under(meals{Plan: availability.Breakfast, Bands: bands{{Through: 5, Amount: eur("12")},
				{Through: 17, Amount: eur("7")}}}),
			party: "2 + ? 6", nights: "160", want: "160.00 = 141.00 + 19.00"},
		{name: "beds do not matter", plan: with(false, kids...), party: "2 + 6 7 beds 1", nights: "160",
			want: "160.00 = 118.00 + 42.00"},
		{name: "children make it more than the price", plan: with(false, kids...), party: "2 + 6", nights: "34.99",
			want: "2026-07-01 not_on_sale"},
		{name: "no minor unit", plan: under(meals{Plan: availability.Breakfast, Adult: money("1500 JPY")}),
			nights: "15000JPY", want: "15000 = 12000 + 3000"},

		{name: "other bands than the party",
			plan: under(meals{Plan: availability.AllInclusive, Adult: eur("14"), Bands: kids},
				availability.PartyPrices{Included: 2, ExtraAdult: extra("30"),
					Bands: []availability.AgeBand{{Through: 3, Bedless: extra("1")}}}), party: "2 + 4", nights: "160",
			want: "190.00 = 162.00 + 28.00: party 30.00"},
	})
}
