package venue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestRejection(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	b, err := h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: b.ID, Version: 1, Reason: "too loud"})
	require.NoError(t, err)
	assert.Equal(t, venue.Rejected, b.Status)
	assert.Equal(t, "too loud", b.Reason)
	h.consistency(t)
	for name, err := range map[string]error{
		"approve": second(h.repo.Approve(t.Context(), admin, approval(b))),
		"reject":  second(h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: b.ID, Version: 1})),
		"cancel":  second(h.repo.Cancel(t.Context(), ann, venue.Cancellation{BookingID: b.ID, Version: 1})),
		"update":  second(h.repo.Update(t.Context(), ann, b.ID, func(*venue.Booking) error { return nil })),
	} {
		var status *venue.StatusError
		if assert.ErrorAs(t, err, &status, name) {
			assert.Equal(t, venue.Rejected, status.Status, name)
		}
	}
}

// A decision about a booking that has changed since it was seen is refused.
func TestDecisionsNeedTheVersion(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	_, err := h.repo.Update(t.Context(), ann, b.ID, func(b *venue.Booking) error { b.Attendees = 200; return nil })
	require.NoError(t, err)
	require.ErrorIs(t, second(h.repo.Approve(t.Context(), admin, approval(b))), dynastay.ErrVersion)
	require.ErrorIs(t, second(h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: b.ID, Version: 1})), dynastay.ErrVersion)
	require.ErrorIs(t, second(h.repo.Cancel(t.Context(), ann, venue.Cancellation{BookingID: b.ID, Version: 1})), dynastay.ErrVersion)
	require.ErrorIs(t, second(h.repo.Update(t.Context(), ann, b.ID, func(*venue.Booking) error { return nil }, dynastay.IfVersion(1))), dynastay.ErrVersion)
	_, err = h.repo.Approve(t.Context(), admin, venue.Approval{BookingID: b.ID, Version: 2, Title: "Party"})
	require.NoError(t, err)
	events, err := h.repo.EventsOn(t.Context(), day)
	require.NoError(t, err)
	assert.Equal(t, "Party", events[0].Title)
}

// An approval that is refused because of its slot looks whether the booking still wants the slot.
func TestRefusalOfWhatIsNoLongerWanted(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	b, other := h.asked(t, ann, day, venue.Morning), h.asked(t, ben, day, venue.Morning)
	direct := venue.New(h.Direct, nil)
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.Approve(ctx, admin, approval(other))
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: 1})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "Query", Nth: 1})
	_, err := h.repo.Approve(t.Context(), admin, approval(b))
	status := blame.As[*venue.StatusError](t, err)
	assert.Equal(t, venue.Cancelled, status.Status)
}

// The slot becomes free after an approval was refused and before it is known what holds the slot.
func TestSlotThatBecomesFree(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	held, b := h.approved(t, ben, day, venue.FullDay), h.asked(t, ann, day, venue.Morning)
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := venue.New(h.Direct, nil).Cancel(ctx, ben, venue.Cancellation{BookingID: held.ID, Version: held.Version})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "Query", Nth: 1})
	_, err := h.repo.Approve(t.Context(), admin, approval(b))
	require.NoError(t, err)
	h.consistency(t)
}

// What one Write can do together, and what it refuses because a transaction has one action for an item.
func TestCompositions(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	ctx := t.Context()
	m, f := h.asked(t, ann, day, venue.Morning), h.asked(t, ben, day, venue.FullDay)
	err := h.Write(ctx, h.repo.ApproveOp(admin, approval(m)), h.repo.ApproveOp(admin, approval(f)))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "morning + full day")
	a := h.asked(t, ben, day, venue.Afternoon)
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(m)), h.repo.ApproveOp(admin, approval(a)))
	assert.NoError(t, err, "morning + afternoon of two users")
	h.consistency(t)
	d2 := day.AddDays(1)
	one, two := h.asked(t, ann, d2, venue.Morning), h.asked(t, ann, d2, venue.Afternoon)
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.ApproveOp(admin, approval(two)))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "two of one user")
	m, _ = h.repo.Booking(ctx, m.ID)
	err = h.Write(ctx, h.repo.CancelOp(admin, venue.Cancellation{BookingID: m.ID, Version: m.Version}), h.repo.ApproveOp(admin, approval(h.asked(t, ben, day, venue.Morning))))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "cancel + approve on the same slot")
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.RecordPaymentOp(venue.Payment{BookingID: one.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid}))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "approve + first payment")
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.NotifyOp(venue.Notification{UserID: ann.UserID, Title: "Approved"}))
	assert.NoError(t, err)
	h.consistency(t)
}
