package units

import (
	"cmp"
	"slices"

	"github.com/dynastay/dynastay"
)

// Need is one room that guests need: a unit of a room type, the same on all nights.
type Need struct {
	RoomTypeID string
	Nights     dynastay.Stay
	Wish
}

// Wish is what guests would like. It is met where that is possible.
type Wish struct {
	Floor    string   // that of a unit; "" for any
	Features []string // of a unit, such as "sea view"
	Together string   // needs with the same text would like to be on one floor; "" for none
}

// Choose chooses a unit for each need, and returns their ids in the order of the needs, "" where none is left. A unit must be of the
// room type, not be retired, and be free on all nights. It is a pure function: the same arguments give the same result.
//
// First of all, as many needs as possible get a unit, as far as a search of limited depth finds out. Then as many wishes as possible
// are met, those with more wishes first. Then units are chosen that leave the fewest nights free around the stay, so that what stays
// free is as long as possible; and among these, those with the lowest ids.
func Choose(all []Unit, taken []TakenNight, needs []Need) []string {
	best := choose(all, taken, needs, func(a, b int) int { return cmp.Compare(needs[b].wishes(), needs[a].wishes()) })
	// As long as nobody has a unit, the order of the arrivals leaves nobody over if there are enough units, and that of the
	// departures leaves over as few as possible if there are not.
	for _, order := range []func(a, b int) int{
		func(int, int) int { return 0 },
		func(a, b int) int { return needs[a].Nights.CheckOut.Compare(needs[b].Nights.CheckOut) },
	} {
		if !slices.Contains(best, "") {
			break
		}
		if other := choose(all, taken, needs, order); count(other) > count(best) {
			best = other
		}
	}
	return best
}

// wishes is how many wishes the need has.
func (n Need) wishes() int {
	wishes := len(n.Features)
	for _, text := range []string{n.Floor, n.Together} {
		if text != "" {
			wishes++
		}
	}
	return wishes
}

func count(chosen []string) (n int) {
	for _, id := range chosen {
		if id != "" {
			n++
		}
	}
	return n
}

// The nights of a unit in a plan: who has them, by the number of the need.
const (
	free  = -1
	fixed = -2 // somebody who stays where he is
)

// choice is a plan that is being made.
type choice struct {
	needs  []Need
	units  map[string][]Unit // by room type, ordered by id
	nights map[string][]int  // of each unit, from the first night of all needs on
	spans  [][2]int          // the nights of each need in it
	chosen []string
	moves  []moved // in their order
	looks  int
}

// moved is a need that has another unit than before.
type moved struct {
	need int
	from string
}

// choose makes a plan in an order, and where that is equal, in that of the arrivals.
func choose(all []Unit, taken []TakenNight, needs []Need, order func(a, b int) int) []string {
	c := &choice{needs: needs, units: map[string][]Unit{}, nights: map[string][]int{}, chosen: make([]string, len(needs))}
	if len(needs) == 0 {
		return c.chosen
	}
	period := needs[0].Nights
	for _, n := range needs {
		if n.Nights.CheckIn.Before(period.CheckIn) {
			period.CheckIn = n.Nights.CheckIn
		}
		if n.Nights.CheckOut.After(period.CheckOut) {
			period.CheckOut = n.Nights.CheckOut
		}
	}
	for _, u := range all {
		if !u.Retired {
			c.units[u.RoomTypeID] = append(c.units[u.RoomTypeID], u)
			c.nights[u.ID] = slices.Repeat([]int{free}, period.Nights())
		}
	}
	for _, same := range c.units {
		slices.SortFunc(same, func(a, b Unit) int { return cmp.Compare(a.ID, b.ID) })
	}
	for _, n := range taken {
		if nights := c.nights[n.UnitID]; nights != nil && period.Contains(n.Date) {
			nights[period.CheckIn.DaysUntil(n.Date)] = fixed
		}
	}
	turns := make([]int, len(needs))
	for i, n := range needs {
		from := period.CheckIn.DaysUntil(n.Nights.CheckIn)
		c.spans, turns[i] = append(c.spans, [2]int{from, from + n.Nights.Nights()}), i
	}
	slices.SortStableFunc(turns, func(a, b int) int {
		return cmp.Or(order(a, b), c.spans[a][0]-c.spans[b][0], c.spans[b][1]-c.spans[a][1])
	})
	for _, need := range turns {
		if id, found := c.best(need); found {
			c.put(need, id)
		} else {
			c.makeRoom(need, depth)
		}
	}
	return c.chosen
}

// best returns the unit that suits a need best of those that are free.
func (c *choice) best(need int) (id string, found bool) {
	var least [3]int
	for _, u := range c.units[c.needs[need].RoomTypeID] {
		around, isFree := c.around(need, u.ID)
		if !isFree {
			continue
		}
		cost := [3]int{c.unmet(need, u), around}
		if !found || slices.Compare(cost[:], least[:]) < 0 {
			id, least, found = u.ID, cost, true
		}
	}
	return id, found
}

// around returns how many nights are free directly before and after those of a need, and whether these are free themselves.
func (c *choice) around(need int, id string) (n int, isFree bool) {
	nights, span := c.nights[id], c.spans[need]
	for _, has := range nights[span[0]:span[1]] {
		if has != free {
			return 0, false
		}
	}
	for at := span[0] - 1; at >= 0 && nights[at] == free; at-- {
		n++
	}
	for at := span[1]; at < len(nights) && nights[at] == free; at++ {
		n++
	}
	return n, true
}

// unmet is how many wishes of a need a unit does not meet.
func (c *choice) unmet(need int, u Unit) (n int) {
	wish := c.needs[need].Wish
	if wish.Floor != "" && wish.Floor != u.Floor {
		n++
	}
	for _, feature := range wish.Features {
		if !slices.Contains(u.Features, feature) {
			n++
		}
	}
	if wish.Together != "" && c.apart(need, u) {
		n++
	}
	return n
}

// apart reports whether others who would like to be on one floor with a need are on another one than a unit.
func (c *choice) apart(need int, u Unit) bool {
	for other, id := range c.chosen {
		if id == "" || other == need || c.needs[other].Together != c.needs[need].Together {
			continue
		}
		if c.floorOf(c.needs[other].RoomTypeID, id) != u.Floor {
			return true
		}
	}
	return false
}

func (c *choice) floorOf(roomTypeID, id string) string {
	at, _ := slices.BinarySearchFunc(c.units[roomTypeID], id, func(u Unit, id string) int { return cmp.Compare(u.ID, id) })
	return c.units[roomTypeID][at].Floor
}

// put gives a need a unit, or none, and notes what it had before.
func (c *choice) put(need int, id string) {
	c.moves = append(c.moves, moved{need, c.chosen[need]})
	c.set(need, id)
}

func (c *choice) set(need int, id string) {
	if had := c.chosen[need]; had != "" {
		c.fill(need, had, free)
	}
	if c.chosen[need] = id; id != "" {
		c.fill(need, id, need)
	}
}

func (c *choice) fill(need int, id string, by int) {
	for at := c.spans[need][0]; at < c.spans[need][1]; at++ {
		c.nights[id][at] = by
	}
}

// undo takes the moves back that were made since there were n of them.
func (c *choice) undo(n int) {
	for ; len(c.moves) > n; c.moves = c.moves[:len(c.moves)-1] {
		last := c.moves[len(c.moves)-1]
		c.set(last.need, last.from)
	}
}

const (
	depth = 3         // how many needs may follow one another to other units so that one more gets a unit
	looks = 2_000_000 // at units, in all: more than that would take longer than a person waits
)

// makeRoom looks for a unit whose needs in the way can all go elsewhere, and puts a need there. It reports whether there is one;
// otherwise, nothing has changed.
func (c *choice) makeRoom(need, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, u := range c.units[c.needs[need].RoomTypeID] {
		if c.looks++; c.looks > looks {
			return false
		}
		inTheWay, movable := c.inTheWay(need, u.ID)
		if !movable {
			continue
		}
		before := len(c.moves)
		for _, other := range inTheWay {
			c.put(other, "")
		}
		c.put(need, u.ID)
		if c.putAll(inTheWay, depth-1) {
			return true
		}
		c.undo(before)
	}
	return false
}

func (c *choice) putAll(all []int, depth int) bool {
	for _, need := range all {
		c.looks += len(c.units[c.needs[need].RoomTypeID])
		if id, found := c.best(need); found {
			c.put(need, id)
		} else if !c.makeRoom(need, depth) {
			return false
		}
	}
	return true
}

// inTheWay returns the needs that have nights of a need in a unit, and false if somebody has who stays where he is.
func (c *choice) inTheWay(need int, id string) (all []int, movable bool) {
	for _, has := range c.nights[id][c.spans[need][0]:c.spans[need][1]] {
		switch {
		case has == fixed:
			return nil, false
		case has != free && !slices.Contains(all, has):
			all = append(all, has)
		}
	}
	return all, true
}
