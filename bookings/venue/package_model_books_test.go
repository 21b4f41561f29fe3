package venue_test

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/lists"
)

// books is the model: what is stored, without write ids.
type books struct {
	time     time.Time
	today    dynastay.Date
	people   map[string]person
	bookings map[string]venue.Booking
	events   map[place]venue.Event
	codes    map[string]venue.LockCode   // by event
	payments map[[2]string]venue.Payment // by booking and id
	messages []venue.Notification        // in the order of their creation
	log      []venue.AuditEntry          // likewise
	// uncounted says that the present call cannot count as usual: its first request is refused, and it is prepared
	// again.
	uncounted bool
}

// person is a user without what the package does not export.
type person struct {
	ID, Email, Name, Phone string
	Role                   venue.Role
	Requested, Approved    int
	CreatedAt, UpdatedAt   time.Time
	Version                int
}

type place struct {
	date dynastay.Date
	slot venue.Slot
}

func newBooks() *books {
	return &books{
		people: map[string]person{}, bookings: map[string]venue.Booking{}, events: map[place]venue.Event{},
		codes: map[string]venue.LockCode{}, payments: map[[2]string]venue.Payment{},
	}
}

// clone returns a copy at the present time.
func (s *books) clone(w *world) *books {
	return &books{
		time: w.Clock.Now(), today: w.today(), people: maps.Clone(s.people), bookings: maps.Clone(s.bookings),
		events: maps.Clone(s.events), codes: maps.Clone(s.codes), payments: maps.Clone(s.payments),
		messages: slices.Clone(s.messages), log: slices.Clone(s.log),
	}
}

// record adds an entry to the audit log.
func (s *books) record(by venue.Actor, e venue.AuditEntry) {
	e.At, e.By, e.Role = s.time, by.UserID, by.Role
	s.log = append(s.log, e)
}

// slots are the slots in the order of a day.
var slots = []venue.Slot{venue.FullDay, venue.Morning, venue.Afternoon}

// on returns the events of a day.
func (s *books) on(date dynastay.Date) (events []venue.Event) {
	for _, slot := range slots {
		if e, held := s.events[place{date, slot}]; held {
			events = append(events, e)
		}
	}
	return events
}

// takenFor returns the error for a slot that cannot be taken, or nil.
func (s *books) takenFor(date dynastay.Date, slot venue.Slot) *refusal {
	taken := &venue.SlotTaken{Date: date, Slot: slot}
	for _, e := range s.on(date) {
		if slot == venue.FullDay || e.Slot == venue.FullDay || slot == e.Slot {
			taken.Events = append(taken.Events, &e)
		}
	}
	if taken.Events == nil {
		return nil
	}
	return &refusal{"taken", byWrite, taken}
}

// of returns the bookings of a user by their ids.
func (s *books) of(user string) (all []venue.UserBooking) {
	for _, id := range slices.Sorted(maps.Keys(s.bookings)) {
		if b := s.bookings[id]; b.UserID == user {
			all = append(all, venue.UserBooking{
				UserID: user, BookingID: id, Date: b.Date, Slot: b.Slot, Duration: b.Duration, Status: b.Status,
			})
		}
	}
	return all
}

// pending returns the bookings that wait for a decision, in the order of the seconds of their requests.
func (s *books) pending() (all []venue.Booking) {
	for _, b := range s.bookings {
		if b.Status == venue.Pending {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b venue.Booking) int {
		return cmp.Or(cmp.Compare(a.RequestedAt.Unix(), b.RequestedAt.Unix()), strings.Compare(a.ID, b.ID))
	})
	return all
}

func personOf(u *venue.User) person {
	return person{u.ID, u.Email, u.Name, u.Phone, u.Role, u.RequestedCount, u.ApprovedCount, u.CreatedAt, u.UpdatedAt, u.Version}
}

// plain returns what the package returns in the form of the model.
func plain(v any) any {
	switch v := v.(type) {
	case *venue.User:
		return personOf(v)
	case *venue.Booking:
		b := *v
		b.WriteID = ""
		return b
	case *venue.Event:
		e := *v
		e.WriteID = ""
		return e
	case *venue.LockCode:
		c := *v
		c.WriteID = ""
		return c
	case *venue.Payment:
		p := *v
		p.WriteID = ""
		return p
	case *venue.Notification:
		n := *v
		n.WriteID = ""
		return n
	case *venue.AuditEntry:
		e := *v
		e.ID = ""
		return e
	case *venue.UserBooking:
		return *v
	case venue.Recorded:
		return recorded{plain(v.Payment).(venue.Payment), v.Changed}
	case *venue.SlotTaken:
		return taken{place{v.Date, v.Slot}, plains[venue.Event](v.Events)}
	}
	return v
}

type (
	recorded struct {
		payment venue.Payment
		changed bool
	}
	taken struct {
		at     place
		events []venue.Event
	}
)

func plains[T any](all []*T) (values []T) {
	for _, v := range all {
		values = append(values, plain(v).(T))
	}
	return values
}

// reading is something that the package reads.
type reading struct {
	name string
	want func(*books) any
	read func() any
}

// missing is the value of a reading that fails with [dynastay.ErrNotFound].
const missing = "not found"

func orMissing[V any](v V, there bool) any {
	if !there {
		return missing
	}
	return v
}

// found returns what a method has read in the form of the model.
func found[T any](w *world, v *T, err error) any {
	if errors.Is(err, dynastay.ErrNotFound) {
		return missing
	}
	require.NoError(w.t, err)
	return plain(v)
}

func listed[T any](w *world, l dynastay.List[*T]) any {
	return plains(lists.All(w.t, l))
}

func filtered[T any](all []T, keep func(T) bool) (kept []T) {
	for _, v := range all {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

func (w *world) ofUser(id string) []reading {
	return []reading{
		{"User " + id, func(s *books) any { p, there := s.people[id]; return orMissing(p, there) },
			func() any { u, err := w.direct.User(w.t.Context(), id); return found(w, u, err) }},
		{"BookingsOf " + id, func(s *books) any { all := s.of(id); slices.Reverse(all); return all },
			func() any { return listed(w, w.direct.BookingsOf(id)) }},
		{"UserWithBookings " + id, func(s *books) any {
			if _, there := s.people[id]; !there {
				return missing
			}
			return s.of(id)
		}, func() any {
			u, bookings, err := w.direct.UserWithBookings(w.t.Context(), id)
			if found(w, u, err) == missing {
				return missing
			}
			return plains[venue.UserBooking](bookings)
		}},
		{"NotificationsOf " + id, func(s *books) any {
			of := filtered(s.messages, func(n venue.Notification) bool { return n.UserID == id })
			slices.Reverse(of)
			return of
		}, func() any { return listed(w, w.direct.NotificationsOf(id)) }},
	}
}

func (w *world) ofBooking(id string) []reading {
	return []reading{
		{"Booking " + id, func(s *books) any { b, there := s.bookings[id]; return orMissing(b, there) },
			func() any { b, err := w.direct.Booking(w.t.Context(), id); return found(w, b, err) }},
		{"PaymentsOf " + id, func(s *books) any {
			var of []venue.Payment
			for _, payment := range paymentIDs {
				if p, there := s.payments[[2]string{id, payment}]; there {
					of = append(of, p)
				}
			}
			return of
		}, func() any { return listed(w, w.direct.PaymentsOf(id)) }},
	}
}

func (w *world) ofDay(date dynastay.Date) []reading {
	return []reading{
		{"EventsOn " + date.String(), func(s *books) any { return s.on(date) }, func() any {
			events, err := w.direct.EventsOn(w.t.Context(), date)
			require.NoError(w.t, err)
			return plains[venue.Event](events)
		}},
		{"LockCodesOn " + date.String(), func(s *books) any {
			var codes []venue.LockCode
			for _, e := range s.on(date) {
				if c, there := s.codes[e.ID]; there {
					codes = append(codes, c)
				}
			}
			return codes
		}, func() any {
			codes, err := w.direct.LockCodesOn(w.t.Context(), date)
			require.NoError(w.t, err)
			return plains[venue.LockCode](codes)
		}},
	}
}

// general returns readings that are about everything. date is that of the audit log, in UTC.
func (w *world) general(date dynastay.Date) []reading {
	return []reading{
		{"Pending", func(s *books) any { return s.pending() }, func() any { return listed(w, w.direct.Pending()) }},
		{"Audit " + date.String(), func(s *books) any {
			return filtered(s.log, func(e venue.AuditEntry) bool { return e.At.Format(time.DateOnly) == date.String() })
		}, func() any { return listed(w, w.direct.Audit(date)) }},
	}
}

// availability reads the days of a month, and which slots are free.
func (w *world) availability() reading {
	type free struct {
		date   dynastay.Date
		events []venue.Event
		free   [3]bool
	}
	month := dynastay.MonthOf(w.today())
	return reading{"Availability", func(s *books) any {
		var days []free
		for date := month.CheckIn; date.Before(month.CheckOut); date = date.AddDays(1) {
			day := free{date: date, events: s.on(date)}
			for i, slot := range slots {
				day.free[i] = s.takenFor(date, slot) == nil
			}
			days = append(days, day)
		}
		return days
	}, func() any {
		var days []free
		read, err := w.direct.Availability(w.t.Context(), month)
		require.NoError(w.t, err)
		for _, d := range read {
			day := free{date: d.Date, events: plains[venue.Event](d.Events)}
			for i, slot := range slots {
				day.free[i] = d.Free(slot)
			}
			days = append(days, day)
		}
		return days
	}}
}

// near returns the readings of what the last call was about.
func (w *world) near() []reading {
	b := w.now.bookings[w.focus.id]
	if b.UserID == "" {
		b.UserID, b.Date = w.focus.user, w.day
	}
	return slices.Concat(w.ofUser(w.focus.user), w.ofUser(b.UserID), w.ofBooking(w.focus.id), w.ofDay(w.day), w.ofDay(b.Date),
		w.general(dynastay.DateOf(w.Clock.Now(), nil)))
}

// all returns the readings of everything.
func (w *world) all() (all []reading) {
	for _, id := range w.users {
		all = append(all, w.ofUser(id)...)
	}
	for _, email := range emails {
		all = append(all, reading{"UserByEmail " + email, func(s *books) any {
			for _, p := range s.people {
				if p.Email == email {
					return p
				}
			}
			return missing
		}, func() any {
			u, err := w.direct.UserByEmail(w.t.Context(), email, dynastay.Consistent)
			return found(w, u, err)
		}})
	}
	for _, id := range w.names {
		all = append(all, w.ofBooking(id)...)
	}
	for _, date := range w.days {
		all = append(all, w.ofDay(date)...)
	}
	for date := dynastay.DateOf(now, nil); !dynastay.DateOf(w.Clock.Now(), nil).Before(date); date = date.AddDays(1) {
		all = append(all, w.general(date)...)
	}
	return append(all, w.availability())
}

// view returns what the model expects of readings.
func (w *world) view(s *books, of []reading) map[string]any {
	view := map[string]any{}
	for _, r := range of {
		view[r.name] = r.want(s)
	}
	return view
}

func (w *world) read(of []reading) map[string]any {
	view := map[string]any{}
	for _, r := range of {
		view[r.name] = r.read()
	}
	return view
}

// compare compares readings with the model.
func (w *world) compare(of []reading) { require.Equal(w.t, w.view(w.now, of), w.read(of)) }
