package planrule_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/planrule"
)

func eur(amount string) dynastay.Money { return dynastay.MustMoney(amount, "EUR") }

// golden are typical plans and their texts.
var golden = []struct {
	plan availability.RatePlan
	text string
}{
	{availability.RatePlan{}, `{}`},
	{ // a city hotel: non-refundable
		availability.RatePlan{
			CancellationPolicy: availability.NonRefundable,
			Derived:            &availability.Derivation{From: "flex", Percent: -10_00, Step: eur("1")},
			Party: &availability.PartyPrices{
				Included:   2,
				ExtraAdult: availability.Supplement{Amount: eur("40")},
				SingleUse:  availability.Supplement{Amount: eur("-20")},
				Bands:      []availability.AgeBand{{Through: 11, WithBed: availability.Supplement{Amount: eur("30")}}},
			},
			Meals: availability.Meals{Plan: availability.RoomOnly},
		},
		`{"c":"EUR","p":"non_refundable","d":{"f":"flex","p":-1000,"s":1},` +
			`"g":{"i":2,"x":{"a":40},"u":{"a":-20},"b":[{"t":11,"w":{"a":30}}]},"m":{"p":"room_only"}}`,
	},
	{ // a resort: half board, with prices for children
		availability.RatePlan{
			CancellationPolicy: availability.PartialRefund(50, 14*24),
			Party: &availability.PartyPrices{
				Included:   1,
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
				Bands: []availability.MealBand{{Through: 2, Amount: eur("0")}, {Through: 6, Amount: eur("12.50")}, {Through: 14, Amount: eur("20")}},
			},
			Discounts: availability.Discounts{FreeNight: 7},
		},
		`{"c":"EUR","p":"partial_50_336h","g":{"i":1,"x":{"p":10000},"u":{"a":28},"b":[{"t":2},{"t":6,"n":{"a":25},"w":{"a":40}},` +
			`{"t":14,"n":{"a":35},"w":{"p":5000}}]},"m":{"p":"half_board","a":34,"b":[{"t":2,"a":0},{"t":6,"a":12.5},{"t":14,"a":20}]},` +
			`"r":{"f":7}}`,
	},
	{ // a holiday home: reductions for a long stay and an early booking
		availability.RatePlan{
			CancellationPolicy: availability.FreeCancellation(48),
			Conditions: availability.RateConditions{
				MinStay: 7, Arrivals: availability.On(time.Saturday),
				Dates: []dynastay.Stay{dynastay.MustStay("2026-04-04", "2026-10-31"), dynastay.MustStay("2026-12-19", "2027-01-09")},
			},
			Discounts: availability.Discounts{
				Early:  []availability.DaysDiscount{{Days: 60, Percent: 12_50}},
				Length: []availability.NightsDiscount{{Nights: 14, Percent: 10_00}, {Nights: 21, Percent: 15_00}},
			},
		},
		`{"p":"free_cancellation_48h","o":{"n":7,"w":64,"d":["2026-04-04","2026-10-31","2026-12-19","2027-01-09"]},` +
			`"r":{"e":[{"n":60,"p":1250}],"n":[{"n":14,"p":1000},{"n":21,"p":1500}]}}`,
	},
	{ // a deposit, and the rest before the arrival
		availability.RatePlan{Payment: availability.PaymentTerms{Percent: 33_33, RestDays: 30}},
		`{"b":{"p":3333,"d":30}}`,
	},
	{ // the first night
		availability.RatePlan{Payment: availability.PaymentTerms{Nights: 1}},
		`{"b":{"n":1}}`,
	},
}

// Bookings keep the text for years. If this test fails, theirs can no longer be read.
func TestForm(t *testing.T) {
	t.Parallel()
	var sizes []int
	for _, test := range golden {
		text, err := planrule.Text(&test.plan)
		require.NoError(t, err)
		assert.Equal(t, test.text, text)
		parsed, err := planrule.Parse(test.text)
		require.NoError(t, err)
		assert.Equal(t, &test.plan, parsed)
		sizes = append(sizes, len(text))
	}
	assert.Equal(t, []int{2, 154, 254, 178, 23, 13}, sizes)
}

// Nothing, and something that is zero, are not the same.
func TestNothingAndZero(t *testing.T) {
	t.Parallel()
	zero := 0
	for text, plan := range map[string]availability.RatePlan{
		`{"d":{}}`:                         {Derived: &availability.Derivation{}},
		`{"g":{}}`:                         {Party: &availability.PartyPrices{}},
		`{"o":{"t":0}}`:                    {Conditions: availability.RateConditions{MaxDaysAhead: &zero}},
		`{"c":"EUR","m":{"a":0}}`:          {Meals: availability.Meals{Adult: eur("0")}},
		`{"c":"EUR","d":{"a":0}}`:          {Derived: &availability.Derivation{Amount: eur("0.00")}},
		`{"g":{"b":[{}]}}`:                 {Party: &availability.PartyPrices{Bands: []availability.AgeBand{{}}}},
		`{"c":"EUR","m":{"b":[{"a":0}]}}`:  {Meals: availability.Meals{Bands: []availability.MealBand{{Amount: eur("0")}}}},
		`{"c":"EUR","g":{"x":{"a":0}}}`:    {Party: &availability.PartyPrices{ExtraAdult: availability.Supplement{Amount: eur("0")}}},
		`{"p":"custom_<&>"}`:               {CancellationPolicy: availability.CustomPolicy("<&>")},
		`{"c":"KWD","d":{"a":-0.125}}`:     {Derived: &availability.Derivation{Amount: dynastay.MustMoney("-0.125", "KWD")}},
		`{"c":"HRK","m":{"x":true,"a":7}}`: {Meals: availability.Meals{Adult: dynastay.MustMoney("7", "HRK"), Added: true}},
	} {
		got, err := planrule.Text(&plan)
		require.NoError(t, err)
		assert.Equal(t, text, got)
		parsed, err := planrule.Parse(text)
		require.NoError(t, err)
		assert.Equal(t, &plan, parsed)
	}
	none, err := planrule.Text(&availability.RatePlan{
		Party: &availability.PartyPrices{Bands: []availability.AgeBand{}}, Conditions: availability.RateConditions{Dates: []dynastay.Stay{}},
	})
	require.NoError(t, err)
	assert.Equal(t, `{"g":{}}`, none)
}

// elsewhere are the fields that a line has elsewhere, or does not keep.
var elsewhere = []string{
	"PropertyID", "ID", "Name", "Description", "RoomTypeIDs", "Active", "Advertised", "DisplayOrder", "CreatedAt", "UpdatedAt", "Version",
}

// filled sets every field to a value that no other one has. A field that is added to a plan is missed in the text, unless
// it is listed above.
func filled(t *testing.T) *availability.RatePlan {
	n := 0
	var fill func(path string, v reflect.Value)
	fill = func(path string, v reflect.Value) {
		n++
		switch v.Interface().(type) {
		case dynastay.Money:
			v.Set(reflect.ValueOf(eur(fmt.Sprintf("%d.5", n))))
			return
		case dynastay.Date:
			v.Set(reflect.ValueOf(dynastay.MustDate("2026-01-01").AddDays(n)))
			return
		}
		switch v.Kind() {
		case reflect.String:
			v.SetString(fmt.Sprint("text ", n))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int:
			v.SetInt(int64(n))
		case reflect.Uint8:
			v.SetUint(uint64(n))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(path, v.Elem())
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			for i := range v.Len() {
				fill(path, v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				fill(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		default:
			require.Fail(t, "an unexpected kind of field", "%s: %s", path, v.Kind())
		}
	}
	p := &availability.RatePlan{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[availability.RatePlan]()) {
		if !slices.Contains(elsewhere, field.Name) {
			fill(field.Name, reflect.ValueOf(p).Elem().FieldByIndex(field.Index))
		}
	}
	return p
}

func TestEveryField(t *testing.T) {
	t.Parallel()
	plan := filled(t)
	text, err := planrule.Text(plan)
	require.NoError(t, err)
	parsed, err := planrule.Parse(text)
	require.NoError(t, err)
	assert.Equal(t, plan, parsed)

	more := *plan
	more.PropertyID, more.ID, more.Name, more.Description, more.RoomTypeIDs = "prop", "flex", "Flexible", "A plan", []string{"room"}
	more.Active, more.Advertised, more.DisplayOrder, more.Version = true, true, 7, 3
	more.CreatedAt, more.UpdatedAt = time.Unix(1, 0), time.Unix(2, 0)
	assert.False(t, slices.ContainsFunc(elsewhere, func(name string) bool { return reflect.ValueOf(more).FieldByName(name).IsZero() }))
	same, err := planrule.Text(&more)
	require.NoError(t, err)
	assert.Equal(t, text, same)
}

func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		plan := anyPlan(r)
		text, err := planrule.Text(plan)
		require.NoError(r, err)
		parsed, err := planrule.Parse(text)
		require.NoError(r, err)
		assert.Equal(r, plan, parsed)
		parsed.PropertyID, parsed.ID, parsed.Name = "prop", "plan", "A plan"
		require.NoError(r, parsed.Validate())
	})
}

// anyPlan draws the terms of a valid plan. Of equal chances, the first values are drawn most often.
func anyPlan(r *rapid.T) *availability.RatePlan {
	currency := rapid.SampledFrom([]dynastay.Currency{"EUR", "JPY", "KWD", "HRK"}).Draw(r, "currency")
	number := func(least, most int, name string) int {
		return rapid.SampledFrom([]int{least, most, rapid.IntRange(least, most).Draw(r, name)}).Draw(r, name)
	}
	percent := func(least, most int) dynastay.Percent { return dynastay.Percent(number(least, most, "percent")) }
	has := func(name string) bool { return rapid.SampledFrom([]bool{true, false}).Draw(r, name) }
	amount := func(least int) dynastay.Money {
		const most = 999_999_999_999_999
		if !has("amount") {
			return dynastay.Money{}
		}
		units := rapid.SampledFrom([]int{0, 1, least, most, rapid.IntRange(least, 99_999).Draw(r, "minor"), 2_500}).Draw(r, "minor")
		m, err := dynastay.MoneyOfMinor(int64(units), currency)
		require.NoError(r, err)
		return m
	}
	supplement := func(least int) availability.Supplement {
		if has("percentage") {
			return availability.Supplement{Percent: percent(max(least, -100_00), 999_99)}
		}
		return availability.Supplement{Amount: amount(least)}
	}
	ascending := func(least, most, entries int, name string) []int {
		all := rapid.SliceOfNDistinct(rapid.IntRange(least, most), 0, entries, rapid.ID).Draw(r, name)
		slices.Sort(all)
		return all
	}
	p := &availability.RatePlan{CancellationPolicy: rapid.SampledFrom([]availability.CancellationPolicy{
		"", availability.NonRefundable, availability.CustomPolicy(`"\é<` + "\u2028"),
	}).Draw(r, "policy")}
	if has("derived") {
		p.Derived = &availability.Derivation{
			From: rapid.SampledFrom([]string{"", "flex"}).Draw(r, "from"), Percent: percent(-99_99, 999_99), Amount: amount(-99_999),
		}
		if step := amount(1); step.Sign() > 0 {
			p.Derived.Step = step
		}
	}
	if has("party") {
		p.Party = &availability.PartyPrices{Included: number(0, availability.MaxGuests, "included"), SingleUse: supplement(-99_999)}
		if p.Party.Included > 0 {
			p.Party.ExtraAdult = supplement(0)
		}
		for _, age := range ascending(0, 17, 6, "ages") {
			p.Party.Bands = append(p.Party.Bands, availability.AgeBand{Through: age, Bedless: supplement(0), WithBed: supplement(0)})
		}
	}
	if has("meals") {
		p.Meals.Plan = rapid.SampledFrom([]availability.MealPlan{availability.Breakfast, availability.RoomOnly, availability.AllInclusive}).Draw(r, "meals")
	}
	if p.Meals.Plan != "" && p.Meals.Plan != availability.RoomOnly {
		p.Meals.Added, p.Meals.Adult = has("added"), amount(0)
		for _, age := range ascending(0, 17, 6, "ages") {
			p.Meals.Bands = append(p.Meals.Bands, availability.MealBand{Through: age, Amount: amount(0)})
		}
	}
	c := &p.Conditions
	c.MinStay, c.MinDaysAhead = number(0, availability.MaxNights, "nights"), number(0, 732, "days")
	if has("longest stay") {
		c.MaxStay = number(c.MinStay, availability.MaxNights, "nights")
	}
	if has("latest day") {
		days := number(c.MinDaysAhead, 732, "days")
		c.MaxDaysAhead = &days
	}
	c.Arrivals = availability.Weekdays(number(0, 127, "weekdays"))
	for range rapid.IntRange(0, 10).Draw(r, "ranges") {
		first := dynastay.MustDate("2026-01-01").AddDays(number(0, 2_900_000, "date"))
		c.Dates = append(c.Dates, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(number(1, 400, "length"))})
	}
	for _, days := range ascending(0, 732, 3, "days") {
		p.Discounts.Early = append(p.Discounts.Early, availability.DaysDiscount{Days: days, Percent: percent(1, 100_00)})
	}
	for _, days := range ascending(0, 732, 3, "days") {
		p.Discounts.Late = append(p.Discounts.Late, availability.DaysDiscount{Days: days, Percent: percent(1, 100_00)})
	}
	for _, nights := range ascending(2, availability.MaxNights, 3, "nights") {
		p.Discounts.Length = append(p.Discounts.Length, availability.NightsDiscount{Nights: nights, Percent: percent(1, 100_00)})
	}
	if has("free nights") {
		p.Discounts.FreeNight = number(2, availability.MaxNights, "free night")
	}
	return p
}

// The text of the largest plan is small enough for a line of a booking. The policy has the characters that take most space.
func TestLargestPlan(t *testing.T) {
	t.Parallel()
	amount, below := eur("9999999999999.99"), eur("-9999999999999.99")
	days := 732
	p := availability.RatePlan{
		PropertyID: "prop", ID: "plan", Name: "A plan",
		CancellationPolicy: availability.CustomPolicy(strings.Repeat("\x01", 249)),
		Derived:            &availability.Derivation{From: strings.Repeat("f", 12), Percent: -99_99, Amount: below, Step: amount},
		Party: &availability.PartyPrices{
			Included: availability.MaxGuests, ExtraAdult: availability.Supplement{Amount: amount}, SingleUse: availability.Supplement{Amount: below},
		},
		Meals: availability.Meals{Plan: availability.AllInclusive, Added: true, Adult: amount},
		Conditions: availability.RateConditions{
			MinStay: 90, MaxStay: 90, MinDaysAhead: 732, MaxDaysAhead: &days, Arrivals: 127,
			Dates: slices.Repeat([]dynastay.Stay{dynastay.MustStay("2026-04-04", "2026-10-31")}, 10),
		},
		Discounts: availability.Discounts{FreeNight: 90},
	}
	for i := range 6 {
		supplement := availability.Supplement{Amount: amount}
		p.Party.Bands = append(p.Party.Bands, availability.AgeBand{Through: 12 + i, Bedless: supplement, WithBed: supplement})
		p.Meals.Bands = append(p.Meals.Bands, availability.MealBand{Through: 12 + i, Amount: amount})
	}
	for i := range 3 {
		p.Discounts.Early = append(p.Discounts.Early, availability.DaysDiscount{Days: 730 + i, Percent: 100_00})
		p.Discounts.Length = append(p.Discounts.Length, availability.NightsDiscount{Nights: 88 + i, Percent: 100_00})
	}
	p.Discounts.Late = p.Discounts.Early
	require.NoError(t, p.Validate())
	text, err := planrule.Text(&p)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(text), 2_850)
	parsed, err := planrule.Parse(text)
	require.NoError(t, err)
	parsed.PropertyID, parsed.ID, parsed.Name = p.PropertyID, p.ID, p.Name
	assert.Equal(t, &p, parsed)

	p.CancellationPolicy = availability.FreeCancellation(48)
	text, err = planrule.Text(&p)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(text), 1_350)
}

// Validate accepts the last two plans, which only other software can have stored: it takes an amount without a currency for
// an unset one.
func TestTextRefusesAmounts(t *testing.T) {
	t.Parallel()
	usd := dynastay.MustMoney("1", "USD")
	unknown, err := dynastay.MoneyOfDigits("5", "XAU")
	require.NoError(t, err)
	without, err := dynastay.MoneyOfDigits("5", "")
	require.NoError(t, err)
	for want, plan := range map[string]availability.RatePlan{
		"Meals.Bands[1].Amount.Currency: must be EUR, the currency of the plan's other amounts": {
			Derived: &availability.Derivation{Amount: eur("1")}, Meals: availability.Meals{Bands: []availability.MealBand{{}, {Amount: usd}}},
		},
		"Party.Bands[0].WithBed.Amount.Currency: must be EUR, the currency of the plan's other amounts": {
			Party: &availability.PartyPrices{SingleUse: availability.Supplement{Amount: eur("1")}, Bands: []availability.AgeBand{
				{WithBed: availability.Supplement{Amount: usd}},
			}},
			Meals: availability.Meals{Adult: usd}, // the first error is returned
		},
		`Currency: must be an active ISO 4217 currency code in upper case, got "XAU"`: {Meals: availability.Meals{Adult: unknown}},
		"Derived.Step: must have a currency":                                          {Derived: &availability.Derivation{Step: without}},
	} {
		text, err := planrule.Text(&plan)
		assert.Empty(t, text)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.EqualError(t, err, "invalid "+want)
	}
}

// Whatever Text cannot have written is refused, and the error says what is wrong.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const object, one = "the terms of a rate plan must be a JSON object", "the terms of a rate plan must be one JSON object, with nothing after it"
	for text, want := range map[string]string{
		"":                            object,
		" {}":                         object,
		"null":                        object,
		"[]":                          object,
		`"{}"`:                        object,
		"{} ":                         one,
		"{}{}":                        one,
		"{}}":                         one,
		"{":                           "the terms of a rate plan: unexpected EOF",
		`{"y":1}`:                     `the terms of a rate plan: json: unknown field "y"`,
		`{"m":{"y":1}}`:               `the terms of a rate plan: json: unknown field "y"`,
		`{"g":{"b":[{"y":{}}]}}`:      `the terms of a rate plan: json: unknown field "y"`,
		`{"c":"EURO"}`:                `invalid Currency: must be an active ISO 4217 currency code in upper case, got "EURO"`,
		`{"c":"EUR"}`:                 "invalid Currency: must not be set without an amount",
		`{"c":"EUR","d":{}}`:          "invalid Currency: must not be set without an amount",
		`{"m":{"a":1}}`:               "invalid Meals.Adult: must have a currency",
		`{"c":"EUR","m":{"a":1e3}}`:   `invalid Meals.Adult: must be a decimal number, got "1e3"`,
		`{"c":"EUR","d":{"s":1.5E1}}`: `invalid Derived.Step: must be a decimal number, got "1.5E1"`,
		`{"d":{"a":1},"m":{"a":1e3}}`: "invalid Derived.Amount: must have a currency",
		`{"o":{"d":["2026-07-10"]}}`:  "invalid Conditions.Dates: must have two dates for each range",
		`{"c":"EUR","g":{"b":[{"n":{"a":1234567890123456789}}]}}`: `invalid Party.Bands[0].Bedless.Amount: must have at most 18 significant digits, got "1234567890123456789"`,
		`{"c":"EUR","m":{"b":[{},{"a":0.00000000000000000001}]}}`: `invalid Meals.Bands[1].Amount: must have at most 19 decimal places, got "0.00000000000000000001"`,
		`{"o":{"d":["2026-7-10","2026-07-11"]}}`:                  `the terms of a rate plan: invalid Date: must be a valid date in the form YYYY-MM-DD, got "2026-7-10"`,
		`{"o":{"w":256}}`:                                         "the terms of a rate plan: json: cannot unmarshal number 256",
		`{"d":{"p":12.5}}`:                                        "the terms of a rate plan: json: cannot unmarshal number 12.5",
	} {
		p, err := planrule.Parse(text)
		assert.Nil(t, p, text)
		require.Error(t, err, text)
		assert.True(t, strings.HasPrefix(err.Error(), want), "%s: %v", text, err) // package encoding/json may say more
	}
}
