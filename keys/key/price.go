package key

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// Thousandths is an amount in keys, in thousandths of a currency's unit: 150000 for 150.00 USD. No currency that
// [dynastay.Currency] accepts has more than three decimal places.
type Thousandths int64

// PriceOf returns the price of an amount, for [Price]. It fails if the amount is not set, is negative, has more than
// three decimal places, or has more than twelve digits before the point: a rounded amount would sort in the wrong
// place. Its errors name the field "Price".
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

// Price is a price from [PriceOf], with 12 digits and 3 decimal places, which sorts by value: 000000000150.000. The
// text does not include the currency; prices are comparable only within one currency. A price must not be negative or
// have more digits.
func Price(name string, p *Thousandths) Value { return Value{field: name, kind: (*priceValue)(p)} }

type priceValue Thousandths

func (v *priceValue) encode() (string, error) { return keytext.Decimal(int64(*v)) }

func (v *priceValue) decode(text string) error {
	n, err := keytext.Thousandths(text)
	*v = priceValue(n)
	return err
}
