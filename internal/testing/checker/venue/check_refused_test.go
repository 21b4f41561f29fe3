package venue

import (
	"testing"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// wrongVenues are changes of a right history, by the difference that must be found.
var wrongVenues = map[string]map[string]func(g *guestbook){
	"a booking that nobody asked for": {
		"no call": func(g *guestbook) { g.items.bookings["b9"] = plain{} },
		"told":    func(g *guestbook) { g.answer("m9", "b1", 2, venue.Rejected) },
	},
	"a booking that does not follow from its calls": {
		"status":    func(g *guestbook) { g.items.bookings["b2"]["status"] = "cancelled" },
		"who":       func(g *guestbook) { g.items.bookings["b2"]["decidedBy"] = "admin-m8" },
		"reason":    func(g *guestbook) { g.items.bookings["b2"]["reason"] = "m8" },
		"date":      func(g *guestbook) { g.items.bookings["b2"]["date"] = "2030-05-03" },
		"slot":      func(g *guestbook) { g.items.bookings["b2"]["timeSlot"] = "MORNING" },
		"attendees": func(g *guestbook) { g.items.bookings["b1"]["attendees"] = 1.0 },
		"event":     func(g *guestbook) { g.items.bookings["b2"]["eventId"] = "e1" },
		"user":      func(g *guestbook) { g.items.bookings["b2"]["userId"] = "hirer-1" },
		"request":   func(g *guestbook) { g.items.bookings["b2"]["eventDescription"] = "m1" },
	},
	"a booking that is not as somebody was told": {
		"rejected": func(g *guestbook) {
			g.answer("m9", "b2", 2, venue.Rejected)
			g.items.bookings["b2"]["attendees"] = 3.0
		},
	},
	"two states of one version": {
		"rejected": func(g *guestbook) {
			g.answer("m9", "b2", 2, venue.Rejected)
			g.answer("m9", "b2", 2, venue.Cancelled)
		},
	},
	"a version that does not follow from its calls": {
		"cancelled":  func(g *guestbook) { g.answer("m9", "b2", 2, venue.Cancelled) },
		"no version": func(g *guestbook) { g.answer("m9", "b2", 3, venue.Rejected) },
	},
	"another version than was written": {
		"later":          func(g *guestbook) { g.answer("m9", "b2", 3, venue.Rejected) },
		"keyed, earlier": func(g *guestbook) { g.all["m9"].keyed = true; g.answer("m9", "b2", 1, venue.Rejected) },
	},
	"changes by the user that are not those of the audit log": {
		"no entry":   func(g *guestbook) { g.items.entries = g.items.entries[:len(g.items.entries)-1] },
		"two of one": func(g *guestbook) { g.items.entries = append(g.items.entries, g.logs["m16"][0]) },
	},
	"a booking whose user has another one": {
		"status": func(g *guestbook) { g.items.relations["hirer-2"]["b2"]["status"] = "pending" },
		"none":   func(g *guestbook) { delete(g.items.relations["hirer-2"], "b2") },
	},
	"an item of a booking that does not exist": {
		"b9": func(g *guestbook) { g.items.relations["hirer-2"]["b9"] = plain{} },
	},
	"a booking with another duration": {
		"half":  func(g *guestbook) { g.items.bookings["b3"]["duration"] = "HALF_DAY" },
		"whole": func(g *guestbook) { g.items.bookings["b1"]["duration"] = "FULL_DAY" },
		"other": func(g *guestbook) { g.items.bookings["b1"]["duration"] = "DAY" },
	},
	"a booking whose index keys are wrong": {
		"decided": func(g *guestbook) { g.items.bookings["b2"]["GSI1PK"] = "STATUS#PENDING" },
		"sort":    func(g *guestbook) { g.items.bookings["b2"]["GSI1SK"] = "x" },
		"pending": func(g *guestbook) { delete(g.items.bookings["b4"], "GSI1PK") },
		"time":    func(g *guestbook) { g.items.bookings["b4"]["requestedAt"] = "2030-01-01T00:00:00Z" },
	},
	"an approved booking without its event": {
		"none":       func(g *guestbook) { delete(g.items.events, "2030-05-01") },
		"of another": func(g *guestbook) { g.items.events["2030-05-01"]["AFTERNOON"]["bookingId"] = "b2" },
		"another id": func(g *guestbook) { g.items.events["2030-05-01"]["AFTERNOON"]["eventId"] = "e9" },
	},
	"an event without its booking": {
		"rejected": func(g *guestbook) { g.items.bookings["b1"]["status"] = "rejected" },
		"date":     func(g *guestbook) { g.items.bookings["b1"]["date"] = "2030-05-02" },
		"slot":     func(g *guestbook) { g.items.bookings["b1"]["timeSlot"] = "MORNING" },
		"event":    func(g *guestbook) { g.items.bookings["b1"]["eventId"] = "e2" },
	},
	"two changes of one version": {
		"approved twice": func(g *guestbook) {
			g.entry(g.add("m99", call{kind: approving, booking: "b1", version: 2}, 30), "hirer-1", "", "e9")
		},
		"told of another's": func(g *guestbook) { g.all["m2"].results = []*venue.Booking{{ID: "b1", Version: 3}} },
		"renamed twice": func(g *guestbook) {
			g.entry(g.add("m99", call{kind: renaming, event: "e1", version: 1}, 42), "hirer-1", "m99")["bookingId"] = "b1"
		},
	},
	"a version is lost": {
		"b2": func(g *guestbook) { g.items.bookings["b2"]["version"] = 1.0 },
	},
	"versions that do not count the changes": {
		"more":          func(g *guestbook) { g.items.bookings["b2"]["version"] = 3.0 },
		"any is beyond": func(g *guestbook) { g.all["m2"].keyed, g.all["m2"].version = true, 2 },
	},
	"a change that the status does not allow": {
		"rejected after the approval": func(g *guestbook) { g.all["m11"].kind = declining },
		"approved after a rejection":  func(g *guestbook) { g.all["m12"].kind = approving },
	},
	"versions in another order than their calls": {
		"b3": func(g *guestbook) { g.all["m10"].Within.From = 95 },
	},
	"a cancellation of another event": {
		"b3": func(g *guestbook) { g.logs["m12"][0]["eventId"] = "e1" },
	},
	"a slot that is held twice": {
		"the whole day": func(g *guestbook) {
			g.items.events["2030-05-01"]["FULLDAY"] = plain{"eventId": "e9"}
		},
	},
	"an event that is not to be there": {
		"deleted":   func(g *guestbook) { g.items.events["2030-05-02"]["MORNING"] = plain{"eventId": "e4"} },
		"of nobody": func(g *guestbook) { g.items.events["2030-05-02"]["MORNING"] = plain{"eventId": "e9"} },
	},
	"an event is lost": {
		"e5": func(g *guestbook) { delete(g.items.events, "2030-05-02") },
	},
	"an event with other attributes": {
		"booking": func(g *guestbook) { g.items.events["2030-05-02"]["AFTERNOON"]["bookingId"] = "b1" },
		"type":    func(g *guestbook) { g.items.events["2030-05-01"]["AFTERNOON"]["eventType"] = "concert" },
		"maker":   func(g *guestbook) { g.items.events["2030-05-02"]["AFTERNOON"]["createdBy"] = "admin-m13" },
		"date":    func(g *guestbook) { g.items.events["2030-05-02"]["AFTERNOON"]["date"] = "2030-05-03" },
	},
	"an event in another slot": {
		"slot": func(g *guestbook) {
			g.items.events["2030-05-02"]["MORNING"] = g.items.events["2030-05-02"]["AFTERNOON"]
			delete(g.items.events["2030-05-02"], "AFTERNOON")
		},
		"date": func(g *guestbook) {
			g.items.events["2030-05-03"] = g.items.events["2030-05-02"]
			delete(g.items.events, "2030-05-02")
		},
	},
	"an event whose version does not count its changes": {
		"e1": func(g *guestbook) { g.items.events["2030-05-01"]["AFTERNOON"]["version"] = 3.0 },
	},
	"an event without its last title": {
		"the first one": func(g *guestbook) { g.items.events["2030-05-01"]["AFTERNOON"]["title"] = "m1" },
		"an earlier one": func(g *guestbook) {
			g.entry(g.add("m99", call{kind: renaming, event: "e1"}, 45), "hirer-1", "m99")["bookingId"] = "b1"
			g.items.events["2030-05-01"]["AFTERNOON"]["version"] = 3.0
		},
		"of nobody": func(g *guestbook) { g.items.events["2030-05-02"]["AFTERNOON"]["title"] = "m13" },
	},
	"an event that is not as somebody was told": {
		"e1": func(g *guestbook) { g.titles["e1"] = map[int]string{2: "m3"} },
	},
	"a version of an event is lost": {
		"e1": func(g *guestbook) { g.titles["e1"] = map[int]string{3: "m4"} },
	},
	"an event without its last code": {
		"none":      func(g *guestbook) { delete(g.items.codes, "e1") },
		"the first": func(g *guestbook) { g.items.codes["e1"]["code"] = "m3" },
		"that of the approval, which was first": func(g *guestbook) {
			g.all["m5"].Within.From = 29
			g.items.codes["e1"]["code"] = "m3"
		},
	},
	"a code of another event": {
		"slot": func(g *guestbook) { g.items.codes["e1"]["timeSlot"] = "MORNING" },
		"date": func(g *guestbook) { g.items.codes["e1"]["date"] = "2030-05-02" },
		"id":   func(g *guestbook) { g.items.codes["e1"]["eventId"] = "e2" },
	},
	"a code of no event": {
		"e4": func(g *guestbook) { g.items.codes["e4"] = plain{} },
	},
	"an event that ended twice": {
		"e4": func(g *guestbook) { g.entry(g.add("m99", call{kind: striking, event: "e4"}, 121), "", "x") },
	},
	"an event that ended before it began": {
		"e4": func(g *guestbook) { g.all["m14"].Within = checker.Between(105, 106) },
	},
	"an end of an event that nobody made": {
		"e9": func(g *guestbook) { g.entry(g.add("m99", call{kind: striking, event: "e9"}, 121), "", "x") },
	},
	"two calls that made one event": {
		"e4": func(g *guestbook) { g.logs["m15"][0]["eventId"] = "e4" },
	},
	"two events held one slot": {
		"a half of the day": func(g *guestbook) { g.all["m12"].Within = checker.Between(115, 116) },
		"the same half":     func(g *guestbook) { g.all["m15"].slot, g.all["m15"].Within = venue.Morning, checker.Between(113, 114) },
	},
	"a change of an event that was not there": {
		"afterwards":   func(g *guestbook) { g.entry(g.add("m99", call{kind: renaming, event: "e4"}, 125), "", "m99") },
		"never":        func(g *guestbook) { g.entry(g.add("m99", call{kind: coding, event: "e9"}, 125), "", "") },
		"of a booking": func(g *guestbook) { g.entry(g.add("m99", call{kind: striking, event: "e1"}, 125), "", "x") },
	},
	"statistics that do not count the bookings": {
		"requested": func(g *guestbook) { g.items.users["hirer-1"]["requestedCount"] = 3.0 },
		"approved":  func(g *guestbook) { g.items.users["hirer-1"]["approvedCount"] = 2.0 },
	},
	"statistics that have moved more or less than the bookings": {
		"more": func(g *guestbook) { g.items.users["hirer-1"]["countsMoved"] = 7.0 },
	},
	"a user that nobody created": {
		"x": func(g *guestbook) { g.items.users["x"] = plain{} },
	},
	"a recount of something else": {
		"less":          func(g *guestbook) { g.numbers = []*numbersLook{{checker.Between(92, 93), "hirer-1", 1, 2}} },
		"more":          func(g *guestbook) { g.numbers = []*numbersLook{{checker.Between(92, 93), "hirer-1", 3, 2}} },
		"less approved": func(g *guestbook) { g.numbers = []*numbersLook{{checker.Between(92, 93), "hirer-1", 2, 1}} },
		"more approved": func(g *guestbook) { g.numbers = []*numbersLook{{checker.Between(60, 61), "hirer-1", 2, 2}} },
	},
	"an event that was shown, and was not there": {
		"too early": func(g *guestbook) {
			g.see(checker.Between(28, 29), &venue.Event{ID: "e1", BookingID: "b1", Date: may(1), Slot: venue.Afternoon})
		},
		"of nobody": func(g *guestbook) {
			g.see(checker.Between(28, 29), &venue.Event{ID: "e9", Date: may(1), Slot: venue.Afternoon})
		},
		"elsewhere": func(g *guestbook) {
			g.see(checker.Between(60, 61), &venue.Event{ID: "e1", BookingID: "b1", Date: may(1), Slot: venue.Morning})
		},
		"another": func(g *guestbook) {
			g.see(checker.Between(60, 61), &venue.Event{ID: "e1", Date: may(1), Slot: venue.Afternoon})
		},
	},
	"an event that was not shown": {
		"e1": func(g *guestbook) { g.see(checker.Between(60, 61)) },
	},
	"a payment is lost": {
		"b1": func(g *guestbook) { delete(g.items.payments, "b1") },
	},
	"a payment that nobody reported": {
		"another booking": func(g *guestbook) { g.items.payments["b9"] = map[string]plain{"pay-0": {}} },
		"another id":      func(g *guestbook) { g.items.payments["b1"]["pay-9"] = plain{} },
		"another status":  func(g *guestbook) { g.items.payments["b1"]["pay-0"]["status"] = "refunded" },
		"another method":  func(g *guestbook) { g.items.payments["b1"]["pay-0"]["method"] = "m1" },
	},
	"a report of a payment is lost": {
		"status": func(g *guestbook) { g.items.payments["b1"]["pay-0"]["status"] = "failed" },
		"amount": func(g *guestbook) { g.items.payments["b1"]["pay-0"]["amount"] = 50.01 },
	},
	"a payment that moved back": {
		"before": func(g *guestbook) { g.all["m6"].recorded[0].Payment.Status = venue.PaymentPending },
		"since":  func(g *guestbook) { g.all["m6"].recorded[0].Payment.Status = venue.PaymentRefunded },
	},
	"a report that was not new to anybody": {
		"the only one": func(g *guestbook) { g.all["m6"].recorded[0].Changed = false },
	},
	"a payment that changed twice to one status": {
		"paid": func(g *guestbook) { g.report(venue.PaymentPaid, checker.Between(70, 71), true) },
	},
	"a payment of no booking": {
		"b1": func(g *guestbook) { delete(g.items.bookings, "b1") },
	},
	"an entry of the audit log that nobody asked for": {
		"no call":        func(g *guestbook) { g.logs["m2"][0]["by"] = "admin-m77" },
		"another action": func(g *guestbook) { g.logs["m2"][0]["action"] = "booking.approved" },
		"another user":   func(g *guestbook) { g.logs["m16"][0]["by"] = "hirer-1" },
		"a code":         func(g *guestbook) { g.all["m3"].code = false },
	},
	"an entry of the audit log that is not of its call": {
		"role":      func(g *guestbook) { g.logs["m2"][0]["role"] = "user" },
		"user":      func(g *guestbook) { g.logs["m2"][0]["userId"] = "hirer-2" },
		"booking":   func(g *guestbook) { g.logs["m2"][0]["bookingId"] = "b2" },
		"event":     func(g *guestbook) { g.logs["m2"][0]["eventId"] = "e9"; g.all["m2"].event = "e1" },
		"note":      func(g *guestbook) { g.logs["m9"][0]["note"] = "m1" },
		"of events": func(g *guestbook) { g.logs["m4"][0]["bookingId"] = nil },
	},
	"a code that is not in the audit log": {
		"e1": func(g *guestbook) { g.logs["m3"][1]["action"] = "x" },
	},
	"a call that was carried out twice": {
		"m2": func(g *guestbook) { g.items.entries = append(g.items.entries, g.logs["m2"][0]) },
	},
	"a call that was refused": {
		"m9":         func(g *guestbook) { g.all["m9"].Answers = checker.Tally{checker.Refused: 1} },
		"a stranger": func(g *guestbook) { g.all["m9"].stranger = true },
		"m16":        func(g *guestbook) { g.all["m16"].Answers = checker.Tally{checker.Refused: 1} },
	},
	"a call is lost": {
		"m9":  func(g *guestbook) { g.logs["m9"][0]["by"] = "admin-m77" },
		"m16": func(g *guestbook) { delete(g.items.invitations, "m16"); delete(g.items.notices, "m16") },
	},
	"a part of a write without the others": {
		"no message":    func(g *guestbook) { delete(g.items.notices, "m16") },
		"no invitation": func(g *guestbook) { g.all["m9"].invites = true },
		"an invitation": func(g *guestbook) { g.items.invitations["m9"] = &checker.Receipt{ID: "m9", Kind: declining} },
		"a message":     func(g *guestbook) { g.items.notices["m9"] = plain{"title": declining} },
	},
	"a part of another write": {
		"an invitation": func(g *guestbook) { g.items.invitations["m16"].Kind = declining },
		"the title":     func(g *guestbook) { g.items.notices["m16"]["title"] = declining },
		"the user":      func(g *guestbook) { g.items.notices["m16"]["userId"] = "hirer-1" },
	},
	"an invitation that nobody wrote": {"m99": func(g *guestbook) { g.items.invitations["m99"] = &checker.Receipt{} }},
	"a message that nobody wrote":     {"m99": func(g *guestbook) { g.items.notices["m99"] = plain{} }},
	"a refusal without the reason that it names": {
		"pending":             func(g *guestbook) { g.deny(approving, "b2", 1, checker.Between(80, 81), statusError(venue.Pending)) },
		"approved":            func(g *guestbook) { g.deny(withdrawing, "b1", 3, checker.Between(80, 81), statusError(venue.Approved)) },
		"not yet rejected":    func(g *guestbook) { g.deny(approving, "b2", 1, checker.Between(78, 79), statusError(venue.Rejected)) },
		"rejected by itself":  func(g *guestbook) { g.blame("m9", statusError(venue.Rejected)) },
		"of the same version": func(g *guestbook) { g.deny(declining, "b1", 2, checker.Between(22, 23), dynastay.ErrVersion) },
		"of any version":      func(g *guestbook) { g.deny(changing, "b1", 0, checker.Between(22, 23), dynastay.ErrVersion) },
		"changed before":      func(g *guestbook) { g.deny(declining, "b1", 2, checker.Between(32, 33), dynastay.ErrVersion) },
		"it exists":           func(g *guestbook) { g.deny(approving, "b4", 1, checker.Between(11, 12), dynastay.ErrNotFound) },
		"it does not exist":   func(g *guestbook) { g.deny(requesting, "b4", 0, checker.Between(5, 6), dynastay.ErrAlreadyExists) },
		"an administrator":    func(g *guestbook) { g.deny(withdrawing, "b4", 1, checker.Between(11, 12), venue.ErrNotAllowed) },
		"its user": func(g *guestbook) {
			g.deny(withdrawing, "b4", 1, checker.Between(11, 12), venue.ErrNotAllowed).by = customerOf("hirer-2")
		},
		"the same amount":        func(g *guestbook) { g.repay(50_00, checker.Between(62, 63), dynastay.ErrAlreadyExists) },
		"not reported yet":       func(g *guestbook) { g.repay(50_01, checker.Between(58, 59), dynastay.ErrAlreadyExists) },
		"another error":          func(g *guestbook) { g.deny(approving, "b2", 1, checker.Between(80, 81), venue.ErrPast) },
		"not deleted yet":        func(g *guestbook) { g.deny(renaming, "e4", 0, checker.Between(113, 114), dynastay.ErrNotFound) },
		"deleted by itself":      func(g *guestbook) { g.blame("m14", dynastay.ErrNotFound) },
		"of no booking":          func(g *guestbook) { g.deny(striking, "e5", 0, checker.Between(133, 134), venue.ErrOfBooking) },
		"of a booking not yet":   func(g *guestbook) { g.deny(striking, "e1", 0, checker.Between(28, 29), venue.ErrOfBooking) },
		"not renamed yet":        func(g *guestbook) { g.deny(striking, "e1", 1, checker.Between(38, 39), dynastay.ErrVersion) },
		"renamed by itself":      func(g *guestbook) { g.blame("m4", dynastay.ErrVersion) },
		"renamed, of no version": func(g *guestbook) { g.deny(striking, "e1", 0, checker.Between(60, 61), dynastay.ErrVersion) },
		"another error, event":   func(g *guestbook) { g.deny(striking, "e1", 0, checker.Between(60, 61), venue.ErrPast) },
		"taken by nothing": func(g *guestbook) {
			g.demand(2, venue.Morning, checker.Between(101, 102), &venue.SlotTaken{Date: may(2), Slot: venue.Morning})
		},
		"taken later": func(g *guestbook) {
			g.demand(2, venue.FullDay, checker.Between(85, 86), heldBy("e3", "b3", 2, venue.FullDay))
		},
		"free again": func(g *guestbook) {
			g.demand(2, venue.FullDay, checker.Between(103, 104), heldBy("e3", "b3", 2, venue.FullDay))
		},
		"another slot": func(g *guestbook) {
			g.demand(1, venue.Morning, checker.Between(60, 61), heldBy("e1", "b1", 1, venue.Afternoon))
		},
		"another day": func(g *guestbook) {
			g.demand(3, venue.Afternoon, checker.Between(60, 61), heldBy("e1", "b1", 1, venue.Afternoon))
		},
		"of another booking": func(g *guestbook) {
			g.demand(1, venue.Afternoon, checker.Between(60, 61), heldBy("e1", "b2", 1, venue.Afternoon))
		},
		"named another day": func(g *guestbook) {
			g.demand(1, venue.Afternoon, checker.Between(60, 61), heldAt(3, venue.Afternoon, 1))
		},
		"event another day": func(g *guestbook) {
			g.demand(1, venue.Afternoon, checker.Between(60, 61), heldAt(1, venue.Afternoon, 3))
		},
		"the other half": func(g *guestbook) { g.demand(1, venue.Morning, checker.Between(60, 61), heldAt(1, venue.Morning, 1)) },
		"by an event of nobody": func(g *guestbook) {
			g.demand(1, venue.Afternoon, checker.Between(60, 61), heldBy("e9", "", 1, venue.Afternoon))
		},
		"taken by itself":    func(g *guestbook) { g.blame("m15", heldBy("e5", "", 2, venue.Afternoon)) },
		"approved by itself": func(g *guestbook) { g.blame("m3", heldBy("e1", "b1", 1, venue.Afternoon)) },
		"of a decided booking": func(g *guestbook) {
			g.deny(approving, "b2", 1, checker.Between(83, 84), heldBy("e1", "b1", 1, venue.Afternoon))
		},
		"of a later version": func(g *guestbook) {
			g.deny(approving, "b2", 2, checker.Between(83, 84), heldBy("e1", "b1", 1, venue.Afternoon))
		},
		"of no version": func(g *guestbook) {
			g.deny(approving, "b2", 9, checker.Between(83, 84), heldBy("e1", "b1", 1, venue.Afternoon))
		},
	},
}

// blame tells a call that was acknowledged a refusal too.
func (g *guestbook) blame(mark string, err error) {
	c := g.all[mark]
	c.Refusals = []checker.Told{{Span: checker.Between(c.Within.From, c.Within.To+2), Err: err}}
}

func TestWrongVenues(t *testing.T) { checker.Rejects(t, newGuestbook, (*guestbook).check, wrongVenues) }
