package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

// Errors say which call failed, and what they are about.
func TestErrorsNameWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	q := request(ann, day, venue.Morning)
	q.BookingID = "bkg_1"
	b, err := h.repo.Request(ctx, ann, q)
	require.NoError(t, err)
	b, err = h.repo.Approve(ctx, admin, approval(b))
	require.NoError(t, err)
	paid := venue.Payment{BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid}
	_, err = h.repo.RecordPayment(ctx, paid)
	require.NoError(t, err)
	paid.Amount = dynastay.MustMoney("6", "EUR")
	none := venue.EventRef{Date: day, Slot: venue.Morning, ID: "evt_1"}
	past := dynastay.MustDate("2037-05-31")
	late := request(ann, past, venue.Morning)
	late.BookingID = "bkg_2"
	for want, err := range map[string]error{
		"User user_ben: not found":                                                        second(h.repo.Request(ctx, admin, request(ben, day, venue.Morning))),
		"venue.Request: Booking bkg_2: the date has passed":                               second(h.repo.Request(ctx, ann, late)),
		"venue.Approve: Booking bkg_1 (status): not allowed while the status is approved": second(h.repo.Approve(ctx, admin, approval(b))),
		"venue.Cancel: Booking bkg_1: version conflict":                                   second(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: 1})),
		"venue.Cancel: Booking bkg_1: not allowed for this user": second(
			h.repo.Cancel(ctx, ben, venue.Cancellation{BookingID: b.ID, Version: 2})),
		"Booking bkg_2: not found":                  second(h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: "bkg_2"})),
		"venue.UpdateEvent: Event evt_1: not found": second(h.repo.UpdateEvent(ctx, admin, none, nil)),
		"venue.DeleteEvent: Event evt_1: not found": h.repo.DeleteEvent(ctx, admin, none),
		"venue.DeleteEvent: Event " + b.EventID + ": the event belongs to a booking": h.repo.DeleteEvent(
			ctx, admin, venue.EventRef{Date: day, Slot: venue.Morning, ID: b.EventID}),
		"venue.SetLockCode: Event evt_1: not found": second(h.repo.SetLockCode(ctx, admin, venue.LockCode{
			EventID: "evt_1", Date: day, Slot: venue.Morning, Code: "1", ValidFrom: now, ValidUntil: now.Add(time.Second),
		})),
		"venue.RecordPayment: Payment p (Amount): already exists": second(h.repo.RecordPayment(ctx, paid)),
		"venue.RecordPayment: Booking bkg_2: not found": second(h.repo.RecordPayment(ctx, venue.Payment{
			BookingID: "bkg_2", ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid,
		})),
		"venue.UserByEmail: User: not found":                           second(h.repo.UserByEmail(ctx, "nobody@example.com")),
		"venue.UserWithBookings: User user_ben: not found":             third(h.repo.UserWithBookings(ctx, ben.UserID)),
		"venue.EventWithBooking: Event 2037-07-11 FULL_DAY: not found": third(h.repo.EventWithBooking(ctx, day, venue.FullDay)),
	} {
		assert.EqualError(t, err, want)
	}
	err = second(h.repo.CreateEvent(ctx, admin, venue.Event{Date: past, Slot: venue.Morning, Type: "t", Title: "T"}))
	assert.Regexp(t, "^venue.CreateEvent: Event evt_[0-9A-Z]+: the date has passed$", err)
}

// So do those about what other software has stored.
func TestErrorsAboutForeignItems(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	booking := map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "entityType": "Booking", "bookingId": "other", "userId": ann.UserID,
		"date": day.String(), "timeSlot": "MORNING", "attendees": 5, "status": "pending"}
	event := map[string]any{"PK": "EVENT#" + day.String(), "SK": "FULLDAY", "entityType": "Event", "eventId": "fe", "date": "2037-07-12",
		"timeSlot": "FULL_DAY", "eventType": "maintenance", "title": "Boiler"}
	h.put(t, booking)
	h.put(t, event)
	a := venue.Approval{BookingID: "fb"}
	assert.EqualError(t, second(h.repo.Approve(ctx, admin, a)), "venue.Approve: Booking fb: unreadable item: the item must contain the id of its key")
	booking["bookingId"] = "fb"
	h.put(t, booking)
	err := second(h.repo.Approve(ctx, admin, a))
	assert.EqualError(t, err, "venue.Approve: Booking fb: unreadable item: invalid Title: is required")
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	err = second(h.repo.Update(ctx, ann, "fb", func(b *venue.Booking) error { b.Attendees++; return nil }))
	assert.EqualError(t, err, "venue.Update: Booking fb: unreadable item: invalid RequestedAt: is required")
	err = second(h.repo.UpdateEvent(ctx, admin, venue.EventRef{Date: day, Slot: venue.FullDay, ID: "fe"}, func(*venue.Event) error { return nil }))
	assert.EqualError(t, err, "venue.UpdateEvent: Event fe: unreadable item: the item must contain the date and the slot of its key")
}

func third[A, B any](_ A, _ B, err error) error { return err }
