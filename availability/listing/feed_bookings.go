package listing

import (
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
)

// bookings plans the events of the feed's reservations, in the order of their nights. If one cannot get its new nights, it keeps those
// that it has, which an earlier one may have been given; so all are planned anew with each. What the feed wants and does not get is
// blocked, if nobody has it.
func (p *plan) bookings(s *syncing, now state, events []ownEvent, found pairs, free bool, blocked map[dynastay.Date]string) {
	keeps := map[*target]bool{}
	for _, e := range events {
		t := &target{event: e.Event, row: e.row, stay: e.Stay, uid: e.UID}
		entry, there := found.entry[e.Event]
		switch {
		case there:
			t = s.movedTo(t, entry)
		case free:
			t.stay = s.ended(e.Stay)
		}
		p.targets = append(p.targets, t)
	}
	for !p.place(now, keeps) {
	}
	// What one of them needed may have been given to another that keeps its own nights after all.
	refused := slices.DeleteFunc(slices.Clone(p.targets), func(t *target) bool {
		_, there := found.entry[t.event]
		return !there || !keeps[t]
	})
	for n := len(refused) + 1; len(refused) < n; {
		n = len(refused)
		refused = slices.DeleteFunc(refused, func(t *target) bool {
			moved := s.movedTo(t, found.entry[t.event])
			if p.isTaken(now, moved) {
				return false
			}
			p.release(t)
			*t = *moved
			p.hold(t)
			return true
		})
	}
	for _, t := range refused {
		entry := found.entry[t.event]
		p.refuse(s, now, s.movedTo(t, entry), entry, blocked)
	}
	for _, entry := range found.rest {
		t := &target{event: s.newBooking(entry), stay: entry.Stay, uid: entry.UID}
		t.stay.CheckIn = s.notBefore(t.stay.CheckIn)
		if p.isTaken(now, t) {
			p.refuse(s, now, t, entry, blocked)
			continue
		}
		p.add(t)
	}
}

// movedTo returns what an event will be if it gets what its entry says.
func (s *syncing) movedTo(t *target, entry ical.Entry) *target {
	moved := *t
	moved.stay, moved.uid = s.moved(t.event.Stay, entry.Stay), entry.UID
	return &moved
}

// place gives the bookings their nights, first those that keep theirs. It reports whether all got them; one that does not keeps its own.
func (p *plan) place(now state, keeps map[*target]bool) bool {
	clear(p.holders)
	for _, t := range p.targets {
		if keeps[t] {
			p.hold(t)
		}
	}
	for _, t := range p.targets {
		switch {
		case keeps[t]:
		case p.isTaken(now, t):
			t.stay, t.uid, keeps[t] = t.event.Stay, t.event.UID, true
			return false
		default:
			p.hold(t)
		}
	}
	return true
}

func (p *plan) hold(t *target) {
	for _, date := range datesOf(t.stay) {
		if p.holders[date] == nil {
			p.holders[date] = t
		}
	}
}

func (p *plan) release(t *target) {
	for _, date := range datesOf(t.stay) {
		if p.holders[date] == t {
			delete(p.holders, date)
		}
	}
}

// holder returns who else will hold a night that an event is to have, or nil.
func (p *plan) holder(date dynastay.Date, t *target) *target {
	if other := p.holders[date]; other != nil && other.event != t.event {
		return other
	}
	return nil
}

// isTaken reports whether other events hold a night that an event is to have, or other reservations of the feed.
func (p *plan) isTaken(now state, t *target) bool {
	for _, date := range datesOf(t.stay) {
		if now.others[date] != nil || p.holder(date, t) != nil {
			return true
		}
	}
	return false
}

// refuse notes that an event cannot have its nights, and who has them.
func (p *plan) refuse(s *syncing, now state, t *target, entry ical.Entry, blocked map[dynastay.Date]string) {
	taken := &Taken{ListingID: s.feed.ListingID}
	for _, date := range datesOf(t.stay) {
		if night := now.others[date]; night != nil {
			taken.Nights = append(taken.Nights, night)
		} else if other := p.holder(date, t); other != nil {
			taken.Nights = append(taken.Nights, p.nightOf(other, date))
		}
	}
	p.conflicts = append(p.conflicts, Conflict{entry.UID, entry.ReservationID, taken})
	s.block(blocked, entry.Stay, entry.UID)
}

// nightOf returns a night of the event that will hold it. Thousands of entries may want the same one.
func (p *plan) nightOf(t *target, date dynastay.Date) *Night {
	night := p.nights[date]
	if night == nil {
		night = t.event.night(date, t.event.CreatedAt)
		p.nights[date] = night
	}
	return night
}
