package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

func TestDaysThatHavePassed(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	today := dynastay.DateOf(now, nil)
	undecided := h.asked(t, ann, today, venue.Morning)
	pending, held := h.asked(t, ann, today, venue.Morning), h.approved(t, ann, today, venue.Afternoon)
	h.Clock.Advance(12*time.Hour - time.Second)
	_, err := h.repo.Request(t.Context(), ann, request(ann, today, venue.Morning))
	require.NoError(t, err, "today has not passed")
	h.Clock.Advance(time.Second)
	_, err = h.repo.Request(t.Context(), ann, request(ann, today, venue.Morning))
	require.ErrorIs(t, err, venue.ErrPast)
	require.ErrorIs(t, second(h.repo.Approve(t.Context(), admin, approval(pending))), venue.ErrPast)
	require.ErrorIs(t, second(h.repo.Cancel(t.Context(), ann, venue.Cancellation{BookingID: held.ID, Version: 2})), venue.ErrPast)
	require.ErrorIs(t, second(h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: today, Slot: venue.Morning, Type: "t", Title: "T"})), venue.ErrPast)
	require.ErrorIs(t, second(h.repo.Update(t.Context(), ann, pending.ID, func(b *venue.Booking) error { b.Attendees++; return nil })), venue.ErrPast)

	hawaii, err := time.LoadLocation("Pacific/Honolulu")
	require.NoError(t, err)
	there := venue.New(h.DB.DB, &venue.Options{TimeZone: hawaii})
	_, err = there.Request(t.Context(), ann, request(ann, today, venue.Morning))
	require.NoError(t, err, "it is still the day before in Hawaii")

	_, err = h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: pending.ID, Version: 1})
	require.NoError(t, err, "a request that was never decided can be rejected later")
	_, err = h.repo.Cancel(t.Context(), ann, venue.Cancellation{BookingID: undecided.ID, Version: 1})
	require.NoError(t, err, "or cancelled")
	h.consistency(t)
}
