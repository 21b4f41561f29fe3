package venue_test

import (
	"strconv"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
)

// A request that fails makes its call fail with the same error, whichever request of the call it is. Nothing is
// written.
func TestRequestsThatFail(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	ctx := t.Context()
	held, taken := h.approved(t, ann, day, venue.Morning), h.asked(t, ben, day, venue.FullDay)
	event := venue.EventRef{Date: day, Slot: venue.Morning, ID: held.EventID}
	h.foreignApproved(t)
	h.remove(t, "EVENT#"+day.String(), "FULLDAY")
	h.put(t, map[string]any{"PK": "EVENT#" + day.String(), "SK": "AFTERNOON", "entityType": "Event", "eventId": "fe", "bookingId": "fb",
		"date": day.String(), "timeSlot": "AFTERNOON", "eventType": "private_booking", "title": "Party"})
	foreign := h.stored(t, "BOOKING#fb", "METADATA")
	foreign["duration"] = "HALF_DAY"
	h.put(t, foreign)
	for name, call := range map[string]struct {
		requests int
		do       func() error
	}{
		"approve, refused": {4, func() error { return second(h.repo.Approve(ctx, admin, approval(taken))) }},
		"cancel": {2, func() error {
			return second(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: held.ID, Version: 2}))
		}},
		"cancel, no slot": {3, func() error { return second(h.repo.Cancel(ctx, admin, venue.Cancellation{BookingID: "fb"})) }},
		"title": {2, func() error {
			return second(h.repo.UpdateEvent(ctx, admin, event, func(e *venue.Event) error { e.Title += "!"; return nil }))
		}},
		"delete event": {2, func() error { return h.repo.DeleteEvent(ctx, admin, event) }},
		"payment": {2, func() error {
			return second(h.repo.RecordPayment(ctx, venue.Payment{
				BookingID: held.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid,
			}))
		}},
		"role":    {2, func() error { return second(h.repo.SetRole(ctx, admin, ann.UserID, venue.Admin)) }},
		"recount": {3, func() error { return second(h.repo.Recount(ctx, "f")) }},
		"read": {1, func() error {
			return second(h.repo.MarkRead(ctx, venue.Notification{UserID: "u", CreatedAt: now, ID: "n"}))
		}},
		"login":    {1, func() error { return second(h.repo.UserByEmail(ctx, "a@example.com", dynastay.Consistent)) }},
		"by email": {1, func() error { return second(h.repo.UserByEmail(ctx, "a@example.com")) }},
		"codes":    {2, func() error { return second(h.repo.LockCodesOn(ctx, day)) }},
		"days":     {1, func() error { return second(h.repo.Availability(ctx, dynastay.MonthOf(day))) }},
		"event":    {2, func() error { return third(h.repo.EventWithBooking(ctx, day, venue.Morning)) }},
		"bookings": {1, func() error { return third(h.repo.UserWithBookings(ctx, ann.UserID)) }},
	} {
		for n := range call.requests {
			before := h.all(t)
			fault := h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Nth: n + 1})
			err := call.do()
			fault.Stop()
			var denied smithy.APIError
			if about := name + " " + strconv.Itoa(n+1); assert.ErrorAs(t, err, &denied, about) {
				assert.Equal(t, "AccessDeniedException", denied.ErrorCode(), about)
			}
			require.ElementsMatch(t, before, h.all(t), name)
		}
	}
}
