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
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// These functions return the plans and charges of the three brochures in docs/rates.md, which shows their source.

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
		Payment: availability.PaymentTerms{Percent: 30_00, RestDays: 42},
	}
	return []availability.RatePlan{weekly}
}

func holidayHomeCharges() *charges.List {
	return &charges.List{PropertyID: "home", Charges: []charges.Charge{
		{ID: "damage", Name: "Damage deposit", Kind: charges.Deposit, Amount: eur("200"), Per: charges.PerStay, AtProperty: true},
	}}
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
	last    string // the meals in the total; for the holiday home, when the total and the deposit are due
}

// The first brochure derives plans from one with prices of its own, which are lower at weekends. In the second, children
// have prices by age, and meals are included. The third sells weeks, has discounts that compete, and wants a part of the price
// early and a deposit that it returns.
func TestBrochures(t *testing.T) {
	friday := availability.On(time.Friday, time.Saturday)
	for _, b := range []struct {
		name  string
		plans func() []availability.RatePlan
		code  string // the name of plans
		fees  *charges.List
		price func(dynastay.Date) string
		stays []brochureStay
	}{
		{"city hotel", cityHotel, "cityHotel", nil, func(night dynastay.Date) string {
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
			// 150 + 40 until Thursday, then 119 + 40: 380 + 318.
			{"flex", "3", "2026-06-10", 4, 3, "2 × 190.00, 2 × 159.00", "698.00", ""},
			// 150 − 15 − 20.
			{"nonref", "1", "2026-06-14", 1, 1, "115.00", "115.00", ""},
			// 150 − 20 + 18 until Thursday, then 119 − 20 + 18: 592 + 117, breakfast 5 × 18.
			{"breakfast", "1", "2026-06-15", 5, 20, "4 × 148.00, 117.00", "709.00", "90.00"},
			// 95 as above, and 40 for a child who pays as an adult.
			{"early", "2 + 14", "2026-06-19", 2, 45, "2 × 135.00", "270.00", ""},
			// The children's beds are free. Breakfast is 18 + 18 + 0 + 9: 119 + 45 and 150 + 45.
			{"breakfast", "2 + 4 10", "2026-06-20", 2, 7, "164.00, 195.00", "359.00", "90.00"},
		}},
		{"resort", resort, "resort", nil, func(night dynastay.Date) string {
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
			// 98 + 28; half board is 34.
			{"hb", "1", "2026-06-15", 3, 1, "3 × 126.00", "378.00", "102.00"},
			// 98 + 98 + 25; half board is 34 + 34 + 12.
			{"hb", "2 + 4", "2026-06-29", 2, 50, "2 × 221.00", "442.00", "160.00"},
			// In an extra bed, over the change of season: 98 + 98 + 40, then 124 + 124 + 40.
			{"hb", "2 + 4 beds 1", "2026-07-03", 2, 50, "236.00, 288.00", "524.00", "160.00"},
			// The child pays as an adult: 3 × 124, and on the seventh night 3 × 34. 2,232 + 102.
			{"hb", "2 + 16", "2026-07-04", 7, 50, "6 × 372.00, 102.00", "2334.00", "714.00"},
			// The extra bed is for the elder child: 124 + 124 + 0 + 62. Two nights are free but for half board, 34 + 34 + 0 + 20.
			{"hb", "2 + 1 12 beds 1", "2026-07-11", 14, 120, "6 × 310.00, 88.00, 6 × 310.00, 88.00", "3896.00", "1232.00"},
			// Nobody has said how old the child is, so it pays as one of 7 to 14: 98 + 98 + 35, half board 34 + 34 + 20.
			{"hb", "2 + ?", "2026-06-16", 2, 50, "2 × 231.00", "462.00", "176.00"},
			// One parent: 98 + 25 + 49, from 4 July 124 + 25 + 62; half board is 34 + 12 + 20. 344 + 211.
			{"hb", "1 + 5 8 beds 1", "2026-07-02", 3, 50, "2 × 172.00, 211.00", "555.00", "198.00"},
		}},
		{"holiday home", holidayHome, "holidayHome", holidayHomeCharges(), func(night dynastay.Date) string {
			if night.Before(date("2026-06-27")) || !night.Before(date("2026-08-29")) {
				return "120" // 840 a week
			}
			return "170" // 1,190 a week
		}, []brochureStay{
			// 30 percent of 840, and the rest 42 days before.
			{"week", "4", "2026-05-09", 7, 60, "7 × 120.00", "840.00", due("252.00 at booking", "588.00 by 2026-03-28")},
			// 120 + 10 − 13 and 170 + 10 − 18: 819 + 1,134. Of it 30 percent are 585.90.
			{"week", "4 + 7 1", "2026-06-20", 14, 60, "7 × 117.00, 7 × 162.00", "1953.00",
				due("585.90 at booking", "1367.10 by 2026-05-09")},
			// 20 percent, not the 10 for two weeks: 120 − 24 and 170 − 34, so 672 + 952. It is too late to pay later.
			{"week", "2", "2026-06-20", 14, 10, "7 × 96.00, 7 × 136.00", "1624.00", due("1624.00 at booking")},
			{"week", "2", "2026-05-10", 6, 60, "cannot be sold: week 2026-05-10 min_stay, week 2026-05-10 closed_to_arrival", "", ""},
			// The last week of the season, for five: 170 + 10.
			{"week", "5", "2026-08-22", 7, 100, "7 × 180.00", "1260.00", due("378.00 at booking", "882.00 by 2026-07-11")},
			// Three weeks, 15 percent: 170 − 25.50. The rest is due on the day after the booking.
			{"week", "2", "2026-08-08", 21, 43, "21 × 144.50", "3034.50", due("910.35 at booking", "2124.15 by 2026-06-27")},
			// On the last day for the rest, all is due.
			{"week", "2", "2026-10-03", 7, 42, "7 × 120.00", "840.00", due("840.00 at booking")},
			// Closed from 31 October.
			{"week", "2", "2026-10-24", 8, 60, "cannot be sold: week 2026-10-31 not_on_sale", "", ""},
			// Two more adults and a child of 2: 170 + 20 − 38, as it is late.
			{"week", "6 + 2", "2026-07-04", 7, 14, "7 × 152.00", "1064.00", due("1064.00 at booking")},
			// Five pay, for three weeks: 120 + 10 − 19.50 and 170 + 10 − 27, so 1,547 + 1,071.
			{"week", "3 + 9 12", "2026-06-13", 21, 150, "14 × 110.50, 7 × 153.00", "2618.00",
				due("785.40 at booking", "1832.60 by 2026-05-02")},
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
			each, steps, total, last := brochurePrices(nights)
			switch {
			case err != nil:
				each, steps = err.Error(), err.Error()
			case b.fees != nil:
				last = brochureDues(t, plan, r, nights, b.fees)
			}
			name := fmt.Sprintf("%s: %s for %s from %s", b.name, s.plan, s.party, s.checkIn)
			assert.Equal(t, []string{s.each, s.total, s.last}, []string{each, total, last}, name)
			rows = append(rows, []string{s.plan, partyText(r.Party),
				fmt.Sprintf("%s %s, %s, booked %s before", checkIn.Weekday().String()[:3], checkIn,
					counted(s.nights, "night", "nights"), counted(s.ahead, "day", "days")),
				steps, total, last})
		}
		code, column := brochureCode(t, b.code), "of it meals"
		if b.fees != nil {
			code, column = code+"\n"+brochureCode(t, b.code+"Charges"), "due"
		}
		page.Section(t, "docs/rates.md", "plans of the "+b.name, "```go\n"+code+"```\n")
		page.Section(t, "docs/rates.md", "prices of the "+b.name, page.Table(
			[]string{"plan", "guests", "stay", "price of each night", "total", column}, rows))
	}
}

// brochureCode returns the source of a function.
func brochureCode(t *testing.T, name string) string {
	source, err := os.ReadFile("package_example_brochures_test.go")
	require.NoError(t, err)
	_, body, found := strings.Cut(string(source), "\nfunc "+name+"() ")
	require.True(t, found)
	body, _, _ = strings.Cut(body, "\n}\n")
	return "func " + name + "() " + body + "\n}\n"
}

// due is what every guest of the holiday home is told.
func due(instalments ...string) string {
	return strings.Join(append(instalments, "deposit 200.00 at the property"), "<br>")
}

// brochureDues shows by when the total of a stay is due, and the deposits.
func brochureDues(
	t *testing.T, plan *availability.RatePlan, r availability.RateRequest, nights []availability.RateNight, fees *charges.List,
) string {
	line := availability.Line{Quantity: 1, Plan: plan}
	booked := charges.Booked{Stay: r.Stay, Adults: r.Party.Adults, Children: r.Party.Children, Lines: []charges.Line{{Rooms: 1}}}
	for _, n := range nights {
		line.Nights = append(line.Nights, availability.NightPrice{Date: n.Date, Price: n.Price})
		line.Subtotal = must(line.Subtotal.Add(n.Price))
		booked.Lines[0].Nights = append(booked.Lines[0].Nights, charges.Price{Lodging: n.Lodging, Meals: n.Meals})
	}
	b := bookings.Booking{
		Summary:  bookings.Summary{Stay: r.Stay, Total: line.Subtotal, CreatedAt: r.Today.Time()},
		TimeZone: "UTC",
		Lines:    []bookings.Line{{Line: line}},
	}
	all, err := b.Instalments()
	require.NoError(t, err)
	var texts []string
	for _, one := range all {
		text := one.Amount.Amount() + " at booking"
		if one.When == bookings.DueBeforeArrival {
			text = one.Amount.Amount() + " by " + one.DueAt.AddDate(0, 0, -1).Format(time.DateOnly) // until the midnight after it
		}
		texts = append(texts, text)
	}
	bill, err := fees.Bill(booked)
	require.NoError(t, err)
	return strings.Join(append(texts, "deposit "+bill.Deposits.Amount()+" at the property"), "<br>")
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

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func partyText(p availability.Party) string {
	text := counted(p.Adults, "adult", "adults")
	if p.Children > 0 {
		ages := strings.Trim(strings.ReplaceAll(fmt.Sprint(p.ChildAges), " ", " and "), "[]")
		if len(p.ChildAges) == 0 {
			ages = "unknown age"
		}
		text += ", " + counted(p.Children, "child", "children") + " of " + ages
	}
	if p.ExtraBeds > 0 {
		text += ", " + counted(p.ExtraBeds, "extra bed", "extra beds")
	}
	return text
}
