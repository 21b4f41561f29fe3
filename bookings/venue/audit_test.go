package venue_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
)

// The entry of each operation says who did what to which booking and event of whom. What changes nothing, is refused or is
// repeated has none.
func TestAudit(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	h.foreignApproved(t)
	ctx, today := t.Context(), dynastay.DateOf(now, nil)
	seen := map[string]bool{}
	fresh := func() (fresh []venue.AuditEntry) { // of the operation that was just done
		for _, e := range lists.All(t, h.repo.Audit(today)) {
			if !seen[e.ID] {
				seen[e.ID] = true
				assert.NotEmpty(t, e.ID)
				assert.Equal(t, now, e.At)
				e.ID, e.At = "", time.Time{}
				fresh = append(fresh, *e)
			}
		}
		return fresh
	}
	held := h.approved(t, ann, day.AddDays(1), venue.Morning)
	asked := func() string { return h.asked(t, ann, day.AddDays(2), venue.Morning).ID }
	edited, approved, rejected, withdrawn := asked(), asked(), asked(), asked()
	plain := h.asked(t, ann, day.AddDays(6), venue.Morning).ID
	concert, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day.AddDays(3), Slot: venue.Morning, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	fresh()

	by := func(who venue.Actor, e venue.AuditEntry) venue.AuditEntry {
		e.By, e.Role = who.UserID, who.Role
		return e
	}
	var made *dynastay.Operation[*venue.Booking]
	var opened *dynastay.Operation[*venue.Event]
	heldEvent := venue.EventRef{Date: held.Date, Slot: venue.Morning, ID: held.EventID}
	for _, c := range []struct {
		name string
		op   func() dynastay.Part
		want func() []venue.AuditEntry
	}{
		{"a request for somebody else", func() dynastay.Part {
			made = h.repo.RequestOp(admin, request(ben, day.AddDays(4), venue.Morning))
			return made
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{Action: venue.BookingRequested, UserID: ben.UserID, BookingID: made.Result().ID})}
		}},
		{"an update of the user", func() dynastay.Part {
			return h.repo.UpdateOp(ann, edited, func(b *venue.Booking) error { b.Attendees++; return nil }, dynastay.AgreedOn("+1"))
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(ann, venue.AuditEntry{Action: venue.BookingUpdated, UserID: ann.UserID, BookingID: edited})}
		}},
		{"an approval with a code", func() dynastay.Part {
			return h.repo.ApproveOp(admin, venue.Approval{BookingID: approved, Version: 1, Code: "1234", ValidFrom: now, ValidUntil: now.Add(time.Hour)})
		}, func() []venue.AuditEntry {
			b, err := h.repo.Booking(ctx, approved, dynastay.Consistent)
			require.NoError(t, err)
			require.NotEmpty(t, b.EventID)
			return []venue.AuditEntry{
				by(admin, venue.AuditEntry{Action: venue.BookingApproved, UserID: ann.UserID, BookingID: approved, EventID: b.EventID}),
				by(admin, venue.AuditEntry{Action: venue.LockCodeSet, UserID: ann.UserID, BookingID: approved, EventID: b.EventID}),
			}
		}},
		{"an approval", func() dynastay.Part {
			return h.repo.ApproveOp(admin, venue.Approval{BookingID: plain, Version: 1})
		}, func() []venue.AuditEntry {
			b, err := h.repo.Booking(ctx, plain, dynastay.Consistent)
			require.NoError(t, err)
			require.NotEmpty(t, b.EventID)
			return []venue.AuditEntry{by(admin, venue.AuditEntry{
				Action: venue.BookingApproved, UserID: ann.UserID, BookingID: plain, EventID: b.EventID,
			})}
		}},
		{"a rejection", func() dynastay.Part {
			return h.repo.RejectOp(admin, venue.Rejection{BookingID: rejected, Version: 1, Reason: "full"})
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{Action: venue.BookingRejected, UserID: ann.UserID, BookingID: rejected, Note: "full"})}
		}},
		{"a request that is withdrawn", func() dynastay.Part {
			return h.repo.CancelOp(ann, venue.Cancellation{BookingID: withdrawn, Version: 1, Reason: "rain"})
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(ann, venue.AuditEntry{Action: venue.BookingCancelled, UserID: ann.UserID, BookingID: withdrawn, Note: "rain"})}
		}},
		{"an update of the event of a booking", func() dynastay.Part {
			return h.repo.UpdateEventOp(admin, heldEvent, func(e *venue.Event) error { e.Title = "Wedding"; return nil }, dynastay.AgreedOn("w"))
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{
				Action: venue.EventUpdated, UserID: ann.UserID, BookingID: held.ID, EventID: held.EventID, Note: "Wedding",
			})}
		}},
		{"a code", func() dynastay.Part {
			return h.repo.SetLockCodeOp(admin, venue.LockCode{
				EventID: held.EventID, Date: held.Date, Slot: venue.Morning, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Hour),
			})
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{Action: venue.LockCodeSet, EventID: held.EventID})}
		}},
		{"a cancellation of what was approved", func() dynastay.Part {
			return h.repo.CancelOp(admin, venue.Cancellation{BookingID: held.ID, Version: held.Version, Reason: "flood"})
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{
				Action: venue.BookingCancelled, UserID: ann.UserID, BookingID: held.ID, EventID: held.EventID, Note: "flood",
			})}
		}},
		{"a cancellation of what other software has approved", func() dynastay.Part {
			return h.repo.CancelOp(admin, venue.Cancellation{BookingID: "fb"})
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{Action: venue.BookingCancelled, UserID: "f", BookingID: "fb", EventID: "fe"})}
		}},
		{"an event", func() dynastay.Part {
			opened = h.repo.CreateEventOp(admin, venue.Event{Date: day.AddDays(5), Slot: venue.Morning, Type: "concert", Title: "Blues"})
			return opened
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{Action: venue.EventCreated, EventID: opened.Result().ID, Note: "Blues"})}
		}},
		{"an update of an event", func() dynastay.Part {
			return h.repo.UpdateEventOp(admin, concert.Ref(), func(e *venue.Event) error { e.Title = "Free jazz"; return nil }, dynastay.AgreedOn("f"))
		}, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{Action: venue.EventUpdated, EventID: concert.ID, Note: "Free jazz"})}
		}},
		{"a deletion of an event", func() dynastay.Part { return h.repo.DeleteEventOp(admin, concert.Ref()) }, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{Action: venue.EventDeleted, EventID: concert.ID, Note: "Free jazz"})}
		}},
		{"a role", func() dynastay.Part { return h.repo.SetRoleOp(admin, ben.UserID, venue.Admin) }, func() []venue.AuditEntry {
			return []venue.AuditEntry{by(admin, venue.AuditEntry{Action: venue.RoleSet, UserID: ben.UserID, Note: "admin"})}
		}},
		{"the same role", func() dynastay.Part { return h.repo.SetRoleOp(admin, ben.UserID, venue.Admin) }, nil},
		{"an update without a change", func() dynastay.Part {
			return h.repo.UpdateOp(ann, edited, func(*venue.Booking) error { return nil }, dynastay.AgreedOn(""))
		}, nil},
		{"an update of an event without a change", func() dynastay.Part {
			return h.repo.UpdateEventOp(admin, opened.Result().Ref(), func(*venue.Event) error { return nil }, dynastay.AgreedOn(""))
		}, nil},
		{"a recount", func() dynastay.Part { return h.repo.RecountOp(ann.UserID) }, nil},
	} {
		key := dynastay.IdempotencyKey(c.name)
		require.NoError(t, h.Write(ctx, key, c.op()), c.name)
		var want []venue.AuditEntry
		if c.want != nil {
			want = c.want()
		}
		assert.ElementsMatch(t, want, fresh(), c.name)
		require.NoError(t, h.Write(ctx, key, c.op()), "%s, repeated", c.name)
		assert.Empty(t, fresh(), "%s, repeated", c.name)
	}
	no := errors.New("no")
	for name, err := range map[string]error{
		"a stranger": h.Write(ctx, h.repo.CancelOp(ben, venue.Cancellation{BookingID: edited, Version: 2})),
		"an update":  h.Write(ctx, h.repo.UpdateOp(ann, edited, func(*venue.Booking) error { return no })),
		"a version":  h.Write(ctx, h.repo.RejectOp(admin, venue.Rejection{BookingID: edited, Version: 7})),
		"a slot":     h.Write(ctx, h.repo.ApproveOp(admin, venue.Approval{BookingID: edited, Version: 2})),
	} {
		assert.Error(t, err, name)
	}
	assert.Empty(t, fresh(), "of what was refused")
}

// All answers of a write are lost, and then others change what it wrote, twice: only its entry in the audit log still
// shows that it was carried out.
func TestAuditProvesAWrite(t *testing.T) {
	t.Parallel()
	h := newHall(t, dyntest.With(dynastay.Options{Retry: dynastay.Retry{Attempts: 2}}))
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	more := func(b *venue.Booking) error { b.Attendees++; return nil }
	lost := h.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", EveryAttempt: true, Times: 1})
	others := 0
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		for lost.Hits() > 0 && others < 2 {
			others++
			_, err := venue.New(h.Direct, nil).Update(ctx, ann, b.ID, more)
			assert.NoError(t, err)
		}
	}), dyntest.When{Match: func(r dyntest.Request) bool { return r.Operation != "TransactWriteItems" }})
	_, err := h.repo.Update(t.Context(), ann, b.ID, more)
	require.NoError(t, err)
	assert.Equal(t, 2, others)
	b, err = h.repo.Booking(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, 53, b.Attendees)
	h.consistency(t)
}

func TestAuditOfBookingsEvent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.approved(t, ann, day, venue.Morning)
	_, err := h.repo.UpdateEvent(t.Context(), admin, venue.EventRef{Date: day, Slot: venue.Morning, ID: b.EventID}, func(e *venue.Event) error { e.Title = "x"; return nil })
	require.NoError(t, err)
	_, err = h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err)
	for e, err := range h.repo.Audit(dynastay.DateOf(now, nil)).All(t.Context()) {
		require.NoError(t, err)
		if e.Action == venue.EventUpdated {
			assert.Equal(t, b.ID, e.BookingID, "audit.go: BookingID is empty only for an event without a booking")
			assert.Equal(t, ann.UserID, e.UserID)
		}
		if e.Action == venue.BookingCancelled {
			assert.Equal(t, b.EventID, e.EventID, "nothing says which event was deleted")
		}
	}
}
