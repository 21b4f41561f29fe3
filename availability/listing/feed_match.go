package listing

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// entries are those of a feed that are not over, without those of this calendar itself.
type entries struct{ booked, closed []ical.Entry }

// entries sorts the entries of a feed. A reservation that Import has imported is left out: a feed may be older than the
// last delivery, and must not bring back what was cancelled since.
func (s *syncing) entries(ctx context.Context, now state) (in entries, err error) {
	known := map[string]bool{}
	for _, e := range now.own {
		known[e.ExternalID] = true
	}
	s.reach = s.today.AddDays(1)
	for _, entry := range s.calendar.Entries {
		if !s.published(entry.UID) && entry.Stay.Contains(s.today) {
			s.reach = s.today
		}
		if !entry.Stay.CheckOut.After(s.today) || s.published(entry.UID) {
			continue
		}
		if !entry.Booked || externalID(entry) == "" {
			in.closed = append(in.closed, entry)
			continue
		}
		if entry.ReservationID != "" && !known[entry.ReservationID] {
			at, err := key.Of(listingkeys.Import{ListingID: s.feed.ListingID, Source: string(s.feed.Source), ExternalID: entry.ReservationID})
			if err != nil {
				in.closed = append(in.closed, entry)
				continue
			}
			_, was, err := s.imported(ctx, at)
			if err != nil {
				return in, err
			}
			if was != nil {
				continue
			}
		}
		if last := s.notBefore(entry.Stay.CheckIn).AddDays(MaxNights); last.Before(entry.Stay.CheckOut) {
			entry.Stay.CheckOut = last
		}
		in.booked = append(in.booked, entry)
	}
	return in, nil
}

// uidPrefix marks the external id of a reservation that the feed identifies by nothing but its UID.
const uidPrefix = "uid:"

// externalID returns the id of the reservation in an entry, or "" if nothing identifies it.
func externalID(entry ical.Entry) string {
	if entry.ReservationID != "" || entry.UID == "" {
		return entry.ReservationID
	}
	return uidPrefix + entry.UID
}

// pairs are the reservations of a feed with their events.
type pairs struct {
	entry map[*Event]ical.Entry
	rest  []ical.Entry // reservations that have no event yet
}

// match finds the event of each reservation: by its id, by its UID, by its dates, and by the most nights in common,
// because some channels give an entry a new UID each time, and may change its dates as well. Two reservations with
// different ids are never the same, and what has begun is only continued.
//
// A feed may have thousands of entries, so no event is compared with every entry.
func (s *syncing) match(events []*Event, booked []ical.Entry) pairs {
	m := &matching{syncing: s, booked: booked, events: events, entryOf: map[*Event]int{}, used: make([]bool, len(booked))}
	m.byTrait(func(e ical.Entry) []trait {
		if e.ReservationID == "" {
			return nil
		}
		return []trait{{reservation: e.ReservationID}}
	}, func(e *Event) []trait { return []trait{{reservation: e.ExternalID}} })
	m.byTrait(func(e ical.Entry) []trait {
		if e.UID == "" {
			return nil
		}
		return []trait{{uid: e.UID, reservation: e.ReservationID}, {uid: e.UID, reservation: anyReservation}}
	}, func(e *Event) []trait { return like(e, trait{uid: e.UID}) })
	m.byTrait(func(e ical.Entry) (traits []trait) {
		for _, stay := range s.continuing(e.Stay) {
			traits = append(traits, trait{stay: stay}.of(e.ReservationID), trait{stay: stay}.of(anyReservation))
		}
		return traits
	}, func(e *Event) []trait {
		return like(e, trait{stay: dynastay.Stay{CheckIn: s.notBefore(e.Stay.CheckIn), CheckOut: e.Stay.CheckOut}})
	})
	m.byNights()
	found := pairs{entry: map[*Event]ical.Entry{}}
	for e, i := range m.entryOf {
		found.entry[e] = booked[i]
	}
	for i, entry := range booked {
		if !m.used[i] {
			found.rest = append(found.rest, entry)
		}
	}
	return found
}

// newBooking returns the event of a reservation that has none yet.
func (s *syncing) newBooking(entry ical.Entry) *Event {
	bookingID := s.db.NewID(bookingPrefix)
	id, _ := listingkeys.BookingEventID(bookingID) // an id of the library's own
	return &Event{
		ListingID: s.feed.ListingID, HostID: s.feed.HostID, ID: id, Kind: KindBooking, Source: s.feed.Source,
		BookingID: bookingID, ExternalID: externalID(entry), Feed: s.feed.Name,
	}
}
