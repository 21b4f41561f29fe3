package listing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
)

// matching is the work of match.
type matching struct {
	*syncing
	events  []*Event
	booked  []ical.Entry
	entryOf map[*Event]int // the index of its entry
	used    []bool         // the entries that have an event
}

// trait is what an event and its entry have in common.
type trait struct {
	reservation string // the id of the reservation, or anyReservation
	uid         string
	stay        dynastay.Stay
	later       bool // the entry does not continue an event that has begun
}

// anyReservation is the trait of all entries, with an id or without.
const anyReservation = "\x00"

func (t trait) of(reservation string) trait {
	t.reservation = reservation
	return t
}

// like returns the traits of the entries that may be those of an event: an event with an id has no entry with another.
func like(e *Event, t trait) []trait {
	if strings.HasPrefix(e.ExternalID, uidPrefix) {
		return []trait{t.of(anyReservation)}
	}
	return []trait{t.of(e.ExternalID), t.of("")}
}

// differ reports whether an entry has the id of another reservation.
func differ(e *Event, entry ical.Entry) bool {
	return entry.ReservationID != "" && entry.ReservationID != e.ExternalID && !strings.HasPrefix(e.ExternalID, uidPrefix)
}

// byTrait gives each event the first entry that has a trait in common with it.
func (m *matching) byTrait(ofEntry func(ical.Entry) []trait, ofEvent func(*Event) []trait) {
	entries := map[trait][]int{}
	for i, entry := range m.booked {
		if m.used[i] {
			continue
		}
		for _, t := range ofEntry(entry) {
			t.later = entry.Stay.CheckIn.After(m.reach)
			entries[t] = append(entries[t], i)
		}
	}
	for _, e := range m.events {
		if _, there := m.entryOf[e]; there {
			continue
		}
		first := -1
		for _, t := range ofEvent(e) {
			for _, t.later = range []bool{false, true} {
				if t.later && m.begun(e.Stay) {
					continue
				}
				left := entries[t]
				for len(left) > 0 && m.used[left[0]] {
					left = left[1:]
				}
				if entries[t] = left; len(left) > 0 && (first < 0 || left[0] < first) {
					first = left[0]
				}
			}
		}
		if first >= 0 {
			m.take(e, first)
		}
	}
}

func (m *matching) take(e *Event, entry int) { m.entryOf[e], m.used[entry] = entry, true }

// byNights gives the events entries with nights in common, first those with the most.
func (m *matching) byNights() {
	at := map[dynastay.Date][]int{} // the events of a night
	for i, e := range m.events {
		if _, there := m.entryOf[e]; !there {
			for _, date := range datesOf(e.Stay) {
				at[date] = append(at[date], i)
			}
		}
	}
	type meeting struct{ nights, event, entry int }
	var meetings []meeting
	for i, entry := range m.booked {
		if m.used[i] {
			continue
		}
		common := map[int]int{}
		for _, date := range datesOf(entry.Stay) {
			for _, e := range at[date] {
				common[e]++
			}
		}
		for n, nights := range common {
			if e := m.events[n]; !differ(e, entry) && m.continues(e.Stay, entry.Stay) {
				meetings = append(meetings, meeting{nights, n, i})
			}
		}
	}
	slices.SortFunc(meetings, func(a, b meeting) int {
		return cmp.Or(b.nights-a.nights, a.event-b.event, a.entry-b.entry)
	})
	for _, meet := range meetings {
		e := m.events[meet.event]
		if _, there := m.entryOf[e]; !there && !m.used[meet.entry] {
			m.take(e, meet.entry)
		}
	}
}
