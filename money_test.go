package dynastay_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// mostDigits is what an amount can hold.
const mostDigits = 18

func anyCurrency() *rapid.Generator[dynastay.Currency] {
	return rapid.SampledFrom([]dynastay.Currency{"JPY", "USD", "EUR", "KWD"})
}

func anyAmount() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,6}(\.[0-9]{1,4})?`),
		rapid.Custom(func(t *rapid.T) string {
			digits := rapid.StringMatching(`[0-9]{1,18}`).Draw(t, "digits")
			point := rapid.IntRange(0, len(digits)).Draw(t, "point")
			text := "0" + digits[:point]
			if point < len(digits) {
				text += "." + digits[point:]
			}
			return rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign") + text
		}),
	)
}

func anyMoney(currency dynastay.Currency) *rapid.Generator[dynastay.Money] {
	return rapid.Map(anyAmount(), func(text string) dynastay.Money { return dynastay.MustMoney(text, currency) })
}

func exact(m dynastay.Money) *big.Rat {
	r, ok := new(big.Rat).SetString(m.Amount())
	if !ok {
		panic("not a number: " + m.Amount())
	}
	return r
}

// digitsOf counts the digits that a finite decimal needs, the zeros in front of its point included.
func digitsOf(r *big.Rat) int {
	text := r.FloatString(60)
	text = strings.TrimRight(text, "0")
	return len(strings.TrimLeft(strings.Replace(strings.TrimPrefix(text, "-"), ".", "", 1), "0"))
}

// roundedAway is r at the currency's minor unit, half away from zero, in rational arithmetic.
func roundedAway(r *big.Rat, digits int) *big.Rat {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	scaled := new(big.Rat).Mul(new(big.Rat).Abs(r), scale)
	scaled.Add(scaled, big.NewRat(1, 2))
	whole := new(big.Rat).SetInt(new(big.Int).Quo(scaled.Num(), scaled.Denom()))
	if r.Sign() < 0 {
		whole.Neg(whole)
	}
	return whole.Quo(whole, scale)
}

// must be exact: the wanted number, or an error where 18 digits do not hold it.
func checkExact(t *rapid.T, want *big.Rat, got dynastay.Money, err error) {
	t.Helper()
	if digitsOf(want) > mostDigits {
		assert.ErrorIs(t, err, dynastay.ErrInvalid, "%s does not fit", want.FloatString(40))
		assert.Equal(t, dynastay.Money{}, got)
		return
	}
	if assert.NoError(t, err, "%s fits", want.FloatString(40)) {
		assert.Zero(t, want.Cmp(exact(got)), "%s, not %s", want.FloatString(40), got)
		again, err := dynastay.NewMoney(got.Amount(), got.Currency())
		assert.NoError(t, err)
		assert.True(t, again == got, "%s is not == itself", got)
	}
}

func TestMoneyAddAndSubAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		currency := anyCurrency().Draw(t, "currency")
		a, b := anyMoney(currency).Draw(t, "a"), anyMoney(currency).Draw(t, "b")
		sum, err := a.Add(b)
		checkExact(t, new(big.Rat).Add(exact(a), exact(b)), sum, err)
		rest, err := a.Sub(b)
		checkExact(t, new(big.Rat).Sub(exact(a), exact(b)), rest, err)
		if err == nil {
			assert.Equal(t, currency, rest.Currency())
		}
		none, err := a.Sub(a)
		require.NoError(t, err)
		assert.True(t, none == dynastay.MustMoney("0", currency), "a − a is the zero amount")
	})
}

func TestMoneyTimesIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyMoney(anyCurrency().Draw(t, "currency")).Draw(t, "a")
		n := rapid.OneOf(rapid.IntRange(-400, 400), rapid.Int()).Draw(t, "n")
		product, err := a.Times(n)
		checkExact(t, new(big.Rat).Mul(exact(a), new(big.Rat).SetInt64(int64(n))), product, err)
	})
}

func TestMoneyRoundsHalfAwayFromZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyMoney(anyCurrency().Draw(t, "currency")).Draw(t, "a")
		want := roundedAway(exact(a), a.Currency().MinorUnit())
		got := a.Round()
		assert.Zero(t, want.Cmp(exact(got)), "%s rounds to %s, not to %s", a, want.FloatString(3), got)
		assert.True(t, got == dynastay.MustMoney(got.Amount(), got.Currency()), "%s is not == itself", got)
		assert.True(t, got == got.Round())
	})
	for _, c := range []struct{ amount, currency, want string }{
		{"0.125", "USD", "0.13"}, {"-0.125", "USD", "-0.13"}, {"0.124999", "USD", "0.12"}, {"0.135", "USD", "0.14"},
		{"0.5", "JPY", "1"}, {"1.5", "JPY", "2"}, {"2.5", "JPY", "3"}, {"-0.5", "JPY", "-1"}, {"-0.4", "JPY", "0"},
		{"0.0005", "KWD", "0.001"}, {"0.0004", "KWD", "0.000"}, {"-0.001", "USD", "0.00"},
		{"9999999999999999.95", "USD", "9999999999999999.95"}, {"999999999999999.999", "USD", "1000000000000000.00"},
	} {
		got := dynastay.MustMoney(c.amount, dynastay.Currency(c.currency)).Round()
		assert.Equal(t, c.want, got.Amount(), "%v", c)
		assert.True(t, got == dynastay.MustMoney(c.want, dynastay.Currency(c.currency)), "%v", c)
	}
}

func TestMoneyDividedByRoundsHalfAwayFromZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyMoney(anyCurrency().Draw(t, "currency")).Draw(t, "a")
		n := rapid.OneOf(rapid.IntRange(-400, 400), rapid.Int()).Filter(func(n int) bool { return n != 0 }).Draw(t, "n")
		want := roundedAway(new(big.Rat).Quo(exact(a), new(big.Rat).SetInt64(int64(n))), a.Currency().MinorUnit())
		got, err := a.DividedBy(n)
		checkExact(t, want, got, err)
	})
	for _, c := range []struct {
		amount, currency string
		n                int
		want             string
	}{
		{"100", "USD", 3, "33.33"}, {"0.01", "USD", 2, "0.01"}, {"-0.01", "USD", 2, "-0.01"}, {"0.01", "USD", -2, "-0.01"},
		{"0.01", "USD", 3, "0.00"}, {"-0.01", "USD", 3, "0.00"}, {"5", "JPY", 2, "3"}, {"0.001", "KWD", 2, "0.001"},
		// A quotient cut to 19 digits would look like a half and be rounded up.
		{"0.014999999999999999", "USD", 1, "0.01"}, {"0.005", "USD", 1, "0.01"},
		{"123456789012345678", "USD", 1, "123456789012345678.00"},
	} {
		got, err := dynastay.MustMoney(c.amount, dynastay.Currency(c.currency)).DividedBy(c.n)
		require.NoError(t, err, "%v", c)
		assert.Equal(t, c.want, got.Amount(), "%v", c)
	}
	_, err := dynastay.MustMoney("1", "USD").DividedBy(0)
	assert.Equal(t, dynastay.Invalid("N", "must not be 0"), err)
}

// A portion is rounded only once, at the end.
func TestMoneyPortion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyMoney(anyCurrency().Draw(t, "currency")).Draw(t, "a")
		times := rapid.OneOf(rapid.IntRange(-400, 400), rapid.Int()).Draw(t, "times")
		n := rapid.OneOf(rapid.IntRange(-400, 400), rapid.Int()).Filter(func(n int) bool { return n != 0 }).Draw(t, "n")
		ratio := new(big.Rat).Quo(new(big.Rat).SetInt64(int64(times)), new(big.Rat).SetInt64(int64(n)))
		want := roundedAway(ratio.Mul(ratio, exact(a)), a.Currency().MinorUnit())
		got, err := a.Portion(times, n)
		checkExact(t, want, got, err)
	})
	got, err := dynastay.MustMoney("999999999999999999", "USD").Portion(10_000, 10_000)
	require.NoError(t, err, "only the result is limited to 18 digits")
	assert.Equal(t, "999999999999999999.00 USD", got.String())
	_, err = got.Portion(1, 2)
	assert.Equal(t, dynastay.Invalid("Amount", "must have at most 18 significant digits"), err)
	_, err = got.Portion(1, 0)
	assert.Equal(t, dynastay.Invalid("N", "must not be 0"), err)
}

func TestMoneyIsEqualInAllSpellings(t *testing.T) {
	for _, spelling := range []string{"250", "250.0", "250.00", "0250.000", "+250", "250.", "250.0000000000000000000000000"} {
		m, err := dynastay.NewMoney(spelling, "USD")
		require.NoError(t, err, spelling)
		assert.True(t, m == dynastay.MustMoney("250", "USD"), spelling)
		assert.Equal(t, "250.00 USD", m.String())
	}
	for _, spelling := range []string{"0", "-0", "0.00", "-0.0", "+0", ".0"} {
		m, err := dynastay.NewMoney(spelling, "USD")
		require.NoError(t, err, spelling)
		assert.True(t, m == dynastay.MustMoney("0", "USD"), spelling)
		assert.Equal(t, "0.00 USD", m.String())
		assert.True(t, m != dynastay.Money{}, "a price of nothing is not the absence of a price")
	}
	assert.False(t, dynastay.MustMoney("250", "USD") == dynastay.MustMoney("250", "EUR"))
	assert.Equal(t, "1500 JPY", dynastay.MustMoney("1500", "JPY").String())
	assert.Equal(t, "1.500 KWD", dynastay.MustMoney("1.5", "KWD").String())
	assert.Equal(t, "1.2345 USD", dynastay.MustMoney("1.2345", "USD").String())
	assert.Equal(t, "-0.50 USD", dynastay.MustMoney("-.5", "USD").String())
}

func TestNewMoneyRefuses(t *testing.T) {
	for _, c := range []struct{ amount, currency, field string }{
		{"", "USD", "Amount"}, {".", "USD", "Amount"}, {"-", "USD", "Amount"}, {"+-1", "USD", "Amount"}, {"--1", "USD", "Amount"},
		{"1e3", "USD", "Amount"}, {"1E3", "USD", "Amount"}, {"1e-30", "USD", "Amount"}, {"NaN", "USD", "Amount"}, {"Inf", "USD", "Amount"},
		{"1,000", "USD", "Amount"}, {"1_000", "USD", "Amount"}, {"0x10", "USD", "Amount"}, {" 1", "USD", "Amount"}, {"1 ", "USD", "Amount"},
		{"1.2.3", "USD", "Amount"}, {"$1", "USD", "Amount"}, {"１", "USD", "Amount"}, {"1\x00", "USD", "Amount"},
		{"1234567890123456789", "USD", "Amount"}, {"1000000000000000000", "USD", "Amount"}, {"123456789012345.6789", "USD", "Amount"},
		{"0.00000000000000000015", "USD", "Amount"}, {"0.00000000000000000001", "USD", "Amount"}, {"-0.00000000000000000001", "USD", "Amount"},
		{strings.Repeat("9", 400), "USD", "Amount"}, {"0." + strings.Repeat("0", 400) + "1", "USD", "Amount"},
		{"1", "", "Currency"}, {"1", "usd", "Currency"}, {"1", "US", "Currency"}, {"1", "CLF", "Currency"}, {"1", "XAU", "Currency"},
		{"1", "XXX", "Currency"}, {"1", "USD ", "Currency"}, {"x", "XXX", "Currency"},
	} {
		m, err := dynastay.NewMoney(c.amount, dynastay.Currency(c.currency))
		blame.Invalid(t, err, c.field, "%v", c)
		assert.Equal(t, dynastay.Money{}, m)
		assert.Less(t, len(err.Error()), 200)
	}
	_, err := dynastay.NewMoney("1000000000000000000", "USD")
	assert.ErrorContains(t, err, "at most 18")
	_, err = dynastay.NewMoney(strings.Repeat("9", 40), "USD")
	assert.ErrorContains(t, err, "at most 18")
	assert.Panics(t, func() { dynastay.MustMoney("1e3", "USD") })
	for _, text := range []string{"", "250", "USD", "250USD", "250  USD", "250 USD ", " 250 USD", "250 usd", "USD 250"} {
		_, err := dynastay.ParseMoney(text)
		assert.ErrorIs(t, err, dynastay.ErrInvalid, "%q", text)
	}
}

func FuzzParseMoney(f *testing.F) {
	for _, seed := range []string{
		"250.00 USD", "-0.5 JPY", "123456789012345678 USD", "0.123456789012345678 KWD", "0.0000000000000000001 USD",
		"999999999999999999.0 EUR", "1e3 USD", "-0 USD", ". USD", "1 XXX", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := dynastay.ParseMoney(text)
		if err != nil {
			if m != (dynastay.Money{}) {
				t.Fatalf("%q: %v with %v", text, m, err)
			}
			return
		}
		amount, _, _ := strings.Cut(text, " ")
		if want, ok := new(big.Rat).SetString(amount); !ok || want.Cmp(exact(m)) != 0 {
			t.Fatalf("%q became %s", text, m)
		}
		if back, err := dynastay.ParseMoney(m.String()); err != nil || back != m {
			t.Fatalf("%q: %q came back as %v, %v", text, m.String(), back, err)
		}
		if _, fraction, _ := strings.Cut(m.Amount(), "."); len(fraction) < m.Currency().MinorUnit() {
			t.Fatalf("%q: %q lacks minor digits", text, m.Amount())
		}
	})
}

func TestMoneyOfMinorAndMinorAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		currency := anyCurrency().Draw(t, "currency")
		units := rapid.OneOf(rapid.Int64Range(-1e6, 1e6), rapid.Int64Range(-1e18+1, 1e18-1)).Draw(t, "units")
		m, err := dynastay.MoneyOfMinor(units, currency)
		require.NoError(t, err)
		back, err := m.Minor()
		require.NoError(t, err)
		assert.Equal(t, units, back)
		assert.True(t, m == dynastay.MustMoney(m.Amount(), currency))
		want := big.NewRat(units, int64(math.Pow10(currency.MinorUnit())))
		assert.Zero(t, want.Cmp(exact(m)))
	})
	rapid.Check(t, func(t *rapid.T) {
		m := anyMoney(anyCurrency().Draw(t, "currency")).Draw(t, "m")
		want := roundedAway(exact(m), m.Currency().MinorUnit())
		want.Mul(want, new(big.Rat).SetInt64(int64(math.Pow10(m.Currency().MinorUnit()))))
		got, err := m.Minor()
		if !want.Num().IsInt64() {
			assert.ErrorIs(t, err, dynastay.ErrInvalid, "%s", m)
			return
		}
		require.NoError(t, err, "%s", m)
		assert.Equal(t, want.Num().Int64(), got, "%s", m)
	})
	for _, units := range []int64{1e18 + 1, -1e18 - 1, math.MaxInt64, math.MinInt64} {
		_, err := dynastay.MoneyOfMinor(units, "USD")
		assert.ErrorIs(t, err, dynastay.ErrInvalid, "%d", units)
	}
	_, err := dynastay.MoneyOfMinor(1, "XXX")
	blame.Invalid(t, err, "Currency")
}

func TestMoneyOverflowIsAnError(t *testing.T) {
	most := dynastay.MustMoney("999999999999999999", "USD")
	_, err := most.Add(dynastay.MustMoney("1", "USD"))
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	_, err = most.Add(dynastay.MustMoney("0.01", "USD"))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "18 digits and two more")
	_, err = dynastay.MustMoney("-999999999999999999", "USD").Sub(most)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	_, err = most.Times(10)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	_, err = most.Times(math.MinInt)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	_, err = most.Minor()
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	whole, err := dynastay.MustMoney("0.500000000000000001", "USD").Add(dynastay.MustMoney("0.499999999999999999", "USD"))
	require.NoError(t, err, "the result needs one digit")
	assert.Equal(t, "1.00 USD", whole.String())
}

func TestMoneyOfDifferentCurrencies(t *testing.T) {
	usd, eur, none := dynastay.MustMoney("1", "USD"), dynastay.MustMoney("1", "EUR"), dynastay.Money{}
	for _, mixed := range []func() error{
		func() error { _, err := usd.Add(eur); return err },
		func() error { _, err := usd.Sub(eur); return err },
		func() error { _, err := usd.Compare(eur); return err },
		func() error { _, err := usd.Compare(none); return err },
	} {
		blame.Invalid(t, mixed(), "Currency")
	}
	sum, err := none.Add(usd)
	require.NoError(t, err)
	assert.True(t, sum == usd)
	sum, err = usd.Sub(none)
	require.NoError(t, err)
	assert.True(t, sum == usd)
	sum, err = none.Sub(usd)
	require.NoError(t, err)
	assert.Equal(t, "-1.00 USD", sum.String())
	sum, err = none.Add(none)
	require.NoError(t, err)
	assert.True(t, sum == none)

	assert.False(t, none.IsSet())
	assert.Empty(t, none.String())
	assert.True(t, usd.IsSet())
	assert.Equal(t, 1, usd.Sign())
	assert.Equal(t, 0, none.Sign())
	assert.Equal(t, -1, dynastay.MustMoney("-0.01", "USD").Sign())
	order, err := dynastay.MustMoney("9", "USD").Compare(dynastay.MustMoney("10.0", "USD"))
	require.NoError(t, err)
	assert.Equal(t, -1, order)
}

// What is paid is paid in whole minor units.
func TestMoneyValidate(t *testing.T) {
	for text, payable := range map[string]bool{
		"0 USD": true, "250 USD": true, "-250.01 USD": true, "100.00 JPY": true, "0.001 KWD": true,
		"0.001 USD": false, "-0.001 USD": false, "0.5 JPY": false, "0.0001 KWD": false,
	} {
		m, err := dynastay.ParseMoney(text)
		require.NoError(t, err)
		if err = m.Validate(); payable {
			assert.NoError(t, err, text)
			continue
		}
		invalid := blame.As[*dynastay.InvalidError](t, err, text)
		assert.Empty(t, invalid.Field, text)
		assert.Contains(t, invalid.Reason, "decimal places in "+string(m.Currency()))
	}
	odd, err := dynastay.MoneyOfDigits("1", "usd")
	require.NoError(t, err)
	for _, m := range []dynastay.Money{{}, odd} {
		blame.Invalid(t, m.Validate(), "Currency")
	}
}

func TestMoneyAsText(t *testing.T) {
	type body struct{ Price, Fee dynastay.Money }
	text, err := json.Marshal(body{Price: dynastay.MustMoney("250", "USD")})
	require.NoError(t, err)
	assert.JSONEq(t, `{"Price":"250.00 USD","Fee":""}`, string(text))
	out := body{Fee: dynastay.MustMoney("1", "EUR")}
	require.NoError(t, json.Unmarshal(text, &out))
	assert.Equal(t, body{Price: dynastay.MustMoney("250", "USD")}, out)
	err = json.Unmarshal([]byte(`{"Price":"250"}`), &out)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.EqualError(t, err, `invalid Amount: must be an amount and a currency in the form 250.00 USD, got "250"`)
}

// A stored value of a wrong kind is named in the words of the library, not of the SDK.
func TestWrongKindOfMoneyAndDate(t *testing.T) {
	for want, v := range map[string]types.AttributeValue{
		"must be text, got a number": dynastay.Number(250),
		"must be text, got a map":    &types.AttributeValueMemberM{},
	} {
		assert.EqualError(t, new(dynastay.Money).UnmarshalDynamoDBAttributeValue(v), want)
		assert.EqualError(t, new(dynastay.Date).UnmarshalDynamoDBAttributeValue(v), want)
	}
}
