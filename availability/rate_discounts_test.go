package availability_test

import (
	"strings"
	"testing"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

func percent(hundredths int) dynastay.Percent { return dynastay.Percent(hundredths) }

func TestRatePricesWithDiscounts(t *testing.T) {
	type (
		discounts = availability.Discounts
		days      = []availability.DaysDiscount
		lengths   = []availability.NightsDiscount
	)
	early := under(discounts{Early: days{{Days: 30, Percent: 10_00}, {Days: 60, Percent: 15_00}}})
	late := under(discounts{Late: days{{Days: 0, Percent: 20_00}, {Days: 3, Percent: 10_00}}})
	length := under(discounts{Length: lengths{{Nights: 2, Percent: 10_00}, {Nights: 3, Percent: 15_00}}})
	half := days{{Percent: 50_00}}
	always := days{{Days: 732, Percent: 50_00}}
	checkRates(t, []rateCase{
		{name: "early", plan: early, ahead: "30", nights: "160", want: "144.00: early_discount -16.00"},
		{name: "not early enough", plan: early, ahead: "29", nights: "160", want: "160.00"},
		{name: "just not as early", plan: early, ahead: "59", nights: "160", want: "144.00: early_discount -16.00"},
		{name: "earlier", plan: early, ahead: "60", nights: "160", want: "136.00: early_discount -24.00"},
		{name: "earlier for less",
			plan: under(discounts{Early: days{{Days: 30, Percent: 15_00}, {Days: 60, Percent: 10_00}}}), ahead: "60",
			nights: "160",
			want:   "136.00: early_discount -24.00"},
		{name: "early on the same day", plan: under(discounts{Early: half}), ahead: "0", nights: "160",
			want: "80.00: early_discount -80.00"},
		{name: "late", plan: late, ahead: "3", nights: "160", want: "144.00: late_discount -16.00"},
		{name: "not late enough", plan: late, ahead: "4", nights: "160", want: "160.00"},
		{name: "just not as late", plan: late, ahead: "1", nights: "160", want: "144.00: late_discount -16.00"},
		{name: "later", plan: late, ahead: "0", nights: "160", want: "128.00: late_discount -32.00"},
		{name: "length", plan: length, nights: "160 170",
			want: "144.00: length_discount -16.00 | 153.00: length_discount -17.00"},
		{name: "not long enough", plan: length, nights: "160", want: "160.00"},
		{name: "longer", plan: length, nights: "160 160 0",
			want: "136.00: length_discount -24.00 | 136.00: length_discount -24.00 | 0.00"},
		{name: "free night", plan: under(discounts{FreeNight: 3}), nights: "100 110 120 130",
			want: "100.00 | 110.00 | 0.00: free_night -120.00 | 130.00"},
		{name: "no free night yet", plan: under(discounts{FreeNight: 3}), nights: "100 110", want: "100.00 | 110.00"},
		{name: "free nights", plan: under(discounts{FreeNight: 2}), nights: "100 110 120 130 140",
			want: "100.00 | 0.00: free_night -110.00 | 120.00 | 0.00: free_night -130.00 | 140.00"},
		{name: "free night that costs nothing", plan: under(discounts{FreeNight: 2}), nights: "100 0", want: "100.00 | 0.00"},

		{name: "half a cent goes up", plan: under(discounts{Early: half}), nights: "0.05",
			want: "0.03: early_discount -0.02"},
		{name: "less than half a cent", plan: under(discounts{Early: days{{Percent: 50_01}}}), nights: "0.05",
			want: "0.02: early_discount -0.03"},
		{name: "changes nothing", plan: under(discounts{Early: half}), nights: "0.01", want: "0.01"},
		{name: "changes one of the nights", plan: under(discounts{Early: half}), nights: "0.01 0.02",
			want: "0.01 | 0.01: early_discount -0.01"},
		{name: "rounded by night", plan: under(discounts{Early: days{{Percent: 30_00}}}), nights: "0.05 0.05 0.05",
			want: "0.04: early_discount -0.01 | 0.04: early_discount -0.01 | 0.04: early_discount -0.01"},
		{name: "everything", plan: under(discounts{Early: days{{Percent: 100_00}}}), nights: "160",
			want: "0.00: early_discount -160.00"},
		{name: "the least", plan: under(discounts{Early: days{{Percent: 1}}}), nights: "50.01 50",
			want: "50.00: early_discount -0.01 | 50.00"},

		{name: "late is cheaper than early", plan: under(discounts{Early: days{{Percent: 10_00}}, Late: always}),
			nights: "160", want: "80.00: late_discount -80.00"},
		{name: "early is cheaper than late", plan: under(discounts{Early: days{{Percent: 60_00}}, Late: always}),
			nights: "160", want: "64.00: early_discount -96.00"},
		{name: "length is cheaper than both",
			plan: under(discounts{Early: half, Late: always, Length: lengths{{Nights: 2, Percent: 50_01}}}), nights: "100 100",
			want: "49.99: length_discount -50.01 | 49.99: length_discount -50.01"},
		{name: "free night is cheaper in all", plan: under(discounts{Early: half, FreeNight: 3}), nights: "100 100 400",
			want: "100.00 | 100.00 | 0.00: free_night -400.00"},
		{name: "free night is dearer in all", plan: under(discounts{Early: half, FreeNight: 3}), nights: "100 100 100",
			want: "50.00: early_discount -50.00 | 50.00: early_discount -50.00 | 50.00: early_discount -50.00"},
		{name: "early ties with late", plan: under(discounts{Early: half, Late: always}), nights: "160",
			want: "80.00: early_discount -80.00"},
		{name: "late ties with length", plan: under(discounts{Late: always, Length: lengths{{Nights: 2, Percent: 50_00}}}),
			nights: "100 100",
			want:   "50.00: late_discount -50.00 | 50.00: late_discount -50.00"},
		{name: "length ties with a free night",
			plan: under(discounts{Length: lengths{{Nights: 2, Percent: 50_00}}, FreeNight: 2}), nights: "100 100",
			want: "50.00: length_discount -50.00 | 50.00: length_discount -50.00"},
		{name: "a tie after rounding",
			plan: under(discounts{Early: days{{Percent: 29_00}}, Late: days{{Days: 10, Percent: 30_00}}}), nights: "0.05",
			want: "0.04: early_discount -0.01"},
		{name: "rounding decides", plan: under(discounts{Early: half, FreeNight: 2}), nights: "0.01 0.01",
			want: "0.01 | 0.00: free_night -0.01"},
		{name: "which meals are included decides",
			plan: under(discounts{Early: half, FreeNight: 2},
				availability.Meals{Plan: availability.Breakfast, Adult: eur("20")}), nights: "50 70",
			want: "50.00 = 10.00 + 40.00 | 40.00 = 0.00 + 40.00: free_night -30.00"},
		{name: "long", plan: under(discounts{FreeNight: 90}), nights: strings.Repeat("1 ", 90),
			want: strings.Repeat("1.00 | ", 89) + "0.00: free_night -1.00"},
	})
}
