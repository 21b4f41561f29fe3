package venue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/racing"
)

// An approval that is refused because of its slot looks whether the booking still wants the slot.
func TestRefusalOfWhatIsNoLongerWanted(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	b, other := h.asked(t, ann, day, venue.Morning), h.asked(t, ben, day, venue.Morning)
	direct := venue.New(h.Direct, nil)
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.Approve(ctx, admin, approval(other))
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: 1})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "Query", Nth: 1})
	_, err := h.repo.Approve(t.Context(), admin, approval(b))
	var status *venue.StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, venue.Cancelled, status.Status)
}

// The slot becomes free after an approval was refused and before it is known what holds the slot.
func TestSlotThatBecomesFree(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	held, b := h.approved(t, ben, day, venue.FullDay), h.asked(t, ann, day, venue.Morning)
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := venue.New(h.Direct, nil).Cancel(ctx, ben, venue.Cancellation{BookingID: held.ID, Version: held.Version})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "Query", Nth: 1})
	_, err := h.repo.Approve(t.Context(), admin, approval(b))
	require.NoError(t, err)
	h.consistency(t)
}

// All answers of a write are lost, and then others change what it wrote, twice: only its entry in the audit log still
// shows that it was carried out.
func TestAuditProvesAWrite(t *testing.T) {
	t.Parallel()
	h := newHall(t, dyntest.With(dynastay.Options{Retry: dynastay.Retry{Attempts: 2}}))
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	more := func(b *venue.Booking) error { b.Attendees++; return nil }
	lost := h.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", EveryAttempt: true, Times: 1})
	others := 0
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		for lost.Hits() > 0 && others < 2 {
			others++
			_, err := venue.New(h.Direct, nil).Update(ctx, ann, b.ID, more)
			assert.NoError(t, err)
		}
	}), dyntest.When{Match: func(r dyntest.Request) bool { return r.Operation != "TransactWriteItems" }})
	_, err := h.repo.Update(t.Context(), ann, b.ID, more)
	require.NoError(t, err)
	assert.Equal(t, 2, others)
	b, err = h.repo.Booking(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, 53, b.Attendees)
	h.consistency(t)
}

// An update cannot change what only the library writes.
func TestUpdatesOfWhatIsKept(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	e, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "t", Title: "T"})
	require.NoError(t, err)
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.Date = day.AddDays(1); return nil })
	invalid(t, err, "Date")
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.Slot = venue.Morning; return nil })
	invalid(t, err, "Slot")
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.ID = "x"; return nil })
	invalid(t, err, "ID")
	_, err = h.repo.Update(t.Context(), ann, b.ID, func(b *venue.Booking) error { b.UserID = "x"; return nil })
	invalid(t, err, "UserID")
}

// The id of an event is generated, because the lock code is found by it.
func TestEventIDsAreUnique(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ids := map[string]bool{}
	for i := range 2 {
		e, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{
			ID: "gala", BookingID: "none", Date: day.AddDays(i), Slot: venue.Morning, Type: "concert", Title: "Jazz",
		})
		require.NoError(t, err)
		assert.Empty(t, e.BookingID)
		ids[e.ID] = true
	}
	assert.Len(t, ids, 2)
}

// What one Write can do together, and what it refuses because a transaction has one action for an item.
func TestCompositions(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann, ben)
	ctx := t.Context()
	m, f := h.asked(t, ann, day, venue.Morning), h.asked(t, ben, day, venue.FullDay)
	err := h.Write(ctx, h.repo.ApproveOp(admin, approval(m)), h.repo.ApproveOp(admin, approval(f)))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "morning + full day")
	a := h.asked(t, ben, day, venue.Afternoon)
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(m)), h.repo.ApproveOp(admin, approval(a)))
	assert.NoError(t, err, "morning + afternoon of two users")
	h.consistency(t)
	d2 := day.AddDays(1)
	one, two := h.asked(t, ann, d2, venue.Morning), h.asked(t, ann, d2, venue.Afternoon)
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.ApproveOp(admin, approval(two)))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "two of one user")
	m, _ = h.repo.Booking(ctx, m.ID)
	err = h.Write(ctx, h.repo.CancelOp(admin, venue.Cancellation{BookingID: m.ID, Version: m.Version}), h.repo.ApproveOp(admin, approval(h.asked(t, ben, day, venue.Morning))))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "cancel + approve on the same slot")
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.RecordPaymentOp(venue.Payment{BookingID: one.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid}))
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "approve + first payment")
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.NotifyOp(venue.Notification{UserID: ann.UserID, Title: "Approved"}))
	assert.NoError(t, err)
	h.consistency(t)
}

func TestAuditOfBookingsEvent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.approved(t, ann, day, venue.Morning)
	_, err := h.repo.UpdateEvent(t.Context(), admin, venue.EventRef{Date: day, Slot: venue.Morning, ID: b.EventID}, func(e *venue.Event) error { e.Title = "x"; return nil })
	require.NoError(t, err)
	_, err = h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err)
	for e, err := range h.repo.Audit(dynastay.DateOf(now, nil)).All(t.Context()) {
		require.NoError(t, err)
		if e.Action == venue.EventUpdated {
			assert.Equal(t, b.ID, e.BookingID, "audit.go: BookingID is empty only for an event without a booking")
			assert.Equal(t, ann.UserID, e.UserID)
		}
		if e.Action == venue.BookingCancelled {
			assert.Equal(t, b.EventID, e.EventID, "nothing says which event was deleted")
		}
	}
}

func TestForeignPayments(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	p := func(s venue.PaymentStatus) venue.Payment {
		return venue.Payment{BookingID: b.ID, ID: "p", Amount: dynastay.MustMoney("50", "EUR"), Status: s}
	}
	for _, way := range racing.Ways {
		b = h.asked(t, ann, day, venue.Morning)
		one, two := way.Meet(t, h.DB,
			func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).RecordPayment(ctx, p(venue.PaymentPending)))
			},
			func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).RecordPayment(ctx, p(venue.PaymentRefunded)))
			})
		if way.Name != "before a write that is lost" { // a first report that was lost cannot be told from a later one
			require.NoError(t, one, way.Name)
		}
		require.NoError(t, two, way.Name)
		for got, err := range h.repo.PaymentsOf(b.ID).All(t.Context()) {
			require.NoError(t, err)
			assert.Equal(t, venue.PaymentRefunded, got.Status, way.Name)
		}
	}
	// A foreign status.
	h.put(t, map[string]any{"PK": "BOOKING#" + b.ID, "SK": "PAYMENT#x", "entityType": "Payment", "paymentId": "x", "bookingId": b.ID, "amount": 50, "currency": "EUR", "status": "chargeback"})
	x := p(venue.PaymentPending)
	x.ID = "x"
	got, err := h.repo.RecordPayment(t.Context(), x)
	require.NoError(t, err)
	assert.NotEqual(t, venue.PaymentPending, got.Payment.Status, "an unknown status is overwritten by the first one")
}

// A later report without a method does not erase the method.
func TestPaymentMethod(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	p := venue.Payment{BookingID: h.asked(t, ann, day, venue.Morning).ID, ID: "p", Amount: dynastay.MustMoney("50", "EUR"), Status: venue.PaymentPaid, Method: "card"}
	_, err := h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	p.Status, p.Method = venue.PaymentRefunded, ""
	got, err := h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, "card", got.Payment.Method)
	p.ID, p.Status, p.Method = "q", venue.PaymentFailed, "card"
	_, err = h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	p.Status, p.Method = venue.PaymentPaid, "transfer"
	got, err = h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, "transfer", got.Payment.Method)
}

// An event that changes between the read and the write of its deletion is read again.
func TestEventChangesDuringItsDeletion(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	e, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := venue.New(h.Direct, nil).UpdateEvent(ctx, admin, e.Ref(), func(e *venue.Event) error { e.Title = "Folk"; return nil })
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	require.NoError(t, h.repo.DeleteEvent(t.Context(), admin, e.Ref()))

	// Other software gives the event to a booking.
	b := h.approved(t, ann, day.AddDays(1), venue.Morning)
	foreign := map[string]any{
		"PK": "EVENT#" + day.String(), "SK": "FULLDAY", "entityType": "Event", "eventId": "fe", "date": day.String(),
		"timeSlot": "FULL_DAY", "eventType": "maintenance", "title": "Boiler",
	}
	h.put(t, foreign)
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		foreign["bookingId"], foreign["eventType"] = b.ID, "private_booking"
		h.put(t, foreign)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	err = h.repo.DeleteEvent(t.Context(), admin, venue.EventRef{Date: day, Slot: venue.FullDay, ID: "fe"})
	require.ErrorIs(t, err, venue.ErrOfBooking)
}
