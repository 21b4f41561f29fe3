package charges

import (
	"fmt"
	"math/big"

	"github.com/dynastay/dynastay"
)

// Bill returns what the charges of a stay come to. It is a pure function, and exact: the discount is allotted to the prices
// first, in whole minor units, then the included charges are worked out of them, and then those that are added. Each charge
// is rounded once, half up, after it was computed for all nights. A charge that comes to 0 has no entry.
//
// An amount that is not counted by rooms and nights, such as one per stay, is spread over the lines and nights that it is
// for in proportion to their prices.
//
// An invalid list or stay is a [*dynastay.InvalidError], and so are included charges that are more than the price, and a
// charge by the price for a guest if it is not known who stays in which of several rooms. A nil list has no charges.
func (l *List) Bill(b Booked) (*Bill, error) {
	if l == nil {
		l = &List{}
	}
	if err := l.validateCharges(); err != nil {
		return nil, err
	}
	s, err := b.compute()
	if err != nil {
		return nil, err
	}
	if currency := l.Currency(); currency != "" && currency != s.currency {
		return nil, dynastay.Invalid("Currency", "must be %s, the currency of the charges, got %s", currency, s.currency)
	}
	if err := s.included(l); err != nil {
		return nil, err
	}
	bill := &Bill{}
	for i := range l.Charges {
		c := &l.Charges[i]
		if !c.Included {
			if s.parts[i], err = s.added(l, c); err != nil {
				return nil, err
			}
		}
		entry, err := s.entry(c, s.parts[i])
		if err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Charges[%d]", i), err)
		}
		if entry.Amount.Sign() > 0 {
			bill.Entries = append(bill.Entries, entry)
		}
	}
	if err := bill.add(s.currency); err != nil {
		return nil, err
	}
	return bill, nil
}

// added computes a charge that is not included, after those before it.
func (s *computation) added(l *List, c *Charge) (p part, err error) {
	of := &s.net
	if c.Gross {
		of = &s.gross
	}
	if !c.hasRate() {
		p.cells, err = s.amounts(c, of, s.total)
		return p, err
	}
	p.cells, p.rates = s.zeros(), s.rates(c, of)
	for cell, rate := range p.rates {
		if rate == 0 {
			continue
		}
		base := p.cells[cell]
		for i, component := range components {
			if c.of(component) {
				base.Add(base, of[i][cell])
			}
		}
		for _, id := range c.On {
			base.Add(base, s.parts[l.index(id)].cells[cell])
		}
		base.Mul(base, rate.fraction())
	}
	return p, nil
}

// entry rounds a charge, and allots it to lines and nights.
func (s *computation) entry(c *Charge, p part) (Entry, error) {
	e := Entry{ID: c.ID, Name: c.Name, Kind: c.Kind, Included: c.Included, AtProperty: c.AtProperty, Kept: c.Kept}
	amount := halfUp(sum(p.cells))
	var err error
	if e.Amount, err = moneyOf(amount, s.currency); err != nil || e.Amount.Sign() == 0 {
		return e, dynastay.Within("Amount", err)
	}
	if c.hasRate() {
		base, rate := p.base()
		e.Rate = rate
		if e.Base, err = moneyOf(halfUp(base), s.currency); err != nil {
			return e, dynastay.Within("Base", err)
		}
	}
	lines, nights := make([]*big.Int, s.lines()), make([]*big.Int, s.nights)
	for cell, n := range allot(amount, p.cells) {
		plus(lines, cell%s.lines(), n)
		plus(nights, cell/s.lines(), n)
	}
	e.Lines = s.moneys(lines)
	if c.Kept == KeptIfStayed {
		e.Nights = s.moneys(nights)
	}
	return e, nil
}

func plus(all []*big.Int, i int, n *big.Int) {
	if all[i] == nil {
		all[i] = new(big.Int)
	}
	all[i].Add(all[i], n)
}

// moneys returns parts of an amount that is known to fit.
func (s *computation) moneys(minor []*big.Int) []dynastay.Money {
	all := make([]dynastay.Money, len(minor))
	for i, n := range minor {
		all[i], _ = moneyOf(n, s.currency)
	}
	return all
}

// base returns what a percentage is of, and the percentage if it is the same wherever it comes to something.
func (p part) base() (*big.Rat, Rate) {
	by := map[Rate]*big.Rat{}
	for cell, x := range p.cells {
		if x.Sign() == 0 {
			continue
		}
		rate := p.rates[cell]
		if by[rate] == nil {
			by[rate] = new(big.Rat)
		}
		by[rate].Add(by[rate], x)
	}
	base, one := new(big.Rat), Rate(0)
	for rate, x := range by {
		base.Add(base, x.Quo(x, rate.fraction()))
		one = rate
	}
	if len(by) > 1 {
		one = 0
	}
	return base, one
}
