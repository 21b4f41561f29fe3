package venue

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// guestbook is a venue: b1 was changed and approved, b2 rejected, b3 approved and cancelled, and b4 changed by its
// user. The event e4 was deleted, and e5 takes place.
type guestbook struct {
	*venues
	items *items
	logs  map[string][]plain // the entries of the audit log, by the mark of the call
}

func may(day int) dynastay.Date { return dynastay.MustDate("2030-04-30").AddDays(day) }

func newGuestbook(t *testing.T) *guestbook {
	g := &guestbook{newVenues(checker.Histories(t)), newItems(), map[string][]plain{}}
	g.ask("m1", "b1", "hirer-1", 1, venue.Morning, 1)
	g.ask("m7", "b2", "hirer-2", 1, venue.Afternoon, 2)
	g.ask("m10", "b3", "hirer-1", 2, venue.FullDay, 3)
	g.ask("m17", "b4", "hirer-2", 1, venue.Afternoon, 4)
	g.entry(g.add("m2", call{kind: changing, booking: "b1", date: may(1), slot: venue.Afternoon, attendees: 5}, 20), "hirer-1", "")
	approve := g.add("m3", call{kind: approving, booking: "b1", version: 2, code: true}, 30)
	g.entry(approve, "hirer-1", "", "e1")
	code := g.entry(approve, "", "", "e1")
	code["action"], code["bookingId"] = actions[coding], nil
	g.entry(g.add("m4", call{kind: renaming, event: "e1", version: 1}, 40), "hirer-1", "m4")["bookingId"] = "b1"
	g.entry(g.add("m5", call{kind: coding, event: "e1", code: true}, 50), "", "")
	pay := g.add("m6", call{kind: reporting, booking: "b1", payment: venue.Payment{ID: "pay-0", Amount: checker.Dollars(50_00), Status: venue.PaymentPaid}}, 60)
	pay.recorded = []report{{pay.Within, venue.Recorded{Payment: &venue.Payment{Status: venue.PaymentPaid}, Changed: true}}}
	g.refuse("m8", call{kind: approving, booking: "b2", version: 1}, checker.Between(70, 71), heldBy("e1", "b1", 1, venue.Afternoon))
	g.entry(g.add("m9", call{kind: declining, booking: "b2", version: 1}, 80), "hirer-2", "m9")
	g.entry(g.add("m11", call{kind: approving, booking: "b3", version: 1}, 90), "hirer-1", "", "e3")
	cancel := g.add("m12", call{kind: withdrawing, booking: "b3", version: 2, by: customerOf("hirer-1")}, 100)
	g.entry(cancel, "hirer-1", "m12", "e3")
	g.entry(g.add("m13", call{kind: staging, date: may(2), slot: venue.Morning}, 110), "", "m13", "e4")
	g.entry(g.add("m14", call{kind: striking, event: "e4", version: 1}, 120), "", "x")
	g.entry(g.add("m15", call{kind: staging, date: may(2), slot: venue.Afternoon}, 130), "", "m15", "e5")
	change := call{
		kind: changing, by: customerOf("hirer-2"), user: "hirer-2", booking: "b4", version: 1, date: may(2), slot: venue.Morning, attendees: 6,
		invites: true, notifies: true,
	}
	g.entry(g.add("m16", change, 140), "hirer-2", "")
	g.items.invitations["m16"], g.items.notices["m16"] = &checker.Receipt{ID: "m16", Kind: changing}, plain{"userId": "hirer-2", "title": changing}

	g.booked("b1", "m1", "hirer-1", state{date: "2030-05-01", slot: "AFTERNOON", attendees: 5, status: "approved", by: "admin-m3", event: "e1"}, 3)
	g.booked("b2", "m7", "hirer-2", state{date: "2030-05-01", slot: "AFTERNOON", attendees: 2, status: "rejected", by: "admin-m9", reason: "m9"}, 2)
	g.booked("b3", "m10", "hirer-1", state{date: "2030-05-02", slot: "FULL_DAY", attendees: 3, status: "cancelled", by: "hirer-1", reason: "m12"}, 3)
	g.booked("b4", "m17", "hirer-2", state{date: "2030-05-02", slot: "MORNING", attendees: 6, status: "pending"}, 2)
	g.items.events["2030-05-01"] = map[string]plain{"AFTERNOON": {
		"eventId": "e1", "bookingId": "b1", "date": "2030-05-01", "timeSlot": "AFTERNOON", "eventType": "private_booking",
		"createdBy": "hirer-1", "title": "m4", "version": 2.0,
	}}
	g.items.events["2030-05-02"] = map[string]plain{"AFTERNOON": {
		"eventId": "e5", "date": "2030-05-02", "timeSlot": "AFTERNOON", "eventType": "concert", "createdBy": "admin-m15", "title": "m15", "version": 1.0,
	}}
	g.items.codes["e1"] = plain{"eventId": "e1", "date": "2030-05-01", "timeSlot": "AFTERNOON", "code": "m5"}
	g.items.payments["b1"] = map[string]plain{"pay-0": {"amount": 50.0, "status": "paid", "method": "m6"}}
	for n, counts := range [][]float64{{0, 0, 0}, {2, 1, 5}, {2, 0, 2}, {0, 0, 0}} {
		g.items.users[fmt.Sprint(hirerPrefix, n)] = plain{"requestedCount": counts[0], "approvedCount": counts[1], "countsMoved": counts[2]}
	}
	return g
}

// add adds a call that was acknowledged, within two moments.
func (g *guestbook) add(mark string, c call, at checker.Moment) *call {
	c.Deed = checker.Answered(mark, checker.Acknowledged, checker.Between(at, at+1))
	if c.by == (venue.Actor{}) {
		c.by = adminOf(mark)
	}
	g.all[mark] = &c
	return &c
}

// refuse adds a call that was refused.
func (g *guestbook) refuse(mark string, c call, at checker.Span, err error) *call {
	call := g.add(mark, c, at.From)
	call.Deny(at, err)
	return call
}

// entry writes an entry of the audit log, with an event that the call itself does not know.
func (g *guestbook) entry(c *call, user, note string, event ...string) plain {
	e := plain{
		"by": c.by.UserID, "role": string(c.by.Role), "action": actions[c.kind], "userId": user, "bookingId": c.booking, "eventId": c.event, "note": note,
	}
	for _, id := range event {
		e["eventId"] = id
	}
	g.items.entries, g.logs[c.Mark] = append(g.items.entries, e), append(g.logs[c.Mark], e)
	return e
}

func (g *guestbook) ask(mark, booking, user string, day int, slot venue.Slot, n int) {
	c := call{kind: requesting, by: customerOf(user), user: user, booking: booking, date: may(day), slot: slot, attendees: n}
	g.entry(g.add(mark, c, checker.Moment(2*n)), user, "")
}

// booked stores a booking, with its item in the partition of its user.
func (g *guestbook) booked(id, mark, user string, st state, version float64) {
	duration := "HALF_DAY"
	if st.slot == "FULL_DAY" {
		duration = "FULL_DAY"
	}
	g.items.bookings[id] = plain{
		"bookingId": id, "userId": user, "eventDescription": mark, "date": st.date, "timeSlot": st.slot, "duration": duration,
		"attendees": float64(st.attendees), "status": st.status, "decidedBy": st.by, "reason": st.reason, "eventId": st.event, "version": version,
		"requestedAt": checker.Stamp(0),
	}
	if g.items.relations[user] == nil {
		g.items.relations[user] = map[string]plain{}
	}
	g.items.relations[user][id] = plain{"bookingId": id, "date": st.date, "timeSlot": st.slot, "duration": duration, "status": st.status}
	if st.status == "pending" {
		g.items.bookings[id]["GSI1PK"], g.items.bookings[id]["GSI1SK"] = "STATUS#PENDING", checker.Stamp(0)+"#BOOKING#"+id
	}
}

func heldBy(event, booking string, day int, slot venue.Slot) error {
	return &venue.SlotTaken{Date: may(day), Slot: slot, Events: []*venue.Event{{ID: event, BookingID: booking, Date: may(day), Slot: slot}}}
}

// heldAt names e1 with another day than that of the refusal, or in a refusal for another slot.
func heldAt(day int, slot venue.Slot, dayOfEvent int) error {
	return &venue.SlotTaken{Date: may(day), Slot: slot, Events: []*venue.Event{
		{ID: "e1", BookingID: "b1", Date: may(dayOfEvent), Slot: venue.Afternoon},
	}}
}

// deny adds a refused call about a booking or an event, whose reason is to be checked.
func (g *guestbook) deny(kind, id string, version int, at checker.Span, err error) *call {
	c := call{kind: kind, version: version}
	switch {
	case id[0] == 'e':
		c.event = id
	case id != "":
		c.booking = id
	}
	return g.refuse("m99", c, at, err)
}

func statusError(status venue.Status) error { return &venue.StatusError{Status: status} }

func (g *guestbook) check() { g.checkAll(g.items) }

func TestRightVenues(t *testing.T) {
	checker.Accepts(t, newGuestbook, (*guestbook).check, map[string]func(g *guestbook){
		"nothing else": func(*guestbook) {},
		"decided":      func(g *guestbook) { g.deny(approving, "b2", 1, checker.Between(80, 81), statusError(venue.Rejected)) },
		"cancelled": func(g *guestbook) {
			g.deny(withdrawing, "b3", 2, checker.Between(100, 101), statusError(venue.Cancelled))
		},
		"changed":            func(g *guestbook) { g.deny(declining, "b1", 1, checker.Between(22, 23), dynastay.ErrVersion) },
		"approved meanwhile": func(g *guestbook) { g.deny(withdrawing, "b1", 2, checker.Between(32, 33), dynastay.ErrVersion) },
		"not requested yet":  func(g *guestbook) { g.deny(approving, "b4", 1, checker.Between(5, 6), dynastay.ErrNotFound) },
		"requested already":  func(g *guestbook) { g.deny(requesting, "b4", 0, checker.Between(11, 12), dynastay.ErrAlreadyExists) },
		"not the user": func(g *guestbook) {
			g.deny(withdrawing, "b4", 1, checker.Between(11, 12), venue.ErrNotAllowed).by = customerOf("hirer-1")
		},
		"another amount": func(g *guestbook) { g.repay(50_01, checker.Between(62, 63), dynastay.ErrAlreadyExists) },
		"deleted":        func(g *guestbook) { g.deny(renaming, "e4", 0, checker.Between(122, 123), dynastay.ErrNotFound) },
		"of a booking":   func(g *guestbook) { g.deny(striking, "e1", 0, checker.Between(60, 61), venue.ErrOfBooking) },
		"renamed":        func(g *guestbook) { g.deny(striking, "e1", 1, checker.Between(60, 61), dynastay.ErrVersion) },
		"taken before it ended": func(g *guestbook) {
			g.demand(2, venue.FullDay, checker.Between(101, 102), heldBy("e3", "b3", 2, venue.FullDay))
		},
		"an unknown deletion": func(g *guestbook) { g.all["m14"].Answers = checker.Tally{checker.Unknown: 1} },
		"a look": func(g *guestbook) {
			g.see(checker.Between(60, 61), &venue.Event{ID: "e1", BookingID: "b1", Date: may(1), Slot: venue.Afternoon})
		},
		"a look before":          func(g *guestbook) { g.see(checker.Between(30, 31)) },
		"a recount":              func(g *guestbook) { g.numbers = []*numbersLook{{checker.Between(92, 93), "hirer-1", 2, 2}} },
		"an answer":              func(g *guestbook) { g.answer("m9", "b2", 2, venue.Rejected) },
		"another report":         func(g *guestbook) { g.report(venue.PaymentPending, checker.Between(70, 71), false) },
		"a title as it was told": func(g *guestbook) { g.titles["e1"] = map[int]string{1: "m1", 2: "m4"} },
		"taken before it was changed": func(g *guestbook) {
			g.states["b4"] = map[int]state{2: {user: "hirer-2", description: "m17", date: "2030-05-02", slot: "MORNING", attendees: 6, status: "pending"}}
			g.deny(approving, "b4", 1, checker.Between(60, 61), heldBy("e1", "b1", 1, venue.Afternoon))
		},
		"two halves of a day": func(g *guestbook) { g.all["m15"].Within = checker.Between(113, 114) },
		"two changes of an event": func(g *guestbook) {
			g.entry(g.add("m99", call{kind: renaming, event: "e1", version: 2}, 45), "hirer-1", "m99")["bookingId"] = "b1"
			e := g.items.events["2030-05-01"]["AFTERNOON"]
			e["title"], e["version"] = "m99", 3.0
		},
		"the code of the approval": func(g *guestbook) {
			g.all["m5"].Answers = checker.Tally{checker.Refused: 1}
			g.items.entries = slices.DeleteFunc(g.items.entries, func(e plain) bool { return e["by"] == "admin-m5" })
			g.items.codes["e1"]["code"] = "m3"
		},
	})
}

// repay adds a refused report of the payment.
func (g *guestbook) repay(amount int64, at checker.Span, err error) {
	g.deny(reporting, "b1", 0, at, err).payment = venue.Payment{ID: "pay-0", Amount: checker.Dollars(amount), Status: venue.PaymentPaid}
}

// report adds another report of the payment.
func (g *guestbook) report(status venue.PaymentStatus, at checker.Span, changed bool) *call {
	c := g.add("m98", call{kind: reporting, booking: "b1", payment: venue.Payment{ID: "pay-0", Amount: checker.Dollars(50_00), Status: status}}, at.From)
	c.recorded = []report{{at, venue.Recorded{Payment: &venue.Payment{Status: venue.PaymentPaid}, Changed: changed}}}
	return c
}

// demand adds a refused event of an administrator.
func (g *guestbook) demand(day int, slot venue.Slot, at checker.Span, err error) {
	g.refuse("m99", call{kind: staging, date: may(day), slot: slot}, at, err)
}

func (g *guestbook) see(at checker.Span, events ...*venue.Event) {
	g.days = []*dayLook{{at, may(1), events}}
}

// answer tells a call a version of b2.
func (g *guestbook) answer(mark, booking string, version int, status venue.Status) {
	b := &venue.Booking{
		ID: booking, UserID: "hirer-2", Description: "m7", Date: may(1), Slot: venue.Afternoon, Attendees: 2, Status: status,
		DecidedBy: "admin-m9", Reason: "m9", Version: version,
	}
	g.venues.told(g.all[mark], checker.Span{}, b)
}

func TestOverlap(t *testing.T) {
	for _, half := range []venue.Slot{venue.Morning, venue.Afternoon} {
		assert.True(t, overlap(half, half))
		assert.True(t, overlap(half, venue.FullDay))
		assert.True(t, overlap(venue.FullDay, half))
	}
	assert.False(t, overlap(venue.Morning, venue.Afternoon))
}
