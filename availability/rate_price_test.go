package availability_test

import (
	"testing"

	"github.com/dynastay/dynastay/availability"
)

// The rules one by one are in the tests of their files; here are derived prices, and where rules meet. Every expected
// value was worked out by hand.
func TestRatePrices(t *testing.T) {
	type (
		derived   = availability.Derivation
		party     = availability.PartyPrices
		meals     = availability.Meals
		discounts = availability.Discounts
	)
	included := meals{Plan: availability.Breakfast, Adult: eur("14")}
	added := meals{Plan: availability.Breakfast, Adult: eur("14"), Added: true}
	two := party{Included: 2, ExtraAdult: extra("30"), SingleUse: extra("-25")}
	early := func(p int) discounts { return discounts{Early: []availability.DaysDiscount{{Percent: percent(p)}}} }
	everySecond := discounts{FreeNight: 2}
	checkRates(t, []rateCase{
		{name: "own price", plan: under(), nights: "160", want: "160.00"},
		{name: "own price of 0", plan: under(), nights: "0", want: "0.00"},
		{name: "own prices", plan: under(), nights: "160 170.5", want: "160.00 | 170.50"},

		{name: "derived without a change", plan: under(derived{}), nights: "160", want: "160.00"},
		{name: "percent less", plan: under(derived{Percent: -10_00}), nights: "160", want: "144.00: derived -16.00"},
		{name: "percent more", plan: under(derived{Percent: 12_50}), nights: "160", want: "180.00: derived 20.00"},
		{name: "amount less", plan: under(derived{Amount: eur("-20.5")}), nights: "160", want: "139.50: derived -20.50"},
		{name: "amount more", plan: under(derived{Amount: eur("0.01")}), nights: "160", want: "160.01: derived 0.01"},
		{name: "percent, then amount", plan: under(derived{Percent: -10_00, Amount: eur("5")}), nights: "160",
			want: "149.00: derived -11.00"},
		{name: "each night", plan: under(derived{Percent: -10_00}), nights: "160 170 0",
			want: "144.00: derived -16.00 | 153.00: derived -17.00 | 0.00"},
		{name: "the most", plan: under(derived{Percent: 999_99}), nights: "100", want: "1099.99: derived 999.99"},
		{name: "the least", plan: under(derived{Percent: -99_99}), nights: "100", want: "0.01: derived -99.99"},
		{name: "from a plan", plan: under(derived{From: "bar", Percent: -10_00}), from: bar(), nights: "160",
			want: "144.00: derived -16.00"},

		{name: "half a cent goes up", plan: under(derived{Percent: 10_00}), nights: "0.05", want: "0.06: derived 0.01"},
		{name: "half a cent goes up from below", plan: under(derived{Percent: -10_00}), nights: "0.05", want: "0.05"},
		{name: "less than half a cent", plan: under(derived{Percent: 9_99}), nights: "0.05", want: "0.05"},
		{name: "hundredths of a percent", plan: under(derived{Percent: 1}), nights: "50 49.99",
			want: "50.01: derived 0.01 | 49.99"},
		{name: "no minor unit", plan: under(derived{Percent: -12_50}), nights: "15000JPY 15001JPY 15004JPY",
			want: "13125: derived -1875 | 13126: derived -1875 | 13129: derived -1875"},
		{name: "three decimal places", plan: under(derived{Percent: 10_00}), nights: "10.001KWD 10.005KWD",
			want: "11.001: derived 1.000 | 11.006: derived 1.001"},
		{name: "many digits", plan: under(derived{Percent: -50_00}), nights: "9999999999999.99",
			want: "5000000000000.00: derived -4999999999999.99"},
		{name: "many digits more", plan: under(derived{Percent: 999_99}), nights: "1234567890123.45",
			want: "13580123334568.94: derived 12345555444445.49"},

		{name: "half a step goes up", plan: under(derived{Percent: -10_00, Step: eur("5")}), nights: "125",
			want: "115.00: derived -10.00"},
		{name: "less than half a step", plan: under(derived{Percent: -10_00, Step: eur("5")}), nights: "124.99",
			want: "110.00: derived -14.99"},
		{name: "step of 1", plan: under(derived{Percent: -10_00, Step: eur("1")}), nights: "163",
			want: "147.00: derived -16.00"},
		{name: "step of 0.05", plan: under(derived{Percent: 25, Step: eur("0.05")}), nights: "10 9.99",
			want: "10.05: derived 0.05 | 10.00: derived 0.01"},
		{name: "step of 100 yen", plan: under(derived{Step: money("100 JPY")}), nights: "15049JPY 15050JPY",
			want: "15000: derived -49 | 15100: derived 50"},
		{name: "step without a change", plan: under(derived{Percent: -1_00, Step: eur("5")}), nights: "160", want: "160.00"},
		{name: "step alone", plan: under(derived{Step: eur("5")}), nights: "162.5 162.49",
			want: "165.00: derived 2.50 | 160.00: derived -2.49"},
		{name: "step of an odd amount", plan: under(derived{Step: eur("0.03")}), nights: "0.04 0.05",
			want: "0.03: derived -0.01 | 0.06: derived 0.01"},
		{name: "step before the cent", plan: under(derived{Percent: -20, Step: eur("1")}), nights: "0.5",
			want: "0.00: derived -0.50"},
		{name: "step after the amount", plan: under(derived{Amount: eur("-0.02"), Step: eur("1")}), nights: "160.51",
			want: "160.00: derived -0.51"},
		{name: "step above the price", plan: under(derived{Step: eur("100")}), nights: "49.99 50",
			want: "0.00: derived -49.99 | 100.00: derived 50.00"},

		{name: "exactly 0", plan: under(derived{Amount: eur("-20")}), nights: "20", want: "0.00: derived -20.00"},
		{name: "below 0", plan: under(derived{Amount: eur("-20.01")}), nights: "20", want: "2026-07-01 not_on_sale"},
		{name: "below 0 on one night", plan: under(derived{Amount: eur("-20")}), nights: "20 19 20",
			want: "2026-07-02 not_on_sale"},
		{name: "half a cent below 0", plan: under(derived{Percent: -10_00, Amount: eur("-0.05")}), nights: "0.05",
			want: "0.00: derived -0.05"},
		{name: "more than half a cent below 0", plan: under(derived{Percent: -10_01, Amount: eur("-0.05")}), nights: "0.05",
			want: "2026-07-01 not_on_sale"},
		{name: "half a step below 0", plan: under(derived{Amount: eur("-22.5"), Step: eur("5")}), nights: "20",
			want: "0.00: derived -20.00"},
		{name: "more than half a step below 0", plan: under(derived{Amount: eur("-22.51"), Step: eur("5")}), nights: "20",
			want: "2026-07-01 not_on_sale"},

		{name: "derived × party", plan: under(derived{Percent: -10_00}, two), party: "3", nights: "160",
			want: "174.00: derived -16.00, party 30.00"},
		{name: "derived × percent of the party",
			plan: under(derived{Percent: -10_00}, party{Included: 2, ExtraAdult: part(20_00)}), party: "3", nights: "160",
			want: "172.80: derived -16.00, party 28.80"},
		{name: "derived, rounded, × percent of the party",
			plan: under(derived{Percent: -10_00}, party{Included: 1, ExtraAdult: part(50_00)}), nights: "0.15",
			want: "0.21: derived -0.01, party 0.07"},
		{name: "step × party", plan: under(derived{Step: eur("5")}, two), party: "1", nights: "163",
			want: "140.00: derived 2.00, party -25.00"},
		{name: "derived below 0 × party", plan: under(derived{Amount: eur("-30")}, two), party: "4", nights: "29.99",
			want: "2026-07-01 not_on_sale"},
		{name: "derived 0 × party", plan: under(derived{Amount: eur("-30")}, two), party: "4", nights: "30",
			want: "60.00: derived -30.00, party 60.00"},
		{name: "derived × included", plan: under(derived{Percent: -10_00}, included), nights: "160",
			want: "144.00 = 116.00 + 28.00: derived -16.00"},
		{name: "derived × added", plan: under(derived{Percent: -10_00}, added), nights: "160",
			want: "172.00 = 144.00 + 28.00: derived -16.00, meals 28.00"},
		{name: "derived × more included", plan: under(derived{Percent: -10_00}, included), nights: "31.12 31.11 31.1 31.09",
			want: "2026-07-03 not_on_sale | 2026-07-04 not_on_sale"},
		{name: "step × added", plan: under(derived{Step: eur("5")}, added), nights: "163",
			want: "193.00 = 165.00 + 28.00: derived 2.00, meals 28.00"},
		{name: "step × discount", plan: under(derived{Percent: -10_00, Step: eur("1")}, early(10_00)), nights: "163",
			want: "132.30: derived -16.00, early_discount -14.70"},
		{name: "derived × discount", plan: under(derived{Percent: -10_00, Amount: eur("1.05")}, early(10_00)), nights: "163",
			want: "132.98: derived -15.25, early_discount -14.77"},
		{name: "derived × discount, rounded twice", plan: under(derived{Percent: -10_00}, early(50_00)), nights: "0.15",
			want: "0.07: derived -0.01, early_discount -0.07"},
		{name: "step × free night", plan: under(derived{Percent: -10_00, Step: eur("5")}, everySecond), nights: "163 168",
			want: "145.00: derived -18.00 | 0.00: derived -18.00, free_night -150.00"},
		{name: "step × included", plan: under(derived{Step: eur("5")}, included), nights: "163 27.5 27.49",
			want: "2026-07-03 not_on_sale"},
		{name: "derived × free night", plan: under(derived{Percent: -10_00}, everySecond), nights: "160 170",
			want: "144.00: derived -16.00 | 0.00: derived -17.00, free_night -153.00"},

		{name: "party × included", plan: under(two, included), party: "3", nights: "160",
			want: "190.00 = 148.00 + 42.00: party 30.00"},
		{name: "party × added", plan: under(two, added), party: "3", nights: "160",
			want: "232.00 = 190.00 + 42.00: party 30.00, meals 42.00"},
		{name: "single use × included", plan: under(two, included), party: "1", nights: "160",
			want: "135.00 = 121.00 + 14.00: party -25.00"},
		{name: "single use × more included", plan: under(two, included), party: "1", nights: "39 38.99",
			want: "2026-07-02 not_on_sale"},
		{name: "single use × as much included", plan: under(two, included), party: "1", nights: "39",
			want: "14.00 = 0.00 + 14.00: party -25.00"},
		{name: "single use × added", plan: under(two, added), party: "1", nights: "30",
			want: "19.00 = 5.00 + 14.00: party -25.00, meals 14.00"},
		{name: "party × discount", plan: under(two, early(10_00)), party: "3", nights: "160",
			want: "171.00: party 30.00, early_discount -19.00"},
		{name: "party, rounded, × discount", plan: under(party{Included: 1, ExtraAdult: part(10_00)}, early(50_00)),
			nights: "0.15",
			want:   "0.09: party 0.02, early_discount -0.08"},
		{name: "party × free night", plan: under(two, everySecond), party: "3", nights: "160 170",
			want: "190.00: party 30.00 | 0.00: party 30.00, free_night -200.00"},

		{name: "included × discount", plan: under(included, early(10_00)), nights: "160",
			want: "146.80 = 118.80 + 28.00: early_discount -13.20"},
		{name: "added × discount", plan: under(added, early(10_00)), nights: "160",
			want: "172.00 = 144.00 + 28.00: early_discount -16.00, meals 28.00"},
		{name: "included × free night", plan: under(included, everySecond), nights: "160 170",
			want: "160.00 = 132.00 + 28.00 | 28.00 = 0.00 + 28.00: free_night -142.00"},
		{name: "added × free night", plan: under(added, everySecond), nights: "160 170",
			want: "188.00 = 160.00 + 28.00: meals 28.00 | 28.00 = 0.00 + 28.00: free_night -170.00, meals 28.00"},
		{name: "all included × discount", plan: under(included, early(10_00)), nights: "28", want: "28.00 = 0.00 + 28.00"},

		{name: "all with included meals", plan: under(derived{Percent: -10_00, Step: eur("5")},
			party{Included: 2, ExtraAdult: part(20_00)}, included, everySecond), party: "3", nights: "163 163",
			want: "174.00 = 132.00 + 42.00: derived -18.00, party 29.00 | " +
				"42.00 = 0.00 + 42.00: derived -18.00, party 29.00, free_night -132.00"},
		{name: "all with added meals", party: "3 + 17", nights: "163.18", from: bar(two),
			plan: under(derived{From: "bar", Percent: 10_00, Amount: eur("-1"), Step: eur("1")}, added, early(12_50)),
			want: "264.25 = 208.25 + 56.00: derived 14.82, party 60.00, early_discount -29.75, meals 56.00"},
	})
}
