package dynastay

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/govalues/decimal"

	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/internal/stored"
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
		return Money{}, Invalid("Amount", "must be a decimal number, got %q", shown.Truncated(amount))
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
		return Money{}, Invalid("Amount", "must be an amount and a currency, got %q", shown.Truncated(text))
	}
	return NewMoney(amount, Currency(currency))
}

// MoneyOfDigits reads an amount as it is stored: a number as DynamoDB writes it, with an exponent where it has one. The
// currency is not checked, so that what other software stored can be read.
func MoneyOfDigits(digits string, currency Currency) (Money, error) {
	d, err := parseDecimal(digits)
	if err != nil {
		return Money{}, err
	}
	return Money{d, currency}, nil
}

// Digits is the number as it is stored: without zeros at its end, and without the currency.
func (m Money) Digits() string { return m.amount.String() }

// MoneyOfMinor makes an amount of minor units: 25000 USD minor units are 250.00 USD.
func MoneyOfMinor(units int64, currency Currency) (Money, error) {
	if err := currency.Validate(); err != nil {
		return Money{}, Within("Currency", err)
	}
	return moneyOf(big.NewInt(units), currency.MinorUnit(), currency)
}

// moneyOf is coef ÷ 10^scale, exactly or not at all. It takes coef for its own.
func moneyOf(coef *big.Int, scale int, currency Currency) (Money, error) {
	rest := new(big.Int)
	for scale > 0 {
		if rest.Rem(coef, ten); rest.Sign() != 0 {
			break
		}
		coef.Quo(coef, ten)
		scale--
	}
	if coef.CmpAbs(tooMany) >= 0 {
		return Money{}, Invalid("Amount", "must have at most %d significant digits", maxDigits)
	}
	d, err := decimal.New(coef.Int64(), scale)
	if err != nil {
		return Money{}, Invalid("Amount", "must have at most %d decimal places", decimal.MaxScale)
	}
	return Money{d, currency}, nil
}

var (
	ten     = big.NewInt(10)
	tooMany = powerOfTen(maxDigits)
)

func powerOfTen(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }

// parseDecimal is exact or fails, where decimal.Parse would round what it cannot hold.
func parseDecimal(text string) (decimal.Decimal, error) {
	n, ok := stored.ReadNumeral(text)
	zeros := max(0, -n.Scale)
	switch {
	case !ok:
		return decimal.Decimal{}, Invalid("Amount", "must be a decimal number, got %q", shown.Truncated(text))
	case len(n.Digits)+zeros > maxDigits:
		return decimal.Decimal{}, Invalid("Amount", "must have at most %d significant digits, got %q", maxDigits, shown.Truncated(text))
	case n.Scale > decimal.MaxScale:
		return decimal.Decimal{}, Invalid("Amount", "must have at most %d decimal places, got %q", decimal.MaxScale, shown.Truncated(text))
	case n.Digits == "":
		return decimal.Decimal{}, nil
	}
	coef, err := strconv.ParseInt(n.Digits+strings.Repeat("0", zeros), 10, 64)
	if err != nil {
		return decimal.Decimal{}, err // not with so few digits
	}
	if n.Negative {
		coef = -coef
	}
	return decimal.New(coef, max(0, n.Scale))
}

// Currency is the amount's currency, "" for the zero Money.
func (m Money) Currency() Currency { return m.currency }

// IsSet reports whether m is an amount at all; it is false only for the zero Money.
func (m Money) IsSet() bool { return m.currency != "" }

// Sign is -1, 0 or +1.
func (m Money) Sign() int { return m.amount.Sign() }

// Amount is the exact number with at least the currency's minor digits: "250.00", "1500" for JPY.
func (m Money) Amount() string {
	text := m.amount.String()
	missing := m.currency.MinorUnit() - m.amount.Scale()
	if missing <= 0 {
		return text
	}
	if m.amount.Scale() == 0 {
		text += "."
	}
	return text + strings.Repeat("0", missing)
}

// String is the amount and the currency, "250.00 USD"; "" for the zero Money.
func (m Money) String() string {
	if !m.IsSet() {
		return ""
	}
	return m.Amount() + " " + string(m.currency)
}

// Minor is the amount in minor units, rounded as in [Money.Round]: what payment providers ask for. An amount that an
// int64 does not hold is an error.
func (m Money) Minor() (int64, error) {
	units := m.minorUnits(1)
	if !units.IsInt64() {
		return 0, Invalid("Amount", "is out of range")
	}
	return units.Int64(), nil
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
		return Money{}, Invalid("Currency", "cannot add or subtract %s and %s", m.currency, other.currency)
	}
	d, err := op(m.amount, other.amount, max(m.amount.Scale(), other.amount.Scale()))
	if d = d.Trim(0); err != nil || d.Prec() > maxDigits {
		return Money{}, Invalid("Amount", "must have at most %d significant digits", maxDigits)
	}
	return Money{d, currency}, nil
}

// Times is m × n.
func (m Money) Times(n int) (Money, error) {
	product := big.NewInt(int64(n))
	return moneyOf(product.Mul(product, m.coefficient()), m.amount.Scale(), m.currency)
}

// DividedBy is m ÷ n, rounded as in [Money.Round]. n must not be 0.
func (m Money) DividedBy(n int) (Money, error) {
	if n == 0 {
		return Money{}, Invalid("Amount", "cannot be divided by 0")
	}
	return moneyOf(m.minorUnits(n), m.currency.MinorUnit(), m.currency)
}

// coefficient is the amount without its point.
func (m Money) coefficient() *big.Int {
	coef := new(big.Int).SetUint64(m.amount.Coef())
	if m.amount.IsNeg() {
		coef.Neg(coef)
	}
	return coef
}

// minorUnits is m ÷ n in minor units, half away from zero. Whole numbers decide the rounding: a quotient that was cut
// to some length first could not.
func (m Money) minorUnits(n int) *big.Int {
	numerator, denominator := m.coefficient(), big.NewInt(int64(n))
	negative := numerator.Sign()*denominator.Sign() < 0
	numerator.Abs(numerator).Mul(numerator, powerOfTen(m.currency.MinorUnit()))
	denominator.Abs(denominator).Mul(denominator, powerOfTen(m.amount.Scale()))
	// a/b + 1/2 is (2a + b) / 2b
	units := numerator.Lsh(numerator, 1).Add(numerator, denominator)
	units.Quo(units, denominator.Lsh(denominator, 1))
	if negative {
		units.Neg(units)
	}
	return units
}

// Round is m at the currency's minor unit, half away from zero: 0.125 USD is 0.13, −0.125 USD is −0.13.
func (m Money) Round() Money {
	digits := m.currency.MinorUnit()
	if m.amount.Scale() <= digits {
		return m
	}
	rounded, _ := moneyOf(m.minorUnits(1), digits, m.currency) // cannot fail: it has fewer digits than m
	return rounded
}

// Compare is -1, 0 or +1. Amounts of different currencies cannot be compared; that is an error.
func (m Money) Compare(other Money) (int, error) {
	if m.currency != other.currency {
		return 0, Invalid("Currency", "cannot compare %s and %s", m.currency, other.currency)
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
