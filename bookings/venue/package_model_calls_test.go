package venue_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

var (
	emails     = []string{"user_ann@example.com", "user_ben@example.com", "shared@example.com", "eve@example.org"}
	paymentIDs = []string{"pay_1", "pay_2"}
)

// nobody is the id of a user who never exists.
const nobody = "user_nobody"

// any draws an operation. What other software does in between is done at once.
func (w *world) any() call {
	w.focus.user, w.focus.id, w.day = pick(w, w.users[1:]...), pick(w, w.names...), w.date()
	switch n := w.draw.IntN(100); {
	case n < 3:
		id := pick(w, w.users[1:]...)
		if len(w.users) < 6 && w.draw.IntN(3) == 0 {
			id = ""
		}
		return w.createUser(id, pick(w, emails...))
	case n < 7:
		return w.updateUser()
	case n < 9:
		return w.setRole()
	case n < 11:
		return w.recount(w.focus.user)
	case n < 28:
		return w.request()
	case n < 37:
		return w.update()
	case n < 59:
		return w.approve()
	case n < 62:
		return w.reject()
	case n < 70:
		return w.cancel()
	case n < 74:
		return w.createEvent()
	case n < 79:
		return w.updateEvent()
	case n < 83:
		return w.deleteEvent()
	case n < 86:
		return w.setLockCode()
	case n < 92:
		return w.recordPayment()
	case n < 94:
		return w.notify()
	case n < 96:
		return w.markRead()
	case n < 98:
		w.foreignBooking()
	default:
		w.forget(w.focus.user)
	}
	return w.any()
}

// booking draws the id of a booking, mostly of one that has a status and has not passed.
func (w *world) booking(status ...venue.Status) string {
	var live []string
	for _, id := range w.names {
		if b := w.now.bookings[id]; slices.Contains(status, b.Status) && !b.Date.Before(w.today()) {
			live = append(live, id)
		}
	}
	if len(live) > 0 && w.draw.IntN(4) > 0 {
		w.focus.id = pick(w, live...)
	} else {
		w.focus.id = pick(w, w.names...)
	}
	return w.focus.id
}

// date draws a day, which may have passed.
func (w *world) date() dynastay.Date {
	date := w.today().AddDays(pick(w, -1, 0, 0, 1, 1, 1, 2))
	if !slices.Contains(w.days, date) {
		w.days = append(w.days, date)
	}
	return date
}

// actor draws who makes a change: an administrator, the user whom it is about, or another user.
func (w *world) actor(user string) venue.Actor {
	switch n := w.draw.IntN(10); {
	case n < 5:
		return admin
	case n < 9 && user != "":
		return venue.Actor{UserID: user, Role: venue.Customer}
	}
	return venue.Actor{UserID: pick(w, w.users...), Role: venue.Customer}
}

// decider draws who makes a change that only administrators can make.
func (w *world) decider() venue.Actor {
	return pick(w, admin, admin, admin, admin, admin, admin, admin, admin, ann)
}

// or returns the id that was given or, without one, the id that was generated.
func (m made) or(given, prefix string) string { return cmp.Or(given, m[prefix]) }

func notAllowed(by venue.Actor, user string) *refusal {
	if by.Role == venue.Admin || user != "" && by.UserID == user {
		return nil
	}
	return &refusal{outcome: "not allowed"}
}

func (w *world) createUser(id, email string) call {
	u := venue.User{ID: id, Email: pick(w, "", " ") + strings.ToUpper(email), Name: pick(w, "Ann", "Ben"), Role: venue.Admin}
	return op("CreateUser", func(r *venue.Repository) *dynastay.Operation[*venue.User] { return r.CreateUserOp(u) },
		func(s *books, made made) (any, *refusal) {
			id := made.or(id, "user_")
			if !slices.Contains(w.users, id) {
				w.users = append(w.users, id)
			}
			if _, there := s.people[id]; there {
				return nil, &refusal{outcome: "exists", by: byWrite}
			}
			if s.owner(email) != "" {
				return nil, &refusal{outcome: "exists Email", by: byWrite}
			}
			s.people[id] = person{
				ID: id, Email: email, Name: u.Name, Role: venue.Customer, CreatedAt: s.time, UpdatedAt: s.time, Version: 1,
			}
			return s.people[id], nil
		}).replayed(func(s *books, made made) any { return s.people[made.or(id, "user_")] })
}

// replayed returns a call that can be repeated with a key.
func (c call) replayed(result func(*books, made) any) call {
	c.replay = result
	return c
}

// single returns a call that may be a single request.
func (c call) single() call {
	c.plain = true
	return c
}

// owner returns the user who has an address.
func (s *books) owner(email string) string {
	for id, p := range s.people {
		if p.Email == email {
			return id
		}
	}
	return ""
}

// ifVersion draws a version that an update requires, of an entity that has one; none means any.
func (w *world) ifVersion(has int) (opts []dynastay.UpdateOption, holds func(int) bool) {
	switch w.draw.IntN(6) {
	case 0:
		return []dynastay.UpdateOption{dynastay.IfVersion(has)}, func(v int) bool { return v == has }
	case 1:
		return []dynastay.UpdateOption{dynastay.IfVersion(has + 1)}, func(v int) bool { return v == has+1 }
	}
	return nil, func(int) bool { return true }
}

func (w *world) updateUser() call {
	id, kind := w.focus.user, w.draw.IntN(5)
	email, name, phone := pick(w, emails...), pick(w, "Ann", "Ben"), pick(w, "", "+39 123 456 7890")
	opts, holds := w.ifVersion(w.now.people[id].Version)
	return op("UpdateUser", func(r *venue.Repository) *dynastay.Operation[*venue.User] {
		return r.UpdateUserOp(id, func(u *venue.User) error {
			switch kind {
			case 0:
				return errOwn
			case 1, 2:
				u.Email = strings.ToUpper(email)
			default:
				u.Name, u.Phone = name, phone
			}
			return nil
		}, append(opts, dynastay.AgreedOn(fmt.Sprint(kind, email, name, phone)))...)
	}, func(s *books, _ made) (any, *refusal) {
		p, there := s.people[id]
		was := p
		switch {
		case !there:
			return nil, &refusal{outcome: "not found", by: byRead}
		case !holds(p.Version):
			return nil, &refusal{outcome: "version", by: byRead}
		case kind == 0:
			return nil, &refusal{outcome: "own", by: byRead}
		case kind < 3:
			p.Email = email
		default:
			p.Name, p.Phone = name, phone
		}
		if p == was {
			return p, nil
		}
		if owner := s.owner(email); kind < 3 && owner != "" && owner != id {
			return nil, &refusal{outcome: "exists Email", by: byWrite}
		}
		p.Version, p.UpdatedAt = p.Version+1, s.time
		s.people[id] = p
		return p, nil
	}).replayed(func(s *books, _ made) any { return s.people[id] }).single()
}

func (w *world) setRole() call {
	by, id, role := w.decider(), w.focus.user, pick(w, venue.Admin, venue.Customer)
	return op("SetRole", func(r *venue.Repository) *dynastay.Operation[*venue.User] { return r.SetRoleOp(by, id, role) },
		func(s *books, _ made) (any, *refusal) {
			p, there := s.people[id]
			switch {
			case by.Role != venue.Admin:
				return nil, &refusal{outcome: "not allowed"}
			case !there:
				return nil, &refusal{outcome: "not found", by: byRead}
			case p.Role != role:
				p.Role, p.Version, p.UpdatedAt = role, p.Version+1, s.time
				s.people[id] = p
				s.record(by, venue.AuditEntry{Action: venue.RoleSet, UserID: id, Note: string(role)})
			}
			return p, nil
		}).replayed(func(s *books, _ made) any { return s.people[id] })
}

func (w *world) recount(id string) call {
	return op("Recount", func(r *venue.Repository) *dynastay.Operation[*venue.User] { return r.RecountOp(id) },
		func(s *books, _ made) (any, *refusal) {
			p, there := s.people[id]
			if !there {
				return nil, &refusal{outcome: "not found", by: byRead}
			}
			p.Requested, p.Approved = 0, 0
			for _, b := range s.bookings {
				if b.UserID == id {
					p.Requested++
					if b.Status == venue.Approved {
						p.Approved++
					}
				}
			}
			s.people[id] = p
			return p, nil
		}).replayed(func(s *books, _ made) any { return s.people[id] }).single()
}

// forget removes a user's statistics, as other software does that stores the whole item without them.
func (w *world) forget(id string) {
	p, there := w.now.people[id]
	if !there {
		return
	}
	item := w.stored(w.t, "USER#"+id, "METADATA")
	delete(item, "writeId")
	delete(item, pick(w, "requestedCount", "approvedCount"))
	p.Requested, p.Approved = int(number(item["requestedCount"])), int(number(item["approvedCount"]))
	w.put(w.t, item)
	w.now.people[id] = p
}

// foreignBooking stores a booking of other software, alone in its second. It may say less than those of this package,
// and its user may not exist.
func (w *world) foreignBooking() {
	w.Clock.Advance(time.Second)
	w.drawn++
	at := w.Clock.Now().Truncate(time.Second)
	b := venue.Booking{
		ID: fmt.Sprintf("theirs_%08d", w.drawn), UserID: pick(w, nobody, w.focus.user), Date: w.day, Slot: pick(w, "", venue.Morning),
		Description: "Theirs", Attendees: 7, Status: venue.Pending, RequestedAt: at,
	}
	if b.Slot == "" || w.draw.IntN(2) == 0 {
		b.Duration = venue.HalfDay
	}
	for _, key := range [][2]string{{"BOOKING#" + b.ID, "METADATA"}, {"USER#" + b.UserID, "BOOKING#" + b.ID}} {
		item := map[string]any{
			"PK": key[0], "SK": key[1], "entityType": "UserBooking", "bookingId": b.ID, "date": b.Date.String(),
			"duration": string(b.Duration), "status": "pending",
		}
		if b.Slot != "" {
			item["timeSlot"] = string(b.Slot)
		}
		if key[1] == "METADATA" {
			maps.Copy(item, map[string]any{
				"entityType": "Booking", "userId": b.UserID, "eventDescription": "Theirs", "attendees": 7,
				"requestedAt": at.Format(time.RFC3339), "GSI1PK": "STATUS#PENDING", "GSI1SK": at.Format(time.RFC3339),
			})
		}
		w.put(w.t, item)
	}
	w.now.bookings[b.ID] = b
	w.names = append(w.names, b.ID)
	w.Clock.Advance(time.Second)
}

func (w *world) notify() call {
	n := venue.Notification{UserID: w.focus.user, BookingID: pick(w, "", w.focus.id), Title: pick(w, "News", "Reminder"), Text: pick(w, "", "Text")}
	return op("Notify", func(r *venue.Repository) *dynastay.Operation[*venue.Notification] { return r.NotifyOp(n) },
		func(s *books, made made) (any, *refusal) { return s.tell(n, made), nil },
	).replayed(func(s *books, made made) any { return s.message(made["ntf_"]) }).single()
}

func (s *books) tell(n venue.Notification, made made) venue.Notification {
	n.ID, n.CreatedAt = made["ntf_"], s.time
	s.messages = append(s.messages, n)
	return n
}

// message returns a message, or one without an id.
func (s *books) message(id string) (found venue.Notification) {
	for _, n := range s.messages {
		if n.ID == id {
			found = n
		}
	}
	return found
}

func (w *world) markRead() call {
	n := venue.Notification{UserID: w.focus.user, ID: "ntf_none", CreatedAt: now}
	if len(w.now.messages) > 0 && w.draw.IntN(5) > 0 {
		n = pick(w, w.now.messages...)
		w.focus.user = n.UserID
	}
	return op("MarkRead", func(r *venue.Repository) *dynastay.Operation[*venue.Notification] {
		return r.MarkReadOp(venue.Notification{UserID: n.UserID, ID: n.ID, CreatedAt: n.CreatedAt})
	}, func(s *books, _ made) (any, *refusal) {
		for i, stored := range s.messages {
			if stored.ID == n.ID {
				if stored.ReadAt.IsZero() {
					s.messages[i].ReadAt = s.time
				}
				return s.messages[i], nil
			}
		}
		return nil, &refusal{outcome: "not found", by: byRead}
	}).replayed(func(s *books, _ made) any { return s.message(n.ID) }).single()
}

func (w *world) recordPayment() call {
	p := venue.Payment{
		BookingID: w.focus.id, ID: pick(w, paymentIDs...), Amount: dynastay.MustMoney(pick(w, "250.00", "250.00", "250.00", "25.00"), "EUR"),
		Status: pick(w, venue.PaymentPending, venue.PaymentFailed, venue.PaymentPaid, venue.PaymentRefunded),
		Method: pick(w, "", "card", "cash"),
	}
	furthest := map[venue.PaymentStatus]int{
		venue.PaymentPending: 1, venue.PaymentFailed: 2, venue.PaymentPaid: 3, venue.PaymentRefunded: 4,
	}
	at := [2]string{p.BookingID, p.ID}
	return op("RecordPayment", func(r *venue.Repository) *dynastay.Operation[venue.Recorded] { return r.RecordPaymentOp(p) },
		func(s *books, _ made) (any, *refusal) {
			stored, there := s.payments[at]
			_, booked := s.bookings[p.BookingID]
			switch {
			case !there && !booked:
				return nil, &refusal{outcome: "not found", by: byWrite}
			case !there:
				stored = p
				stored.CreatedAt = s.time
			case stored.Amount != p.Amount:
				return nil, &refusal{outcome: "exists Amount", by: byRead}
			case furthest[p.Status] <= furthest[stored.Status]:
				return recorded{stored, false}, nil
			case p.Method != "":
				stored.Method = p.Method
			}
			stored.Status, stored.UpdatedAt = p.Status, s.time
			s.payments[at] = stored
			return recorded{stored, true}, nil
		}).replayed(func(s *books, _ made) any { return recorded{s.payments[at], true} }).single()
}
