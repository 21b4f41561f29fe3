package dynastay

import (
	"fmt"
	"strings"

	"github.com/govalues/decimal"
)

// Money is an exact amount in one currency. It is never a float: 0.1 + 0.2 is 0.3, and a total is the sum of its
// nights to the last digit. Two values of the same amount and currency are ==. The zero Money has no currency and
// means "no amount", which is not the same as a price of 0 USD.
//
// An amount holds up to 18 significant digits. A result that would need more is an error, never a rounded value.
type Money struct {
	amount   decimal.Decimal // trimmed: without trailing zeros, so that == compares values
	currency Currency
}

// maxDigits is what every amount can hold exactly: decimal.Decimal has 19 digits, but not all of their values.
const maxDigits = 18

// NewMoney reads an amount such as "250.00" (digits, an optional sign and point; no exponent) and checks the currency.
// Its errors name "Amount" or "Currency".
func NewMoney(amount string, currency Currency) (Money, error) {
	if err := currency.Validate(); err != nil {
		return Money{}, Within("Currency", err)
	}
	if strings.ContainsAny(amount, "eE") {
		return Money{}, Invalid("Amount", "%q is not a decimal number", truncated(amount))
	}
	d, err := parseDecimal(amount)
	if err != nil {
		return Money{}, err
	}
	return Money{d, currency}, nil
}

// MustMoney is [NewMoney] for constants: it panics on an error.
func MustMoney(amount string, currency Currency) Money {
	m, err := NewMoney(amount, currency)
	if err != nil {
		panic(err)
	}
	return m
}

// ParseMoney reads the form of [Money.String], such as "250.00 USD".
func ParseMoney(text string) (Money, error) {
	amount, currency, ok := strings.Cut(text, " ")
	if !ok {
		return Money{}, Invalid("Amount", "%q is not an amount and a currency", truncated(text))
	}
	return NewMoney(amount, Currency(currency))
}

// MoneyOfMinor makes an amount of minor units: 25000 USD minor units are 250.00 USD.
func MoneyOfMinor(units int64, currency Currency) (Money, error) {
	if err := currency.Validate(); err != nil {
		return Money{}, Within("Currency", err)
	}
	d, err := decimal.New(units, currency.MinorUnit())
	if err != nil || d.Prec() > maxDigits {
		return Money{}, Invalid("Amount", "has more than %d digits", maxDigits)
	}
	return Money{d.Trim(0), currency}, nil
}

// parseDecimal is exact or fails: decimal.Parse itself would round what it cannot hold.
func parseDecimal(text string) (decimal.Decimal, error) {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	digits := strings.TrimLeft(strings.Replace(strings.TrimLeft(mantissa, "+-"), ".", "", 1), "0")
	if strings.Contains(mantissa, ".") {
		digits = strings.TrimRight(digits, "0")
	}
	d, err := decimal.Parse(text)
	switch {
	case err != nil:
		return d, Invalid("Amount", "%q is not a decimal number", truncated(text))
	case len(digits) > maxDigits || d.Prec() > maxDigits || d.IsZero() != (strings.Trim(digits, "0") == ""):
		return d, Invalid("Amount", "%q has more than %d significant digits", truncated(text), maxDigits)
	}
	d = d.Trim(0)
	// An amount such as 1e-30 lies below what the type can hold; it must not turn into another number.
	if back, err := decimal.Parse(text); err != nil || back.Cmp(d) != 0 {
		return d, Invalid("Amount", "%q is out of range", truncated(text))
	}
	return d, nil
}

// Currency is the amount's currency, "" for the zero Money.
func (m Money) Currency() Currency { return m.currency }

// IsSet reports whether m is an amount at all; it is false only for the zero Money.
func (m Money) IsSet() bool { return m.currency != "" }

// Sign is -1, 0 or +1.
func (m Money) Sign() int { return m.amount.Sign() }

// Amount is the exact number with at least the currency's minor digits: "250.00", "1500" for JPY.
func (m Money) Amount() string {
	return m.amount.Pad(max(m.amount.Scale(), m.currency.MinorUnit())).String()
}

// String is the amount and the currency, "250.00 USD"; "" for the zero Money.
func (m Money) String() string {
	if !m.IsSet() {
		return ""
	}
	return m.Amount() + " " + string(m.currency)
}

// Minor is the amount in minor units, rounded as in [Money.Round]: what payment providers ask for.
func (m Money) Minor() int64 {
	rounded := m.Round().amount
	digits := m.currency.MinorUnit()
	whole, frac, _ := rounded.Int64(digits)
	for range digits {
		whole *= 10
	}
	return whole + frac
}

// Add is m + other. Both need the same currency; a zero Money on either side counts as nothing.
func (m Money) Add(other Money) (Money, error) {
	return m.combine(other, decimal.Decimal.AddExact)
}

// Sub is m − other, under the rules of [Money.Add].
func (m Money) Sub(other Money) (Money, error) {
	return m.combine(other, decimal.Decimal.SubExact)
}

func (m Money) combine(other Money, op func(a, b decimal.Decimal, scale int) (decimal.Decimal, error)) (Money, error) {
	currency := m.currency
	if currency == "" {
		currency = other.currency
	}
	if other.IsSet() && other.currency != currency {
		return Money{}, Invalid("Currency", "%s and %s do not add up", m.currency, other.currency)
	}
	return exactly(currency)(op(m.amount, other.amount, max(m.amount.Scale(), other.amount.Scale())))
}

// Times is m × n.
func (m Money) Times(n int) (Money, error) {
	factor, err := decimal.New(int64(n), 0)
	if err != nil {
		return Money{}, Invalid("Amount", "cannot be multiplied by %d", n)
	}
	return exactly(m.currency)(m.amount.MulExact(factor, m.amount.Scale()))
}

// DividedBy is m ÷ n, rounded as in [Money.Round]. n must not be 0.
func (m Money) DividedBy(n int) (Money, error) {
	divisor, err := decimal.New(int64(n), 0)
	if err != nil || n == 0 {
		return Money{}, Invalid("Amount", "cannot be divided by %d", n)
	}
	// The integer quotient and remainder of minor units decide the rounding exactly; a rounded quotient could not.
	digits := m.currency.MinorUnit()
	unit, err := decimal.New(1, digits)
	if err != nil {
		return Money{}, Invalid("Amount", "is out of range")
	}
	scaled, err := divisor.MulExact(unit, digits)
	if err != nil {
		return Money{}, Invalid("Amount", "cannot be divided by %d", n)
	}
	q, r, err := m.amount.QuoRem(scaled)
	if err != nil {
		return Money{}, Invalid("Amount", "is out of range")
	}
	twice, err := r.Add(r)
	if err != nil {
		return Money{}, Invalid("Amount", "is out of range")
	}
	if twice.CmpAbs(scaled) >= 0 {
		away, _ := decimal.New(int64(m.Sign()*divisor.Sign()), 0)
		if q, err = q.Add(away); err != nil {
			return Money{}, Invalid("Amount", "is out of range")
		}
	}
	return exactly(m.currency)(q.MulExact(unit, digits))
}

func exactly(currency Currency) func(decimal.Decimal, error) (Money, error) {
	return func(d decimal.Decimal, err error) (Money, error) {
		if err != nil || d.Prec() > maxDigits {
			return Money{}, Invalid("Amount", "has more than %d significant digits", maxDigits)
		}
		return Money{d.Trim(0), currency}, nil
	}
}

// Round is m at the currency's minor unit, half away from zero: 0.125 USD is 0.13, −0.125 USD is −0.13.
func (m Money) Round() Money {
	digits := m.currency.MinorUnit()
	if m.amount.Scale() <= digits {
		return m
	}
	cut := m.amount.Trunc(digits)
	rest, _ := m.amount.SubExact(cut, m.amount.Scale()) // cannot overflow: it is smaller than the amount
	twice, _ := rest.Add(rest)
	unit, _ := decimal.New(1, digits)
	if twice.CmpAbs(unit) >= 0 {
		cut, _ = cut.Add(unit.CopySign(m.amount))
	}
	return Money{cut.Trim(0), m.currency}
}

// Compare is -1, 0 or +1. Amounts of different currencies cannot be compared; that is an error.
func (m Money) Compare(other Money) (int, error) {
	if m.currency != other.currency {
		return 0, Invalid("Currency", "%s and %s cannot be compared", m.currency, other.currency)
	}
	return m.amount.Cmp(other.amount), nil
}

// MarshalText is the form of [Money.String].
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads the form of [Money.String]; empty text is the zero Money.
func (m *Money) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*m = Money{}
		return nil
	}
	parsed, err := ParseMoney(string(text))
	if err != nil {
		return fmt.Errorf("money: %w", err)
	}
	*m = parsed
	return nil
}
