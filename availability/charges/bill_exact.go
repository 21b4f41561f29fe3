package charges

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
)

// minorOf returns an amount in minor units, of which it may have a part; 0 for an unset one.
func minorOf(m dynastay.Money) *big.Rat {
	whole, decimals, _ := strings.Cut(m.Digits(), ".")
	n, _ := strconv.ParseInt(whole+decimals, 10, 64) // cannot fail: an amount has at most 18 digits
	x := new(big.Rat).SetInt64(n)
	switch shift := m.Currency().MinorUnit() - len(decimals); {
	case shift > 0:
		x.Mul(x, new(big.Rat).SetInt(powerOfTen(shift)))
	case shift < 0:
		x.Quo(x, new(big.Rat).SetInt(powerOfTen(-shift)))
	}
	return x
}

// finer returns how many decimals an amount has beyond those of the minor unit.
func finer(m dynastay.Money) int {
	_, decimals, _ := strings.Cut(m.Digits(), ".")
	return max(0, len(decimals)-m.Currency().MinorUnit())
}

func powerOfTen(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// fraction returns the part of 1 that a percentage is.
func (r Rate) fraction() *big.Rat { return big.NewRat(int64(r), int64(MaxRate)) }

func zeros(n int) []*big.Rat {
	all := make([]*big.Rat, n)
	for i := range all {
		all[i] = new(big.Rat)
	}
	return all
}

func sum(all []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, x := range all {
		total.Add(total, x)
	}
	return total
}

func floor(x *big.Rat) *big.Int { return new(big.Int).Div(x.Num(), x.Denom()) }

var half = big.NewRat(1, 2)

// halfUp returns x rounded half up.
func halfUp(x *big.Rat) *big.Int { return floor(new(big.Rat).Add(x, half)) }

// allot divides a total into whole numbers by largest remainder: each part gets its exact value rounded down, and those
// that lost most get one more, until nothing is left. Of equal ones, the first gets it. The total is the sum of the exact
// values, rounded.
func allot(total *big.Int, exact []*big.Rat) []*big.Int {
	whole := make([]*big.Int, len(exact))
	left := new(big.Int).Set(total)
	for i, x := range exact {
		whole[i] = floor(x)
		left.Sub(left, whole[i])
	}
	if left.Sign() == 0 {
		return whole
	}
	order, lost := make([]int, len(exact)), make([]*big.Rat, len(exact))
	for i, x := range exact {
		order[i] = i
		lost[i] = new(big.Rat).SetInt(whole[i])
		lost[i].Sub(x, lost[i])
	}
	slices.SortStableFunc(order, func(i, j int) int { return lost[j].Cmp(lost[i]) })
	one := big.NewInt(1)
	for _, i := range order[:left.Int64()] { // fits: each part has lost less than 1
		whole[i].Add(whole[i], one)
	}
	return whole
}

// moneyOf returns an amount of minor units. It returns an error if it has more digits than [dynastay.Money].
func moneyOf(minor *big.Int, currency dynastay.Currency) (dynastay.Money, error) {
	if !minor.IsInt64() {
		return dynastay.Money{}, dynastay.Invalid("", "must have at most 18 significant digits")
	}
	m, err := dynastay.MoneyOfMinor(minor.Int64(), currency)
	if err != nil {
		return dynastay.Money{}, dynastay.Invalid("", "must have at most 18 significant digits")
	}
	return m, nil
}
