package levy

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// Draw draws charges and stays. Equal prices, simple percentages and stays at a limit are frequent.
type Draw struct {
	*rand.Rand
	currency dynastay.Currency
}

// New returns the draws of a seed.
func New(seed uint64) *Draw {
	d := &Draw{Rand: rand.New(rand.NewPCG(seed, 0))}
	d.currency = pick(d, dynastay.Currency("EUR"), "EUR", "USD", "JPY", "KWD")
	return d
}

func (d *Draw) one(in int) bool { return d.IntN(in) == 0 }

func (d *Draw) between(least, most int) int { return least + d.IntN(most-least+1) }

func pick[T any](d *Draw, all ...T) T { return all[d.IntN(len(all))] }

func (d *Draw) minor(least, most int) dynastay.Money {
	m, err := dynastay.MoneyOfMinor(int64(d.between(least, most)), d.currency)
	if err != nil {
		panic(err)
	}
	return m
}

// Stay returns a list, and a stay that it is for.
func (d *Draw) Stay() (*charges.List, charges.Booked) {
	b := d.booked()
	list := &charges.List{PropertyID: "prop_123"}
	n := d.IntN(6)
	if d.one(50) {
		n = charges.MaxCharges
	}
	for i := range n {
		c := d.charge(b, list.Charges)
		c.ID, c.Name = fmt.Sprintf("c%d", i), fmt.Sprintf("Charge %d", i)
		list.Charges = append(list.Charges, c)
	}
	return list, b
}

func (d *Draw) booked() charges.Booked {
	nights := d.between(1, 4)
	switch {
	case d.one(100):
		nights = d.between(1, 90)
	case d.one(10):
		nights = d.between(5, 14)
	}
	checkIn := dynastay.MustDate("2026-03-01").AddDays(d.IntN(400))
	b := charges.Booked{
		Stay:   dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(nights)},
		Adults: d.between(1, 4), Children: pick(d, 0, 0, 1, 2),
	}
	known, meals, off := !d.one(3), d.one(2), 0
	prices := []dynastay.Money{d.price(), d.price()}
	for range pick(d, 1, 1, 1, 2, 2, 3) {
		line := charges.Line{Rooms: pick(d, 1, 1, 1, 2, 3)}
		if known {
			line.Guests = d.guests()
		}
		for range nights {
			price := charges.Price{Lodging: pick(d, prices...)}
			if d.one(10) {
				price.Lodging = d.minor(0, 0)
			}
			if meals {
				price.Meals = d.minor(0, pick(d, 5, 3_000))
			}
			for _, m := range []dynastay.Money{price.Lodging, price.Meals} {
				minor, _ := m.Minor()
				off += int(minor) * line.Rooms
			}
			line.Nights = append(line.Nights, price)
		}
		b.Lines = append(b.Lines, line)
	}
	switch {
	case d.one(30):
		b.Discount = d.minor(off, off)
	case d.one(3):
		b.Discount = d.minor(0, off/pick(d, 1, 4, 10))
	}
	return b
}

func (d *Draw) price() dynastay.Money {
	switch d.IntN(4) {
	case 0:
		return d.minor(0, 20)
	case 1:
		return pick(d, d.minor(5_000, 5_000), d.minor(10_000, 10_000), d.minor(11_770, 11_770), d.minor(20_000, 20_000))
	default:
		return d.minor(2_000, 60_000)
	}
}

func (d *Draw) guests() *charges.Guests {
	g := &charges.Guests{Adults: pick(d, 1, 1, 2, 2, 3), Children: pick(d, 0, 0, 1, 2, 3)}
	for range g.Children - min(g.Children, pick(d, 0, 0, 1)) {
		g.ChildAges = append(g.ChildAges, pick(d, 0, 6, 9, 10, 11, 17, d.IntN(18)))
	}
	return g
}

func (d *Draw) rate() charges.Rate {
	if d.one(3) {
		return charges.Rate(d.between(1, 300_000))
	}
	return pick[charges.Rate](d, 3750, 4_0000, 4_5000, 5_8750, 7_0000, 7_5000, 10_0000, 12_5000, 19_0000, 50_0000, 100_0000)
}

// amount is often round.
func (d *Draw) amount() dynastay.Money {
	return pick(d, d.minor(0, 5), d.minor(0, 300), d.minor(50, 50), d.minor(200, 200), d.minor(1_000, 1_000))
}

func (d *Draw) charge(b charges.Booked, earlier []charges.Charge) charges.Charge {
	c := charges.Charge{
		Kind: pick(d, charges.Tax, charges.Fee), Included: d.one(2),
		Kept: pick(d, charges.KeptByPolicy, charges.KeptIfStayed, charges.NeverKept),
	}
	if !c.Included {
		c.AtProperty = d.one(3)
		if d.one(8) {
			c.Kind = charges.Deposit
		}
	}
	of := pick(d, []charges.Component{charges.Lodging}, []charges.Component{charges.Meals},
		[]charges.Component{charges.Lodging, charges.Meals}, []charges.Component{charges.Meals, charges.Lodging})
	switch d.IntN(8) {
	case 0, 1, 2, 3:
		c.Rate, c.Per, c.Of, c.Gross = d.rate(), pick(d, charges.PerNight, charges.PerStay), of, d.one(3)
	case 4, 5:
		c.Amount = d.amount()
		c.Per = pick(d, charges.PerStay, charges.PerNight, charges.PerRoom, charges.PerRoomNight, charges.PerGuest,
			charges.PerGuestNight)
		if c.Included && d.one(2) {
			c.Of = of[:1]
		}
	case 6:
		c.Per, c.Of, c.Gross = charges.PerNight, of, c.Included || d.one(2)
		c.Brackets = d.brackets(b)
		for i := range c.Brackets {
			c.Brackets[i].Rate = d.rate() * charges.Rate(d.IntN(3)&1)
		}
		c.Brackets[d.IntN(len(c.Brackets))].Rate = d.rate()
	case 7:
		c.Per, c.Of, c.Gross = pick(d, charges.PerRoomNight, charges.PerGuestNight), of, c.Included || d.one(2)
		c.Brackets = d.brackets(b)
		for i := range c.Brackets {
			if !d.one(4) {
				c.Brackets[i].Amount = d.amount()
			}
		}
		c.Brackets[d.IntN(len(c.Brackets))].Amount = d.amount()
	}
	if percent(c) {
		for _, e := range earlier {
			if e.Kind != charges.Deposit && (e.Included || !c.Included) && d.one(3) {
				c.On = append(c.On, e.ID)
			}
		}
		if len(c.On) > 0 && len(c.Brackets) == 0 && d.one(3) {
			c.Of, c.Gross = nil, false
		}
		d.Shuffle(len(c.On), func(i, j int) { c.On[i], c.On[j] = c.On[j], c.On[i] })
	}
	d.conditions(&c, b)
	return c
}

// brackets often begin at a price of the stay, or at a guest's part of it.
func (d *Draw) brackets(b charges.Booked) []charges.Bracket {
	from := []int{0}
	for range d.between(0, 4) {
		night := pick(d, b.Lines[0].Nights...)
		minor, _ := night.Lodging.Minor()
		if m, _ := night.Meals.Minor(); d.one(2) {
			minor += m
		}
		from = append(from, max(0, int(minor)/d.between(1, 3)+pick(d, 0, 0, 0, 1, -1)))
	}
	slices.Sort(from)
	all := make([]charges.Bracket, 0, len(from))
	for i, n := range slices.Compact(from) {
		bracket := charges.Bracket{}
		if i > 0 || d.one(2) {
			bracket.From = d.minor(n, n)
		}
		all = append(all, bracket)
	}
	return all
}

// conditions are about those that a stay just meets, or just fails to meet.
func (d *Draw) conditions(c *charges.Charge, b charges.Booked) {
	nights := b.Stay.Nights()
	nightly := c.Per == charges.PerNight || c.Per == charges.PerRoomNight || c.Per == charges.PerGuestNight
	if nightly && d.one(4) {
		c.FirstNights = d.between(0, min(90, nights+1))
	}
	if (c.Per == charges.PerGuest || c.Per == charges.PerGuestNight) && d.one(2) {
		c.FromAge = pick(d, 0, 6, 10, 18, d.IntN(19))
		c.UnderAge = pick(d, 0, 10, 18, d.IntN(19))
		if c.UnderAge <= c.FromAge {
			c.UnderAge = 0
		}
	}
	if d.one(6) {
		c.MinStay = min(90, max(0, nights+d.between(-2, 1)))
	}
	if d.one(6) {
		c.MaxStay = min(90, max(c.MinStay, nights+d.between(-1, 2)))
	}
	if d.one(6) {
		c.From = b.Stay.CheckIn.AddDays(d.between(-1, 2))
	}
	if d.one(6) {
		c.Until = b.Stay.CheckIn.AddDays(d.between(0, nights))
		if !c.From.IsZero() && !c.Until.After(c.From) {
			c.Until = c.From.AddDays(1)
		}
	}
}
