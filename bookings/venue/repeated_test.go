package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

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
