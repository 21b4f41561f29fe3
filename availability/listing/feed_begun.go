package listing

import "github.com/dynastay/dynastay"

// What has begun keeps the nights that are over. And some channels' day begins hours before that of the listing: in the
// evening, their feeds contain nothing before tomorrow. So if nothing in a feed covers tonight (syncing.reach is then
// tomorrow), tonight remains held by an event that goes on, or that ends tomorrow.

// begun reports whether nights of an event are over, or tonight is its last one.
func (s *syncing) begun(stay dynastay.Stay) bool {
	return stay.CheckIn.Before(s.today) || s.endsTomorrow(stay)
}

// endsTomorrow reports whether tonight is the last night of an event, and the feed may have dropped it for that reason.
func (s *syncing) endsTomorrow(stay dynastay.Stay) bool {
	return stay.Contains(s.today) && stay.CheckOut == s.today.AddDays(1) && s.reach.After(s.today)
}

// continues reports whether an entry may be that of an event: nights that are over remain those of the event, whose
// nights are consecutive.
func (s *syncing) continues(was, entry dynastay.Stay) bool {
	return !s.begun(was) || !entry.CheckIn.After(s.reach)
}

// notBefore returns a date, or today if that is later.
func (s *syncing) notBefore(date dynastay.Date) dynastay.Date {
	if date.Before(s.today) {
		return s.today
	}
	return date
}

// continuing returns the dates from today on of the events that an entry leaves as they are.
func (s *syncing) continuing(entry dynastay.Stay) []dynastay.Stay {
	stays := []dynastay.Stay{{CheckIn: s.notBefore(entry.CheckIn), CheckOut: entry.CheckOut}}
	if entry.CheckIn.After(s.today) && !entry.CheckIn.After(s.reach) {
		stays = append(stays, dynastay.Stay{CheckIn: s.today, CheckOut: entry.CheckOut})
	}
	return stays
}

// moved returns the nights of an event whose entry has other dates. Those that are over remain as they were: some
// channels cut them off.
func (s *syncing) moved(was, entry dynastay.Stay) dynastay.Stay {
	entry.CheckIn = s.notBefore(entry.CheckIn)
	if !was.CheckIn.After(s.today) && !entry.CheckIn.After(s.reach) {
		entry.CheckIn = was.CheckIn
	}
	return entry
}

// ended returns the nights of an event that is not in the feed any more: those that are over.
func (s *syncing) ended(was dynastay.Stay) dynastay.Stay {
	switch {
	case s.endsTomorrow(was):
		return was
	case !was.CheckIn.Before(s.today):
		return dynastay.Stay{}
	}
	return dynastay.Stay{CheckIn: was.CheckIn, CheckOut: s.today}
}

// keptTonight reports whether a block keeps tonight, although the feed does not contain it.
func (s *syncing) keptTonight(was dynastay.Stay, blocked map[dynastay.Date]string) bool {
	_, goesOn := blocked[s.reach]
	return s.endsTomorrow(was) || goesOn && s.reach.After(s.today)
}
