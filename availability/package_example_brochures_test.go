package availability_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// These functions return the plans of the three brochures in docs/rates.md, which shows their source.

func cityHotel() []availability.RatePlan {
	party := availability.PartyPrices{
		Included:   2,
		ExtraAdult: availability.Supplement{Amount: eur("40")},
		SingleUse:  availability.Supplement{Amount: eur("-20")},
		Bands:      []availability.AgeBand{{Through: 11, WithBed: availability.Supplement{Amount: eur("30")}}},
	}
	flexible := availability.RatePlan{
		PropertyID: "city", ID: "flex", Name: "Flexible", Active: true, Advertised: true,
		CancellationPolicy: availability.FreeCancellation(24),
		Party:              &party,
		Meals:              availability.Meals{Plan: availability.RoomOnly},
	}
	nonRefundable := availability.RatePlan{
		PropertyID: "city", ID: "nonref", Name: "Non-refundable", Active: true, Advertised: true,
		CancellationPolicy: availability.NonRefundable,
		Derived:            &availability.Derivation{From: "flex", Percent: -10_00, Step: eur("1")},
		Meals:              availability.Meals{Plan: availability.RoomOnly},
	}
	breakfast := availability.RatePlan{
		PropertyID: "city", ID: "breakfast", Name: "Flexible with breakfast", Active: true, Advertised: true,
		CancellationPolicy: availability.FreeCancellation(24),
		Derived:            &availability.Derivation{From: "flex"},
		Meals: availability.Meals{
			Plan: availability.Breakfast, Added: true, Adult: eur("18"),
			Bands: []availability.MealBand{{Through: 5}, {Through: 11, Amount: eur("9")}},
		},
	}
	early := availability.RatePlan{
		PropertyID: "city", ID: "early", Name: "Early bird", Active: true, Advertised: true,
		CancellationPolicy: availability.NonRefundable,
		Derived:            &availability.Derivation{From: "flex", Percent: -20_00, Step: eur("1")},
		Meals:              availability.Meals{Plan: availability.RoomOnly},
		Conditions:         availability.RateConditions{MinDaysAhead: 30},
	}
	return []availability.RatePlan{flexible, nonRefundable, breakfast, early}
}

func resort() []availability.RatePlan {
	halfBoard := availability.RatePlan{
		PropertyID: "resort", ID: "hb", Name: "Half board", Active: true, Advertised: true,
		CancellationPolicy: availability.PartialRefund(50, 14*24),
		Party: &availability.PartyPrices{
			Included:   1, // the price of a night is that of one adult
			ExtraAdult: availability.Supplement{Percent: 100_00},
			SingleUse:  availability.Supplement{Amount: eur("28")},
			Bands: []availability.AgeBand{
				{Through: 2},
				{Through: 6, Bedless: availability.Supplement{Amount: eur("25")}, WithBed: availability.Supplement{Amount: eur("40")}},
				{Through: 14, Bedless: availability.Supplement{Amount: eur("35")}, WithBed: availability.Supplement{Percent: 50_00}},
			},
		},
		Meals: availability.Meals{
			Plan: availability.HalfBoard, Adult: eur("34"),
			Bands: []availability.MealBand{{Through: 2}, {Through: 6, Amount: eur("12")}, {Through: 14, Amount: eur("20")}},
		},
		Discounts: availability.Discounts{FreeNight: 7},
	}
	return []availability.RatePlan{halfBoard}
}

func holidayHome() []availability.RatePlan {
	weekly := availability.RatePlan{
		PropertyID: "home", ID: "week", Name: "By the week", Active: true, Advertised: true,
		CancellationPolicy: availability.PartialRefund(80, 30*24),
		Party: &availability.PartyPrices{
			Included:   4,
			ExtraAdult: availability.Supplement{Amount: eur("10")}, // from 3 years, children count as adults
			Bands:      []availability.AgeBand{{Through: 2}},
		},
		Conditions: availability.RateConditions{
			MinStay: 7, Arrivals: availability.On(time.Saturday),
			Dates: []dynastay.Stay{dynastay.MustStay("2026-04-04", "2026-10-31")},
		},
		Discounts: availability.Discounts{
			Length: []availability.NightsDiscount{{Nights: 14, Percent: 10_00}, {Nights: 21, Percent: 15_00}},
			Late:   []availability.DaysDiscount{{Days: 14, Percent: 20_00}},
		},
	}
	return []availability.RatePlan{weekly}
}

// brochureStay is a stay that a brochure is asked for, and its price, which was worked out by hand.
type brochureStay struct {
	plan    string
	party   string // see rateCase
	checkIn string
	nights  int
	ahead   int    // the days between the booking and the check-in
	each    string // the prices of the nights, or why the stay is refused
	total   string
	meals   string // those in the total
}

// The first brochure derives plans from one with prices of its own, which are lower at weekends. In the second, children
// have prices by age, and meals are included. The third sells weeks, and has discounts that compete.
func TestBrochures(t *testing.T) {
	friday := availability.On(time.Friday, time.Saturday)
	for _, b := range []struct {
		name  string
		plans func() []availability.RatePlan
		code  string // the name of plans
		price func(dynastay.Date) string
		stays []brochureStay
	}{
		{"city hotel", cityHotel, "cityHotel", func(night dynastay.Date) string {
			if friday.Has(night) {
				return "119"
			}
			return "150"
		}, []brochureStay{
			// A guest alone: 150 − 20.
			{"flex", "1", "2026-06-09", 2, 12, "2 × 130.00", "260.00", ""},
			// Thursday 150 − 15, then 119 − 11.90 = 107.10, which is 107 in full euros; 135 + 214.
			{"nonref", "2", "2026-06-11", 3, 12, "135.00, 2 × 107.00", "349.00", ""},
			// 119 and 30 for the bed, breakfast for 18 + 18 + 9.
			{"breakfast", "2 + 8 beds 1", "2026-06-12", 2, 12, "2 × 194.00", "388.00", "90.00"},
			// Saturday 119 − 23.80 = 95.20, so 95 − 20; Sunday 150 − 30 − 20.
			{"early", "1", "2026-06-13", 2, 30, "75.00, 100.00", "175.00", ""},
			{"early", "1", "2026-06-13", 2, 29, "cannot be sold: early 2026-06-13 too_late", "", ""},
		}},
		{"resort", resort, "resort", func(night dynastay.Date) string {
			if night.Before(date("2026-07-04")) {
				return "98"
			}
			return "124"
		}, []brochureStay{
			// Two at 98, and on the seventh night only half board, 2 × 34.
			{"hb", "2", "2026-06-13", 7, 50, "6 × 196.00, 68.00", "1244.00", "476.00"},
			// In June 98 + 98 + 25 + 49, from 4 July 124 + 124 + 25 + 62; half board is 34 + 34 + 12 + 20.
			{"hb", "2 + 5 9 beds 1", "2026-07-01", 5, 50, "3 × 270.00, 2 × 335.00", "1480.00", "500.00"},
			// 98 + 0 + 35, without the supplement for a single room; half board is 34 + 0 + 20.
			{"hb", "1 + 2 8", "2026-06-16", 4, 50, "4 × 133.00", "532.00", "216.00"},
		}},
		{"holiday home", holidayHome, "holidayHome", func(night dynastay.Date) string {
			if night.Before(date("2026-06-27")) || !night.Before(date("2026-08-29")) {
				return "120" // 840 a week
			}
			return "170" // 1,190 a week
		}, []brochureStay{
			{"week", "4", "2026-05-09", 7, 60, "7 × 120.00", "840.00", ""},
			// 120 + 10 − 13 and 170 + 10 − 18: 819 + 1,134.
			{"week", "4 + 7 1", "2026-06-20", 14, 60, "7 × 117.00, 7 × 162.00", "1953.00", ""},
			// 20 percent, not the 10 for two weeks: 120 − 24 and 170 − 34, so 672 + 952.
			{"week", "2", "2026-06-20", 14, 10, "7 × 96.00, 7 × 136.00", "1624.00", ""},
			{"week", "2", "2026-05-10", 6, 60, "cannot be sold: week 2026-05-10 min_stay, week 2026-05-10 closed_to_arrival", "", ""},
		}},
	} {
		plans := map[string]*availability.RatePlan{}
		for _, p := range b.plans() {
			require.NoError(t, p.Validate(), p.ID)
			plans[p.ID] = &p
		}
		var rows [][]string
		for _, s := range b.stays {
			plan, checkIn := plans[s.plan], date(s.checkIn)
			r := availability.RateRequest{
				Stay:  dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(s.nights)},
				Party: readParty(s.party),
				Today: checkIn.AddDays(-s.ahead),
			}
			if plan.Derived != nil {
				r.From = plans[plan.Derived.From]
			}
			for night := range r.Stay.Dates() {
				r.Sources = append(r.Sources, eur(b.price(night)))
			}
			nights, err := plan.Price(r)
			each, steps, total, meals := brochurePrices(nights)
			if err != nil {
				each, steps = err.Error(), err.Error()
			}
			name := fmt.Sprintf("%s: %s for %s from %s", b.name, s.plan, s.party, s.checkIn)
			assert.Equal(t, []string{s.each, s.total, s.meals}, []string{each, total, meals}, name)
			rows = append(rows, []string{s.plan, partyText(r.Party),
				fmt.Sprintf("%s %s, %d nights, booked %d days before", checkIn.Weekday().String()[:3], checkIn, s.nights, s.ahead),
				steps, total, meals})
		}
		source, err := os.ReadFile("package_example_brochures_test.go")
		require.NoError(t, err)
		_, body, found := strings.Cut(string(source), "\nfunc "+b.code+"() ")
		require.True(t, found)
		body, _, _ = strings.Cut(body, "\n}\n")
		page.Section(t, "docs/rates.md", "plans of the "+b.name, "```go\nfunc "+b.code+"() "+body+"\n}\n```\n")
		page.Section(t, "docs/rates.md", "prices of the "+b.name, page.Table(
			[]string{"plan", "guests", "stay", "price of each night", "total", "of it meals"}, rows))
	}
}

// brochurePrices shows the nights of a stay, without and with the steps of their prices, and their sums. Equal nights that
// follow each other are shown once.
func brochurePrices(nights []availability.RateNight) (each, steps, total, meals string) {
	var prices, explained []string
	var sum, sumOfMeals dynastay.Money
	for first, i := 0, 0; i < len(nights); i++ {
		n := nights[i]
		sum, sumOfMeals = must(sum.Add(n.Price)), must(sumOfMeals.Add(n.Meals))
		text := stepsText(n)
		if i+1 < len(nights) && stepsText(nights[i+1]) == text {
			continue
		}
		times := ""
		if i > first {
			times = fmt.Sprintf("%d × ", i+1-first)
		}
		first = i + 1
		prices, explained = append(prices, times+n.Price.Amount()), append(explained, times+text)
	}
	if sumOfMeals.IsSet() {
		meals = sumOfMeals.Amount()
	}
	if sum.IsSet() {
		total = sum.Amount()
	}
	return strings.Join(prices, ", "), strings.Join(explained, "<br>"), total, meals
}

// stepsText shows the price of a night and its steps, such as 107.00 (119.00 − 12.00 derived).
func stepsText(n availability.RateNight) string {
	if len(n.Steps) == 0 {
		return n.Price.Amount()
	}
	text := n.Source.Amount()
	for _, s := range n.Steps {
		sign, amount := " + ", s.Amount.Amount()
		if s.Amount.Sign() < 0 {
			sign, amount = " − ", amount[1:]
		}
		text += sign + amount + " " + strings.ReplaceAll(string(s.Kind), "_", " ")
	}
	return n.Price.Amount() + " (" + text + ")"
}

func partyText(p availability.Party) string {
	count := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n, many)
	}
	text := count(p.Adults, "adult", "adults")
	if len(p.ChildAges) > 0 {
		text += ", " + count(len(p.ChildAges), "child", "children") + " of " +
			strings.Trim(strings.ReplaceAll(fmt.Sprint(p.ChildAges), " ", " and "), "[]")
	}
	if p.ExtraBeds > 0 {
		text += ", " + count(p.ExtraBeds, "extra bed", "extra beds")
	}
	return text
}
