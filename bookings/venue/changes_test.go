package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// Every change is decoded as it is read afterwards. The other items pass through.
func TestChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, append(streamtest.Tables(venuekeys.Table), dyntest.At(now))...)
	h := &hall{db, venue.New(db.DB, nil)}
	h.join(t, ann)
	var states []*venue.Booking
	b := h.asked(t, ann, day, venue.Morning)
	states = append(states, b)
	b, err := h.repo.Approve(ctx, admin, venue.Approval{BookingID: b.ID, Version: 1, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Hour)})
	require.NoError(t, err)
	event, _, err := h.repo.EventWithBooking(ctx, day, venue.Morning)
	require.NoError(t, err)
	states = append(states, b)
	code, err := h.repo.LockCode(ctx, b.EventID)
	require.NoError(t, err)
	_, err = h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: 2})
	require.NoError(t, err)
	b, err = h.repo.Booking(ctx, b.ID)
	require.NoError(t, err)
	states = append(states, b)
	message, err := h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"})
	require.NoError(t, err)
	paid, err := h.repo.RecordPayment(ctx, venue.Payment{
		BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("1", "EUR"), Status: venue.PaymentPaid,
	})
	require.NoError(t, err)

	c := h.repo.Changes()
	assert.Equal(t, map[string][]*venue.Booking{"BOOKING#" + b.ID + "/METADATA": states}, streamtest.Histories(t, db, venuekeys.Table, c.Bookings))
	assert.Equal(t, map[string][]*venue.Event{"EVENT#2037-07-11/MORNING": {event, nil}}, streamtest.Histories(t, db, venuekeys.Table, c.Events))
	assert.Equal(t, map[string][]*venue.LockCode{"EVENT#" + event.ID + "/LOCKCODE": {code, nil}}, streamtest.Histories(t, db, venuekeys.Table, c.LockCodes))
	assert.Equal(t, map[string][]*venue.Payment{"BOOKING#" + b.ID + "/PAYMENT#p": {paid.Payment}}, streamtest.Histories(t, db, venuekeys.Table, c.Payments))
	assert.Equal(t, map[string][]*venue.Notification{
		"USER#user_ann/NOTIFICATION#2037-06-01T12:00:00Z#" + message.ID: {message},
	}, streamtest.Histories(t, db, venuekeys.Table, c.Notifications))
	assert.Len(t, streamtest.Histories(t, db, venuekeys.Table, c.AuditEntries), 4)
	users := streamtest.Histories(t, db, venuekeys.Table, c.Users)["USER#user_ann/METADATA"]
	var counts [][2]int
	for _, u := range users {
		counts = append(counts, [2]int{u.RequestedCount, u.ApprovedCount})
	}
	assert.Equal(t, [][2]int{{0, 0}, {1, 0}, {1, 1}, {1, 0}}, counts)
}
