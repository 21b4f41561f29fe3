package venue_test

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

func (w *world) createEvent() call {
	e := venue.Event{Date: w.day, Slot: pick(w, slots...), Type: pick[venue.EventType](w, "concert", "maintenance"), Title: pick(w, "Jazz", "Folk")}
	by := w.decider()
	given := func(made made) venue.Event {
		again := e
		again.ID, again.CreatedBy = made["evt_"], by.UserID
		return again
	}
	return op("CreateEvent", func(r *venue.Repository) *dynastay.Operation[*venue.Event] { return r.CreateEventOp(by, e) },
		func(s *books, made made) (any, *refusal) {
			if by.Role != venue.Admin {
				return nil, &refusal{outcome: "not allowed"}
			}
			if e.Date.Before(s.today) {
				return nil, &refusal{outcome: "past", by: byRead}
			}
			if no := s.takenFor(e.Date, e.Slot); no != nil {
				return nil, no
			}
			created := given(made)
			created.CreatedAt, created.UpdatedAt, created.Version = s.time, s.time, 1
			s.events[place{e.Date, e.Slot}] = created
			s.record(by, venue.AuditEntry{Action: venue.EventCreated, EventID: created.ID, Note: e.Title})
			return created, nil
		}).replayed(func(s *books, made made) any { return s.event(given(made)) })
}

// event returns an event as it is stored or, if it was deleted, as it was given.
func (s *books) event(given venue.Event) venue.Event {
	if stored := s.events[place{given.Date, given.Slot}]; stored.ID == given.ID {
		return stored
	}
	return given
}

// ref draws an event, and sometimes another id or slot.
func (w *world) ref() venue.EventRef {
	var refs []venue.EventRef
	for _, date := range w.days {
		for _, e := range w.now.on(date) {
			refs = append(refs, e.Ref())
		}
	}
	if len(refs) == 0 {
		return venue.EventRef{Date: w.day, Slot: pick(w, slots...), ID: "evt_none"}
	}
	ref := pick(w, refs...)
	switch w.draw.IntN(10) {
	case 0:
		ref.ID = pick(w, refs...).ID
	case 1:
		ref.Slot = pick(w, slots...)
	}
	w.day = ref.Date
	return ref
}

// there returns the event that is meant, or a refusal.
func (s *books) there(by venue.Actor, ref venue.EventRef, missed refusedBy) (venue.Event, *refusal) {
	e, held := s.events[place{ref.Date, ref.Slot}]
	switch {
	case by.Role != venue.Admin:
		return e, &refusal{outcome: "not allowed"}
	case !held || e.ID != ref.ID:
		return e, &refusal{outcome: "not found", by: missed}
	}
	return e, nil
}

// userOf returns whose booking an event is of.
func userOf(e venue.Event) string {
	if e.BookingID == "" {
		return ""
	}
	return e.CreatedBy
}

func (w *world) updateEvent() call {
	by, ref, kind, title := w.decider(), w.ref(), w.draw.IntN(4), pick(w, "Jazz", "Folk", "Gala")
	kindOf := pick[venue.EventType](w, "concert", "maintenance")
	opts, holds := w.ifVersion(w.now.events[place{ref.Date, ref.Slot}].Version)
	change := func(e *venue.Event) error {
		switch kind {
		case 0:
			return errOwn
		case 1:
			e.Type = kindOf
		default:
			e.Title = title
		}
		return nil
	}
	return op("UpdateEvent", func(r *venue.Repository) *dynastay.Operation[*venue.Event] {
		return r.UpdateEventOp(by, ref, change, append(opts, dynastay.AgreedOn(title, string(kindOf)))...)
	}, func(s *books, _ made) (any, *refusal) {
		e, no := s.there(by, ref, byRead)
		if no != nil {
			return nil, no
		}
		was := e
		switch err := change(&e); {
		case !holds(was.Version):
			return nil, &refusal{outcome: "version", by: byRead}
		case err != nil:
			return nil, &refusal{outcome: "own", by: byRead}
		case e == was:
			return e, nil
		case e.BookingID != "" && e.Type != venue.PrivateBooking:
			return nil, &refusal{outcome: "invalid Type", by: byRead}
		}
		e.Version, e.UpdatedAt = e.Version+1, s.time
		s.events[place{e.Date, e.Slot}] = e
		s.record(by, venue.AuditEntry{
			Action: venue.EventUpdated, UserID: userOf(e), BookingID: e.BookingID, EventID: e.ID, Note: e.Title,
		})
		return e, nil
	}).replayed(func(s *books, _ made) any { return s.event(venue.Event{ID: ref.ID, Date: ref.Date, Slot: ref.Slot}) })
}

func (w *world) deleteEvent() call {
	by, ref := w.decider(), w.ref()
	opts, holds := w.ifVersion(w.now.events[place{ref.Date, ref.Slot}].Version)
	return op("DeleteEvent", func(r *venue.Repository) *dynastay.Operation[struct{}] {
		return r.DeleteEventOp(by, ref, opts...)
	}, func(s *books, _ made) (any, *refusal) {
		e, no := s.there(by, ref, byRead)
		switch {
		case no != nil:
			return nil, no
		case e.BookingID != "":
			return nil, &refusal{outcome: "of booking", by: byRead}
		case !holds(e.Version):
			return nil, &refusal{outcome: "version", by: byRead}
		}
		delete(s.events, place{ref.Date, ref.Slot})
		delete(s.codes, e.ID)
		s.record(by, venue.AuditEntry{Action: venue.EventDeleted, EventID: e.ID, Note: e.Title})
		return struct{}{}, nil
	}).replayed(func(*books, made) any { return struct{}{} })
}

// open stores a lock code in the model. of has the booking whose approval sets it.
func (s *books) open(by venue.Actor, c venue.LockCode, of venue.AuditEntry) venue.LockCode {
	c.CreatedAt = s.time
	s.codes[c.EventID] = c
	of.Action, of.EventID = venue.LockCodeSet, c.EventID
	s.record(by, of)
	return c
}

func (w *world) setLockCode() call {
	by, ref := w.decider(), w.ref()
	code := venue.LockCode{
		EventID: ref.ID, Date: ref.Date, Slot: ref.Slot, Code: pick(w, "1234", "5678"), ValidFrom: now,
		ValidUntil: now.AddDate(0, 0, pick(w, 1, 2)),
	}
	return op("SetLockCode", func(r *venue.Repository) *dynastay.Operation[*venue.LockCode] { return r.SetLockCodeOp(by, code) },
		func(s *books, _ made) (any, *refusal) {
			if _, no := s.there(by, ref, byWrite); no != nil {
				return nil, no
			}
			return s.open(by, code, venue.AuditEntry{}), nil
		}).replayed(func(s *books, _ made) any {
		if stored, there := s.codes[code.EventID]; there {
			return stored
		}
		return code
	})
}
