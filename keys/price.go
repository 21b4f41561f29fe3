package keys

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
)

// Price is an amount in keys: thousandths of a currency's unit, 150000 for 150.00 USD. Three decimals are what the
// finest currency has. The key's text leaves the currency out; prices compare within one currency only.
type Price int64

// PriceOf is the price of an amount. An amount that is missing, negative, finer than a thousandth, or has more than
// twelve digits before the point is refused: rounded, it would sort among the wrong neighbours.
func PriceOf(m dynastay.Money) (Price, error) {
	if !m.IsSet() {
		return 0, dynastay.Invalid("Price", "is missing")
	}
	n, err := keytext.Thousandths(m.Amount())
	if err != nil {
		return 0, dynastay.Invalid("Price", "%v", err)
	}
	return Price(n), nil
}
