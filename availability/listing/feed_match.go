package listing

import (
	"context"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/keys/key"
	keys "github.com/dynastay/dynastay/keys/listing"
)

// entries are those of a feed that are not over, without those of this calendar itself.
type entries struct{ booked, closed []ical.Entry }

// mostBooked is the maximum number of nights of a booking of a feed. One transaction must be able to free as many
// nights as it takes, and to change the blocks around them. A longer reservation is stored as blocks.
const mostBooked = 45

// entries sorts the entries of a feed. A reservation that Import has imported is left out: a feed may be older than the
// last delivery, and must not bring back what was cancelled since.
func (s *syncing) entries(ctx context.Context, now state) (in entries, err error) {
	known := map[string]bool{}
	for _, e := range now.own {
		known[e.ExternalID] = true
	}
	for _, entry := range s.calendar.Entries {
		if !entry.Stay.CheckOut.After(s.today) || s.published(entry.UID) {
			continue
		}
		if !entry.Booked || externalID(entry) == "" || entry.Stay.Nights() > mostBooked {
			in.closed = append(in.closed, entry)
			continue
		}
		if entry.ReservationID != "" && !known[entry.ReservationID] {
			at, err := key.Of(keys.Import{ListingID: s.feed.ListingID, Source: string(s.feed.Source), ExternalID: entry.ReservationID})
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
// different ids are never the same.
func (s *syncing) match(events []*Event, booked []ical.Entry) pairs {
	found := pairs{map[*Event]ical.Entry{}, slices.Clone(booked)}
	differ := func(e *Event, entry ical.Entry) bool {
		uid := strings.HasPrefix(e.ExternalID, uidPrefix)
		return entry.ReservationID != "" && !uid && entry.ReservationID != e.ExternalID
	}
	for _, same := range []func(*Event, ical.Entry) int{
		func(e *Event, entry ical.Entry) int {
			return one(entry.ReservationID != "" && e.ExternalID == entry.ReservationID)
		},
		func(e *Event, entry ical.Entry) int {
			return one(entry.UID != "" && e.UID == entry.UID && !differ(e, entry))
		},
		func(e *Event, entry ical.Entry) int {
			return one(s.moved(e.Stay, entry.Stay) == e.Stay && !differ(e, entry))
		},
		func(e *Event, entry ical.Entry) int {
			if differ(e, entry) {
				return 0
			}
			return common(e.Stay, entry.Stay)
		},
	} {
		for {
			var event *Event
			at, most := -1, 0
			for _, e := range events {
				if _, there := found.entry[e]; there {
					continue
				}
				for i, entry := range found.rest {
					if n := same(e, entry); n > most {
						event, at, most = e, i, n
					}
				}
			}
			if event == nil {
				break
			}
			found.entry[event] = found.rest[at]
			found.rest = slices.Delete(found.rest, at, at+1)
		}
	}
	return found
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// common counts the nights that two stays have in common.
func common(a, b dynastay.Stay) (nights int) {
	for _, date := range datesOf(a) {
		if b.Contains(date) {
			nights++
		}
	}
	return nights
}

// newBooking returns the event of a reservation that has none yet.
func (s *syncing) newBooking(entry ical.Entry) *Event {
	bookingID := s.db.NewID(bookingPrefix)
	id, _ := keys.BookingEventID(bookingID) // an id of the library's own
	return &Event{
		ListingID: s.feed.ListingID, HostID: s.feed.HostID, ID: id, Kind: KindBooking, Source: s.feed.Source,
		BookingID: bookingID, ExternalID: externalID(entry), Feed: s.feed.Name,
	}
}
