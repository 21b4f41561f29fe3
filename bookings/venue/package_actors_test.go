package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

// Who acts is a part of what a key stands for: the key of somebody else is refused, and shows nothing of what they did.
func TestKeysOfOtherActors(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	ctx, boss := t.Context(), venue.Actor{UserID: "user_boss", Role: venue.Admin}
	asked := func() string { return h.asked(t, ann, day, venue.Morning).ID }
	held := h.approved(t, ann, day, venue.Afternoon)
	at := venue.EventRef{Date: day, Slot: venue.Afternoon, ID: held.EventID}
	gone, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day.AddDays(3), Slot: venue.Morning, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	more := func(b *venue.Booking) error { b.Attendees++; return nil }
	edited, approved, rejected, cancelled := asked(), asked(), asked(), asked()
	for name, op := range map[string]func(venue.Actor) dynastay.Part{
		"request": func(by venue.Actor) dynastay.Part { return h.repo.RequestOp(by, request(ann, day, venue.FullDay)) },
		"update":  func(by venue.Actor) dynastay.Part { return h.repo.UpdateOp(by, edited, more, dynastay.AgreedOn("+1")) },
		"approve": func(by venue.Actor) dynastay.Part {
			return h.repo.ApproveOp(by, venue.Approval{BookingID: approved, Version: 1})
		},
		"reject": func(by venue.Actor) dynastay.Part {
			return h.repo.RejectOp(by, venue.Rejection{BookingID: rejected, Version: 1})
		},
		"cancel": func(by venue.Actor) dynastay.Part {
			return h.repo.CancelOp(by, venue.Cancellation{BookingID: cancelled, Version: 1})
		},
		"create an event": func(by venue.Actor) dynastay.Part {
			return h.repo.CreateEventOp(by, venue.Event{Date: day.AddDays(2), Slot: venue.Morning, Type: "concert", Title: "Jazz"})
		},
		"update an event": func(by venue.Actor) dynastay.Part {
			return h.repo.UpdateEventOp(by, at, func(e *venue.Event) error { e.Title += "!"; return nil }, dynastay.AgreedOn("!"))
		},
		"delete an event": func(by venue.Actor) dynastay.Part { return h.repo.DeleteEventOp(by, gone.Ref()) },
		"set a code": func(by venue.Actor) dynastay.Part {
			return h.repo.SetLockCodeOp(by, venue.LockCode{
				EventID: held.EventID, Date: day, Slot: venue.Afternoon, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Second),
			})
		},
		"set a role": func(by venue.Actor) dynastay.Part { return h.repo.SetRoleOp(by, ben.UserID, venue.Admin) },
	} {
		key := dynastay.IdempotencyKey(name)
		require.NoError(t, h.Write(ctx, key, op(admin)), name)
		assert.ErrorIs(t, h.Write(ctx, key, op(boss)), dynastay.ErrIdempotencyMismatch, name)
		assert.NoError(t, h.Write(ctx, key, op(admin)), "%s, repeated", name)
	}
	_, err = h.repo.Update(ctx, ben, edited, more, dynastay.AgreedOn("+1"), dynastay.IdempotencyKey("update"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, "ben must not see the booking of ann")
}
