package venue

import (
	"slices"

	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// life is a booking of the venue by its versions.
type life struct {
	id     string
	stages []*stage // the first one has version 1
}

// stage is a version of a booking, and the time within which it was written.
type stage struct {
	checker.Span
	status venue.Status
	by     []*call // the calls that can have written it; one if that is certain
}

// statusAfter is what the calls about a booking make of it.
var statusAfter = map[string]venue.Status{
	requesting: venue.Pending, changing: venue.Pending, approving: venue.Approved, declining: venue.Rejected, withdrawing: venue.Cancelled,
}

// writes is the version of the booking that a call has written; 0 if only its answer could tell.
func (c *call) writes() int {
	switch {
	case c.kind == requesting:
		return 1
	case c.version > 0:
		return c.version + 1
	case !c.keyed && len(c.results) > 0:
		return c.results[0].Version
	}
	return 0
}

// life puts the calls that have changed a booking in the order of its versions.
func (s *venues) life(id string, versions int) *life {
	l := &life{id: id}
	for range versions {
		l.stages = append(l.stages, &stage{})
	}
	var others []*call // that have written any of the versions that are left
	for _, c := range s.all {
		if statusAfter[c.kind] == "" || c.booking != id || !c.Done() {
			continue
		}
		switch n := c.writes(); {
		case n == 0:
			others = append(others, c)
		case n > versions:
			s.Differ("a version is lost", id, "%d of %d: %s", n, versions, c.About)
		default:
			l.stages[n-1].by = append(l.stages[n-1].by, c)
		}
	}
	left := 0
	for n, v := range l.stages {
		switch len(v.by) {
		case 0:
			v.by = others
			left++
		case 1:
		default:
			s.Differ("two changes of one version", id, "version %d: %s and %s", n+1, v.by[0].About, v.by[1].About)
		}
	}
	if left != len(others) {
		s.Differ("versions that do not count the changes", id, "%d versions, for %d of which there are %d changes", versions, left, len(others))
	}
	s.order(l)
	return l
}

// order finds the statuses and times of the versions.
func (s *venues) order(l *life) {
	for n, v := range l.stages {
		v.From = checker.Ever
		for _, c := range v.by {
			v.From, v.To, v.status = min(v.From, c.Within.From), max(v.To, c.Within.To), statusAfter[c.kind]
		}
		if n == 0 {
			continue
		}
		before := l.stages[n-1]
		v.From = max(v.From, before.From)
		if before.status != venue.Pending && !(before.status == venue.Approved && v.status == venue.Cancelled) || before.status == v.status && v.status != venue.Pending {
			s.Differ("a change that the status does not allow", l.id, "version %d: %s after %s", n+1, v.status, before.status)
		}
	}
	for n := len(l.stages) - 2; n >= 0; n-- {
		l.stages[n].To = min(l.stages[n].To, l.stages[n+1].To)
	}
	for n, v := range l.stages {
		if v.From > v.To {
			s.Differ("versions in another order than their calls", l.id, "version %d", n+1)
		}
	}
}

// possible is the time in which a version can have been the stored one.
func (l *life) possible(n int) checker.Span {
	until := checker.Ever
	if n < len(l.stages) {
		until = l.stages[n].To
	}
	return checker.Between(l.stages[n-1].From, until)
}

// content are the calls that can have written what a version asks for.
func (l *life) content(n int) []*call {
	for n--; n > 0 && l.stages[n].status != venue.Pending; n-- {
	}
	return l.stages[n].by
}

// fits reports whether a version can be the state.
func (l *life) fits(n int, st state) bool {
	if n < 1 || n > len(l.stages) {
		return false
	}
	v, first := l.stages[n-1], l.stages[0].by
	if len(v.by) == 0 || len(first) == 0 || st.status != string(v.status) || st.user != first[0].user || st.description != first[0].Mark {
		return false
	}
	last, by, reason, event := v.by[0], "", "", ""
	if v.status != venue.Pending {
		by = last.by.UserID
	}
	switch last.kind {
	case approving:
		event = last.event
	case declining, withdrawing:
		reason = last.Mark
	}
	return st.by == by && st.reason == reason && st.event == event && slices.ContainsFunc(l.content(n), func(c *call) bool {
		return st.date == c.date.String() && st.slot == string(c.slot) && st.attendees == c.attendees
	})
}

// occupancy is an event: what it holds, and the times within which it was made and deleted.
type occupancy struct {
	event, booking, user, date string // the date is "" if nobody knows
	slot                       venue.Slot
	made, gone                 checker.Span
	by                         *call
	ends                       []*call
}

// possible is the time in which the event can have taken place.
func (o *occupancy) possible() checker.Span { return checker.Between(o.made.From, o.gone.To) }

// covers reports whether the event has certainly taken place all the time.
func (o *occupancy) covers(at checker.Span) bool { return o.made.To < at.From && at.To < o.gone.From }

// overlap is the rule of the slots.
func overlap(a, b venue.Slot) bool { return a == b || a == venue.FullDay || b == venue.FullDay }

// clashes reports whether two events certainly held one slot at the same time: neither can have ended before the other
// one began.
func (o *occupancy) clashes(other *occupancy) bool {
	return o.date != "" && o.date == other.date && overlap(o.slot, other.slot) && o.gone.From > other.made.To && other.gone.From > o.made.To
}

// occupancies are the events by their ids, of all calls that have made or deleted one.
func (s *venues) occupancies(lives map[string]*life) map[string]*occupancy {
	all := map[string]*occupancy{}
	for _, c := range s.all {
		if c.kind != approving && c.kind != staging || !c.Done() || c.event == "" {
			continue
		}
		o := &occupancy{event: c.event, booking: c.booking, made: c.Within, gone: checker.Since(checker.Ever), by: c}
		if other := all[c.event]; other != nil {
			s.Differ("two calls that made one event", c.Items, "%s and %s", c.About, other.by.About)
		}
		all[c.event] = o
		if c.kind == staging {
			o.date, o.slot = c.date.String(), c.slot
			continue
		}
		if l := lives[c.booking]; l != nil && c.version < len(l.stages) && len(l.stages[0].by) > 0 {
			o.user = l.stages[0].by[0].user
			o.date, o.slot = s.held(l, c.version)
			o.made = l.stages[c.version].Span
		}
	}
	for _, c := range s.all {
		if c.kind != striking && c.kind != withdrawing || !c.Done() || c.event == "" {
			continue
		}
		o, at := all[c.event], c.Within
		if o == nil {
			s.Differ("an end of an event that nobody made", c.Items, "%s", c.About)
			continue
		}
		if l := lives[c.booking]; c.kind == withdrawing && l != nil && c.version < len(l.stages) {
			at = l.stages[c.version].Span
		}
		o.gone = at
		o.ends = append(o.ends, c)
	}
	return all
}

// held is what a version of a booking asks for, if it is certain.
func (s *venues) held(l *life, n int) (string, venue.Slot) {
	for _, v := range []int{n, n + 1} {
		if v > n && (n >= len(l.stages) || l.stages[n].status == venue.Pending) { // a change asks for something else
			break
		}
		if st, told := s.states[l.id][v]; told {
			return st.date, venue.Slot(st.slot)
		}
	}
	if content := l.content(n); len(content) == 1 {
		return content[0].date.String(), content[0].slot
	}
	return "", ""
}
