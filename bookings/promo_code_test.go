package bookings_test

import (
	"maps"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

func usd(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }

// summer is the document's promo code with a currency, as a new code.
func summer(change ...func(*bookings.PromoCode)) bookings.PromoCode {
	p := bookings.PromoCode{
		Code: "SUMMER2024", Description: "Summer special discount", Percent: 15_00, MinAmount: usd("200"), MaxDiscount: usd("100"),
		ValidFrom: time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC), ValidUntil: time.Date(2024, 8, 31, 23, 59, 59, 0, time.UTC),
		UsageLimit: 1000, Active: true,
	}
	for _, change := range change {
		change(&p)
	}
	return p
}

// The document's code has neither a currency nor a version; reading and writing it must not add them.
func TestDocumentPromoCodeRoundTrips(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/promo_code.json")
	p, err := bookings.PromoEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	without := func(digits string) dynastay.Money {
		m, err := dynastay.MoneyOfDigits(digits, "")
		require.NoError(t, err)
		return m
	}
	want := summer()
	want.MinAmount, want.MaxDiscount, want.UsageCount = without("200"), without("100"), 234
	want.CreatedAt = time.Date(2024, 5, 15, 10, 0, 0, 0, time.UTC)
	assert.Equal(t, &want, p)
	again, err := bookings.PromoEntity.Item(p)
	require.NoError(t, err)
	assert.Equal(t, plain(t, item), plain(t, again))
}

// A code of each kind is stored under the document's names.
func TestStoredPromoCode(t *testing.T) {
	t.Parallel()
	base := map[string]any{
		"PK": "PROMO#SUMMER2024", "SK": "METADATA", "EntityType": "PromoCode", "Code": "SUMMER2024", "UsageCount": 0.0, "IsActive": false,
	}
	for _, test := range []struct {
		code  bookings.PromoCode
		extra map[string]any
	}{
		{bookings.PromoCode{Percent: 12_50}, map[string]any{"DiscountType": "percentage", "DiscountValue": 12.5}},
		{bookings.PromoCode{Amount: usd("25.5")}, map[string]any{"DiscountType": "fixed", "DiscountValue": 25.5, "Currency": "USD"}},
		{
			bookings.PromoCode{Percent: 1, MaxDiscount: dynastay.MustMoney("1000", "JPY"), UsageLimit: 3},
			map[string]any{"DiscountType": "percentage", "DiscountValue": 0.01, "MaxDiscountAmount": 1000.0, "Currency": "JPY", "UsageLimit": 3.0},
		},
		{bookings.PromoCode{}, nil}, // which Validate refuses
	} {
		test.code.Code = "SUMMER2024"
		item, err := bookings.PromoEntity.Item(&test.code)
		require.NoError(t, err)
		want := maps.Clone(base)
		maps.Copy(want, test.extra)
		assert.Equal(t, want, plain(t, item))
		read, err := bookings.PromoEntity.Value(dynastay.RowOf(item))
		require.NoError(t, err)
		assert.Equal(t, &test.code, read)
	}
}

// Where a stored attribute has no meaning, or would turn a discount into a surcharge, the error names it.
func TestUnreadablePromoCode(t *testing.T) {
	t.Parallel()
	number := func(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }
	fixed := dynastay.Text("fixed")
	for _, test := range []struct {
		field  string
		change dynastay.Item
	}{
		{"DiscountValue", dynastay.Item{"DiscountValue": number("33.333")}},
		{"DiscountValue", dynastay.Item{"DiscountValue": number("33.33333333333333333333333333")}},
		{"DiscountValue", dynastay.Item{"DiscountValue": number("100.01")}},
		{"DiscountValue", dynastay.Item{"DiscountValue": number("0")}},
		{"DiscountValue", dynastay.Item{"DiscountValue": number("-15")}},
		{"DiscountValue", dynastay.Item{"DiscountValue": dynastay.Text("15")}},
		{"DiscountValue", dynastay.Item{"DiscountValue": nil}},
		{"DiscountValue", dynastay.Item{"DiscountValue": nil, "DiscountType": fixed}},
		{"DiscountValue", dynastay.Item{"DiscountValue": number("0"), "DiscountType": fixed}},
		{"DiscountValue", dynastay.Item{"DiscountValue": number("-0.01"), "DiscountType": fixed}},
		{"DiscountType", dynastay.Item{"DiscountType": dynastay.Text("bogof")}},
		{"DiscountType", dynastay.Item{"DiscountType": dynastay.Text("Percentage")}},
		{"DiscountType", dynastay.Item{"DiscountType": dynastay.Text("bogof"), "DiscountValue": nil}},
		{"DiscountType", dynastay.Item{"DiscountType": nil}},
		{"DiscountType", dynastay.Item{"DiscountType": number("1")}},
		{"MinBookingAmount", dynastay.Item{"MinBookingAmount": number("-0.01")}},
		{"MaxDiscountAmount", dynastay.Item{"MaxDiscountAmount": number("-1"), "Currency": dynastay.Text("USD")}},
		{"UsageLimit", dynastay.Item{"UsageLimit": number("-1")}},
		{"IsActive", dynastay.Item{"IsActive": dynastay.Text("true")}},
		{"ValidUntil", dynastay.Item{"ValidUntil": dynastay.Text("2024-08-31")}},
	} {
		item := raw.Document(t, "testdata/promo_code.json")
		for name, v := range test.change {
			if item[name] = v; v == nil {
				delete(item, name)
			}
		}
		_, err := bookings.PromoEntity.Value(dynastay.RowOf(item))
		require.ErrorIs(t, err, dynastay.ErrCorrupt, "%v", test)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid)
		assert.ErrorContains(t, err, "PromoCode SUMMER2024 ("+test.field+")")
	}
	// DynamoDB may return an exponent.
	item := raw.Document(t, "testdata/promo_code.json")
	item["DiscountValue"] = number("1.25E+1")
	p, err := bookings.PromoEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, dynastay.Percent(12_50), p.Percent)
}

// The form in which a code is stored does not depend on how it is typed, and it is its own form.
func TestPromoText(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"summer2024": "SUMMER2024", " Summer 2024\t": "SUMMER 2024", "a#b%c": "A#B%C", "az{`@[": "AZ{`@[", "stra\u00dfe": "STRA\u00dfE",
		"\u00e9te\u0301": "\u00e9T\u00e9", "h\u0331": "\u1e96", "i\u0307": "\u0130", "\u0131": "\u0131", "\u017f": "\u017f",
		"\u212a": "K", "\ufb01": "\ufb01",
	} {
		got, err := bookings.PromoText(typed)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", typed)
	}
	rapid.Check(t, func(t *rapid.T) {
		typed := rapid.StringOf(rapid.RuneFrom([]rune("azAZih# \u0301\u0307\u0331\u00e9\u1e96\u0130\u0131\u00df"))).Draw(t, "typed")
		once, err := bookings.PromoText(typed)
		if strings.TrimSpace(typed) == "" {
			blame.Invalid(t, err, "Code")
			return
		}
		require.NoError(t, err)
		again, err := bookings.PromoText(once)
		require.NoError(t, err)
		assert.Equal(t, once, again)
		lower, err := bookings.PromoText(strings.ReplaceAll(strings.ReplaceAll(once, "Z", "z"), "A", "a"))
		require.NoError(t, err)
		assert.NotContains(t, lower, "z")
		assert.NotContains(t, lower, "a")
	})
}

func TestPromoCodeUsable(t *testing.T) {
	t.Parallel()
	second := func(day, hour, minute, second int) time.Time {
		return time.Date(2024, 7, day, hour, minute, second, 0, time.UTC)
	}
	window := func(p *bookings.PromoCode) { p.ValidFrom, p.ValidUntil = second(1, 12, 0, 0), second(31, 23, 59, 59) }
	always := func(p *bookings.PromoCode) { p.ValidFrom, p.ValidUntil = time.Time{}, time.Time{} }
	used := func(count, limit int) func(*bookings.PromoCode) {
		return func(p *bookings.PromoCode) { p.UsageCount, p.UsageLimit = count, limit }
	}
	inactive := func(p *bookings.PromoCode) { p.Active = false }
	zone := time.FixedZone("", 5*3600)
	for name, test := range map[string]struct {
		code bookings.PromoCode
		now  time.Time
		want error
		text string
	}{
		"first instant":       {summer(window), second(1, 12, 0, 0), nil, ""},
		"before":              {summer(window), second(1, 12, 0, 0).Add(-1), bookings.ErrPromoNotYet, "the code is not valid yet"},
		"last second":         {summer(window), second(31, 23, 59, 59), nil, ""},
		"last instant":        {summer(window), second(32, 0, 0, 0).Add(-1).In(zone), nil, ""},
		"after":               {summer(window), second(32, 0, 0, 0), bookings.ErrPromoEnded, "the code is not valid any more"},
		"no limits, early":    {summer(always), time.Unix(0, 0), nil, ""},
		"no limits, late":     {summer(always), time.Unix(1<<40, 0), nil, ""},
		"inactive":            {summer(window, inactive), second(2, 0, 0, 0), bookings.ErrPromoInactive, "the code is not active"},
		"inactive and over":   {summer(window, inactive), second(40, 0, 0, 0), bookings.ErrPromoInactive, "the code is not active"},
		"one use left":        {summer(window, used(9, 10)), second(2, 0, 0, 0), nil, ""},
		"used up":             {summer(window, used(10, 10)), second(2, 0, 0, 0), bookings.ErrPromoUsedUp, "the usage limit of the code is reached"},
		"used up by one":      {summer(window, used(1, 1)), second(2, 0, 0, 0), bookings.ErrPromoUsedUp, "the usage limit of the code is reached"},
		"used more than once": {summer(window, used(11, 10)), second(2, 0, 0, 0), bookings.ErrPromoUsedUp, "the usage limit of the code is reached"},
		"no usage limit":      {summer(window, used(10, 0)), second(2, 0, 0, 0), nil, ""},
	} {
		err := test.code.Usable(test.now)
		if test.want == nil {
			assert.NoError(t, err, name)
			continue
		}
		assert.Equal(t, &bookings.PromoError{Code: "SUMMER2024", Err: test.want}, err, name)
		assert.ErrorIs(t, err, test.want)
		assert.EqualError(t, err, "cannot use promo code SUMMER2024: "+test.text)
	}
	assert.NotContains(t, (&bookings.PromoError{Code: "JOHN@EXAMPLE.COM", Err: bookings.ErrPromoEnded}).Error(), "JOHN")
}

func TestDiscount(t *testing.T) {
	t.Parallel()
	yen := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "JPY") }
	percent := func(p dynastay.Percent, limit dynastay.Money) bookings.PromoCode {
		return bookings.PromoCode{Code: "X", Percent: p, MaxDiscount: limit}
	}
	for _, test := range []struct {
		code        bookings.PromoCode
		rooms, want dynastay.Money
	}{
		{percent(15_00, dynastay.Money{}), usd("250"), usd("37.5")},
		{percent(15_00, dynastay.Money{}), usd("0.03"), usd("0")},
		{percent(15_00, dynastay.Money{}), usd("0.10"), usd("0.02")}, // half a cent
		{percent(14_99, dynastay.Money{}), usd("0.10"), usd("0.01")},
		{percent(15_00, dynastay.Money{}), yen("10"), yen("2")},
		{percent(1, dynastay.Money{}), usd("250"), usd("0.03")},
		{percent(100_00, dynastay.Money{}), usd("250"), usd("250")},
		{percent(100_00, dynastay.Money{}), usd("0"), usd("0")},
		{percent(100_00, dynastay.Money{}), usd("999999999999999999"), usd("999999999999999999")},
		{percent(15_00, usd("37.49")), usd("250"), usd("37.49")},
		{percent(15_00, usd("37.51")), usd("250"), usd("37.5")},
		{percent(15_00, usd("37.125")), usd("250"), usd("37.13")}, // other software stored the limit
		{percent(100_00, dynastay.Money{}), usd("0.125"), usd("0.125")},
		{bookings.PromoCode{Amount: usd("25")}, usd("250"), usd("25")},
		{bookings.PromoCode{Amount: usd("25")}, usd("25"), usd("25")},
		{bookings.PromoCode{Amount: usd("25")}, usd("24.99"), usd("24.99")},
		{bookings.PromoCode{Amount: usd("25"), MaxDiscount: usd("20")}, usd("250"), usd("20")},
		{bookings.PromoCode{Amount: usd("25.125")}, usd("250"), usd("25.13")},
		{bookings.PromoCode{Amount: usd("25"), MinAmount: usd("250")}, usd("250"), usd("25")},
		{bookings.PromoCode{Percent: 10_00, MaxDiscount: usd("0")}, usd("250"), usd("0")}, // other software stored it
	} {
		got, err := test.code.Discount(test.rooms)
		require.NoError(t, err, "%v", test)
		assert.Equal(t, test.want, got, "%v", test)
	}
}

func TestDiscountRefused(t *testing.T) {
	t.Parallel()
	promo := func(err error, want error, text string) {
		t.Helper()
		blame.As[*bookings.PromoError](t, err)
		assert.ErrorIs(t, err, want)
		assert.EqualError(t, err, "cannot use promo code SUMMER2024: "+text)
	}
	discount := func(p bookings.PromoCode, rooms dynastay.Money) error {
		got, err := p.Discount(rooms)
		assert.Zero(t, got)
		return err
	}
	err := discount(summer(), usd("199.99"))
	promo(err, bookings.ErrPromoMinimum, "the price of the rooms is below the minimum of the code of 200.00 USD")
	assert.Equal(t, &bookings.PromoError{Code: "SUMMER2024", Err: bookings.ErrPromoMinimum, Minimum: usd("200")}, err)

	const other = "the amounts of the code are not in the currency of the rooms"
	euros := dynastay.MustMoney("100", "EUR") // below the minimum, if it were dollars
	for _, code := range []bookings.PromoCode{
		{Percent: 1, MinAmount: usd("200")}, {Percent: 1, MaxDiscount: usd("200")}, {Amount: usd("200")},
		{Amount: euros, MinAmount: usd("200")},
	} {
		code.Code = "SUMMER2024"
		promo(discount(code, euros), bookings.ErrPromoCurrency, other)
	}
	document, err := bookings.PromoEntity.Value(dynastay.RowOf(raw.Document(t, "testdata/promo_code.json")))
	require.NoError(t, err)
	promo(discount(*document, usd("250")), bookings.ErrPromoCurrency, other)

	blame.Invalid(t, discount(summer(), dynastay.Money{}), "Rooms", "no price")
	blame.Invalid(t, discount(summer(), usd("-0.01")), "Rooms", "negative")
	blame.Invalid(t, discount(bookings.PromoCode{Percent: 50_00}, usd("999999999999999999")), "Rooms.Amount", "19 digits")
	for _, code := range []bookings.PromoCode{{}, {Percent: -15_00}, {Amount: usd("-25")}, {Amount: usd("0")}} {
		assert.ErrorIs(t, discount(code, usd("250")), dynastay.ErrCorrupt, "%v", code)
	}
}

// A discount is what exact fractions say.
func TestDiscountIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]dynastay.Currency{"USD", "JPY", "KWD"}).Draw(t, "currency")
		money := func(label string, least int64) (dynastay.Money, *big.Rat) {
			most := rapid.SampledFrom([]int64{20, 2_000, 200_000, math.MaxInt32 * 1000}).Draw(t, label+" size")
			m, err := dynastay.MoneyOfMinor(rapid.Int64Range(least, most).Draw(t, label), currency)
			require.NoError(t, err)
			r, _ := new(big.Rat).SetString(m.Amount())
			return m, r
		}
		rooms, want := money("rooms", 0)
		var p bookings.PromoCode
		price := new(big.Rat).Set(want)
		if rapid.Bool().Draw(t, "fixed") {
			p.Amount, want = money("amount", 1)
		} else {
			p.Percent = dynastay.Percent(rapid.IntRange(1, int(dynastay.MaxPercent)).Draw(t, "percent"))
			want.Mul(want, big.NewRat(int64(p.Percent), int64(dynastay.MaxPercent)))
		}
		smaller := func(limit *big.Rat) {
			if limit.Cmp(want) < 0 {
				want = limit
			}
		}
		if rapid.Bool().Draw(t, "limited") {
			var limit *big.Rat
			p.MaxDiscount, limit = money("limit", 1)
			smaller(limit)
		}
		smaller(price)
		tooLow := false
		if rapid.Bool().Draw(t, "from a minimum") {
			var minimum *big.Rat
			p.MinAmount, minimum = money("minimum", 1)
			tooLow = price.Cmp(minimum) < 0
		}
		got, err := p.Discount(rooms)
		if tooLow {
			require.ErrorIs(t, err, bookings.ErrPromoMinimum)
			return
		}
		require.NoError(t, err)
		// FloatString rounds halves away from zero.
		assert.Equal(t, want.FloatString(currency.MinorUnit())+" "+string(currency), got.String())
	})
}
