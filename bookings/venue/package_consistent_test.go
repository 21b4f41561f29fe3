package venue_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
)

// reads returns, for each read of the table among requests, whether it is consistent.
func reads(t *testing.T, sent []dyntest.Request) (consistent []bool) {
	t.Helper()
	for _, r := range sent {
		var body struct {
			ConsistentRead bool
			IndexName      string
			RequestItems   map[string]struct{ ConsistentRead bool }
		}
		require.NoError(t, json.Unmarshal(r.Body, &body))
		if (r.Operation == "GetItem" || r.Operation == "Query") && body.IndexName == "" {
			consistent = append(consistent, body.ConsistentRead)
		}
		for _, table := range body.RequestItems {
			consistent = append(consistent, table.ConsistentRead)
		}
	}
	return consistent
}

// Local engines always read consistently, so only the requests show whether DynamoDB would.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	held, err := h.repo.Approve(ctx, admin, venue.Approval{
		BookingID: h.asked(t, ann, day, venue.Morning).ID, Version: 1, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Hour),
	})
	require.NoError(t, err)
	concert, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	b := h.asked(t, ann, day.AddDays(1), venue.Morning)
	refused := h.asked(t, ann, day, venue.FullDay)
	message, err := h.repo.Notify(ctx, venue.Notification{UserID: ann.UserID, Title: "News"})
	require.NoError(t, err)
	key := dynastay.IdempotencyKey("k")
	for _, call := range []struct {
		name  string
		reads int
		do    func() error
	}{
		{"Update", 1, func() error {
			return second(h.repo.Update(ctx, ann, b.ID, func(b *venue.Booking) error { b.Attendees++; return nil }))
		}},
		{"Approve, refused", 3, func() error { return second(h.repo.Approve(ctx, admin, approval(refused))) }},
		{"Approve", 1, func() (err error) {
			b, err = h.repo.Approve(ctx, admin, venue.Approval{BookingID: b.ID, Version: 2}, key)
			return err
		}},
		{"Approve, again with its key", 1, func() error {
			return second(h.repo.Approve(ctx, admin, venue.Approval{BookingID: b.ID, Version: 2}, key))
		}},
		{"Cancel", 1, func() error {
			return second(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version}))
		}},
		{"Reject", 1, func() error {
			return second(h.repo.Reject(ctx, admin, venue.Rejection{BookingID: refused.ID, Version: 1}))
		}},
		{"Recount", 2, func() error { return second(h.repo.Recount(ctx, ann.UserID)) }},
		{"UpdateEvent", 1, func() error {
			return second(h.repo.UpdateEvent(ctx, admin, concert.Ref(), func(e *venue.Event) error { e.Title = "Folk"; return nil }))
		}},
		{"DeleteEvent, of a booking", 2, func() error {
			assert.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, venue.EventRef{Date: day, Slot: venue.Morning, ID: held.EventID}), venue.ErrOfBooking)
			return nil
		}},
		{"SetLockCode, again with its key", 1, func() error {
			for range 2 {
				if _, err := h.repo.SetLockCode(ctx, admin, venue.LockCode{
					EventID: concert.ID, Date: day, Slot: venue.Afternoon, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Hour),
				}, dynastay.IdempotencyKey("code")); err != nil {
					return err
				}
			}
			return nil
		}},
		{"CreateEvent, again with its key", 1, func() error {
			for range 2 {
				if _, err := h.repo.CreateEvent(ctx, admin, venue.Event{
					Date: day.AddDays(2), Slot: venue.Morning, Type: "concert", Title: "Jazz",
				}, dynastay.IdempotencyKey("event")); err != nil {
					return err
				}
			}
			return nil
		}},
		{"DeleteEvent", 1, func() error { return h.repo.DeleteEvent(ctx, admin, concert.Ref()) }},
		{"RecordPayment", 1, func() error {
			return second(h.repo.RecordPayment(ctx, venue.Payment{
				BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("1", "EUR"), Status: venue.PaymentPaid,
			}))
		}},
		{"RecordPayment, again with its key", 3, func() error {
			for range 2 {
				if _, err := h.repo.RecordPayment(ctx, venue.Payment{
					BookingID: b.ID, ID: "q", Amount: dynastay.MustMoney("1", "EUR"), Status: venue.PaymentPaid,
				}, dynastay.IdempotencyKey("payment")); err != nil {
					return err
				}
			}
			return nil
		}},
		{"SetRole and Recount, again with their keys", 5, func() error {
			for range 2 {
				if _, err := h.repo.SetRole(ctx, admin, ann.UserID, venue.Admin, dynastay.IdempotencyKey("role")); err != nil {
					return err
				}
				if _, err := h.repo.Recount(ctx, ann.UserID, dynastay.IdempotencyKey("recount")); err != nil {
					return err
				}
			}
			return nil
		}},
		{"MarkRead, again with its key", 2, func() error {
			for range 2 {
				if _, err := h.repo.MarkRead(ctx, *message, dynastay.IdempotencyKey("read")); err != nil {
					return err
				}
			}
			return nil
		}},
		{"UserByEmail, for a login", 2, func() error {
			return second(h.repo.UserByEmail(ctx, "user_ann@example.com", dynastay.Consistent))
		}},
		{"LockCodesOn, for a door", 2, func() error { return second(h.repo.LockCodesOn(ctx, day, dynastay.Consistent)) }},
		{"LockCode, for a door", 1, func() error { return second(h.repo.LockCode(ctx, held.EventID, dynastay.Consistent)) }},
		{"User", 1, func() error { return second(h.repo.User(ctx, ann.UserID, dynastay.Consistent)) }},
		{"UserWithBookings", 1, func() error {
			_, _, err := h.repo.UserWithBookings(ctx, ann.UserID, dynastay.Consistent)
			return err
		}},
		{"Booking", 1, func() error { return second(h.repo.Booking(ctx, held.ID, dynastay.Consistent)) }},
		{"EventWithBooking", 2, func() error {
			_, _, err := h.repo.EventWithBooking(ctx, day, venue.Morning, dynastay.Consistent)
			return err
		}},
		{"Availability, to be sure", 31, func() error {
			return second(h.repo.Availability(ctx, dynastay.MonthOf(day), dynastay.Consistent))
		}},
		{"Cancel, approved by other software", 2, func() error {
			h.foreignApproved(t)
			return second(h.repo.Cancel(ctx, admin, venue.Cancellation{BookingID: "fb"}))
		}},
	} {
		stop := h.Faults.Record()
		err := call.do()
		sent := stop()
		if call.name != "Approve, refused" {
			require.NoError(t, err, call.name)
		}
		got := reads(t, sent)
		assert.GreaterOrEqual(t, len(got), call.reads, call.name)
		assert.NotContains(t, got, false, call.name)
	}
}
