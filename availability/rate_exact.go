package availability

import (
	"math/big"

	"github.com/dynastay/dynastay"
)

// exact is an amount in ten-thousandths of a minor unit. Any percentage of a price in whole minor units is a whole number
// of them, so a price is rounded only where that is said.
type exact struct{ n *big.Int }

const perMinor = int64(dynastay.MaxPercent)

// exactOf returns an amount in whole minor units; 0 for an unset one.
func exactOf(m dynastay.Money) exact {
	minor, _ := m.Minor() // cannot overflow: the amounts of a plan and the prices of its nights are limited
	return exact{new(big.Int).Mul(big.NewInt(minor), big.NewInt(perMinor))}
}

func (x exact) plus(y exact) exact { return exact{new(big.Int).Add(x.n, y.n)} }

func (x exact) minus(y exact) exact { return exact{new(big.Int).Sub(x.n, y.n)} }

func (x exact) times(n int) exact { return exact{new(big.Int).Mul(x.n, big.NewInt(int64(n)))} }

// percent returns p percent of x, which must be in whole minor units.
func (x exact) percent(p dynastay.Percent) exact {
	n := new(big.Int).Mul(x.n, big.NewInt(int64(p)))
	return exact{n.Quo(n, big.NewInt(perMinor))}
}

// round returns x rounded half up to a multiple of step minor units.
func (x exact) round(step int64) exact {
	unit := new(big.Int).Mul(big.NewInt(step), big.NewInt(perMinor))
	n := new(big.Int).Lsh(x.n, 1)
	n.Add(n, unit).Div(n, new(big.Int).Lsh(unit, 1)) // Div rounds down, also below 0
	return exact{n.Mul(n, unit)}
}

// money returns x, which must be in whole minor units. It returns an error if it has more digits than [dynastay.Money].
func (x exact) money(currency dynastay.Currency) (dynastay.Money, error) {
	minor := new(big.Int).Quo(x.n, big.NewInt(perMinor))
	if !minor.IsInt64() {
		return dynastay.Money{}, dynastay.Invalid("Amount", "must have at most 18 significant digits")
	}
	return dynastay.MoneyOfMinor(minor.Int64(), currency)
}
