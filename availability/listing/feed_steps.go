package listing

import (
	"slices"

	"github.com/dynastay/dynastay"
)

// A transaction has at most 100 actions. A reservation may be longer, and the events that exchange nights may be many.
// What does not fit is changed in steps, each a plan of its own: after each of them every event holds exactly its
// nights. A night that the feed holds before and after the change is held by a block in between.

const (
	// mostMoved is the number of nights that an event can take, and free, in one step.
	mostMoved = 45
	// mostActions is the number of actions of a transaction.
	mostActions = 100
)

// step returns the nights of an event after the next step on its way to others.
func step(was, to dynastay.Stay) dynastay.Stay {
	none := dynastay.Stay{}
	switch {
	case was != none && to != none && was.Overlaps(to):
		return dynastay.Stay{CheckIn: toward(was.CheckIn, to.CheckIn), CheckOut: toward(was.CheckOut, to.CheckOut)}
	case was.Nights() > mostMoved:
		return dynastay.Stay{CheckIn: was.CheckIn, CheckOut: was.CheckOut.AddDays(-mostMoved)}
	case to == none:
		return none
	}
	return dynastay.Stay{CheckIn: to.CheckIn, CheckOut: toward(to.CheckIn, to.CheckOut)}
}

// toward returns the date that is mostMoved days nearer to another, or that date.
func toward(from, to dynastay.Date) dynastay.Date {
	return from.AddDays(max(-mostMoved, min(mostMoved, from.DaysUntil(to))))
}

// steps shortens the changes of the bookings to their next steps. Those that are postponed, by their position, wait, and
// a booking that needs a night which another one keeps in this step takes none. No step shortens a booking so that it
// ends tomorrow: the next one would keep tonight, see endsTomorrow.
func (p *plan) steps(tomorrow dynastay.Date, postponed map[int]bool) {
	for i, t := range p.targets {
		was := t.event.Stay
		t.wanted = t.stay
		t.stay = step(was, t.wanted)
		if t.stay != t.wanted && t.stay.CheckOut == tomorrow && was.CheckOut.After(tomorrow) {
			t.stay.CheckOut = tomorrow.AddDays(1)
		}
		if postponed[i] {
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

// planOf compares a feed with the calendar. If events that exchange nights need more than a transaction, half of their
// bookings wait: the later ones, or if the others need the nights of those, the earlier ones.
func (s *syncing) planOf(now state, in entries) *plan {
	whole := s.trusted(now, in, nil)
	for _, earlier := range []bool{false, true} {
		p, postponed := whole, map[int]bool{}
		for {
			large := slices.IndexFunc(p.parts, func(g *group) bool { return 1+len(g.targets)+len(g.nights) > mostActions })
			if large < 0 || !p.postpone(p.parts[large], postponed, earlier) {
				break
			}
			p = s.trusted(now, in, postponed)
		}
		if len(p.parts) > 0 || !p.more {
			return p
		}
	}
	return whole
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
