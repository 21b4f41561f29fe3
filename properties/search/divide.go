package search

import (
	"slices"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
)

// divide returns the choices for single rooms that are sold in certain ways. If a price or a charge depends on who stays, the
// guests are divided among the rooms as equally as these allow. It returns false if the rooms do not hold the guests.
func (o *offering) divide(rooms []sale) ([]properties.Choice, bool) {
	asks := o.card.Charges != nil && o.card.Charges.AsksWhoStays()
	for _, s := range rooms {
		asks = asks || s.plan != nil && s.plan.AsksWhoStays()
	}
	var parties []availability.Party
	if asks {
		holds := make([]availability.Limits, len(rooms))
		for i, s := range rooms {
			holds[i] = o.card.Rooms[s.room].Holds()
		}
		if parties = divide(availability.Party{Guests: o.Guests, ChildAges: o.ChildAges}, holds); parties == nil {
			return nil, false
		}
	}
	var all []properties.Choice
	for i, s := range rooms {
		choice := properties.Choice{RoomTypeID: o.card.Rooms[s.room].ID, Quantity: 1, RatePlanID: s.planID()}
		if asks {
			choice.Party = &parties[i]
		}
		if last := len(all) - 1; last >= 0 && sameButQuantity(all[last], choice) {
			all[last].Quantity++
			continue
		}
		all = append(all, choice)
	}
	return all, true
}

// sameButQuantity compares choices of a combination, which has one plan for each room type, and parties for all rooms or for
// none.
func sameButQuantity(a, b properties.Choice) bool {
	return a.RoomTypeID == b.RoomTypeID &&
		(a.Party == nil || a.Party.Guests == b.Party.Guests && slices.Equal(a.Party.ChildAges, b.Party.ChildAges))
}

// divide returns who stays in each room, or nil if the rooms do not hold the guests with an adult in each. Children come
// first, where they take no adult's place as long as there are such places. Adults then find theirs if there is any way at
// all: no other way leaves them more.
func divide(all availability.Party, holds []availability.Limits) []availability.Party {
	parties := make([]availability.Party, len(holds))
	// place gives each guest to the room with the fewest of the kind, and returns how many are left.
	place := func(guests int, kind func(*availability.Party) *int, most func(i int) int) int {
		for ; guests > 0; guests-- {
			to := -1
			for i := range parties {
				if n := *kind(&parties[i]); n < most(i) && (to < 0 || n < *kind(&parties[to])) {
					to = i
				}
			}
			if to < 0 {
				break
			}
			*kind(&parties[to])++
		}
		return guests
	}
	children := func(p *availability.Party) *int { return &p.Children }
	adults := func(p *availability.Party) *int { return &p.Adults }
	left := place(all.Children, children, func(i int) int { return min(holds[i].MaxChildren, holds[i].MaxOccupancy-holds[i].MaxAdults) })
	left = place(left, children, func(i int) int { return holds[i].MaxChildren })
	left += place(all.Adults, adults, func(i int) int { return min(holds[i].MaxAdults, holds[i].MaxOccupancy-parties[i].Children) })
	if left > 0 || slices.ContainsFunc(parties, func(p availability.Party) bool { return p.Adults == 0 }) {
		return nil
	}
	ages := all.ChildAges // in order, so that children of one age come into one room
	for i := range parties {
		n := min(parties[i].Children, len(ages))
		parties[i].ChildAges, ages = ages[:n:n], ages[n:]
	}
	return parties
}
