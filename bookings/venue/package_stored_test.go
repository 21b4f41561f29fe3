package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

// Other software tells the items apart by their entityType.
func TestKindsOfItems(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	b, err := h.repo.Approve(ctx, admin, venue.Approval{
		BookingID: h.asked(t, ann, day, venue.Morning).ID, Version: 1, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Hour),
	})
	require.NoError(t, err)
	_, err = h.repo.RecordPayment(ctx, venue.Payment{BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid})
	require.NoError(t, err)
	_, err = h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"})
	require.NoError(t, err)
	kinds := map[any]int{}
	for _, item := range h.all(t) {
		kinds[item["entityType"]]++
	}
	assert.Equal(t, map[any]int{
		"User": 1, "Guard": 1, "Booking": 1, "UserBooking": 1, "Event": 1, "LockCode": 1, "Payment": 1, "Notification": 1, "AuditEntry": 3,
	}, kinds)
}
