package charges

import (
	"fmt"
	"math/big"

	"github.com/dynastay/dynastay"
)

// maxCount limits numbers of rooms and guests. It is more than a booking has, and no sum of them overflows.
const maxCount = 1_000_000

const maxChildAge = 17

// components are the parts of a price, in the order in which they get the cents of a discount that cannot be divided.
var components = [...]Component{Lodging, Meals}

// computation is a stay whose charges are computed. It has one cell for each night and line, in the order of the nights
// and then of the lines, in which they get what cannot be divided. All amounts are in minor units.
type computation struct {
	booked   Booked
	nights   int
	currency dynastay.Currency
	known    bool                        // it is known who stays in which room
	gross    [len(components)][]*big.Rat // the price of all rooms of the line, less the discount
	total    []*big.Rat                  // the sum of gross
	net      [len(components)][]*big.Rat // gross without the included charges
	parts    []part                      // of each charge of the list so far
}

// part is what a charge comes to, exactly.
type part struct {
	cells []*big.Rat
	rates []Rate // of a percentage: that of each cell, 0 where it is not charged
}

func (s *computation) lines() int { return len(s.booked.Lines) }

func (s *computation) cells() int { return s.nights * s.lines() }

func (s *computation) cell(night, line int) int { return night*s.lines() + line }

func (s *computation) line(cell int) Line { return s.booked.Lines[cell%s.lines()] }

func (s *computation) zeros() []*big.Rat { return zeros(s.cells()) }

// compute checks a stay and returns its computation, before any charge.
func (b Booked) compute() (*computation, error) {
	if err := b.Stay.Validate(); err != nil {
		return nil, dynastay.Within("Stay", err)
	}
	s := &computation{booked: b, nights: b.Stay.Nights()}
	switch {
	case s.nights > maxNights:
		return nil, dynastay.Invalid("Stay", "must have at most %d nights", maxNights)
	case len(b.Lines) == 0:
		return nil, dynastay.Invalid("Lines", "must have at least one line")
	}
	s.known = b.Lines[0].Guests != nil
	s.currency = firstCurrency(b.Lines[0])
	for i, line := range b.Lines {
		if err := s.checkLine(line); err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Lines[%d]", i), err)
		}
	}
	if !s.known {
		if err := (Guests{Adults: b.Adults, Children: b.Children}).validate(); err != nil {
			return nil, err
		}
		s.seatAll()
	}
	return s, s.discount()
}

func firstCurrency(l Line) dynastay.Currency {
	if len(l.Nights) == 0 {
		return ""
	}
	return l.Nights[0].Lodging.Currency()
}

// seatAll puts the guests of a booking of one room into that room.
func (s *computation) seatAll() {
	if len(s.booked.Lines) == 1 && s.booked.Lines[0].Rooms == 1 {
		only := s.booked.Lines[0]
		only.Guests = &Guests{Adults: s.booked.Adults, Children: s.booked.Children}
		s.booked.Lines, s.known = []Line{only}, true
	}
}

func (s *computation) checkLine(l Line) error {
	switch {
	case l.Rooms < 1 || l.Rooms > maxCount:
		return dynastay.Invalid("Rooms", "must be between 1 and 1,000,000")
	case len(l.Nights) != s.nights:
		return dynastay.Invalid("Nights", "must have one price for each of the %d nights of the stay", s.nights)
	case (l.Guests != nil) != s.known:
		return dynastay.Invalid("Guests", "must be set for all lines or for none")
	}
	if l.Guests != nil {
		if err := l.Guests.validate(); err != nil {
			return dynastay.Within("Guests", err)
		}
	}
	for n, price := range l.Nights {
		at := fmt.Sprintf("Nights[%d].", n)
		if !price.Lodging.IsSet() {
			return dynastay.Invalid(at+"Lodging", "is required")
		}
		if err := s.checkPrice(at+"Lodging", price.Lodging); err != nil {
			return err
		}
		if err := s.checkPrice(at+"Meals", price.Meals); err != nil {
			return err
		}
	}
	return nil
}

// checkPrice checks a price that may be unset. One without a currency is not unset: it would count.
func (s *computation) checkPrice(field string, m dynastay.Money) error {
	switch {
	case m == dynastay.Money{}:
		return nil
	case !m.IsSet():
		return dynastay.Invalid(field, "must have a currency")
	case !m.Currency().Known():
		return dynastay.Within(field+".Currency", m.Currency().Validate())
	case m.Currency() != s.currency:
		return dynastay.Invalid(field+".Currency", "must be %s, the currency of the stay's other prices", s.currency)
	case m.Sign() < 0:
		return dynastay.Invalid(field, "must not be negative")
	}
	return nil
}

func (g Guests) validate() error {
	switch {
	case g.Adults < 1 || g.Adults > maxCount:
		return dynastay.Invalid("Adults", "must be between 1 and 1,000,000")
	case g.Children < 0 || g.Children > maxCount:
		return dynastay.Invalid("Children", "must be between 0 and 1,000,000")
	case len(g.ChildAges) > g.Children:
		return dynastay.Invalid("ChildAges", "must have at most one age for each of the %d children", g.Children)
	}
	for i, age := range g.ChildAges {
		if age < 0 || age > maxChildAge {
			return dynastay.Invalid(fmt.Sprintf("ChildAges[%d]", i), "must be between 0 and %d", maxChildAge)
		}
	}
	return nil
}

// discount works out the prices, less the discount. It is allotted to them in proportion, in whole units of what is finest:
// the minor unit or, if a price or the discount has more decimals than the currency, the last of them. So no price gets
// more of the discount than it has.
func (s *computation) discount() error {
	if err := s.checkPrice("Discount", s.booked.Discount); err != nil {
		return err
	}
	decimals := finer(s.booked.Discount)
	prices := zeros(s.cells() * len(components))
	for cell := range s.cells() {
		l := s.line(cell)
		price, rooms := l.Nights[cell/s.lines()], big.NewRat(int64(l.Rooms), 1)
		for c, m := range [...]dynastay.Money{price.Lodging, price.Meals} {
			x := minorOf(m)
			prices[cell*len(components)+c] = x.Mul(x, rooms)
			decimals = max(decimals, finer(m))
		}
	}
	all, off := sum(prices), minorOf(s.booked.Discount)
	if off.Cmp(all) > 0 {
		return dynastay.Invalid("Discount", "must be at most the total of the lines")
	}
	if off.Sign() > 0 {
		units := new(big.Rat).SetInt(powerOfTen(decimals))
		each := new(big.Rat).Quo(new(big.Rat).Mul(off, units), all)
		exact := make([]*big.Rat, len(prices))
		for i := range prices {
			exact[i] = new(big.Rat).Mul(prices[i], each)
		}
		for i, n := range allot(new(big.Rat).Mul(off, units).Num(), exact) {
			prices[i].Sub(prices[i], new(big.Rat).SetFrac(n, units.Num()))
		}
	}
	s.total = s.zeros()
	for c := range components {
		s.gross[c] = s.zeros()
		for cell := range s.cells() {
			s.gross[c][cell] = prices[cell*len(components)+c]
			s.total[cell].Add(s.total[cell], s.gross[c][cell])
		}
	}
	return nil
}
