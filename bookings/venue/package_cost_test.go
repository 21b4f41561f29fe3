package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// cost is in requests, read units, and write units on the table and on the index.
type cost dyntest.Bill

// What each call costs, with generated ids and a clock that moves.
func TestCosts(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	costs := page.Costs{DB: h.DB}
	measure := func(what, why string, want cost, do func() error) {
		t.Helper()
		h.Clock.Advance(time.Minute)
		costs.Measure(t, what, why, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
	var b, whole *venue.Booking
	measure("Request",
		"the booking, its item in the user's partition, the user's statistics, the log. The user's row in the index "+
			"contains the statistics",
		cost{1, 0, 8, 2}, func() (err error) {
			b, err = h.repo.Request(ctx, ann, request(ann, day, venue.Morning))
			return err
		})
	measure("Update, of the slot", "the booking, its item in the user's partition, the log",
		cost{2, 1, 6, 1}, func() (err error) {
			b, err = h.repo.Update(ctx, ann, b.ID, func(b *venue.Booking) error { b.Slot = venue.Afternoon; return nil })
			return err
		})
	measure("Update, not of the day or the slot", "the item in the user's partition does not change",
		cost{2, 1, 4, 1}, func() (err error) {
			b, err = h.repo.Update(ctx, ann, b.ID, func(b *venue.Booking) error { b.Attendees++; return nil })
			return err
		})
	measure("Approve: half a day", "as Request, also the event, and a check of each slot that overlaps it",
		cost{2, 1, 12, 2}, func() (err error) {
			b, err = h.repo.Approve(ctx, admin, approval(b))
			return err
		})
	whole = h.asked(t, ann, day.AddDays(1), venue.FullDay)
	measure("Approve: a whole day", "two slots overlap it", cost{2, 1, 14, 2}, func() (err error) {
		whole, err = h.repo.Approve(ctx, admin, approval(whole))
		return err
	})
	loser := h.asked(t, ann, day.AddDays(1), venue.Morning)
	refused := h.Measure(func() { require.Error(t, second(h.repo.Approve(ctx, admin, approval(loser)))) })
	assert.Equal(t, 4, refused.Requests, "Approve, refused")
	costs.Add("a refused approval",
		"the booking, the transaction, the day, and the booking again. Other approvals that wait in the same process are refused "+
			"with it, for 2 requests each", refused.Bill())
	measure("Reject", "the booking, its item in the user's partition, the log", cost{2, 1, 6, 1}, func() error {
		return second(h.repo.Reject(ctx, admin, venue.Rejection{BookingID: loser.ID, Version: 1}))
	})
	measure("SetLockCode", "the code, a check of the event, the log", cost{1, 0, 6, 0}, func() error {
		return second(h.repo.SetLockCode(ctx, admin, venue.LockCode{
			EventID: b.EventID, Date: day, Slot: venue.Afternoon, Code: "1234", ValidFrom: now, ValidUntil: now.Add(time.Hour),
		}))
	})
	measure("a lock code", "half a unit for up to 4 KB",
		cost{1, 0.5, 0, 0}, func() error { return second(h.repo.LockCode(ctx, b.EventID)) })
	measure("LockCodesOn, no events", "", cost{1, 0.5, 0, 0}, func() error { return second(h.repo.LockCodesOn(ctx, day.AddDays(9))) })
	measure("the lock codes of a day", "the events of the day, then their codes",
		cost{2, 1, 0, 0}, func() error { return second(h.repo.LockCodesOn(ctx, day)) })
	measure("Availability (V6): a month",
		"a BatchGetItem of the three slots of each day would be 1 request, but 46.5 units: a day without events costs "+
			"as much as one item that does not exist",
		cost{31, 15.5, 0, 0}, func() error {
			return second(h.repo.Availability(ctx, dynastay.MonthOf(day)))
		})
	measure("EventWithBooking", "", cost{2, 1, 0, 0}, func() error {
		_, _, err := h.repo.EventWithBooking(ctx, day, venue.Afternoon)
		return err
	})
	measure("Cancel: an approved booking", "as Approve: also the event and its lock code",
		cost{2, 1, 12, 1}, func() error {
			return second(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version}))
		})
	measure("RecordPayment: first", "the payment, and a check of the booking", cost{2, 1, 4, 0}, func() error {
		return second(h.repo.RecordPayment(ctx, venue.Payment{
			BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("1", "EUR"), Status: venue.PaymentPaid,
		}))
	})
	measure("RecordPayment: nothing new", "it is recognised by the read", cost{1, 1, 0, 0}, func() error {
		return second(h.repo.RecordPayment(ctx, venue.Payment{
			BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("1", "EUR"), Status: venue.PaymentPending,
		}))
	})
	var concert *venue.Event
	measure("CreateEvent", "the event, a check of each slot that overlaps it, the log", cost{1, 0, 6, 0}, func() (err error) {
		concert, err = h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"})
		return err
	})
	measure("DeleteEvent", "the event, the lock code, the log",
		cost{2, 1, 6, 0}, func() error { return h.repo.DeleteEvent(ctx, admin, concert.Ref()) })
	measure("Notify", "one item", cost{1, 0, 1, 0}, func() error {
		return second(h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"}))
	})
	measure("UserWithBookings", "", cost{1, 0.5, 0, 0}, func() error {
		_, _, err := h.repo.UserWithBookings(ctx, ann.UserID)
		return err
	})
	measure("Recount, nothing to correct", "", cost{2, 2, 0, 0}, func() error { return second(h.repo.Recount(ctx, ann.UserID)) })
	_, err := h.repo.UserByEmail(ctx, "user_ann@example.com")
	require.NoError(t, err)
	costs.Section(t, "venue")
}
