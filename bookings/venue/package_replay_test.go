package venue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

func caught(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

func newKeyed(t *testing.T) *hall {
	t.Helper()
	h := newHall(t, dyntest.With(dynastay.Options{Idempotency: venuekeys.Table}))
	h.join(t, ann, ben)
	return h
}

func TestKeyedDecisions(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	ctx := t.Context()
	b := h.asked(t, ann, day, venue.Morning)
	for range 2 {
		err := caught(func() error { return h.Write(ctx, dynastay.IdempotencyKey("k1"), h.repo.ApproveOp(admin, approval(b))) })
		assert.NoError(t, err, "approve")
	}
	err := caught(func() error {
		return h.Write(ctx, dynastay.IdempotencyKey("k2"), h.repo.RejectOp(admin, venue.Rejection{BookingID: h.asked(t, ann, day, venue.Afternoon).ID, Version: 1}))
	})
	assert.NoError(t, err, "reject")
	err = caught(func() error {
		return h.Write(ctx, dynastay.IdempotencyKey("k3"), h.repo.UpdateOp(ann, h.asked(t, ann, day, venue.Afternoon).ID, func(b *venue.Booking) error { b.Attendees++; return nil }))
	})
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "update: its function cannot be compared")
	err = caught(func() error {
		at := venue.EventRef{Date: day, Slot: venue.Morning, ID: "evt_1"}
		return h.Write(ctx, dynastay.IdempotencyKey("k5"), h.repo.UpdateEventOp(admin, at, func(*venue.Event) error { return nil }))
	})
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "update of an event")
	err = caught(func() error {
		return h.Write(ctx, dynastay.IdempotencyKey("k4"), h.repo.UpdateOp(ann, h.asked(t, ann, day, venue.Afternoon).ID, func(b *venue.Booking) error { b.Attendees++; return nil }, dynastay.AgreedOn("x")))
	})
	assert.NoError(t, err, "update, agreed")
}

func TestKeyedRequest(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	q := request(ann, day, venue.Morning)
	q.BookingID = "bkg_own"
	var ids []string
	for range 2 {
		b, err := h.repo.Request(t.Context(), ann, q, dynastay.IdempotencyKey("r"))
		require.NoError(t, err)
		ids = append(ids, b.ID)
	}
	assert.Equal(t, []string{"bkg_own", "bkg_own"}, ids)
	h.consistency(t)
}

func (h *hall) remove(t *testing.T, pk, sk string) {
	t.Helper()
	raw.Delete(t, h.DB, venuekeys.Table, dynastay.Key{PK: pk, SK: sk})
}

func TestKeyedCreateEvent(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	e := venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"}
	made, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	again, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	made.WriteID = ""
	assert.Equal(t, made, again)
}

// The event that a keyed call made is gone, and another one has the slot.
func TestKeyedCreateEventAfterwards(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	e := venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"}
	made, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	h.remove(t, "EVENT#"+day.String(), "MORNING") // not by DeleteEvent, see TestDeleteEvent
	again, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	assert.NoError(t, err, "deleted: siblings return it as it was given (listing.restore, entity.restore)")
	if again != nil {
		assert.Equal(t, made.ID, again.ID)
	}
	other := h.approved(t, ben, day, venue.Morning)
	again, err = h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	assert.Equal(t, made.ID, again.ID, "the event of somebody else's booking %s is returned as the created event", other.ID)
}

// One key, two different events in the same slot.
func TestKeyedDeleteEvent(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	e := venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"}
	one, err := h.repo.CreateEvent(t.Context(), admin, e)
	require.NoError(t, err)
	del := func(e *venue.Event) error {
		return h.Write(t.Context(), dynastay.IdempotencyKey("d"), h.repo.DeleteEventOp(admin, e.Ref(), dynastay.AgreedOn("x")))
	}
	require.NoError(t, del(one))
	two, err := h.repo.CreateEvent(t.Context(), admin, e)
	require.NoError(t, err)
	assert.ErrorIs(t, del(two), dynastay.ErrIdempotencyMismatch, "told that event two is deleted")
	left, err := h.repo.EventsOn(t.Context(), day)
	require.NoError(t, err)
	t.Log("events left:", len(left))
}

func TestKeyedPaymentAndCode(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	b := h.approved(t, ann, day, venue.Morning)
	p := venue.Payment{BookingID: b.ID, ID: "p1", Amount: dynastay.MustMoney("50.0", "EUR"), Status: venue.PaymentPaid}
	for range 2 {
		got, err := h.repo.RecordPayment(t.Context(), p, dynastay.IdempotencyKey("p"))
		require.NoError(t, err)
		assert.Equal(t, venue.PaymentPaid, got.Payment.Status)
	}
	c := venue.LockCode{EventID: b.EventID, Date: day, Slot: venue.Morning, Code: "1234", ValidFrom: now, ValidUntil: now.Add(time.Hour)}
	_, err := h.repo.SetLockCode(t.Context(), admin, c, dynastay.IdempotencyKey("c"))
	require.NoError(t, err)
	_, err = h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err)
	_, err = h.repo.SetLockCode(t.Context(), admin, c, dynastay.IdempotencyKey("c"))
	require.NoError(t, err)
	h.consistency(t)
}

// result is what a call returned, and where its write id is.
type result struct {
	value any
	id    *dynastay.WriteID
}

// A call that is repeated with its key returns what the first call returned, but no write id: that may be of another
// write.
func TestResultsOfRepeatedCalls(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	ctx := t.Context()
	approved, rejected, cancelled := h.asked(t, ann, day, venue.Morning), h.asked(t, ann, day, venue.Morning), h.asked(t, ann, day, venue.Morning)
	held := h.approved(t, ann, day, venue.Afternoon)
	at := venue.EventRef{Date: day, Slot: venue.Afternoon, ID: held.EventID}
	message, err := h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"})
	require.NoError(t, err)
	of := func(b *venue.Booking, err error) result {
		t.Helper()
		require.NoError(t, err)
		return result{b, &b.WriteID}
	}
	for name, call := range map[string]func(dynastay.WriteOption) result{
		"request": func(key dynastay.WriteOption) result {
			return of(h.repo.Request(ctx, ann, request(ann, day, venue.FullDay), key))
		},
		"approve": func(key dynastay.WriteOption) result { return of(h.repo.Approve(ctx, admin, approval(approved), key)) },
		"reject": func(key dynastay.WriteOption) result {
			return of(h.repo.Reject(ctx, admin, venue.Rejection{BookingID: rejected.ID, Version: 1}, key))
		},
		"cancel": func(key dynastay.WriteOption) result {
			return of(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: cancelled.ID, Version: 1}, key))
		},
		"event": func(key dynastay.WriteOption) result {
			e, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day.AddDays(1), Slot: venue.Morning, Type: "concert", Title: "Jazz"}, key)
			require.NoError(t, err)
			return result{e, &e.WriteID}
		},
		"title": func(key dynastay.WriteOption) result {
			op := h.repo.UpdateEventOp(admin, at, func(e *venue.Event) error { e.Title += "!"; return nil }, dynastay.AgreedOn("!"))
			require.NoError(t, h.Write(ctx, op, key))
			return result{op.Result(), &op.Result().WriteID}
		},
		"code": func(key dynastay.WriteOption) result {
			c, err := h.repo.SetLockCode(ctx, admin, venue.LockCode{
				EventID: held.EventID, Date: day, Slot: venue.Afternoon, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Second),
			}, key)
			require.NoError(t, err)
			return result{c, &c.WriteID}
		},
		"payment": func(key dynastay.WriteOption) result {
			r, err := h.repo.RecordPayment(ctx, venue.Payment{
				BookingID: held.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid,
			}, key)
			require.NoError(t, err)
			return result{&r, &r.Payment.WriteID}
		},
		"read": func(key dynastay.WriteOption) result {
			n, err := h.repo.MarkRead(ctx, *message, key)
			require.NoError(t, err)
			return result{n, &n.WriteID}
		},
	} {
		first := call(dynastay.IdempotencyKey(name))
		assert.NotEmpty(t, *first.id, name)
		again := call(dynastay.IdempotencyKey(name))
		assert.Empty(t, *again.id, name)
		*first.id = ""
		assert.Equal(t, first.value, again.value, name)
	}
	for name, call := range map[string]func(dynastay.WriteOption) (*venue.User, error){
		"role": func(key dynastay.WriteOption) (*venue.User, error) {
			return h.repo.SetRole(ctx, admin, ben.UserID, venue.Admin, key)
		},
		"recount": func(key dynastay.WriteOption) (*venue.User, error) { return h.repo.Recount(ctx, ann.UserID, key) },
	} {
		first, err := call(dynastay.IdempotencyKey(name))
		require.NoError(t, err)
		again, err := call(dynastay.IdempotencyKey(name))
		require.NoError(t, err)
		assert.Equal(t, first, again, name)
	}
}

// What a call wrote is gone when the call is repeated: the result is what was given.
func TestRepeatedCallsForAnEventThatIsGone(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	ctx := t.Context()
	e, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	update := func() *venue.Event {
		op := h.repo.UpdateEventOp(admin, e.Ref(), func(e *venue.Event) error { e.Title = "Folk"; return nil }, dynastay.AgreedOn("Folk"))
		require.NoError(t, h.Write(ctx, op, dynastay.IdempotencyKey("update")))
		return op.Result()
	}
	code := func() *venue.LockCode {
		c, err := h.repo.SetLockCode(ctx, admin, venue.LockCode{
			EventID: e.ID, Date: day, Slot: venue.Morning, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Second),
		}, dynastay.IdempotencyKey("code"))
		require.NoError(t, err)
		return c
	}
	update()
	code()
	require.NoError(t, h.repo.DeleteEvent(ctx, admin, e.Ref()))
	assert.Equal(t, &venue.Event{ID: e.ID, Date: day, Slot: venue.Morning}, update())
	assert.Equal(t, &venue.LockCode{
		EventID: e.ID, Date: day, Slot: venue.Morning, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Second),
	}, code())
}

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
