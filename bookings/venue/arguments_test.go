package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

// A key belongs to one input: a call that differs in one argument is refused, and changes nothing.
func TestKeysBelongToTheirInput(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	ctx := t.Context()
	other := venue.Actor{UserID: "user_other", Role: venue.Admin}
	until := now.Add(time.Hour)
	one := func(part dynastay.Part) []dynastay.Part { return []dynastay.Part{part} }

	pending := func() *venue.Booking { return h.asked(t, ann, day, venue.Morning) }
	approve, reject, cancel, code := pending(), pending(), pending(), h.approved(t, ann, day.AddDays(1), venue.Morning)
	a := venue.Approval{BookingID: approve.ID, Version: 1, Title: "Gala", Code: "1", ValidFrom: now, ValidUntil: until}
	j := venue.Rejection{BookingID: reject.ID, Version: 1, Reason: "loud"}
	l := venue.Cancellation{BookingID: cancel.ID, Version: 1, Reason: "ill"}
	e := venue.Event{Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz"}
	c := venue.LockCode{EventID: code.EventID, Date: code.Date, Slot: code.Slot, Code: "1", ValidFrom: now, ValidUntil: until}
	p := venue.Payment{BookingID: code.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid, Method: "card"}
	at := venue.EventRef{Date: code.Date, Slot: code.Slot, ID: code.EventID}
	made, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day.AddDays(3), Slot: venue.Morning, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	another, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day.AddDays(3), Slot: venue.Afternoon, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	free, spare := *made, *another
	agreed := dynastay.AgreedOn("Folk")
	news, err := h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"})
	require.NoError(t, err)
	message := *news
	by := admin
	q := request(ann, day.AddDays(4), venue.Morning)
	role, user := venue.Admin, ann.UserID
	for name, call := range map[string]struct {
		parts   func() []dynastay.Part
		changes []func() // each makes the arguments differ from the first ones
	}{
		"request": {func() []dynastay.Part { return one(h.repo.RequestOp(by, q)) }, []func(){
			func() { by = other }, func() { q.UserID = ben.UserID }, func() { q.Date = day }, func() { q.Slot = venue.FullDay },
			func() { q.Description = "Wedding" }, func() { q.Attendees++ }, func() { q.BookingID = "bkg_other" },
		}},
		"approve": {func() []dynastay.Part { return one(h.repo.ApproveOp(by, a)) }, []func(){
			func() { by = other }, func() { a.Version = 2 }, func() { a.Title = "Party" }, func() { a.Code = "2" },
			func() { a.ValidFrom = now.Add(time.Millisecond) }, func() { a.ValidUntil = until.Add(time.Millisecond) },
			func() { a.BookingID = reject.ID },
		}},
		"reject": {func() []dynastay.Part { return one(h.repo.RejectOp(by, j)) }, []func(){func() { j.Reason = "late" }}},
		"cancel": {func() []dynastay.Part { return one(h.repo.CancelOp(by, l)) }, []func(){func() { l.Reason = "late" }}},
		"event": {func() []dynastay.Part { return one(h.repo.CreateEventOp(by, e)) }, []func(){
			func() { by = other }, func() { e.Date = day.AddDays(2) }, func() { e.Slot = venue.FullDay },
			func() { e.Type = "maintenance" }, func() { e.Title = "Folk" },
		}},
		"update event": {func() []dynastay.Part {
			return one(h.repo.UpdateEventOp(by, at, func(e *venue.Event) error { e.Title = "Folk"; return nil }, agreed))
		}, []func(){
			func() { at.ID = "evt_other" }, func() { at.Date = day }, func() { agreed = dynastay.AgreedOn("Pop") },
		}},
		"delete event": {func() []dynastay.Part { return one(h.repo.DeleteEventOp(by, free.Ref(), agreed)) }, []func(){
			func() { free.ID = "evt_other" }, func() { free.Slot = venue.FullDay }, func() { agreed = dynastay.AgreedOn("Pop") },
		}},
		"delete event, no options": {func() []dynastay.Part { return one(h.repo.DeleteEventOp(by, spare.Ref())) }, []func(){
			func() { spare.ID = "evt_other" }, func() { spare.Slot = venue.FullDay },
		}},
		"code": {func() []dynastay.Part { return one(h.repo.SetLockCodeOp(by, c)) }, []func(){
			func() { c.EventID = "evt_other" }, func() { c.Date = day }, func() { c.Code = "2" },
		}},
		"payment": {func() []dynastay.Part { return one(h.repo.RecordPaymentOp(p)) }, []func(){
			func() { p.ID = "q" }, func() { p.Amount = dynastay.MustMoney("6", "EUR") },
			func() { p.Status = venue.PaymentRefunded }, func() { p.Method = "cash" },
		}},
		"read": {func() []dynastay.Part { return one(h.repo.MarkReadOp(message)) }, []func(){func() { message.ID = "ntf_other" }}},
		"role": {func() []dynastay.Part { return one(h.repo.SetRoleOp(by, user, role)) }, []func(){
			func() { role = venue.Customer }, func() { user = ben.UserID },
		}},
		"recount": {func() []dynastay.Part { return one(h.repo.RecountOp(user)) }, []func(){func() { user = ben.UserID }}},
	} {
		key := dynastay.IdempotencyKey(name)
		require.NoError(t, h.Write(ctx, append(call.parts(), key)...), name)
		first, given, rejection, cancellation, event, lock, paid := by, a, j, l, e, c, p
		for i, change := range call.changes {
			change()
			assert.ErrorIs(t, h.Write(ctx, append(call.parts(), key)...), dynastay.ErrIdempotencyMismatch, "%s %d", name, i)
			q = request(ann, day.AddDays(4), venue.Morning)
			by, a, j, l, e, c, p = first, given, rejection, cancellation, event, lock, paid
			role, user, message = venue.Admin, ann.UserID, *news
			at, free, spare, agreed = venue.EventRef{Date: code.Date, Slot: code.Slot, ID: code.EventID}, *made, *another, dynastay.AgreedOn("Folk")
		}
		assert.NoError(t, h.Write(ctx, append(call.parts(), key)...), "%s, again", name)
	}
	h.consistency(t)
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
		invalid(t, err, "IdempotencyKey", name)
	}
	_, err := h.repo.UpdateUser(ctx, ann.UserID, func(u *venue.User) error { u.Name = "Ann"; return nil }, dynastay.IfVersion(2))
	require.ErrorIs(t, err, dynastay.ErrVersion)
}

// The new day of a booking counts, not the old one.
func TestUpdateOfTheDay(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	today := dynastay.DateOf(now, nil)
	b := h.asked(t, ann, today, venue.Morning)
	to := func(date dynastay.Date) error {
		return second(h.repo.Update(t.Context(), ann, b.ID, func(b *venue.Booking) error { b.Date = date; return nil }))
	}
	require.ErrorIs(t, to(today.AddDays(-1)), venue.ErrPast)
	h.Clock.Advance(24 * time.Hour)
	require.NoError(t, to(today.AddDays(1)), "its day has passed")
	invalid(t, second(h.repo.Update(t.Context(), ann, b.ID, nil, dynastay.OrMissing())), "OrMissing")
	h.consistency(t)
}

// A cancellation of what other software has approved deletes the event of that booking and its code, and nothing else.
func TestCancellationSparesOtherEvents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		booking map[string]any // instead of no slot and no event id
		slot    string         // of its event; "" for none
	}{
		"no slot":         {nil, "AFTERNOON"},
		"no event":        {nil, ""},
		"no event id":     {map[string]any{"timeSlot": "AFTERNOON"}, "AFTERNOON"},
		"another's slot":  {map[string]any{"timeSlot": "MORNING", "eventId": "fe"}, ""},
		"no slot, an id":  {map[string]any{"eventId": "fe"}, "AFTERNOON"},
		"slot and its id": {map[string]any{"timeSlot": "AFTERNOON", "eventId": "fe"}, "AFTERNOON"},
	} {
		h := newHall(t)
		h.join(t, ann, ben)
		spared := h.approved(t, ben, day, venue.Morning)
		booking := map[string]any{
			"PK": "BOOKING#fb", "SK": "METADATA", "entityType": "Booking", "bookingId": "fb", "userId": ann.UserID, "date": day.String(),
			"duration": "HALF_DAY", "eventDescription": "Party", "attendees": 5, "status": "approved", "requestedAt": "2037-01-01T00:00:00Z",
		}
		for attr, value := range test.booking {
			booking[attr] = value
		}
		h.put(t, booking)
		if test.slot != "" {
			h.put(t, map[string]any{
				"PK": "EVENT#" + day.String(), "SK": test.slot, "entityType": "Event", "eventId": "fe", "bookingId": "fb",
				"date": day.String(), "timeSlot": test.slot, "eventType": "private_booking", "title": "Party",
			})
			h.put(t, map[string]any{"PK": "EVENT#fe", "SK": "LOCKCODE", "entityType": "LockCode", "eventId": "fe", "code": "1"})
		}
		_, err := h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: "fb"})
		require.NoError(t, err, name)
		events, err := h.repo.EventsOn(t.Context(), day)
		require.NoError(t, err)
		if assert.Len(t, events, 1, name) {
			assert.Equal(t, spared.EventID, events[0].ID, name)
		}
		assert.Nil(t, h.stored(t, "EVENT#fe", "LOCKCODE"), name)
	}
}
