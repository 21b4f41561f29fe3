package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
)

// cost is in requests, read units, and write units on the table and on the index.
type cost dyntest.Bill

// The costs in docs/costs.md, with generated ids and a clock that moves.
func TestCosts(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	costs := func(what string, want cost, do func() error) {
		t.Helper()
		h.Clock.Advance(time.Minute)
		dyntest.Costs(t, h.DB, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
	var b, whole *venue.Booking
	costs("Request", cost{1, 0, 8, 2}, func() (err error) {
		b, err = h.repo.Request(ctx, ann, request(ann, day, venue.Morning))
		return err
	})
	costs("Update", cost{2, 1, 6, 1}, func() (err error) {
		b, err = h.repo.Update(ctx, ann, b.ID, func(b *venue.Booking) error { b.Slot = venue.Afternoon; return nil })
		return err
	})
	costs("Update, not of the day or the slot", cost{2, 1, 4, 1}, func() (err error) {
		b, err = h.repo.Update(ctx, ann, b.ID, func(b *venue.Booking) error { b.Attendees++; return nil })
		return err
	})
	costs("Approve, half a day", cost{2, 1, 12, 2}, func() (err error) {
		b, err = h.repo.Approve(ctx, admin, approval(b))
		return err
	})
	whole = h.asked(t, ann, day.AddDays(1), venue.FullDay)
	costs("Approve, a whole day", cost{2, 1, 14, 2}, func() (err error) {
		whole, err = h.repo.Approve(ctx, admin, approval(whole))
		return err
	})
	loser := h.asked(t, ann, day.AddDays(1), venue.Morning)
	refused := h.Measure(func() { require.Error(t, second(h.repo.Approve(ctx, admin, approval(loser)))) })
	assert.Equal(t, 4, refused.Requests, "Approve, refused")
	costs("Reject", cost{2, 1, 6, 1}, func() error {
		return second(h.repo.Reject(ctx, admin, venue.Rejection{BookingID: loser.ID, Version: 1}))
	})
	costs("SetLockCode", cost{1, 0, 6, 0}, func() error {
		return second(h.repo.SetLockCode(ctx, admin, venue.LockCode{
			EventID: b.EventID, Date: day, Slot: venue.Afternoon, Code: "1234", ValidFrom: now, ValidUntil: now.Add(time.Hour),
		}))
	})
	costs("LockCode", cost{1, 0.5, 0, 0}, func() error { return second(h.repo.LockCode(ctx, b.EventID)) })
	costs("LockCodesOn, no events", cost{1, 0.5, 0, 0}, func() error { return second(h.repo.LockCodesOn(ctx, day.AddDays(9))) })
	costs("LockCodesOn", cost{2, 1, 0, 0}, func() error { return second(h.repo.LockCodesOn(ctx, day)) })
	costs("Availability of a month", cost{31, 15.5, 0, 0}, func() error {
		return second(h.repo.Availability(ctx, dynastay.MonthOf(day)))
	})
	costs("EventWithBooking", cost{2, 1, 0, 0}, func() error {
		_, _, err := h.repo.EventWithBooking(ctx, day, venue.Afternoon)
		return err
	})
	costs("Cancel, approved", cost{2, 1, 12, 1}, func() error {
		return second(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version}))
	})
	costs("RecordPayment", cost{2, 1, 4, 0}, func() error {
		return second(h.repo.RecordPayment(ctx, venue.Payment{
			BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("1", "EUR"), Status: venue.PaymentPaid,
		}))
	})
	costs("RecordPayment, nothing new", cost{1, 1, 0, 0}, func() error {
		return second(h.repo.RecordPayment(ctx, venue.Payment{
			BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("1", "EUR"), Status: venue.PaymentPending,
		}))
	})
	var concert *venue.Event
	costs("CreateEvent", cost{1, 0, 6, 0}, func() (err error) {
		concert, err = h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"})
		return err
	})
	costs("DeleteEvent", cost{2, 1, 6, 0}, func() error { return h.repo.DeleteEvent(ctx, admin, concert.Ref()) })
	costs("Notify", cost{1, 0, 1, 0}, func() error {
		return second(h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"}))
	})
	costs("UserWithBookings", cost{1, 0.5, 0, 0}, func() error {
		_, _, err := h.repo.UserWithBookings(ctx, ann.UserID)
		return err
	})
	costs("Recount, nothing to correct", cost{2, 2, 0, 0}, func() error { return second(h.repo.Recount(ctx, ann.UserID)) })
	_, err := h.repo.UserByEmail(ctx, "user_ann@example.com")
	require.NoError(t, err)
}
