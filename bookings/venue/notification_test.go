package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/lists"
)

// A message is written if, and only if, what it is about is written.
func TestNotifications(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	b := h.asked(t, ann, day, venue.Morning)
	tell := func(b *venue.Booking) *dynastay.Operation[*venue.Notification] {
		return h.repo.NotifyOp(venue.Notification{UserID: ann.UserID, BookingID: b.ID, Title: "Approved"})
	}
	require.NoError(t, h.Write(ctx, h.repo.ApproveOp(admin, approval(b)), tell(b)))
	h.Clock.Advance(time.Second)
	loser := h.asked(t, ann, day, venue.FullDay)
	blame.As[*venue.SlotTaken](t, h.Write(ctx, h.repo.ApproveOp(admin, approval(loser)), tell(loser)))
	_, err := h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News", ReadAt: now})
	require.NoError(t, err)
	messages := lists.All(t, h.repo.NotificationsOf(ann.UserID))
	require.Len(t, messages, 2)
	assert.Equal(t, []string{"News", "Approved"}, []string{messages[0].Title, messages[1].Title})
	assert.True(t, messages[0].ReadAt.IsZero(), "only MarkRead sets it")

	h.Clock.Advance(time.Hour)
	read, err := h.repo.MarkRead(ctx, *messages[0])
	require.NoError(t, err)
	assert.Equal(t, now.Add(time.Hour+time.Second), read.ReadAt)
	h.Clock.Advance(time.Hour)
	again, err := h.repo.MarkRead(ctx, *messages[0])
	require.NoError(t, err)
	assert.Equal(t, read.ReadAt, again.ReadAt)
	_, err = h.repo.MarkRead(ctx, venue.Notification{UserID: ben.UserID, CreatedAt: messages[0].CreatedAt, ID: messages[0].ID})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	h.consistency(t)
}
