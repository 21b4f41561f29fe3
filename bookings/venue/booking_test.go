package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

func TestLifeOfABooking(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()

	b, err := h.repo.Request(ctx, ann, request(ann, day, venue.Morning))
	require.NoError(t, err)
	assert.Equal(t, venue.Booking{
		ID: b.ID, UserID: ann.UserID, Date: day, Slot: venue.Morning, Duration: venue.HalfDay, Description: "Birthday party",
		Attendees: 50, Status: venue.Pending, RequestedAt: now, UpdatedAt: now, Version: 1, WriteID: b.WriteID,
	}, *b)
	read, err := h.repo.Booking(ctx, b.ID)
	require.NoError(t, err)
	assert.Equal(t, b, read)
	h.consistency(t)

	h.Clock.Advance(time.Hour)
	b, err = h.repo.Update(ctx, ann, b.ID, func(b *venue.Booking) error {
		b.Slot, b.Attendees = venue.FullDay, 60
		return nil
	}, dynastay.IfVersion(1))
	require.NoError(t, err)
	assert.Equal(t, venue.WholeDay, b.Duration)
	assert.Equal(t, 2, b.Version)
	h.consistency(t)

	h.Clock.Advance(time.Hour)
	b, err = h.repo.Approve(ctx, admin, approval(b))
	require.NoError(t, err)
	assert.Equal(t, venue.Booking{
		ID: b.ID, UserID: ann.UserID, Date: day, Slot: venue.FullDay, Duration: venue.WholeDay, Description: "Birthday party",
		Attendees: 60, Status: venue.Approved, DecidedBy: admin.UserID, DecidedAt: now.Add(2 * time.Hour), EventID: b.EventID,
		RequestedAt: now, UpdatedAt: now.Add(2 * time.Hour), Version: 3, WriteID: b.WriteID,
	}, *b)
	event, booking, err := h.repo.EventWithBooking(ctx, day, venue.FullDay)
	require.NoError(t, err)
	assert.Equal(t, b, booking)
	assert.Equal(t, venue.Event{
		ID: b.EventID, BookingID: b.ID, Date: day, Slot: venue.FullDay, Type: venue.PrivateBooking, Title: "Birthday party",
		CreatedBy: ann.UserID, CreatedAt: now.Add(2 * time.Hour), UpdatedAt: now.Add(2 * time.Hour), Version: 1, WriteID: event.WriteID,
	}, *event)
	h.consistency(t)

	b, err = h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: 3, Reason: "ill"})
	require.NoError(t, err)
	assert.Equal(t, venue.Cancelled, b.Status)
	assert.Equal(t, "ill", b.Reason)
	assert.Equal(t, ann.UserID, b.DecidedBy)
	assert.Empty(t, b.EventID)
	h.consistency(t)
	user, bookings, err := h.repo.UserWithBookings(ctx, ann.UserID)
	require.NoError(t, err)
	assert.Equal(t, 1, user.RequestedCount)
	assert.Equal(t, 0, user.ApprovedCount)
	assert.Equal(t, []*venue.UserBooking{{
		UserID: ann.UserID, BookingID: b.ID, Date: day, Slot: venue.FullDay, Duration: venue.WholeDay, Status: venue.Cancelled,
	}}, bookings)

	var log []venue.AuditEntry
	for e, err := range h.repo.Audit(dynastay.DateOf(now, nil)).All(ctx) {
		require.NoError(t, err)
		assert.NotEmpty(t, e.ID)
		e.ID = ""
		log = append(log, *e)
	}
	assert.Equal(t, []venue.AuditEntry{
		{"", now, ann.UserID, venue.Customer, venue.BookingRequested, ann.UserID, b.ID, "", ""},
		{"", now.Add(time.Hour), ann.UserID, venue.Customer, venue.BookingUpdated, ann.UserID, b.ID, "", ""},
		{"", now.Add(2 * time.Hour), admin.UserID, venue.Admin, venue.BookingApproved, ann.UserID, b.ID, event.ID, ""},
		{"", now.Add(2 * time.Hour), ann.UserID, venue.Customer, venue.BookingCancelled, ann.UserID, b.ID, event.ID, "ill"},
	}, log)
}
