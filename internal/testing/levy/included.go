package levy

import (
	"math/big"
	"slices"

	"github.com/dynastay/dynastay/availability/charges"
)

// take works out the included charges, and what they leave. It returns the fields of which one is refused.
func (a *assessor) take() []string {
	a.net = map[charges.Component][][]*big.Rat{charges.Lodging: a.grid(), charges.Meals: a.grid()}
	a.share = map[string]map[charges.Component][][]*big.Rat{}
	var included []int
	amounts := map[string]map[charges.Component][][]*big.Rat{}
	rates := map[string][][]*big.Rat{}
	for i, c := range a.list.Charges {
		if !c.Included {
			continue
		}
		if a.unknown(c) {
			return []string{"Lines"}
		}
		included = append(included, i)
		a.parts[c.ID] = a.grid()
		a.share[c.ID] = map[charges.Component][][]*big.Rat{charges.Lodging: a.grid(), charges.Meals: a.grid()}
		if percent(c) {
			rates[c.ID] = a.rates(c)
			continue
		}
		in := charges.Lodging
		if len(c.Of) == 1 {
			in = c.Of[0]
		}
		amounts[c.ID] = map[charges.Component][][]*big.Rat{charges.Lodging: a.grid(), charges.Meals: a.grid()}
		a.owe(c, amounts[c.ID][in], in)
	}
	var refused []string
	for _, component := range components {
		a.each(func(s spot) {
			equations := a.equations(included, amounts, rates, component, s)
			solved := solve(equations)
			if solved[0].Sign() < 0 {
				refused = append(refused, field(a.culprit(included, equations)))
			}
			a.net[component][s.room][s.night] = solved[0]
			for k, i := range included {
				id := a.list.Charges[i].ID
				a.share[id][component][s.room][s.night] = solved[k+1]
				part := a.parts[id][s.room][s.night]
				part.Add(part, solved[k+1])
			}
		})
	}
	return refused
}

// culprit returns the first charge with which the charges are more than the price.
func (a *assessor) culprit(included []int, equations [][]*big.Rat) int {
	for k := range included {
		// Only the charges up to this one: they do not depend on later ones.
		var some [][]*big.Rat
		for _, row := range equations[:k+2] {
			some = append(some, append(slices.Clone(row[:k+2]), row[len(row)-1]))
		}
		if solve(some)[0].Sign() < 0 {
			return included[k]
		}
	}
	panic("the charges are not more than the price")
}

// equations returns one row for the price, which is its net and all charges, and one for each charge: the coefficients of
// the net and of each charge, and the constant that they come to.
func (a *assessor) equations(
	included []int, amounts map[string]map[charges.Component][][]*big.Rat, rates map[string][][]*big.Rat,
	component charges.Component, s spot,
) [][]*big.Rat {
	n := len(included) + 1
	rows := make([][]*big.Rat, n)
	for i := range rows {
		rows[i] = make([]*big.Rat, n+1)
		for j := range rows[i] {
			rows[i][j] = new(big.Rat)
		}
	}
	gross := a.gross[component][s.room][s.night]
	for j := range n {
		rows[0][j].SetInt64(1)
	}
	rows[0][n].Set(gross)
	for k, i := range included {
		c, row := a.list.Charges[i], rows[k+1]
		row[k+1].SetInt64(1)
		if !percent(c) {
			row[n].Set(amounts[c.ID][component][s.room][s.night])
			continue
		}
		rate := rates[c.ID][s.room][s.night]
		if slices.Contains(c.Of, component) {
			if c.Gross {
				row[n].Mul(rate, gross)
			} else {
				row[0].Neg(rate)
			}
		}
		for other, j := range included {
			if slices.Contains(c.On, a.list.Charges[j].ID) {
				row[other+1].Neg(rate)
			}
		}
	}
	return rows
}

// solve solves linear equations by elimination, without changing them.
func solve(equations [][]*big.Rat) []*big.Rat {
	n := len(equations)
	rows := make([][]*big.Rat, n)
	for i, row := range equations {
		for _, x := range row {
			rows[i] = append(rows[i], new(big.Rat).Set(x))
		}
	}
	for col := range n {
		pivot := slices.IndexFunc(rows[col:], func(row []*big.Rat) bool { return row[col].Sign() != 0 }) + col
		rows[col], rows[pivot] = rows[pivot], rows[col]
		for i := range n {
			if i == col || rows[i][col].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(rows[i][col], rows[col][col])
			for j := col; j <= n; j++ {
				if rows[col][j].Sign() != 0 {
					rows[i][j].Sub(rows[i][j], new(big.Rat).Mul(factor, rows[col][j]))
				}
			}
		}
	}
	solved := make([]*big.Rat, n)
	for i := range n {
		solved[i] = new(big.Rat).Quo(rows[i][n], rows[i][i])
	}
	return solved
}
