package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// The limits of a party keep the work of combine bounded: the largest table has 150,381 states, and one byte for each
// state and room type. The bits of a cost suffice for them as well.
const (
	maxGuests = 30
	maxRooms  = 30
)

// party is who is to be lodged, in at least so many rooms.
type party struct {
	availability.Guests
	rooms int
}

// validate checks the numbers. Its errors name the field.
func (p party) validate() error {
	switch {
	case p.Adults < 1 || p.Adults > maxGuests:
		return dynastay.Invalid("Guests.Adults", "must be between 1 and %d", maxGuests)
	case p.Children < 0 || p.Children > maxGuests-p.Adults:
		return dynastay.Invalid("Guests.Children", "must be between 0 and %d, with the adults at most %d", maxGuests-1, maxGuests)
	case p.rooms < 1 || p.rooms > maxRooms:
		return dynastay.Invalid("Rooms", "must be between 1 and %d", maxRooms)
	case p.Adults < p.rooms:
		return dynastay.Invalid("Guests.Adults", "must be at least %d, one for each room", p.rooms)
	}
	return nil
}

// roomType is what a property has of one room type for a stay.
type roomType struct {
	id     string
	limits availability.Limits // of one room
	total  int                 // the rooms that exist, sold or not
	left   int                 // the rooms that can be sold
	price  dynastay.Money      // of one room for the whole stay; required if rooms are left
}

// combine returns the cheapest combination of rooms that holds a party with an adult in each room, and so of no more rooms
// than adults, ordered by room type. Of equally cheap ones, it
// returns the one with the fewest rooms; of these, the one with the most rooms of the first room type by id, then of the
// second, and so on. So the result does not depend on the order of types, which must not contain a room type twice.
//
// It fails with [availability.ErrTooSmall] if no rooms of the property, sold or not, hold the guests in this way, and with
// ErrTooFew if there are not enough rooms left. If the price of a room is not one that [key.PriceOf] accepts, or the
// currencies differ, or the party is not valid, it fails with a [*dynastay.InvalidError]. A room that holds no adult, or
// that a quote would refuse, is never chosen.
// See docs/decisions/0012-search.md for why it is exact.
func combine(types []roomType, p party) ([]properties.Choice, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	types = slices.DeleteFunc(slices.Clone(types), func(t roomType) bool { return !t.usable() })
	stock, err := p.stock(types)
	if err != nil {
		return nil, err
	}
	if chosen := p.cheapest(stock); chosen != nil {
		return choices(stock, chosen), nil
	}
	return nil, p.lacking(types)
}

// usable reports whether an adult can stay in a room of this type.
func (t roomType) usable() bool {
	room := availability.Room{RoomTypeID: t.id, Quantity: 1, Limits: t.limits}
	return room.Validate() == nil && t.holds()[needAdults] > 0
}

// What a party needs, and what a room contributes. The guests come last because that row of the table is the longest one
// for most parties.
const (
	needAdults = iota
	needChildren
	needRooms
	needGuests
)

// numbers are needs or contributions.
type numbers [4]int

func (p party) needs() numbers {
	return numbers{needAdults: p.Adults, needChildren: p.Children, needRooms: p.rooms, needGuests: p.Adults + p.Children}
}

// holds returns what a room of this type contributes.
func (t roomType) holds() numbers {
	one := t.limits.Holds()
	return numbers{needAdults: one.MaxAdults, needChildren: one.MaxChildren, needRooms: 1, needGuests: one.MaxOccupancy}
}

// lacking returns why a party cannot be lodged in the rooms that are left.
func (p party) lacking(types []roomType) error {
	var all []stocked
	for _, t := range types {
		if n := max(t.left, t.total); n > 0 {
			all = append(all, stocked{most: min(n, p.Adults), holds: t.holds()})
		}
	}
	p.rooms = 1
	if p.cheapest(all) == nil {
		return availability.ErrTooSmall
	}
	return ErrTooFew
}

func (n numbers) plus(one numbers, times int) numbers {
	for i := range n {
		n[i] += one[i] * times
	}
	return n
}

// minus returns what is still needed after some rooms.
func (n numbers) minus(one numbers, times int) numbers {
	for i := range n {
		n[i] = max(0, n[i]-one[i]*times)
	}
	return n
}

func (n numbers) cover(needs numbers) bool { return needs.minus(n, 1) == numbers{} }

// stocked are the rooms of one type that may be chosen.
type stocked struct {
	id    string
	most  int // rooms
	holds numbers
	price key.Thousandths
}

// stock returns the rooms that a cheapest combination may contain, ordered by room type. As long as a better room is
// left, a room is not chosen, so there are no more of a room type than the better ones leave places for.
func (p party) stock(types []roomType) (all []stocked, err error) {
	var currency dynastay.Currency
	for _, t := range types {
		if t.left <= 0 {
			continue
		}
		s := stocked{id: t.id, most: min(t.left, p.Adults), holds: t.holds()}
		if s.price, err = key.PriceOf(t.price); err != nil {
			return nil, err
		}
		if currency == "" {
			currency = t.price.Currency()
		}
		if t.price.Currency() != currency {
			return nil, dynastay.Invalid("Price.Currency", "must be the same for all room types")
		}
		all = append(all, s)
	}
	places := make([]int, len(all))
	for i, s := range all {
		places[i] = p.Adults
		for _, other := range all {
			if other.better(s) {
				places[i] -= other.most
			}
		}
	}
	for i := range all {
		all[i].most = min(all[i].most, places[i])
	}
	all = slices.DeleteFunc(all, func(s stocked) bool { return s.most <= 0 })
	slices.SortFunc(all, func(a, b stocked) int { return strings.Compare(a.id, b.id) })
	return all, nil
}

// better reports whether a room of s is always preferred to a room of other.
func (s stocked) better(other stocked) bool {
	order := cmp.Or(cmp.Compare(s.price, other.price), strings.Compare(s.id, other.id))
	return order < 0 && s.holds.cover(other.holds)
}

// cheapest returns the number of rooms of each type in the cheapest combination that covers the needs with at least
// p.rooms rooms and at most one for each adult, or nil if there is none. It begins without any need, and adds them one by
// one as long as the result does not meet one: usually, few needs decide, and the table of fewer needs is much smaller.
// The cheapest combination for some of the needs that meets all of them is also the cheapest for all.
func (p party) cheapest(stock []stocked) []int {
	needs := p.needs()
	var counted numbers
	for {
		chosen := choose(stock, counted, p.rooms)
		if chosen == nil {
			return nil
		}
		var all numbers
		for i, n := range chosen {
			all = all.plus(stock[i].holds, n)
		}
		missing := needs.minus(all, 1)
		missing[needRooms] += max(0, all[needRooms]-p.Adults) // too many
		worst := needGuests
		for i := range missing {
			if missing[i] > missing[worst] {
				worst = i
			}
		}
		if missing[worst] == 0 {
			return chosen
		}
		counted[worst] = needs[worst]
		if worst == needRooms {
			counted[needRooms] = p.Adults
		}
	}
}

func choices(stock []stocked, chosen []int) (all []properties.Choice) {
	for i, n := range chosen {
		if n > 0 {
			all = append(all, properties.Choice{RoomTypeID: stock[i].id, Quantity: n})
		}
	}
	return all
}
