package listing

import (
	"slices"

	"github.com/dynastay/dynastay"
)

// A transaction has at most 100 actions. A reservation may be longer, and the events that exchange nights may be many.
// What does not fit is changed in steps, each a plan of its own: after each of them every event holds exactly its
// nights. A night that the feed holds before and after the change is held by a block in between.

const (
	// mostMoved is the number of nights that an event can take, and free, in one step. If the blocks of its months change
	// a lot as well, it is fewer.
	mostMoved = 45
	// mostActions is the number of actions of a transaction.
	mostActions = 100
)

// order is what each step may be.
type order struct {
	most      int          // the number of nights that an event takes, and frees
	postponed map[int]bool // bookings that wait, by their position
}

// step returns the nights of an event after the next step of at most some nights on its way to others.
func step(was, to dynastay.Stay, most int) dynastay.Stay {
	none := dynastay.Stay{}
	switch {
	case was != none && to != none && was.Overlaps(to):
		return dynastay.Stay{CheckIn: toward(was.CheckIn, to.CheckIn, most), CheckOut: toward(was.CheckOut, to.CheckOut, most)}
	case was.Nights() > most:
		return dynastay.Stay{CheckIn: was.CheckIn, CheckOut: was.CheckOut.AddDays(-most)}
	case to == none:
		return none
	}
	return dynastay.Stay{CheckIn: to.CheckIn, CheckOut: toward(to.CheckIn, to.CheckOut, most)}
}

// toward returns the date that is some days nearer to another, or that date.
func toward(from, to dynastay.Date, days int) dynastay.Date {
	return from.AddDays(max(-days, min(days, from.DaysUntil(to))))
}

// steps shortens the changes of the bookings to their next steps. Those that are postponed wait, and
// a booking that needs a night which another one keeps in this step takes none. No step shortens a booking so that it
// ends tomorrow: the next one would keep tonight, see endsTomorrow.
func (p *plan) steps(tomorrow dynastay.Date, order order) {
	for i, t := range p.targets {
		was := t.event.Stay
		t.wanted = t.stay
		t.stay = step(was, t.wanted, order.most)
		if t.stay != t.wanted && t.stay.CheckOut == tomorrow && was.CheckOut.After(tomorrow) {
			t.stay.CheckOut = tomorrow.AddDays(1)
		}
		if order.postponed[i] {
			t.stay = was
		}
		p.more = p.more || t.stay != t.wanted
	}
	for waits := p.more; waits; {
		kept := map[dynastay.Date]*target{}
		for _, t := range p.targets {
			for _, date := range datesOf(t.event.Stay) {
				if t.stay.Contains(date) {
					kept[date] = t
				}
			}
		}
		waits = false
		for _, t := range p.targets {
			if t.changes() && slices.ContainsFunc(datesOf(t.stay), func(d dynastay.Date) bool { return kept[d] != nil && kept[d] != t }) {
				t.stay, waits = gives(t.event.Stay, t.stay), true
			}
		}
	}
}

// gives returns a step that only frees nights.
func gives(was, step dynastay.Stay) dynastay.Stay {
	if was == (dynastay.Stay{}) || !was.Overlaps(step) {
		return was
	}
	if was.CheckIn.Before(step.CheckIn) {
		was.CheckIn = step.CheckIn
	}
	if step.CheckOut.Before(was.CheckOut) {
		was.CheckOut = step.CheckOut
	}
	return was
}

// waiting adds the nights that the feed holds, and that wait for a later step of a booking, to those that are blocked.
func (p *plan) waiting(s *syncing, now state, blocked map[dynastay.Date]string) {
	if !p.more {
		return
	}
	held, taken := map[dynastay.Date]bool{}, map[dynastay.Date]bool{}
	for _, e := range now.own {
		for _, date := range datesOf(e.Stay) {
			held[date] = true
		}
	}
	for _, t := range p.targets {
		for _, date := range datesOf(t.stay) {
			taken[date] = true
		}
	}
	for _, t := range p.targets {
		for _, date := range datesOf(t.wanted) {
			if held[date] && !taken[date] && !date.Before(s.today) {
				blocked[date] = t.uid
			}
		}
	}
	for date := range taken {
		delete(blocked, date)
	}
}

// planOf compares a feed with the calendar. A change of the blocks of a month cannot be divided, so if one needs more than a
// transaction together with a booking that gives it nights, or takes some, the steps of the bookings get shorter.
func (s *syncing) planOf(now state, in entries) (p *plan) {
	for most := mostMoved; most > 0; most /= 2 {
		if p = s.planInSteps(now, in, most); p.tooLarge() < 0 {
			break
		}
	}
	return p
}

// planInSteps plans steps of at most some nights. If events that exchange nights need more than a transaction, half of their
// bookings wait: the later ones, or if the others need the nights of those, the earlier ones.
func (s *syncing) planInSteps(now state, in entries, most int) *plan {
	whole := s.trusted(now, in, order{most: most})
	for _, earlier := range []bool{false, true} {
		p, postponed := whole, map[int]bool{}
		for {
			large := p.tooLarge()
			if large < 0 || !p.postpone(p.parts[large], postponed, earlier) {
				break
			}
			p = s.trusted(now, in, order{most, postponed})
		}
		if len(p.parts) > 0 || !p.more {
			return p
		}
	}
	return whole
}

// tooLarge returns which of the parts of a plan needs more than a transaction, or -1.
func (p *plan) tooLarge() int {
	return slices.IndexFunc(p.parts, func(g *group) bool { return 1+len(g.targets)+len(g.nights) > mostActions })
}

// postpone postpones half of the bookings that change in a group. It reports whether there is more than one.
func (p *plan) postpone(g *group, postponed map[int]bool, earlier bool) bool {
	var changing []int
	for i, t := range p.targets {
		if t.event.Kind == KindBooking && t.changes() && slices.Contains(g.targets, t) {
			changing = append(changing, i)
		}
	}
	if len(changing) < 2 {
		return false
	}
	slices.SortStableFunc(changing, func(a, b int) int { return p.targets[a].first().Compare(p.targets[b].first()) })
	if earlier {
		slices.Reverse(changing)
	}
	for _, i := range changing[(len(changing)+1)/2:] {
		postponed[i] = true
	}
	return true
}

// first returns the first date that an event has before or after.
func (t *target) first() dynastay.Date {
	if t.event.Stay == (dynastay.Stay{}) || t.wanted != (dynastay.Stay{}) && t.wanted.CheckIn.Before(t.event.Stay.CheckIn) {
		return t.wanted.CheckIn
	}
	return t.event.Stay.CheckIn
}
