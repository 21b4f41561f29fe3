package dynastay

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/govalues/decimal"

	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/internal/stored"
)

// Money is an exact amount in one currency. It is never a float: 0.1 + 0.2 is 0.3, and the total of a stay is exactly
// the sum of its nights. Two values with the same amount and currency are ==. The zero Money has no currency and means
// "no amount", which is not the same as a price of 0 USD.
//
// An amount has at most 18 significant digits. A result that would need more is an error and is never rounded.
type Money struct {
	amount   decimal.Decimal // trimmed: without trailing zeros, so that == compares values
	currency Currency
}

// maxDigits is the number of digits that are always exact: decimal.Decimal has 19 digits, but does not support all
// 19-digit values.
// See docs/decisions/0005-money.md for why not a decimal of any length.
const maxDigits = 18

// NewMoney parses an amount such as "250.00" (digits with an optional sign and decimal point, no exponent) and checks
// the currency, which may have been withdrawn: [Money.Validate] tells. Its errors name the field "Amount" or "Currency".
func NewMoney(amount string, currency Currency) (Money, error) {
	if !currency.Known() {
		return Money{}, Within("Currency", currency.Validate())
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

// MustMoney is like [NewMoney] but panics on an error. It is for constants.
func MustMoney(amount string, currency Currency) Money {
	m, err := NewMoney(amount, currency)
	if err != nil {
		panic(err)
	}
	return m
}

// ParseMoney parses the form of [Money.String], such as "250.00 USD".
func ParseMoney(text string) (Money, error) {
	amount, currency, ok := strings.Cut(text, " ")
	if !ok {
		return Money{}, Invalid("Amount", "must be an amount and a currency in the form 250.00 USD, got %q", shown.Truncated(text))
	}
	return NewMoney(amount, Currency(currency))
}

// MoneyOfDigits parses a stored amount: a number as DynamoDB returns it, which may have an exponent. It does not check
// the currency, so that amounts stored by other software can be read. Its error is an [*InvalidError] for the field
// "Amount".
func MoneyOfDigits(digits string, currency Currency) (Money, error) {
	d, err := parseDecimal(digits)
	if err != nil {
		return Money{}, err
	}
	return Money{d, currency}, nil
}

// Digits returns the number as it is stored: without trailing zeros and without the currency.
func (m Money) Digits() string { return m.amount.String() }

// MoneyOfMinor returns an amount given in the minor units of ISO 4217, see [Money.Minor]: 25000 minor units of USD are
// 250.00 USD. It returns an error for an invalid currency, or if the amount needs more than 18 significant digits.
func MoneyOfMinor(units int64, currency Currency) (Money, error) {
	if !currency.Known() {
		return Money{}, Within("Currency", currency.Validate())
	}
	return moneyOf(big.NewInt(units), currency.MinorUnit(), currency)
}

// moneyOf returns coef ÷ 10^scale, or an error if it cannot be represented exactly. It modifies coef.
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

// parseDecimal returns an error if it cannot represent the number exactly, whereas decimal.Parse would round it.
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
		return decimal.Decimal{}, err // cannot fail with so few digits
	}
	if n.Negative {
		coef = -coef
	}
	return decimal.New(coef, max(0, n.Scale))
}

// Currency returns the amount's currency, or "" for the zero Money.
func (m Money) Currency() Currency { return m.currency }

// IsSet reports whether m has an amount; it is false only for the zero Money.
func (m Money) IsSet() bool { return m.currency != "" }

// Sign returns -1, 0 or +1 if the amount is negative, zero or positive; 0 for the zero Money.
func (m Money) Sign() int { return m.amount.Sign() }

// Amount returns the exact number with at least as many decimal places as the currency has: "250.00", or "1500" for
// JPY.
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

// String returns the amount and the currency, such as "250.00 USD", or "" for the zero Money.
func (m Money) String() string {
	if !m.IsSet() {
		return ""
	}
	return m.Amount() + " " + string(m.currency)
}

// Minor returns the amount in the minor units of ISO 4217, rounded as by [Money.Round]: 25000 for 250.00 USD, 250 for 250
// JPY. It returns an error if the amount overflows an int64.
//
// Most payment providers count in these units for most currencies, but not for all: some expect 500 for 5 ISK or 5 UGX,
// which have no minor unit, or 5 for 5.00 MGA, and which currencies these are differs between providers and over time.
// Look up those of your provider before you pass it the result.
func (m Money) Minor() (int64, error) {
	units := m.minorUnits(1, 1)
	if !units.IsInt64() {
		return 0, Invalid("Amount", "must fit into an int64 in minor units")
	}
	return units.Int64(), nil
}

// Add returns m + other. Both must have the same currency; otherwise the error is an [*InvalidError] for the field
// "Currency". Either may be the zero Money, which adds nothing.
func (m Money) Add(other Money) (Money, error) {
	return m.combine(other, decimal.Decimal.AddExact)
}

// Sub returns m − other, with the same rules as [Money.Add].
func (m Money) Sub(other Money) (Money, error) {
	return m.combine(other, decimal.Decimal.SubExact)
}

func (m Money) combine(other Money, op func(a, b decimal.Decimal, scale int) (decimal.Decimal, error)) (Money, error) {
	currency := m.currency
	if currency == "" {
		currency = other.currency
	}
	if other.IsSet() && other.currency != currency {
		return Money{}, Invalid("Currency", "cannot add or subtract amounts in %s and %s", m.currency, other.currency)
	}
	d, err := op(m.amount, other.amount, max(m.amount.Scale(), other.amount.Scale()))
	if d = d.Trim(0); err != nil || d.Prec() > maxDigits {
		return Money{}, Invalid("Amount", "must have at most %d significant digits", maxDigits)
	}
	return Money{d, currency}, nil
}

// Times returns m × n. It returns an error if the result needs more than 18 significant digits.
func (m Money) Times(n int) (Money, error) {
	product := big.NewInt(int64(n))
	return moneyOf(product.Mul(product, m.coefficient()), m.amount.Scale(), m.currency)
}

// DividedBy returns m ÷ n, rounded as by [Money.Round]. If n is 0, it returns an error.
func (m Money) DividedBy(n int) (Money, error) { return m.Portion(1, n) }

// Portion returns m × times ÷ n, rounded only once, as by [Money.Round]: Portion(15, 100) is 15 percent of m. It
// returns an error if n is 0, or if the result needs more than 18 significant digits.
func (m Money) Portion(times, n int) (Money, error) {
	if n == 0 {
		return Money{}, Invalid("N", "must not be 0")
	}
	return moneyOf(m.minorUnits(times, n), m.currency.MinorUnit(), m.currency)
}

// coefficient is the amount without its decimal point.
func (m Money) coefficient() *big.Int {
	coef := new(big.Int).SetUint64(m.amount.Coef())
	if m.amount.IsNeg() {
		coef.Neg(coef)
	}
	return coef
}

// minorUnits returns m × times ÷ n in minor units, rounded half away from zero. It uses integers, because a quotient
// that was already truncated could be rounded wrongly.
func (m Money) minorUnits(times, n int) *big.Int {
	numerator, denominator := m.coefficient(), big.NewInt(int64(n))
	numerator.Mul(numerator, big.NewInt(int64(times)))
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

// Round returns m rounded to the currency's minor unit, half away from zero: 0.125 USD becomes 0.13, −0.125 USD becomes
// −0.13.
func (m Money) Round() Money {
	digits := m.currency.MinorUnit()
	if m.amount.Scale() <= digits {
		return m
	}
	rounded, _ := moneyOf(m.minorUnits(1, 1), digits, m.currency) // cannot fail: it has fewer digits than m
	return rounded
}

// Validate checks an amount that is to be agreed on, such as a price. Its currency must be active (the field is
// "Currency"), and it must not have more decimal places than the currency's minor unit: 0.001 USD is refused, 0.001 KWD
// is not.
func (m Money) Validate() error {
	if err := m.currency.Validate(); err != nil {
		return Within("Currency", err)
	}
	return m.ValidatePaid()
}

// ValidatePaid checks an amount that was agreed on before, such as that of a payment: like Validate, but in any currency,
// because that of a stored price may have been withdrawn since. What is paid must be in the currency of what is owed.
func (m Money) ValidatePaid() error {
	if !m.IsSet() {
		return Within("Currency", m.currency.Validate())
	}
	if digits := m.currency.MinorUnit(); m.amount.Scale() > digits {
		return Invalid("", "must have at most %d decimal places in %s", digits, m.currency)
	}
	return nil
}

// Compare returns -1, 0 or +1 if m is less than, equal to or greater than other. Amounts in different currencies cannot
// be compared, nor can an amount and the zero Money: the error is an [*InvalidError] for the field "Currency".
func (m Money) Compare(other Money) (int, error) {
	if m.currency != other.currency {
		return 0, Invalid("Currency", "cannot compare amounts in %q and %q", m.currency, other.currency)
	}
	return m.amount.Cmp(other.amount), nil
}

// MarshalText returns the form of [Money.String].
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText parses the form of [Money.String]; empty text is the zero Money.
func (m *Money) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*m = Money{}
		return nil
	}
	parsed, err := ParseMoney(string(text))
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

// MarshalDynamoDBAttributeValue implements attributevalue.Marshaler of the SDK, for structs with dynamodbav tags.
func (m Money) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return textOrNull(m.String()), nil
}

// UnmarshalDynamoDBAttributeValue implements attributevalue.Unmarshaler of the SDK, for structs with dynamodbav tags.
func (m *Money) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	return readTextOrNull(v, m)
}
