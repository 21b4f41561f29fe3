package world

import (
	"context"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/properties"
)

// chargesPercent of the hotels with nights have charges, in the cities for which there are some.
const chargesPercent = 50

// charges plans the charges of the i-th hotel. It returns nil for a hotel whose bookings have taxes and fees without saying
// what they are.
func (w *World) charges(i int, h *house) []charges.Charge {
	p, d := &h.property, w.dice(forCharges, i)
	if p.Status != properties.Approved || !d.percent(chargesPercent) {
		return nil
	}
	return ChargesIn(p.Address.City, p.Address.Country, p.Stars)
}

// list returns the charges of the house for a quote, or nil if it has none.
func (h *house) list() *charges.List {
	if len(h.charges) == 0 {
		return nil
	}
	return &charges.List{PropertyID: h.property.ID, Charges: h.charges}
}

// createCharges lets the repository create the charges.
func (h *house) createCharges(ctx context.Context, repo *properties.Repository) error {
	_, err := repo.UpdateCharges(ctx, h.property.ID, func(l *charges.List) error {
		l.Charges = h.charges
		return nil
	})
	return err
}

// readCharges lets the repository read the charges of a hotel, which is nil if it has none.
func (c *cell) readCharges(ctx context.Context, p *properties.Property) (*charges.List, error) {
	if !p.HasCharges {
		return nil, nil
	}
	return properties.New(c.open(&c.capture), nil).Charges(ctx, p.ID)
}

// sellWithCharges plans what guests say of themselves because a charge asks for it: how old the children are, and who stays
// in which room. The dice are of no other use, so that everything else about a sale is the same with and without charges.
func (h *house) sellWithCharges(d dice, sales []sale) {
	if list := h.list(); list == nil || !list.AsksWhoStays() {
		return
	}
	for n := range sales {
		s := &sales[n]
		several := s.several()
		if several || s.plan == "" {
			s.tellAges(d)
		}
		if several {
			h.divide(s)
		}
	}
}

// divide divides the guests of a sale among its two rooms, as equally as the rooms allow. There always is a way: a room holds
// at least one adult beside its most children, and all its guests are its most adults and children, or fewer.
func (h *house) divide(s *sale) {
	one, other := h.rooms[s.rooms[0].k].Holds(), h.rooms[s.rooms[len(s.rooms)-1].k].Holds()
	holds := func(l availability.Limits, g availability.Guests) bool {
		return g.Adults >= 1 && g.Adults <= l.MaxAdults && g.Children <= l.MaxChildren && g.Adults+g.Children <= l.MaxOccupancy
	}
	best := -1
	for adults := 1; adults < s.guests.Adults; adults++ {
		for children := range s.guests.Children + 1 {
			first := availability.Guests{Adults: adults, Children: children}
			second := availability.Guests{Adults: s.guests.Adults - adults, Children: s.guests.Children - children}
			differ := max(first.Adults-second.Adults, second.Adults-first.Adults) + max(first.Children-second.Children, second.Children-first.Children)
			if holds(one, first) && holds(other, second) && (best < 0 || differ < best) {
				best, s.parties = differ, []availability.Party{{Guests: first}, {Guests: second}}
			}
		}
	}
	if len(s.ages) > 0 {
		with := s.parties[0].Children
		s.parties[0].ChildAges, s.parties[1].ChildAges = s.ages[:with], s.ages[with:]
	}
}
