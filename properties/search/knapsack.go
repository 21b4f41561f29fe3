package search

import "math"

// cost orders combinations: by price and, within one price, by the number of rooms in the lowest roomBits. The cost of a
// combination is the sum of its rooms' costs. No sum overflows: as long as rooms are not counted, a cheapest combination
// contains no room that could be left out, so at most one for each adult, child and guest still needed, which are 60 in
// all. At most 30 are added at once, each for less than 10^15 thousandths.
type cost uint64

const (
	roomBits = 7
	never    = cost(math.MaxUint64)
)

func (s stocked) cost() cost { return cost(s.price)<<roomBits + 1 }

// table has the least cost of everything that may still be needed. It is filled room type by room type, from the last
// to the first. Adults, children and guests are covered if the rooms hold more of them; rooms are counted exactly, because
// a party has a least and a greatest number of them, or not at all.
type table struct {
	size  numbers // one more than the needs; 1 for rooms if they are not counted
	least []cost
	taken []uint8 // the number of rooms of the current room type at that cost; of several numbers, the largest
}

// choose returns the number of rooms of each type in the cheapest combination that covers the needs, or nil if there is
// none. If rooms are needed, it has at most so many, and at least the given number.
func choose(stock []stocked, needs numbers, rooms int) []int {
	t := newTable(needs)
	taken := make([][]uint8, len(stock))
	for i := len(stock) - 1; i >= 0; i-- {
		taken[i] = t.add(stock[i], needs)
	}
	for n := needs[needRooms]; n >= rooms; n-- {
		if at := needs.withRooms(n); t.least[t.index(at)] < t.least[t.index(needs)] {
			needs = at
		}
	}
	if t.least[t.index(needs)] == never {
		return nil
	}
	chosen := make([]int, len(stock))
	for i, s := range stock {
		if taken[i] != nil {
			chosen[i] = int(taken[i][t.index(needs)])
			needs = needs.minus(s.holds, chosen[i])
		}
	}
	return chosen
}

func (n numbers) withRooms(rooms int) numbers {
	n[needRooms] = rooms
	return n
}

func newTable(needs numbers) *table {
	t := &table{}
	states := 1
	for i, n := range needs {
		t.size[i] = n + 1
		states *= n + 1
	}
	t.least = make([]cost, states)
	for i := range t.least[1:] {
		t.least[1+i] = never
	}
	return t
}

func (t *table) index(n numbers) int {
	i := 0
	for need := range n {
		i = i*t.size[need] + n[need]
	}
	return i
}

// add allows rooms of one more type, and returns how many of them to take. It is nil if they do not help.
func (t *table) add(s stocked, needs numbers) []uint8 {
	most := 0
	for i, n := range needs {
		if s.holds[i] > 0 {
			most = max(most, (n+s.holds[i]-1)/s.holds[i])
		}
	}
	most = min(most, s.most)
	if most == 0 {
		return nil
	}
	t.taken = make([]uint8, len(t.least))
	// Any number up to most is a sum of some of these: 1, 2, 4, ... and the rest.
	for n := 1; most > 0; n *= 2 {
		n = min(n, most)
		most -= n
		t.block(numbers{}.plus(s.holds, n), cost(n)*s.cost(), uint8(n))
	}
	return t.taken
}

// block allows n rooms at once. It goes down, so that what it reads is without them.
func (t *table) block(holds numbers, price cost, n uint8) {
	for a := t.size[needAdults] - 1; a >= 0; a-- {
		for c := t.size[needChildren] - 1; c >= 0; c-- {
			for r := t.size[needRooms] - 1; r >= 0; r-- {
				if t.size[needRooms] > 1 && r < holds[needRooms] {
					break
				}
				to := t.index(numbers{needAdults: a, needChildren: c, needRooms: r})
				from := t.index(numbers{
					needAdults: max(0, a-holds[needAdults]), needChildren: max(0, c-holds[needChildren]), needRooms: max(0, r-holds[needRooms]),
				})
				t.row(to, from, holds[needGuests], price, n)
			}
		}
	}
}

// row allows n rooms for every number of guests. At equal costs, it takes them: that is never fewer rooms of the type
// than before, because what remains without the n rooms would be taken as well.
func (t *table) row(to, from, guestsHeld int, price cost, n uint8) {
	for g := t.size[needGuests] - 1; g >= 0; g-- {
		without := from + max(0, g-guestsHeld)
		if t.least[without] == never {
			continue
		}
		if with := t.least[without] + price; with <= t.least[to+g] {
			t.least[to+g], t.taken[to+g] = with, t.taken[without]+n
		}
	}
}
