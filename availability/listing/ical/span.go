package ical

import (
	"time"

	"github.com/dynastay/dynastay"
)

// span is the time from the start of an event to its end.
type span struct{ start, end moment }

// isBackwards compares times of one zone as they are written, because clocks that are put forward leave times out.
func (s span) isBackwards() bool {
	switch {
	case !s.start.timed || !s.end.timed:
		return false
	case s.start.zone == s.end.zone:
		return s.end.written.Before(s.start.written) && s.end.t.Before(s.start.t)
	}
	return s.start.zone != nil && s.end.zone != nil && s.end.t.Before(s.start.t)
}

// local returns when the span begins and ends on the calendar of the listing, and whether it is one of whole days.
func (s span) local(listing *time.Location) (from, to time.Time, whole bool) {
	if bounds(s.start.written) && bounds(s.end.written) {
		return s.start.written, s.end.written, true
	}
	from, to = s.start.midnight(listing), s.end.midnight(listing)
	if bounds(from) && bounds(to) {
		return from, to, true
	}
	from, to = s.start.shown(listing), s.late(to, listing)
	if s.start.timed && s.start.zone == nil {
		from = from.Add(-day)
	}
	if s.end.timed && s.end.zone == nil {
		to = to.Add(day)
	}
	return from, to, false
}

// late returns the end of the span, or midnight if it is an evening at the listing and may be midnight elsewhere: where
// it was written, or, of times in UTC that also begin in an evening, to the east.
func (s span) late(to time.Time, listing *time.Location) time.Time {
	from := s.start.shown(listing)
	if !isLate(to) || s.end.zone == utc && dateOf(from) == dateOf(to) {
		return to
	}
	if bounds(s.end.written) && s.end.written.After(to) {
		return s.end.written
	}
	if s.start.zone == utc && s.end.zone == utc && isLate(from) && !bounds(to) {
		return to.Add(day)
	}
	return to
}

const outside = "the nights are not within the years 1 to 9999"

// stay returns the nights of the span, the more nights where these are in doubt, or why they cannot be read.
func (s span) stay(listing *time.Location) (stay dynastay.Stay, unreadable string) {
	from, to, whole := s.local(listing)
	stay = dynastay.Stay{CheckIn: dateOf(from), CheckOut: dateOf(to)}
	switch {
	case stay.CheckIn.IsZero() || stay.CheckOut.IsZero():
		return stay, outside
	case s.isBackwards() || stay.CheckOut.Before(stay.CheckIn):
		return stay, "the event ends before it begins"
	}
	stay.CheckOut = dateOf(to.Add(time.Minute))
	// Without a length, or without times, the event is not a visit during the day.
	if stay.CheckIn == stay.CheckOut && (whole || !s.start.timed || !s.end.timed || s.start.t.Equal(s.end.t)) {
		stay.CheckOut = stay.CheckOut.AddDays(1)
	}
	// When clocks are put back, 24 hours from midnight on end at 23:00.
	if s.start.timed && s.end.timed {
		nights := int((s.end.t.Sub(s.start.t) + time.Minute) / day)
		if out := stay.CheckIn.AddDays(nights); out.After(stay.CheckOut) {
			stay.CheckOut = out
		}
	}
	if stay.CheckOut.IsZero() {
		return stay, outside
	}
	return stay, ""
}

func dateOf(local time.Time) dynastay.Date { return dynastay.DateOf(local, nil) }
