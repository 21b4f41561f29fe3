package charges

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/dynastay/dynastay"
)

func (c *Charge) of(component Component) bool { return slices.Contains(c.Of, component) }

// component returns where an included amount is.
func (c *Charge) component() Component {
	if slices.Equal(c.Of, []Component{Meals}) {
		return Meals
	}
	return Lodging
}

// includedShare is an included charge of a cell: fixed + ofNet × net. Which of them are percentages of others is known from
// the list, so that all of them follow from net, and net from the price: it is what the fixed shares leave, divided by
// what 1 of net comes to with all charges.
type includedShare struct{ fixed, ofNet *big.Rat }

var zero = new(big.Rat) // is never changed

// included works out the net of each price, and what the included charges come to.
func (s *computation) included(l *List) error {
	s.parts = make([]part, len(l.Charges))
	amounts := make([][]*big.Rat, len(l.Charges))
	for i := range l.Charges {
		c := &l.Charges[i]
		if !c.Included {
			continue
		}
		s.parts[i].cells = s.zeros()
		if c.hasRate() {
			s.parts[i].rates = s.rates(c, &s.gross)
			continue
		}
		var err error
		if amounts[i], err = s.amounts(c, &s.gross, s.gross[slices.Index(components[:], c.component())]); err != nil {
			return err
		}
	}
	for of := range components {
		s.net[of] = s.zeros()
		for cell := range s.cells() {
			shares := s.shares(l, of, cell, amounts)
			if err := s.divide(l, of, cell, shares); err != nil {
				return err
			}
		}
	}
	return nil
}

// shares returns what the included charges of a cell and component are, by their place in the list.
func (s *computation) shares(l *List, of, cell int, amounts [][]*big.Rat) []includedShare {
	all := make([]includedShare, len(l.Charges))
	for i := range l.Charges {
		c, x := &l.Charges[i], includedShare{zero, zero}
		switch {
		case !c.Included:
		case !c.hasRate():
			if c.component() == components[of] {
				x.fixed = amounts[i][cell]
			}
		case s.parts[i].rates[cell] != 0:
			x = includedShare{new(big.Rat), new(big.Rat)}
			switch {
			case c.of(components[of]) && c.Gross:
				x.fixed.Set(s.gross[of][cell])
			case c.of(components[of]):
				x.ofNet.SetInt64(1)
			}
			for _, id := range c.On {
				on := all[l.index(id)]
				x.fixed.Add(x.fixed, on.fixed)
				x.ofNet.Add(x.ofNet, on.ofNet)
			}
			rate := s.parts[i].rates[cell].fraction()
			x.fixed.Mul(x.fixed, rate)
			x.ofNet.Mul(x.ofNet, rate)
		}
		all[i] = x
	}
	return all
}

// divide works out the net of a cell, and adds its included charges to those of the component before.
func (s *computation) divide(l *List, of, cell int, shares []includedShare) error {
	net, each := new(big.Rat).Set(s.gross[of][cell]), big.NewRat(1, 1)
	for i, x := range shares {
		if x.fixed.Sign() != 0 {
			net.Sub(net, x.fixed)
		}
		if net.Sign() < 0 {
			return dynastay.Invalid(fmt.Sprintf("Charges[%d]", i),
				"must not be more than the price that includes it: %s of night %d", l.Charges[i].ID, cell/s.lines()+1)
		}
		if x.ofNet.Sign() != 0 {
			each.Add(each, x.ofNet)
		}
	}
	net.Quo(net, each)
	s.net[of][cell] = net
	for i, x := range shares {
		if x.fixed.Sign() == 0 && x.ofNet.Sign() == 0 {
			continue
		}
		part := new(big.Rat).Mul(x.ofNet, net)
		s.parts[i].cells[cell].Add(s.parts[i].cells[cell], part.Add(part, x.fixed))
	}
	return nil
}

// index returns the position of a charge, which must exist.
func (l *List) index(id string) int {
	return slices.IndexFunc(l.Charges, func(c Charge) bool { return c.ID == id })
}
