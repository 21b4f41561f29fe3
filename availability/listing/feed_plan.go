package listing

import (
	"github.com/dynastay/dynastay"
)

// target is what an event of a feed will be.
type target struct {
	event *Event        // as it was read; a new one has no nights yet
	row   dynastay.Row  // the zero Row for a new event
	stay  dynastay.Stay // the zero Stay if the event will be deleted
	// wanted are the nights of a booking after the last step.
	wanted dynastay.Stay
	uid    string
}

func (t *target) changes() bool { return t.stay != t.event.Stay }

// plan is what a feed will make of the calendar.
// See docs/decisions/0018-listing-events.md for why a feed that shrinks is not believed.
type plan struct {
	targets   []*target
	holders   map[dynastay.Date]*target // which of them will hold a night
	conflicts []Conflict
	nights    map[dynastay.Date]*Night // of conflicts
	parts     []*group                 // what each transaction changes
	more      bool                     // it is only a step
	shrunk    *ShrunkError
}

// trusted compares a feed with the calendar. If the feed cannot be trusted, it frees no night.
func (s *syncing) trusted(now state, in entries, order order) *plan {
	free := len(s.calendar.Problems) == 0 || s.feed.MayFree != 0
	p := s.planFor(now, in, free, order)
	if !free {
		return p
	}
	shrunk := &ShrunkError{}
	had := 0
	for _, t := range p.targets {
		had += s.ahead(t.event.Stay)
	}
	for _, t := range p.targets {
		if lost := p.lost(s, t); lost > 0 {
			shrunk.Nights += lost
			shrunk.Events = append(shrunk.Events, t.event)
		}
	}
	if s.mayFreeNights(shrunk.Nights, had, len(in.booked)+len(in.closed) == 0) {
		return p
	}
	p = s.planFor(now, in, false, order)
	p.shrunk = shrunk
	return p
}

// mayFreeNights reports whether a feed that lacks some of the nights that it had is believed.
func (s *syncing) mayFreeNights(lost, had int, empty bool) bool {
	if s.feed.MayFree != 0 {
		return lost <= max(s.feed.MayFree, 0)
	}
	return lost == 0 || !empty && (lost <= usualNights || 2*lost <= had)
}

// lost counts the nights that an event loses and no other event of the feed gets.
func (p *plan) lost(s *syncing, t *target) (lost int) {
	for _, date := range datesOf(t.event.Stay) {
		if !date.Before(s.today) && p.holders[date] == nil {
			lost++
		}
	}
	return lost
}

// add adds a target.
func (p *plan) add(t *target) {
	p.targets = append(p.targets, t)
	p.hold(t)
}

// ahead counts the nights of a stay from today on.
func (s *syncing) ahead(stay dynastay.Stay) (nights int) {
	for _, date := range datesOf(stay) {
		if !date.Before(s.today) {
			nights++
		}
	}
	return nights
}

// planFor plans the bookings, and then the blocks for all other nights that the feed closes. Unless free is true,
// everything that the feed has held from today on remains held.
func (s *syncing) planFor(now state, in entries, free bool, order order) *plan {
	p := &plan{holders: map[dynastay.Date]*target{}, nights: map[dynastay.Date]*Night{}}
	blocked := map[dynastay.Date]string{} // the nights to block, each with a UID
	for _, entry := range in.closed {
		s.block(blocked, entry.Stay, entry.UID)
	}
	events := map[*Event]dynastay.Row{}
	var bookings []ownEvent
	var reserved, blocks []*Event
	for _, e := range now.own {
		events[e.Event] = e.row
		if e.Kind == KindBooking {
			bookings, reserved = append(bookings, e), append(reserved, e.Event)
		} else {
			blocks = append(blocks, e.Event)
		}
	}
	p.bookings(s, now, bookings, s.match(reserved, in.booked), free, blocked)
	if !free { // also the nights that a booking has lost by a move
		for event := range events {
			s.block(blocked, event.Stay, event.UID)
		}
	}
	for date := range blocked {
		if now.others[date] != nil || p.holders[date] != nil {
			delete(blocked, date)
		}
	}
	p.steps(s.today.AddDays(1), order)
	p.waiting(s, now, blocked)
	for _, t := range s.blocksFor(blocks, events, blocked) {
		p.add(t)
	}
	p.parts = p.groups()
	return p
}

// block adds the nights of a stay that are neither over nor too far ahead to those that will be blocked.
func (s *syncing) block(blocked map[dynastay.Date]string, stay dynastay.Stay, uid string) {
	horizon := s.today.AddDays(MaxNights) // some hosts close a listing until 2099
	for date := s.notBefore(stay.CheckIn); date.Before(stay.CheckOut) && date.Before(horizon); date = date.AddDays(1) {
		if _, there := blocked[date]; !there {
			blocked[date] = uid
		}
	}
}
