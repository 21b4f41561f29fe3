package venue

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

func adminOf(mark string) venue.Actor {
	return venue.Actor{UserID: adminPrefix + mark, Role: venue.Admin}
}

func customerOf(user string) venue.Actor { return venue.Actor{UserID: user, Role: venue.Customer} }

// actor draws who changes a booking: its user, an administrator, or sometimes somebody who must not.
func (c *call) actor(w *checker.Worker, mark string) {
	switch c.by = customerOf(c.user); {
	case w.OneIn(2):
		c.by = adminOf(mark)
	case w.OneIn(8):
		c.by, c.stranger = customerOf("stranger-"+mark), true
	}
}

// asks draws what a booking is to be.
func (s *venues) asks(w *checker.Worker, c *call) {
	const most = 100_000
	c.date, c.slot, c.attendees = hallDay(w), hallSlot(w), int(s.guests.Add(1)%most)+1
}

// request asks for a slot, sometimes with the id of another request. Others may meet it before it is written.
func (s *venues) request(w *checker.Worker, keyed bool) *call {
	mark := w.Mark()
	c := &call{kind: requesting, user: hirer(w)}
	if c.by = customerOf(c.user); w.OneIn(3) {
		c.by = adminOf(mark)
	}
	s.asks(w, c)
	if w.OneIn(2) {
		c.booking = mark
		if other := s.pick(w); other != nil && w.OneIn(6) {
			c.booking = other.ID
		}
	}
	id := c.booking
	q := venue.Request{BookingID: id, UserID: c.user, Date: c.date, Slot: c.slot, Description: mark, Attendees: c.attendees}
	made(s, w, c, mark, keyed, checker.RefusedBy(dynastay.ErrAlreadyExists), func(r *venue.Repository) *dynastay.Operation[*venue.Booking] {
		return r.RequestOp(c.by, q)
	}, s.told)
	if id == mark && w.OneIn(2) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.show(&venue.Booking{ID: id, UserID: c.user, Version: 1, Status: venue.Pending, Date: c.date, Slot: c.slot})
	}
	return c
}

// decide makes a call about a booking that somebody was told of, or a request if there is none.
func (s *venues) decide(
	w *checker.Worker, kind string, keyed bool, statuses []venue.Status, draw func(c *call, mark string), op func(*venue.Repository, *call) *dynastay.Operation[*venue.Booking],
) *call {
	b := s.pick(w, statuses...)
	if b == nil {
		return s.request(w, keyed)
	}
	mark := w.Mark()
	c := &call{kind: kind, user: b.UserID, booking: b.ID, version: b.Version, by: adminOf(mark)}
	draw(c, mark)
	return made(s, w, c, mark, keyed, ofBooking, func(r *venue.Repository) *dynastay.Operation[*venue.Booking] { return op(r, c) }, s.told)
}

// codeUntil is until when a code is valid.
var codeUntil = checker.Midnight.Add(time.Hour)

func (s *venues) approve(w *checker.Worker, keyed bool) *call {
	titled := w.OneIn(2)
	return s.decide(w, approving, keyed, []venue.Status{venue.Pending}, func(c *call, _ string) { c.code = w.OneIn(2) },
		func(r *venue.Repository, c *call) *dynastay.Operation[*venue.Booking] {
			a := venue.Approval{BookingID: c.booking, Version: c.version}
			if c.code {
				a.Code, a.ValidFrom, a.ValidUntil = c.Mark, checker.Midnight, codeUntil
			}
			if titled {
				a.Title = c.Mark
			}
			return r.ApproveOp(c.by, a)
		})
}

func (s *venues) reject(w *checker.Worker, keyed bool) *call {
	return s.decide(w, declining, keyed, []venue.Status{venue.Pending}, func(*call, string) {},
		func(r *venue.Repository, c *call) *dynastay.Operation[*venue.Booking] {
			return r.RejectOp(c.by, venue.Rejection{BookingID: c.booking, Version: c.version, Reason: c.Mark})
		})
}

func (s *venues) cancel(w *checker.Worker, keyed bool) *call {
	statuses := []venue.Status{venue.Approved}
	if w.OneIn(5) {
		statuses = []venue.Status{venue.Pending}
	}
	return s.decide(w, withdrawing, keyed, statuses, func(c *call, mark string) { c.actor(w, mark) },
		func(r *venue.Repository, c *call) *dynastay.Operation[*venue.Booking] {
			return r.CancelOp(c.by, venue.Cancellation{BookingID: c.booking, Version: c.version, Reason: c.Mark})
		})
}

// update changes a request, in the version that was seen or in any.
func (s *venues) update(w *checker.Worker, keyed bool) *call {
	return s.decide(w, changing, keyed, []venue.Status{venue.Pending}, func(c *call, mark string) {
		s.asks(w, c)
		if c.actor(w, mark); w.OneIn(2) {
			c.version = 0
		}
	}, func(r *venue.Repository, c *call) *dynastay.Operation[*venue.Booking] {
		return r.UpdateOp(c.by, c.booking, func(b *venue.Booking) error {
			b.Date, b.Slot, b.Attendees = c.date, c.slot, c.attendees
			return nil
		}, c.conditions()...)
	})
}

// conditions are those of a change of a booking or an event.
func (c *call) conditions() []dynastay.UpdateOption {
	all := []dynastay.UpdateOption{dynastay.AgreedOn(c.Mark)}
	if c.version > 0 {
		all = append(all, dynastay.IfVersion(c.version))
	}
	return all
}

func (s *venues) createEvent(w *checker.Worker, keyed bool) *call {
	mark := w.Mark()
	c := &call{kind: staging, by: adminOf(mark), date: hallDay(w), slot: hallSlot(w)}
	return made(s, w, c, mark, keyed, takenSlot, func(r *venue.Repository) *dynastay.Operation[*venue.Event] {
		return r.CreateEventOp(c.by, venue.Event{Date: c.date, Slot: c.slot, Type: concert, Title: mark})
	}, s.toldEvent)
}

const concert = "concert"

// about draws an event that somebody was told of; nil if there is none.
func (s *venues) about(w *checker.Worker, kind string) (c *call, ref venue.EventRef, mark string) {
	e := s.pickEvent(w)
	if e == nil {
		return nil, ref, ""
	}
	mark = w.Mark()
	c = &call{kind: kind, by: adminOf(mark), event: e.ID, date: e.Date, slot: e.Slot}
	if w.OneIn(3) {
		c.version = e.Version
	}
	return c, e.Ref(), mark
}

func (s *venues) updateEvent(w *checker.Worker, keyed bool) *call {
	c, ref, mark := s.about(w, renaming)
	if c == nil {
		return s.createEvent(w, keyed)
	}
	refusal := checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion)
	return made(s, w, c, mark, keyed, refusal, func(r *venue.Repository) *dynastay.Operation[*venue.Event] {
		return r.UpdateEventOp(c.by, ref, func(e *venue.Event) error {
			e.Title = c.Mark
			return nil
		}, c.conditions()...)
	}, s.toldEvent)
}

func (s *venues) deleteEvent(w *checker.Worker, keyed bool) *call {
	c, ref, mark := s.about(w, striking)
	if c == nil {
		return s.createEvent(w, keyed)
	}
	refusal := checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrVersion, venue.ErrOfBooking)
	hide := !w.OneIn(3) // otherwise others look for it
	return made(s, w, c, mark, keyed, refusal, func(r *venue.Repository) *dynastay.Operation[struct{}] {
		return r.DeleteEventOp(c.by, ref, c.conditions()...)
	}, func(*call, checker.Span, struct{}) {
		if hide {
			s.hide(ref.ID)
		}
	})
}

func (s *venues) setCode(w *checker.Worker, keyed bool) *call {
	c, ref, mark := s.about(w, coding)
	if c == nil {
		return s.createEvent(w, keyed)
	}
	c.code, c.version = true, 0
	code := venue.LockCode{EventID: ref.ID, Date: ref.Date, Slot: ref.Slot, Code: mark, ValidFrom: checker.Midnight, ValidUntil: codeUntil}
	return made(s, w, c, mark, keyed, checker.RefusedBy(dynastay.ErrNotFound), func(r *venue.Repository) *dynastay.Operation[*venue.LockCode] {
		return r.SetLockCodeOp(c.by, code)
	}, func(_ *call, _ checker.Span, set *venue.LockCode) {
		if set.EventID != ref.ID || !keyed && set.Code != c.Mark {
			s.Differ("another code than was set", c.Items, "%s: %+v", c.About, set)
		}
	})
}

// paymentStatuses in the order in which a payment moves.
var paymentStatuses = []venue.PaymentStatus{venue.PaymentPending, venue.PaymentFailed, venue.PaymentPaid, venue.PaymentRefunded}

// pay reports one of the two payments of a booking, sometimes with another amount.
func (s *venues) pay(w *checker.Worker, keyed bool) *call {
	b := s.pick(w, venue.Pending, venue.Approved)
	if b == nil {
		return s.request(w, keyed)
	}
	mark, n := w.Mark(), w.Rand.IntN(2)
	amount := int64(50_00)
	if w.OneIn(8) {
		amount++
	}
	c := &call{kind: reporting, booking: b.ID, user: b.UserID, payment: venue.Payment{
		BookingID: b.ID, ID: []string{"pay-0", "pay-1"}[n], Amount: checker.Dollars(amount), Status: paymentStatuses[w.Rand.IntN(len(paymentStatuses))], Method: mark,
	}}
	refusal := checker.RefusedBy(dynastay.ErrNotFound, dynastay.ErrAlreadyExists)
	return made(s, w, c, mark, keyed, refusal, func(r *venue.Repository) *dynastay.Operation[venue.Recorded] {
		return r.RecordPaymentOp(c.payment)
	}, func(_ *call, at checker.Span, r venue.Recorded) { c.recorded = append(c.recorded, report{at, r}) })
}

func (s *venues) recount(w *checker.Worker, keyed bool) *call {
	mark, user := w.Mark(), hirer(w)
	c := &call{kind: recounting, user: user}
	return made(s, w, c, mark, keyed, checker.Never, func(r *venue.Repository) *dynastay.Operation[*venue.User] {
		return r.RecountOp(user)
	}, func(_ *call, at checker.Span, u *venue.User) {
		if user != uncounted {
			s.numbers = append(s.numbers, &numbersLook{at, user, u.RequestedCount, u.ApprovedCount})
		}
	})
}

// look asks what takes place on a day, with a consistent read.
func (s *venues) look(w *checker.Worker) {
	l := &dayLook{Span: checker.Span{From: w.Moment()}, date: hallDay(w)}
	v := w.Call("look at a day", "hall/"+l.date.String(), "", checker.Never, func(ctx context.Context) (err error) {
		l.events, err = hallOf(w).venue.EventsOn(ctx, l.date, dynastay.Consistent)
		return err
	})
	if l.To = w.Moment(); v == checker.Acknowledged {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.days = append(s.days, l)
	}
}

// miscount changes the statistics of a user as other software may leave them. A recount corrects them.
func (s *venues) miscount(w *checker.Worker) {
	name, table := []string{"requestedCount", "approvedCount"}[w.Rand.IntN(2)], s.Base.Direct.TableName(venuekeys.Table)
	wrong := dynastay.Item{":n": dynastay.Number(w.Rand.IntN(5))}
	if w.OneIn(3) {
		wrong[":n"] = &types.AttributeValueMemberNULL{Value: true}
	}
	change := "SET " + name + " = :n"
	if w.OneIn(4) {
		change, wrong = "REMOVE "+name, nil
	}
	_, err := s.Base.Engine.Client().UpdateItem(w.T.Context(), &dynamodb.UpdateItemInput{
		TableName: &table, Key: dynastay.Item{"PK": dynastay.Text("USER#" + uncounted), "SK": dynastay.Text("METADATA")},
		UpdateExpression: &change, ExpressionAttributeValues: wrong,
	})
	if err != nil {
		w.T.Error(err)
	}
}
