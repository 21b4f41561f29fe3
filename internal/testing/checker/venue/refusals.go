package venue

import (
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// checkCall compares what a call was told with what all calls have done.
func (s *venues) checkCall(c *call, lives map[string]*life, all map[string]*occupancy) {
	l := lives[c.booking]
	for _, b := range c.results {
		n := c.writes()
		if b.Version < n || !c.keyed && b.Version != n {
			s.Differ("another version than was written", c.Items, "%s: %+v", c.About, b)
		}
	}
	if c.kind == renaming || c.kind == striking || c.kind == coding {
		s.checkChangeOfEvent(c, all)
	}
	for _, told := range c.Refusals {
		if !s.justified(c, told, l, all) {
			s.Differ("a refusal without the reason that it names", c.Items, "%s: %v", c.About, told.Err)
		}
	}
}

// checkChangeOfEvent looks for changes of an event that did not take place, and for two of one version.
func (s *venues) checkChangeOfEvent(c *call, all map[string]*occupancy) {
	o := all[c.event]
	switch {
	case !c.Done():
		return
	case o == nil || !o.possible().Meets(c.Within), c.kind == striking && o.booking != "":
		s.Differ("a change of an event that was not there", c.Items, "%s", c.About)
	}
	for _, other := range s.all {
		if c.version > 0 && other != c && other.event == c.event && other.version == c.version && other.Done() &&
			(other.kind == renaming || other.kind == striking) && c.kind != coding {
			s.Differ("two changes of one version", c.Items, "%s and %s", c.About, other.About)
		}
	}
}

// justified reports whether a refusal was true at some moment of its call. What the call itself has written is
// no reason.
func (s *venues) justified(c *call, at checker.Told, l *life, all map[string]*occupancy) bool {
	var taken *venue.SlotTaken
	var status *venue.StatusError
	if o := all[c.event]; c.kind == renaming || c.kind == striking || c.kind == coding {
		return s.justifiedForEvent(c, at, o)
	}
	stages := func(fits func(n int, v *stage) bool) bool {
		for n, v := range l.stages {
			if fits(n+1, v) && !slices.Contains(v.by, c) && l.possible(n+1).Meets(at.Span) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.As(at.Err, &taken):
		return s.justifiedTaken(c, at, taken, l, all)
	case errors.As(at.Err, &status):
		open := status.Status == venue.Pending || c.kind == withdrawing && status.Status == venue.Approved
		return !open && stages(func(_ int, v *stage) bool { return v.status == status.Status })
	case errors.Is(at.Err, dynastay.ErrVersion):
		return c.version > 0 && stages(func(n int, v *stage) bool {
			return n != c.version && (v.status == venue.Pending || c.kind == withdrawing && v.status == venue.Approved)
		})
	case errors.Is(at.Err, dynastay.ErrNotFound):
		return len(l.stages) == 0 || l.stages[0].To >= at.From
	case errors.Is(at.Err, venue.ErrNotAllowed):
		return len(l.stages) > 0 && c.by.Role == venue.Customer && c.by.UserID != l.stages[0].by[0].user
	case c.kind == reporting && errors.Is(at.Err, dynastay.ErrAlreadyExists):
		return slices.ContainsFunc(s.reports(c.booking, c.payment.ID), func(other *call) bool {
			return other.Could() && other.Within.From <= at.To && other.payment.Amount != c.payment.Amount
		})
	case errors.Is(at.Err, dynastay.ErrAlreadyExists):
		return stages(func(n int, _ *stage) bool { return n > 0 })
	}
	return false
}

// justifiedTaken looks for the events that a refusal names.
func (s *venues) justifiedTaken(c *call, at checker.Told, taken *venue.SlotTaken, l *life, all map[string]*occupancy) bool {
	date, slot := c.date.String(), c.slot
	if c.kind == approving {
		if c.version > len(l.stages) || l.stages[c.version-1].status != venue.Pending || !l.possible(c.version).Meets(at.Span) {
			return false
		}
		if date, slot = s.held(l, c.version); date == "" {
			date, slot = taken.Date.String(), taken.Slot
		}
	}
	if taken.Date.String() != date || taken.Slot != slot || len(taken.Events) == 0 {
		return false
	}
	return !slices.ContainsFunc(taken.Events, func(e *venue.Event) bool {
		o := all[e.ID]
		return o == nil || o.by == c || e.BookingID != o.booking || e.Date.String() != date || !overlap(e.Slot, slot) ||
			o.date != "" && (o.date != date || o.slot != e.Slot) || !o.possible().Meets(at.Span)
	})
}

// justifiedForEvent is for the calls that change an event.
func (s *venues) justifiedForEvent(c *call, at checker.Told, o *occupancy) bool {
	switch {
	case errors.Is(at.Err, dynastay.ErrNotFound):
		return o == nil || !o.covers(at.Span) && !(len(o.ends) == 1 && o.ends[0] == c)
	case errors.Is(at.Err, venue.ErrOfBooking):
		return o != nil && o.booking != "" && o.possible().Meets(at.Span)
	case errors.Is(at.Err, dynastay.ErrVersion):
		return c.version > 0 && slices.ContainsFunc(s.of(renaming, c.event), func(other *call) bool {
			return other != c && other.Within.From <= at.To
		})
	}
	return false
}

// reports are the calls that report a payment.
func (s *venues) reports(booking, payment string) (all []*call) {
	for _, c := range s.all {
		if c.kind == reporting && c.booking == booking && c.payment.ID == payment {
			all = append(all, c)
		}
	}
	return all
}

// checkPayments compares the payments of a booking with what was reported.
func (s *venues) checkPayments(l *life, stored map[string]plain) {
	for _, id := range []string{"pay-0", "pay-1"} {
		p, all := stored[id], s.reports(l.id, id)
		delete(stored, id)
		s.checkPayment(l, p, all)
	}
	for id, p := range stored {
		s.Differ("a payment that nobody reported", l.id, "%s: %v", id, p)
	}
}

func rankOf(status venue.PaymentStatus) int { return slices.Index(paymentStatuses, status) }

func (s *venues) checkPayment(l *life, p plain, all []*call) {
	if p == nil {
		for _, c := range all {
			if c.Done() {
				s.Differ("a payment is lost", c.Items, "%s", c.About)
			}
		}
		return
	}
	status := venue.PaymentStatus(checker.TextOf(p, "status"))
	reported, changes := false, map[venue.PaymentStatus]int{}
	for _, c := range all {
		same := checker.Cents(p["amount"]) == checker.Minor(c.payment.Amount)
		reported = reported || c.Could() && same && c.payment.Status == status && checker.TextOf(p, "method") == c.Mark
		if c.Done() && (!same || rankOf(c.payment.Status) > rankOf(status)) {
			s.Differ("a report of a payment is lost", c.Items, "%s %s: %v", c.About, c.payment.Status, p)
		}
		for _, r := range c.recorded {
			if rankOf(r.Payment.Status) < rankOf(c.payment.Status) || rankOf(r.Payment.Status) > rankOf(status) {
				s.Differ("a payment that moved back", c.Items, "%s: %+v, %v", c.About, r.Payment, p)
			}
			if c.keyed {
				continue
			}
			if r.Changed {
				changes[c.payment.Status]++
			} else if !slices.ContainsFunc(all, func(other *call) bool {
				return other != c && other.Could() && other.Within.From <= r.To && rankOf(other.payment.Status) >= rankOf(c.payment.Status)
			}) {
				s.Differ("a report that was not new to anybody", c.Items, "%s: %+v", c.About, r.Payment)
			}
		}
	}
	if !reported {
		s.Differ("a payment that nobody reported", l.id, "%v", p)
	}
	for status, n := range changes {
		if n > 1 {
			s.Differ("a payment that changed twice to one status", l.id, "%s: %v", status, p)
		}
	}
	if len(l.stages) == 0 {
		s.Differ("a payment of no booking", l.id, "%v", p)
	}
}

// checkDay compares the events that somebody has seen with those that can have taken place.
func (s *venues) checkDay(l *dayLook, all map[string]*occupancy) {
	for _, e := range l.events {
		o := all[e.ID]
		if o == nil || e.Date != l.date || o.date != "" && (o.date != e.Date.String() || o.slot != e.Slot) ||
			o.booking != e.BookingID || !o.possible().Meets(l.Span) {
			s.Differ("an event that was shown, and was not there", e.ID+" hall/"+l.date.String(), "%+v", e)
		}
	}
	for id, o := range all {
		shown := slices.ContainsFunc(l.events, func(e *venue.Event) bool { return e.ID == id })
		if o.date == l.date.String() && !shown && o.covers(l.Span) {
			s.Differ("an event that was not shown", o.by.Items+" "+id+" hall/"+o.date, "%s", o.by.About)
		}
	}
}

// checkNumbers compares the statistics that a recount returned with those of some moment.
func (s *venues) checkNumbers(l *numbersLook, lives map[string]*life, all map[string]*occupancy) {
	var requested, approved struct{ least, most int }
	for _, life := range lives {
		if len(life.stages) > 0 && life.stages[0].by[0].user == l.user {
			requested.least += checker.Count(life.stages[0].To < l.From)
			requested.most += checker.Count(life.stages[0].From <= l.To)
		}
	}
	for _, o := range all {
		if o.booking != "" && o.user == l.user {
			approved.least += checker.Count(o.covers(l.Span))
			approved.most += checker.Count(o.possible().Meets(l.Span))
		}
	}
	if l.requested < requested.least || l.requested > requested.most || l.approved < approved.least || l.approved > approved.most {
		s.Differ("a recount of something else", l.user, "%d, %d approved, where it must be %v and %v", l.requested, l.approved, requested, approved)
	}
}
