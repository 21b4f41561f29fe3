package venue_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

// onBooking returns a call that changes a booking.
func onBooking(
	name, id string, build func(*venue.Repository) *dynastay.Operation[*venue.Booking], expect func(*books, made) (any, *refusal),
) call {
	return op(name, build, expect).replayed(func(s *books, _ made) any { return s.bookings[id] })
}

func (w *world) request() call {
	q := venue.Request{
		UserID: w.focus.user, Date: w.day, Slot: pick(w, slots...), Description: pick(w, "Party", "Wedding"), Attendees: pick(w, 10, 20),
	}
	if w.draw.IntN(8) == 0 {
		q.BookingID = w.focus.id
	}
	by := w.actor(q.UserID)
	return op("Request", func(r *venue.Repository) *dynastay.Operation[*venue.Booking] { return r.RequestOp(by, q) },
		func(s *books, made made) (any, *refusal) {
			id := made.or(q.BookingID, "bkg_")
			if no := notAllowed(by, q.UserID); no != nil {
				return nil, no
			}
			if q.Date.Before(s.today) {
				return nil, &refusal{outcome: "past", by: byRead}
			}
			if _, there := s.bookings[id]; there {
				return nil, &refusal{outcome: "exists", by: byWrite}
			}
			user, there := s.people[q.UserID]
			if !there {
				return nil, &refusal{outcome: "not found", by: byWrite}
			}
			if !slices.Contains(w.names, id) {
				w.names = append(w.names, id)
			}
			user.Requested++
			s.people[q.UserID] = user
			s.bookings[id] = venue.Booking{
				ID: id, UserID: q.UserID, Date: q.Date, Slot: q.Slot, Duration: durations[q.Slot], Description: q.Description,
				Attendees: q.Attendees, Status: venue.Pending, RequestedAt: s.time, UpdatedAt: s.time, Version: 1,
			}
			s.record(by, venue.AuditEntry{Action: venue.BookingRequested, UserID: q.UserID, BookingID: id})
			return s.bookings[id], nil
		}).replayed(func(s *books, made made) any { return s.bookings[made.or(q.BookingID, "bkg_")] })
}

var durations = map[venue.Slot]venue.Duration{
	venue.Morning: "HALF_DAY", venue.Afternoon: "HALF_DAY", venue.FullDay: "FULL_DAY",
}

// changeable returns why a booking cannot be changed, or nil.
func (s *books) changeable(id string, by venue.Actor, holds func(int) bool, from ...venue.Status) *refusal {
	b, there := s.bookings[id]
	switch {
	case !there:
		return &refusal{outcome: "not found", by: byRead}
	case notAllowed(by, b.UserID) != nil:
		return &refusal{outcome: "not allowed", by: byRead}
	case !slices.Contains(from, b.Status):
		return &refusal{outcome: "status " + string(b.Status), by: byRead}
	case !holds(b.Version):
		return &refusal{outcome: "version", by: byRead}
	}
	return nil
}

func (w *world) update() call {
	id, kind := w.booking(venue.Pending), w.draw.IntN(7)
	by := w.actor(w.now.bookings[id].UserID)
	date, slot, description, attendees := w.date(), pick(w, slots...), pick(w, "Party", "Wedding"), pick(w, 10, 20)
	opts, holds := w.ifVersion(w.now.bookings[id].Version)
	change := func(b *venue.Booking) error {
		switch kind {
		case 0:
			return errOwn
		case 1:
			b.Date = date
		case 2, 3:
			b.Slot = slot
		case 4:
			b.Date, b.Slot = date, slot
		default:
			b.Description, b.Attendees = description, attendees
		}
		return nil
	}
	return onBooking("Update", id, func(r *venue.Repository) *dynastay.Operation[*venue.Booking] {
		return r.UpdateOp(by, id, change, append(opts, dynastay.AgreedOn(fmt.Sprint(kind, date, slot, description, attendees)))...)
	}, func(s *books, _ made) (any, *refusal) {
		if no := s.changeable(id, by, holds, venue.Pending); no != nil {
			return nil, no
		}
		b := s.bookings[id]
		switch err := change(&b); {
		case err != nil:
			return nil, &refusal{outcome: "own", by: byRead}
		case b == s.bookings[id]:
			return b, nil
		case b.Slot == "":
			return nil, &refusal{outcome: "invalid Slot", by: byRead}
		case b.Date.Before(s.today):
			return nil, &refusal{outcome: "past", by: byRead}
		}
		b.Duration, b.Version, b.UpdatedAt = durations[b.Slot], b.Version+1, s.time
		s.bookings[id] = b
		s.record(by, venue.AuditEntry{Action: venue.BookingUpdated, UserID: b.UserID, BookingID: id})
		return b, nil
	})
}

// seen draws the version that somebody who decides has seen: rarely an earlier one.
func (w *world) seen(id string) (version int, holds func(int) bool) {
	version = max(0, w.now.bookings[id].Version-pick(w, 0, 0, 0, 0, 0, 1))
	return version, func(v int) bool { return v == version }
}

// decide changes the status of a booking in the model.
func (s *books) decide(id string, by venue.Actor, status venue.Status, event, reason string) venue.Booking {
	b := s.bookings[id]
	user, there := s.people[b.UserID]
	switch {
	case status != venue.Approved && b.Status != venue.Approved:
	case !there || status != venue.Approved && user.Approved == 0:
		s.uncounted = true
	case status == venue.Approved:
		user.Approved++
	default:
		user.Approved--
	}
	if there {
		s.people[b.UserID] = user
	}
	s.record(by, venue.AuditEntry{
		Action: venue.Action("booking." + string(status)), UserID: b.UserID, BookingID: id, EventID: cmp.Or(event, b.EventID), Note: reason,
	})
	b.Status, b.EventID, b.Reason, b.DecidedBy, b.DecidedAt = status, event, reason, by.UserID, s.time
	b.Version, b.UpdatedAt = b.Version+1, s.time
	s.bookings[id] = b
	return b
}

func (w *world) approve() call {
	id, by := w.booking(venue.Pending), w.decider()
	version, holds := w.seen(id)
	a := venue.Approval{BookingID: id, Version: version, Title: pick(w, "", "Gala")}
	if w.draw.IntN(3) == 0 {
		a.Code, a.ValidFrom, a.ValidUntil = "4711", now, now.Add(time.Hour)
	}
	c := onBooking("Approve", id, func(r *venue.Repository) *dynastay.Operation[*venue.Booking] { return r.ApproveOp(by, a) },
		func(s *books, made made) (any, *refusal) {
			if by.Role != venue.Admin {
				return nil, &refusal{outcome: "not allowed"}
			}
			if no := s.changeable(id, by, holds, venue.Pending); no != nil {
				return nil, no
			}
			b, event := s.bookings[id], made["evt_"]
			switch {
			case b.Date.Before(s.today):
				return nil, &refusal{outcome: "past", by: byRead}
			case b.Slot == "":
				return nil, &refusal{outcome: "no slot", by: byRead}
			}
			if no := s.takenFor(b.Date, b.Slot); no != nil {
				return nil, no
			}
			s.events[place{b.Date, b.Slot}] = venue.Event{
				ID: event, BookingID: id, Date: b.Date, Slot: b.Slot, Type: venue.PrivateBooking, Title: cmp.Or(a.Title, b.Description),
				CreatedBy: b.UserID, CreatedAt: s.time, UpdatedAt: s.time, Version: 1,
			}
			if a.Code != "" {
				s.open(by, venue.LockCode{
					EventID: event, Date: b.Date, Slot: b.Slot, Code: a.Code, ValidFrom: a.ValidFrom, ValidUntil: a.ValidUntil,
				}, venue.AuditEntry{UserID: b.UserID, BookingID: id})
			}
			return s.decide(id, by, venue.Approved, event, ""), nil
		})
	if w.draw.IntN(4) == 0 {
		return w.withMessage(c, venue.Notification{UserID: w.focus.user, BookingID: id, Title: "Approved"})
	}
	return c
}

// withMessage returns a call that also notifies a user, if and only if it is done.
func (w *world) withMessage(c call, n venue.Notification) call {
	with := c
	with.name += " with a message"
	with.parts = func(r *venue.Repository) ([]dynastay.Part, func() any) {
		parts, result := c.parts(r)
		return append(parts, r.NotifyOp(n)), result
	}
	with.expect = func(s *books, made made) (any, *refusal) {
		result, no := c.expect(s, made)
		if no == nil {
			s.tell(n, made)
		}
		return result, no
	}
	return with
}

func (w *world) reject() call {
	id, by, reason := w.booking(venue.Pending), w.decider(), pick(w, "", "too loud")
	version, holds := w.seen(id)
	return onBooking("Reject", id, func(r *venue.Repository) *dynastay.Operation[*venue.Booking] {
		return r.RejectOp(by, venue.Rejection{BookingID: id, Version: version, Reason: reason})
	}, func(s *books, _ made) (any, *refusal) {
		if by.Role != venue.Admin {
			return nil, &refusal{outcome: "not allowed"}
		}
		if no := s.changeable(id, by, holds, venue.Pending); no != nil {
			return nil, no
		}
		return s.decide(id, by, venue.Rejected, "", reason), nil
	})
}

func (w *world) cancel() call {
	id, reason := w.booking(venue.Approved, pick(w, venue.Approved, venue.Pending)), pick(w, "", "ill")
	by := w.actor(w.now.bookings[id].UserID)
	version, holds := w.seen(id)
	c := onBooking("Cancel", id, func(r *venue.Repository) *dynastay.Operation[*venue.Booking] {
		return r.CancelOp(by, venue.Cancellation{BookingID: id, Version: version, Reason: reason})
	}, func(s *books, _ made) (any, *refusal) {
		if no := s.changeable(id, by, holds, venue.Pending, venue.Approved); no != nil {
			return nil, no
		}
		b := s.bookings[id]
		if b.Status == venue.Approved {
			if b.Date.Before(s.today) {
				return nil, &refusal{outcome: "past", by: byRead}
			}
			delete(s.events, place{b.Date, b.Slot})
			delete(s.codes, b.EventID)
		}
		return s.decide(id, by, venue.Cancelled, "", reason), nil
	})
	if w.draw.IntN(4) == 0 {
		return w.withMessage(c, venue.Notification{UserID: w.focus.user, BookingID: id, Title: "Cancelled"})
	}
	return c
}
