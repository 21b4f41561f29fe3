// Package levy is a second implementation of the charges of a stay, with which tests compare the library's. It was written
// from the rules alone, and in another way: each room has its own prices, each guest is counted, the included charges of a
// price are solved as a system of linear equations, and what cannot be divided is given away one minor unit after another.
package levy

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

type room struct {
	line   int
	guests []int // their ages; adults, and children of unknown age, are 18
}

// spot is a room in a night.
type spot struct{ room, night int }

type assessor struct {
	list   *charges.List
	booked charges.Booked
	nights int
	unit   *big.Rat // one minor unit
	rooms  []room
	all    []int // the ages of all guests, if nobody knows who stays where
	gross  map[charges.Component][][]*big.Rat
	net    map[charges.Component][][]*big.Rat
	share  map[string]map[charges.Component][][]*big.Rat // of the included charges, by id
	parts  map[string][][]*big.Rat                       // of all charges, by id
}

// Result is a bill, or the fields of which one is refused.
type Result struct {
	Bill    *charges.Bill
	Refused []string
}

// Bill computes the bill of a valid list and stay.
func Bill(list *charges.List, booked charges.Booked) Result {
	a := &assessor{list: list, booked: booked, nights: booked.Stay.Nights(), parts: map[string][][]*big.Rat{}}
	currency := booked.Lines[0].Nights[0].Lodging.Currency()
	a.unit = big.NewRat(1, 1)
	for range currency.MinorUnit() {
		a.unit.Quo(a.unit, big.NewRat(10, 1))
	}
	a.enter()
	a.reduce()
	if refused := a.take(); len(refused) > 0 {
		return Result{Refused: refused}
	}
	bill := &charges.Bill{}
	zero := dynastay.MustMoney("0", currency)
	bill.Included, bill.Added, bill.AtProperty, bill.Deposits = zero, zero, zero, zero
	for i := range list.Charges {
		c := list.Charges[i]
		var rates, bases [][]*big.Rat
		if percent(c) {
			rates = a.rates(c)
			bases = a.bases(c)
		}
		if !c.Included {
			if a.unknown(c) {
				return Result{Refused: []string{"Lines"}}
			}
			a.parts[c.ID] = a.grid()
			if percent(c) {
				a.each(func(s spot) {
					a.parts[c.ID][s.room][s.night].Mul(bases[s.room][s.night], rates[s.room][s.night])
				})
			} else {
				a.owe(c, a.parts[c.ID], charges.Lodging, charges.Meals)
			}
		}
		a.enterInto(bill, c, rates, bases)
	}
	return Result{Bill: bill}
}

func percent(c charges.Charge) bool {
	for _, b := range c.Brackets {
		if b.Rate > 0 {
			return true
		}
	}
	return c.Rate > 0
}

func value(m dynastay.Money) *big.Rat {
	x, ok := new(big.Rat).SetString(m.Digits())
	if !ok {
		panic(m.Digits())
	}
	return x
}

func (a *assessor) grid() [][]*big.Rat {
	g := make([][]*big.Rat, len(a.rooms))
	for i := range g {
		for range a.nights {
			g[i] = append(g[i], new(big.Rat))
		}
	}
	return g
}

func (a *assessor) each(f func(spot)) {
	for r := range a.rooms {
		for n := range a.nights {
			f(spot{r, n})
		}
	}
}

// enter lists the rooms and the guests one by one.
func (a *assessor) enter() {
	ages := func(adults, children int, known []int) (all []int) {
		for range adults {
			all = append(all, 18)
		}
		all = append(all, known...)
		for range children - len(known) {
			all = append(all, 18)
		}
		return all
	}
	for i, line := range a.booked.Lines {
		for range line.Rooms {
			r := room{line: i}
			if g := line.Guests; g != nil {
				r.guests = ages(g.Adults, g.Children, g.ChildAges)
			}
			a.rooms = append(a.rooms, r)
		}
	}
	if a.booked.Lines[0].Guests == nil {
		a.all = ages(a.booked.Adults, a.booked.Children, nil)
		if len(a.rooms) == 1 {
			a.rooms[0].guests, a.all = a.all, nil
		}
	}
}

var components = []charges.Component{charges.Lodging, charges.Meals}

// reduce gives the discount away: to each price of a line its proportion, rounded down, and then one unit after another to
// who lacks most of it.
func (a *assessor) reduce() {
	a.gross = map[charges.Component][][]*big.Rat{charges.Lodging: a.grid(), charges.Meals: a.grid()}
	prices, total := []*big.Rat{}, new(big.Rat)
	for n := range a.nights {
		for _, line := range a.booked.Lines {
			for _, m := range []dynastay.Money{line.Nights[n].Lodging, line.Nights[n].Meals} {
				x := new(big.Rat).Mul(value(m), big.NewRat(int64(line.Rooms), 1))
				prices = append(prices, x)
				total.Add(total, x)
			}
		}
	}
	if off := value(a.booked.Discount); off.Sign() > 0 {
		var due []*big.Rat
		for _, x := range prices {
			due = append(due, new(big.Rat).Quo(new(big.Rat).Mul(off, x), total))
		}
		for i, x := range a.handOut(off, due) {
			prices[i].Sub(prices[i], x)
		}
	}
	a.each(func(s spot) {
		for c, component := range components {
			line := a.rooms[s.room].line
			x := prices[(s.night*len(a.booked.Lines)+line)*2+c]
			a.gross[component][s.room][s.night].Quo(x, big.NewRat(int64(a.booked.Lines[line].Rooms), 1))
		}
	})
}

// handOut divides a total of whole units.
func (a *assessor) handOut(total *big.Rat, due []*big.Rat) []*big.Rat {
	got, left := make([]*big.Rat, len(due)), new(big.Rat).Set(total)
	for i, x := range due {
		units := new(big.Rat).Quo(x, a.unit)
		whole, _ := new(big.Int).DivMod(units.Num(), units.Denom(), new(big.Int))
		got[i] = new(big.Rat).Mul(new(big.Rat).SetInt(whole), a.unit)
		left.Sub(left, got[i])
	}
	for left.Sign() > 0 {
		most, lack := -1, new(big.Rat)
		for i := range due {
			if x := new(big.Rat).Sub(due[i], got[i]); most < 0 || x.Cmp(lack) > 0 {
				most, lack = i, x
			}
		}
		got[most].Add(got[most], a.unit)
		left.Sub(left, a.unit)
	}
	return got
}

// holds reports whether a charge is for the stay in a night.
func (a *assessor) holds(c charges.Charge, night int) bool {
	if a.nights < c.MinStay || c.MaxStay != 0 && a.nights > c.MaxStay {
		return false
	}
	day := a.booked.Stay.CheckIn
	switch c.Per {
	case charges.PerNight, charges.PerRoomNight, charges.PerGuestNight:
		if c.FirstNights != 0 && night+1 > c.FirstNights {
			return false
		}
		day = day.AddDays(night)
	}
	late := !c.From.IsZero() && c.From.DaysUntil(day) < 0
	return !late && (c.Until.IsZero() || day.DaysUntil(c.Until) > 0)
}

// unknown reports whether an amount depends on who stays in which room, which nobody knows.
func (a *assessor) unknown(c charges.Charge) bool {
	long := a.nights >= c.MinStay && (c.MaxStay == 0 || a.nights <= c.MaxStay)
	return a.all != nil && len(c.Brackets) > 0 && c.Per == charges.PerGuestNight && long
}

// bracket returns the bracket of a charge in a spot: the last one that begins at or below the price.
func (a *assessor) bracket(c charges.Charge, s spot) charges.Bracket {
	price, prices := new(big.Rat), a.net
	if c.Gross {
		prices = a.gross
	}
	for _, component := range c.Of {
		price.Add(price, prices[component][s.room][s.night])
	}
	if c.Per == charges.PerGuestNight {
		price.Quo(price, big.NewRat(int64(len(a.rooms[s.room].guests)), 1))
	}
	for _, b := range slices.Backward(c.Brackets) {
		if price.Cmp(value(b.From)) >= 0 {
			return b
		}
	}
	panic("a price below 0")
}

// rates returns the part of 1 that a percentage is in each spot.
func (a *assessor) rates(c charges.Charge) [][]*big.Rat {
	g := a.grid()
	a.each(func(s spot) {
		rate := c.Rate
		switch {
		case !a.holds(c, s.night):
			return
		case len(c.Brackets) > 0:
			rate = a.bracket(c, s).Rate
		}
		g[s.room][s.night].SetFrac64(int64(rate), 1_000_000)
	})
	return g
}

// bases returns what a percentage is of in each spot, once the net prices and the earlier charges are known.
func (a *assessor) bases(c charges.Charge) [][]*big.Rat {
	g, prices := a.grid(), a.net
	if c.Gross {
		prices = a.gross
	}
	a.each(func(s spot) {
		x := g[s.room][s.night]
		for _, component := range c.Of {
			x.Add(x, prices[component][s.room][s.night])
		}
		for _, id := range c.On {
			x.Add(x, a.parts[id][s.room][s.night])
		}
	})
	return g
}

// owe adds each single amount of a charge to the spots that it is for.
func (a *assessor) owe(c charges.Charge, into [][]*big.Rat, weigh ...charges.Component) {
	for r := range a.rooms {
		ages, first := a.rooms[r].guests, r == 0
		if a.all != nil && first {
			ages = a.all
		}
		var due int // of this room and each night; what is for all rooms is due in the first one
		switch c.Per {
		case charges.PerRoom, charges.PerRoomNight:
			due = 1
		case charges.PerGuest, charges.PerGuestNight:
			for _, age := range ages {
				if age >= c.FromAge && (c.UnderAge == 0 || age < c.UnderAge) {
					due++
				}
			}
		default:
			if first {
				due = 1
			}
		}
		for n := range a.nights {
			nightly := c.Per == charges.PerNight || c.Per == charges.PerRoomNight || c.Per == charges.PerGuestNight
			if !a.holds(c, n) || due == 0 || n > 0 && !nightly {
				continue
			}
			amount := value(c.Amount)
			if len(c.Brackets) > 0 {
				amount = value(a.bracket(c, spot{r, n}).Amount)
			}
			amount.Mul(amount, big.NewRat(int64(due), 1))
			all := c.Per == charges.PerStay || c.Per == charges.PerNight ||
				a.all != nil && c.Per != charges.PerRoom && c.Per != charges.PerRoomNight
			var scope []spot
			a.each(func(s spot) {
				if (all || s.room == r) && (!nightly || s.night == n) {
					scope = append(scope, s)
				}
			})
			a.spread(amount, scope, into, weigh)
		}
	}
}

func (a *assessor) spread(amount *big.Rat, scope []spot, into [][]*big.Rat, weigh []charges.Component) {
	weights, total := make([]*big.Rat, len(scope)), new(big.Rat)
	for i, s := range scope {
		weights[i] = new(big.Rat)
		for _, component := range weigh {
			weights[i].Add(weights[i], a.gross[component][s.room][s.night])
		}
		total.Add(total, weights[i])
	}
	for i, s := range scope {
		x := new(big.Rat)
		if total.Sign() > 0 {
			x.Quo(new(big.Rat).Mul(amount, weights[i]), total)
		} else {
			x.Quo(amount, big.NewRat(int64(len(scope)), 1))
		}
		into[s.room][s.night].Add(into[s.room][s.night], x)
	}
}

// enterInto rounds a charge, divides it, and writes it into the bill.
func (a *assessor) enterInto(bill *charges.Bill, c charges.Charge, rates, bases [][]*big.Rat) {
	lines := len(a.booked.Lines)
	due, total, base := make([]*big.Rat, a.nights*lines), new(big.Rat), new(big.Rat)
	for i := range due {
		due[i] = new(big.Rat)
	}
	var percents []string
	a.each(func(s spot) {
		x := a.parts[c.ID][s.room][s.night]
		at := due[s.night*lines+a.rooms[s.room].line]
		at.Add(at, x)
		total.Add(total, x)
		if bases != nil && rates[s.room][s.night].Sign() > 0 && x.Sign() > 0 {
			base.Add(base, bases[s.room][s.night])
			percents = append(percents, rates[s.room][s.night].String())
		}
	})
	amount := a.round(total)
	if amount.Sign() == 0 {
		return
	}
	e := charges.Entry{
		ID: c.ID, Name: c.Name, Kind: c.Kind, Included: c.Included, AtProperty: c.AtProperty, Kept: c.Kept, Amount: a.money(amount),
	}
	if slices.Sort(percents); bases != nil {
		e.Base = a.money(a.round(base))
		if one := slices.Compact(percents); len(one) == 1 {
			rate, _ := new(big.Rat).SetString(one[0])
			e.Rate = charges.Rate(rate.Mul(rate, big.NewRat(1_000_000, 1)).Num().Int64())
		}
	}
	got := a.handOut(amount, due)
	for line := range lines {
		sum := new(big.Rat)
		for n := range a.nights {
			sum.Add(sum, got[n*lines+line])
		}
		e.Lines = append(e.Lines, a.money(sum))
	}
	if c.Kept == charges.KeptIfStayed {
		for n := range a.nights {
			sum := new(big.Rat)
			for line := range lines {
				sum.Add(sum, got[n*lines+line])
			}
			e.Nights = append(e.Nights, a.money(sum))
		}
	}
	bill.Entries = append(bill.Entries, e)
	sum := &bill.Added
	switch {
	case c.Kind == charges.Deposit:
		sum = &bill.Deposits
	case c.Included:
		sum = &bill.Included
	case c.AtProperty:
		sum = &bill.AtProperty
	}
	*sum = a.money(new(big.Rat).Add(value(*sum), amount))
}

// round returns the nearest multiple of the unit, and of two equally near ones the greater.
func (a *assessor) round(x *big.Rat) *big.Rat {
	units := new(big.Rat).Quo(x, a.unit)
	whole, rest := new(big.Int).DivMod(units.Num(), units.Denom(), new(big.Int))
	if rest.Lsh(rest, 1).Cmp(units.Denom()) >= 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(whole), a.unit)
}

func (a *assessor) money(x *big.Rat) dynastay.Money {
	currency := a.booked.Lines[0].Nights[0].Lodging.Currency()
	return dynastay.MustMoney(x.FloatString(currency.MinorUnit()), currency)
}

func field(i int) string { return fmt.Sprintf("Charges[%d]", i) }
