package key

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// Thousandths is an amount in keys, in thousandths of a currency's unit: 150000 for 150.00 USD. Three decimals are what
// the finest currency has.
type Thousandths int64

// PriceOf is the price of an amount, for [Price]. An amount that is missing, negative, finer than a thousandth, or has
// more than twelve digits before the point is refused: rounded, it would sort among the wrong neighbours. Its errors
// name "Price".
func PriceOf(m dynastay.Money) (Thousandths, error) {
	if !m.IsSet() {
		return 0, dynastay.Invalid("Price", "is required")
	}
	n, err := keytext.Thousandths(m.Amount())
	if err != nil {
		return 0, dynastay.Invalid("Price", "%v", err)
	}
	return Thousandths(n), nil
}

// Price is a price of [PriceOf] with 12 digits and 3 decimals, in order: 000000000150.000. The text leaves the currency
// out; prices compare within one currency only. A negative price is refused, and one of more digits.
func Price(name string, p *Thousandths) Value { return Value{field: name, kind: (*priceValue)(p)} }

type priceValue Thousandths

func (v *priceValue) encode() (string, error) { return keytext.Decimal(int64(*v)) }

func (v *priceValue) decode(text string) error {
	n, err := keytext.Thousandths(text)
	*v = priceValue(n)
	return err
}
