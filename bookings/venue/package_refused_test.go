package venue_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/wire"
)

// Invalid arguments are refused before any request, with the name of the field.
func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ctx := t.Context()
	long := strings.Repeat("x", 5000)
	good := request(ann, day, venue.Morning)
	requests := map[string]func(*venue.Request){
		"BookingID|a#b":  func(q *venue.Request) { q.BookingID = "a#b" },
		"UserID|":        func(q *venue.Request) { q.UserID = "" },
		"Date|":          func(q *venue.Request) { q.Date = dynastay.Date{} },
		"Slot|":          func(q *venue.Request) { q.Slot = "" },
		"Slot|evening":   func(q *venue.Request) { q.Slot = "EVENING" },
		"Description|":   func(q *venue.Request) { q.Description = " " },
		"Description|xx": func(q *venue.Request) { q.Description = long },
		"Attendees|0":    func(q *venue.Request) { q.Attendees = 0 },
		"Attendees|-1":   func(q *venue.Request) { q.Attendees = -1 },
		"Attendees|many": func(q *venue.Request) { q.Attendees = 100_001 },
	}
	event := venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"}
	code := venue.LockCode{EventID: "evt_1", Date: day, Slot: venue.Morning, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Second)}
	payment := venue.Payment{BookingID: "b", ID: "p", Amount: dynastay.MustMoney("1", "EUR"), Status: venue.PaymentPaid}
	of := func(change func(*venue.Event)) error {
		e := event
		change(&e)
		return second(h.repo.CreateEvent(ctx, admin, e))
	}
	coded := func(change func(*venue.LockCode)) error {
		c := code
		change(&c)
		return second(h.repo.SetLockCode(ctx, admin, c))
	}
	paid := func(change func(*venue.Payment)) error {
		p := payment
		change(&p)
		return second(h.repo.RecordPayment(ctx, p))
	}
	stop := h.Faults.Record()
	for name, change := range requests {
		q := good
		change(&q)
		field, _, _ := strings.Cut(name, "|")
		blame.Invalid(t, second(h.repo.Request(ctx, admin, q)), field, name)
	}
	for name, err := range map[string]error{
		"By.UserID|request":  second(h.repo.Request(ctx, venue.Actor{Role: venue.Customer}, good)),
		"UserID|request":     second(h.repo.Request(ctx, ann, request(venue.Actor{}, day, venue.Morning))),
		"By.Role|request":    second(h.repo.Request(ctx, venue.Actor{UserID: ann.UserID, Role: "root"}, good)),
		"By.UserID|approve":  second(h.repo.Approve(ctx, venue.Actor{Role: venue.Admin}, venue.Approval{BookingID: "b"})),
		"By.UserID|cancel":   second(h.repo.Cancel(ctx, venue.Actor{Role: venue.Admin}, venue.Cancellation{BookingID: "b"})),
		"BookingID|approve":  second(h.repo.Approve(ctx, admin, venue.Approval{})),
		"BookingID|reject":   second(h.repo.Reject(ctx, admin, venue.Rejection{})),
		"BookingID|cancel":   second(h.repo.Cancel(ctx, ann, venue.Cancellation{})),
		"BookingID|update":   second(h.repo.Update(ctx, ann, "", func(*venue.Booking) error { return nil })),
		"BookingID|get":      second(h.repo.Booking(ctx, "")),
		"BookingID|list":     second(h.repo.PaymentsOf("a#b").Page(ctx, dynastay.Paging{})),
		"UserID|list":        second(h.repo.BookingsOf("").Page(ctx, dynastay.Paging{})),
		"UserID|messages":    second(h.repo.NotificationsOf("").Page(ctx, dynastay.Paging{})),
		"UserID|get":         second(h.repo.User(ctx, "")),
		"UserID|update":      second(h.repo.UpdateUser(ctx, "", func(*venue.User) error { return nil })),
		"UserID|role":        second(h.repo.SetRole(ctx, admin, "", venue.Admin)),
		"Role|role":          second(h.repo.SetRole(ctx, admin, "u", "root")),
		"UserID|recount":     second(h.repo.Recount(ctx, "")),
		"Reason|reject":      second(h.repo.Reject(ctx, admin, venue.Rejection{BookingID: "b", Reason: long})),
		"Reason|cancel":      second(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: "b", Reason: long})),
		"Title|approve":      second(h.repo.Approve(ctx, admin, venue.Approval{BookingID: "b", Title: long})),
		"Code|approve":       second(h.repo.Approve(ctx, admin, venue.Approval{BookingID: "b", ValidFrom: now})),
		"Code|approve until": second(h.repo.Approve(ctx, admin, venue.Approval{BookingID: "b", ValidUntil: now})),
		"Title|blank":        second(h.repo.Approve(ctx, admin, venue.Approval{BookingID: "b", Title: " "})),
		"ValidUntil|approve": second(h.repo.Approve(ctx, admin, venue.Approval{
			BookingID: "b", Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Millisecond - 1),
		})),
		"Email|create":       second(h.repo.CreateUser(ctx, venue.User{Name: "A", Email: "a"})),
		"Name|create":        second(h.repo.CreateUser(ctx, venue.User{Name: " ", Email: "a@b"})),
		"Name|long":          second(h.repo.CreateUser(ctx, venue.User{Name: long, Email: "a@b"})),
		"Phone|create":       second(h.repo.CreateUser(ctx, venue.User{Name: "A", Email: "a@b", Phone: "1"})),
		"Email|get":          second(h.repo.UserByEmail(ctx, "a")),
		"Date|event":         of(func(e *venue.Event) { e.Date = dynastay.Date{} }),
		"Slot|event":         of(func(e *venue.Event) { e.Slot = "FULLDAY" }),
		"Type|event":         of(func(e *venue.Event) { e.Type = "" }),
		"Type|private":       of(func(e *venue.Event) { e.Type = venue.PrivateBooking }),
		"Title|event":        of(func(e *venue.Event) { e.Title = "" }),
		"Title|long":         of(func(e *venue.Event) { e.Title = long }),
		"OrMissing|event":    second(h.repo.UpdateEvent(ctx, admin, venue.EventRef{Date: day, Slot: venue.Morning, ID: "e"}, nil, dynastay.OrMissing())),
		"ID|deleted event":   h.repo.DeleteEvent(ctx, admin, venue.EventRef{Date: day, Slot: venue.Morning}),
		"Slot|deleted event": h.repo.DeleteEvent(ctx, admin, venue.EventRef{Date: day, ID: "e"}),
		"EventID|code":       coded(func(c *venue.LockCode) { c.EventID = "2037-07-11" }),
		"Slot|code":          coded(func(c *venue.LockCode) { c.Slot = "" }),
		"Date|code":          coded(func(c *venue.LockCode) { c.Date = dynastay.Date{} }),
		"Code|code":          coded(func(c *venue.LockCode) { c.Code = "" }),
		"Code|long":          coded(func(c *venue.LockCode) { c.Code = long }),
		"ValidFrom|code":     coded(func(c *venue.LockCode) { c.ValidFrom = time.Time{} }),
		"ValidFrom|neither":  coded(func(c *venue.LockCode) { c.ValidFrom, c.ValidUntil = time.Time{}, time.Time{} }),
		"ValidUntil|code":    coded(func(c *venue.LockCode) { c.ValidUntil = now }),
		"ValidUntil|as long": coded(func(c *venue.LockCode) { c.ValidUntil = now.Add(time.Millisecond - 1) }),
		"EventID|get":        second(h.repo.LockCode(ctx, "2037-07-11")),
		"PaymentID|payment":  paid(func(p *venue.Payment) { p.ID = "" }),
		"BookingID|payment":  paid(func(p *venue.Payment) { p.BookingID = "" }),
		"Amount|none":        paid(func(p *venue.Payment) { p.Amount = dynastay.Money{} }),
		"Amount|zero":        paid(func(p *venue.Payment) { p.Amount = dynastay.MustMoney("0", "EUR") }),
		"Amount|minor":       paid(func(p *venue.Payment) { p.Amount = dynastay.MustMoney("0.001", "EUR") }),
		"Status|payment":     paid(func(p *venue.Payment) { p.Status = "" }),
		"Method|payment":     paid(func(p *venue.Payment) { p.Method = long }),
		"Title|notification": second(h.repo.Notify(ctx, venue.Notification{UserID: "u"})),
		"Text|notification":  second(h.repo.Notify(ctx, venue.Notification{UserID: "u", Title: "t", Text: long})),
		"BookingID|notify":   second(h.repo.Notify(ctx, venue.Notification{UserID: "u", Title: "t", BookingID: "a#b"})),
		"Title|message":      second(h.repo.Notify(ctx, venue.Notification{UserID: "u", Title: " "})),
		"UserID|read":        second(h.repo.MarkRead(ctx, venue.Notification{CreatedAt: now, ID: "n"})),
		"UserID|notify":      second(h.repo.Notify(ctx, venue.Notification{Title: "t"})),
		"Days|none":          second(h.repo.Availability(ctx, dynastay.Stay{CheckIn: day, CheckOut: day.AddDays(367)})),
		"Days.CheckOut|none": second(h.repo.Availability(ctx, dynastay.Stay{CheckIn: day, CheckOut: day})),
		"Date|on":            second(h.repo.EventsOn(ctx, dynastay.Date{})),
		"Date|audit":         second(h.repo.Audit(dynastay.Date{}).Page(ctx, dynastay.Paging{})),
	} {
		field, _, _ := strings.Cut(name, "|")
		blame.Invalid(t, err, field, name)
	}
	require.ErrorContains(t, paid(func(p *venue.Payment) { p.Amount = dynastay.Money{} }), "required")
	assert.Empty(t, wire.Operations(stop()), "requests")
}

// Who may do what is decided before anything is written, and where possible before any request.
func TestNotAllowed(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	ctx := t.Context()
	b := h.asked(t, ann, day, venue.Morning)
	stop := h.Faults.Record()
	for name, err := range map[string]error{
		"request":      second(h.repo.Request(ctx, ben, request(ann, day, venue.Morning))),
		"approve":      second(h.repo.Approve(ctx, ann, approval(b))),
		"reject":       second(h.repo.Reject(ctx, ann, venue.Rejection{BookingID: b.ID, Version: 1})),
		"event":        second(h.repo.CreateEvent(ctx, ann, venue.Event{Date: day, Slot: venue.Morning, Type: "t", Title: "T"})),
		"update event": second(h.repo.UpdateEvent(ctx, ann, venue.EventRef{Date: day, Slot: venue.Morning, ID: "e"}, nil)),
		"delete event": h.repo.DeleteEvent(ctx, ann, venue.EventRef{Date: day, Slot: venue.Morning, ID: "e"}),
	} {
		require.ErrorIs(t, err, venue.ErrNotAllowed, name)
	}
	assert.Empty(t, wire.Operations(stop()), "requests")
	require.ErrorIs(t, second(h.repo.Cancel(ctx, ben, venue.Cancellation{BookingID: b.ID, Version: 1})), venue.ErrNotAllowed)
	require.ErrorIs(t, second(h.repo.Update(ctx, ben, b.ID, func(*venue.Booking) error { return nil })), venue.ErrNotAllowed)
	_, err := h.repo.Request(ctx, admin, request(ann, day, venue.Morning))
	require.NoError(t, err, "administrators can do it for them")
	_, err = h.repo.Cancel(ctx, admin, venue.Cancellation{BookingID: b.ID, Version: 1})
	require.NoError(t, err)
}

// Every call passes its options on.
func TestOptionsOfCalls(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	ctx, key := t.Context(), dynastay.IdempotencyKey("") // which is refused
	b := h.asked(t, ann, day, venue.Morning)
	for name, err := range map[string]error{
		"request": second(h.repo.Request(ctx, ann, request(ann, day, venue.Morning), key)),
		"approve": second(h.repo.Approve(ctx, admin, approval(b), key)),
		"reject":  second(h.repo.Reject(ctx, admin, venue.Rejection{BookingID: b.ID, Version: 1}, key)),
		"cancel":  second(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: 1}, key)),
		"event":   second(h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Morning, Type: "t", Title: "T"}, key)),
		"code": second(h.repo.SetLockCode(ctx, admin, venue.LockCode{
			EventID: "e", Date: day, Slot: venue.Morning, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Second),
		}, key)),
		"payment": second(h.repo.RecordPayment(ctx, venue.Payment{
			BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid,
		}, key)),
		"user":    second(h.repo.CreateUser(ctx, venue.User{Email: "new@example.com", Name: "New"}, key)),
		"role":    second(h.repo.SetRole(ctx, admin, ann.UserID, venue.Admin, key)),
		"recount": second(h.repo.Recount(ctx, ann.UserID, key)),
		"message": second(h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"}, key)),
		"read":    second(h.repo.MarkRead(ctx, venue.Notification{UserID: ann.UserID, CreatedAt: now, ID: "n"}, key)),
	} {
		blame.Invalid(t, err, "IdempotencyKey", name)
	}
	_, err := h.repo.UpdateUser(ctx, ann.UserID, func(u *venue.User) error { u.Name = "Ann"; return nil }, dynastay.IfVersion(2))
	require.ErrorIs(t, err, dynastay.ErrVersion)
}

// An update cannot change what only the library writes.
func TestUpdatesOfWhatIsKept(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	e, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "t", Title: "T"})
	require.NoError(t, err)
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.Date = day.AddDays(1); return nil })
	blame.Invalid(t, err, "Date")
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.Slot = venue.Morning; return nil })
	blame.Invalid(t, err, "Slot")
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.ID = "x"; return nil })
	blame.Invalid(t, err, "ID")
	_, err = h.repo.Update(t.Context(), ann, b.ID, func(b *venue.Booking) error { b.UserID = "x"; return nil })
	blame.Invalid(t, err, "UserID")
}
