package charges

import (
	"math/big"

	"github.com/dynastay/dynastay"
)

// applies reports whether a charge is for the stay at all.
func (s *computation) applies(c *Charge) bool {
	long := s.nights >= c.MinStay && (c.MaxStay == 0 || s.nights <= c.MaxStay)
	return long && (c.Per.nightly() || c.on(s.booked.Stay.CheckIn))
}

// on reports whether a charge is for a date.
func (c *Charge) on(d dynastay.Date) bool {
	return !d.Before(c.From) && (c.Until.IsZero() || d.Before(c.Until))
}

// charged reports whether a charge that applies is for a night.
func (s *computation) charged(c *Charge, night int) bool {
	if !c.Per.nightly() {
		return true
	}
	return (c.FirstNights == 0 || night < c.FirstNights) && c.on(s.booked.Stay.CheckIn.AddDays(night))
}

// rates returns the percentage of each cell. Of is the price that brackets compare, by component.
func (s *computation) rates(c *Charge, of *[len(components)][]*big.Rat) []Rate {
	all := make([]Rate, s.cells())
	if !s.applies(c) {
		return all
	}
	for cell := range all {
		switch {
		case !s.charged(c, cell/s.lines()):
		case len(c.Brackets) > 0:
			all[cell] = c.bracket(s.price(c, of, cell)).Rate
		default:
			all[cell] = c.Rate
		}
	}
	return all
}

// price returns the price that brackets compare: that of one room, or a guest's part of it.
func (s *computation) price(c *Charge, of *[len(components)][]*big.Rat, cell int) *big.Rat {
	l, price := s.line(cell), new(big.Rat)
	for i, component := range components {
		if c.of(component) {
			price.Add(price, of[i][cell])
		}
	}
	parts := int64(l.Rooms)
	if c.Per.guests() {
		parts *= int64(l.Guests.Adults + l.Guests.Children)
	}
	return price.Quo(price, big.NewRat(parts, 1))
}

// bracket returns the bracket of a price.
func (c *Charge) bracket(price *big.Rat) (b Bracket) {
	for _, next := range c.Brackets {
		if minorOf(next.From).Cmp(price) <= 0 {
			b = next
		}
	}
	return b
}

// amounts returns what an amount comes to in each cell. Of is the price that brackets compare, by component. What is not
// counted by cells, such as an amount per stay, is spread over the cells that it is for in proportion to their weight.
func (s *computation) amounts(c *Charge, of *[len(components)][]*big.Rat, weight []*big.Rat) ([]*big.Rat, error) {
	all := s.zeros()
	if !s.applies(c) {
		return all, nil
	}
	if len(c.Brackets) > 0 && c.Per.guests() && !s.known {
		return nil, dynastay.Invalid("Lines", "must say who stays in which room, because the price of charge %s depends on it", c.ID)
	}
	nights, lines := [][]int{upTo(s.nights)}, [][]int{upTo(s.lines())}
	if c.Per.nightly() {
		nights = each(s.nights)
	}
	if c.Per.rooms() || c.Per.guests() && s.known {
		lines = each(s.lines())
	}
	for _, nights := range nights {
		if !s.charged(c, nights[0]) {
			continue
		}
		for _, lines := range lines {
			var cells []int
			for _, night := range nights {
				for _, line := range lines {
					cells = append(cells, s.cell(night, line))
				}
			}
			amount := minorOf(c.Amount)
			if len(c.Brackets) > 0 {
				amount = minorOf(c.bracket(s.price(c, of, cells[0])).Amount) // there is one cell
			}
			s.spread(all, cells, amount.Mul(amount, big.NewRat(s.count(c, lines[0]), 1)), weight)
		}
	}
	return all, nil
}

// each returns n lists of one number, 0 to n-1.
func each(n int) [][]int {
	all := make([][]int, n)
	for i := range all {
		all[i] = []int{i}
	}
	return all
}

// upTo returns the list of 0 to n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// count returns how many times an amount is owed for a line, or for all of them if it is not for each line by itself.
func (s *computation) count(c *Charge, line int) int64 {
	l := s.booked.Lines[line]
	switch {
	case c.Per.rooms():
		return int64(l.Rooms)
	case c.Per.guests() && s.known:
		return int64(l.Rooms) * c.guests(*l.Guests)
	case c.Per.guests():
		return c.guests(Guests{Adults: s.booked.Adults, Children: s.booked.Children})
	}
	return 1
}

// guests returns how many of the guests are charged.
func (c *Charge) guests(g Guests) (n int64) {
	count := func(age, guests int) {
		if age >= c.FromAge && (c.UnderAge == 0 || age < c.UnderAge) {
			n += int64(guests)
		}
	}
	count(adultAge, g.Adults+g.Children-len(g.ChildAges))
	for _, age := range g.ChildAges {
		count(age, 1)
	}
	return n
}

// spread divides an amount in proportion to the weight of the cells or, if they have none, evenly by rooms.
func (s *computation) spread(all []*big.Rat, cells []int, amount *big.Rat, weight []*big.Rat) {
	if len(cells) == 1 {
		all[cells[0]] = amount
		return
	}
	of, total := make([]*big.Rat, len(cells)), new(big.Rat)
	for i, cell := range cells {
		of[i] = weight[cell]
		total.Add(total, of[i])
	}
	if total.Sign() == 0 {
		for i, cell := range cells {
			of[i] = big.NewRat(int64(s.line(cell).Rooms), 1)
			total.Add(total, of[i])
		}
	}
	part := new(big.Rat).Quo(amount, total)
	for i, cell := range cells {
		all[cell] = new(big.Rat).Mul(of[i], part)
	}
}
