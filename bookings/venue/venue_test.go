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

// Slots that overlap exclude each other, and those that do not overlap do not.
func TestSlotsExcludeEachOther(t *testing.T) {
	t.Parallel()
	slots := []venue.Slot{venue.Morning, venue.Afternoon, venue.FullDay}
	for i, first := range slots {
		for j, second := range slots {
			h := newHall(t)
			h.join(t, ann, ben)
			held, wants := h.approved(t, ann, day, first), h.asked(t, ben, day, second)
			overlap := first == second || first == venue.FullDay || second == venue.FullDay
			b, err := h.repo.Approve(t.Context(), admin, approval(wants))
			if !overlap {
				require.NoError(t, err, "%d %d", i, j)
				assert.Equal(t, venue.Approved, b.Status)
				h.consistency(t)
				continue
			}
			var taken *venue.SlotTaken
			require.ErrorAs(t, err, &taken, "%s, then %s", first, second)
			assert.Equal(t, day, taken.Date)
			assert.Equal(t, second, taken.Slot)
			require.Len(t, taken.Events, 1)
			assert.Equal(t, held.EventID, taken.Events[0].ID)
			assert.Equal(t, held.ID, taken.Events[0].BookingID)
			assert.Equal(t, first, taken.Events[0].Slot)
			still, err := h.repo.Booking(t.Context(), wants.ID)
			require.NoError(t, err)
			assert.Equal(t, wants, still, "the booking of a losing approval does not change")
			_, err = h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: second, Type: "concert", Title: "Jazz"})
			require.ErrorAs(t, err, &taken)
			h.consistency(t)

			_, err = h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: held.ID, Version: held.Version})
			require.NoError(t, err)
			_, err = h.repo.Approve(t.Context(), admin, approval(wants))
			require.NoError(t, err, "the slot is free again")
			h.consistency(t)
		}
	}
}

func TestSlotTakenNamesAllEvents(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	morning := h.approved(t, ann, day, venue.Morning)
	concert, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	_, err = h.repo.Approve(t.Context(), admin, approval(h.asked(t, ann, day, venue.FullDay)))
	assert.EqualError(t, err, "2037-07-11 FULL_DAY is taken: MORNING by event "+morning.EventID+" of booking "+morning.ID+
		", AFTERNOON by event "+concert.ID)
}

func TestRejection(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	b, err := h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: b.ID, Version: 1, Reason: "too loud"})
	require.NoError(t, err)
	assert.Equal(t, venue.Rejected, b.Status)
	assert.Equal(t, "too loud", b.Reason)
	h.consistency(t)
	for name, err := range map[string]error{
		"approve": second(h.repo.Approve(t.Context(), admin, approval(b))),
		"reject":  second(h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: b.ID, Version: 1})),
		"cancel":  second(h.repo.Cancel(t.Context(), ann, venue.Cancellation{BookingID: b.ID, Version: 1})),
		"update":  second(h.repo.Update(t.Context(), ann, b.ID, func(*venue.Booking) error { return nil })),
	} {
		var status *venue.StatusError
		if assert.ErrorAs(t, err, &status, name) {
			assert.Equal(t, venue.Rejected, status.Status, name)
		}
	}
}

// A decision about a booking that has changed since it was seen is refused.
func TestDecisionsNeedTheVersion(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	_, err := h.repo.Update(t.Context(), ann, b.ID, func(b *venue.Booking) error { b.Attendees = 200; return nil })
	require.NoError(t, err)
	require.ErrorIs(t, second(h.repo.Approve(t.Context(), admin, approval(b))), dynastay.ErrVersion)
	require.ErrorIs(t, second(h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: b.ID, Version: 1})), dynastay.ErrVersion)
	require.ErrorIs(t, second(h.repo.Cancel(t.Context(), ann, venue.Cancellation{BookingID: b.ID, Version: 1})), dynastay.ErrVersion)
	require.ErrorIs(t, second(h.repo.Update(t.Context(), ann, b.ID, func(*venue.Booking) error { return nil }, dynastay.IfVersion(1))), dynastay.ErrVersion)
	_, err = h.repo.Approve(t.Context(), admin, venue.Approval{BookingID: b.ID, Version: 2, Title: "Party"})
	require.NoError(t, err)
	events, err := h.repo.EventsOn(t.Context(), day)
	require.NoError(t, err)
	assert.Equal(t, "Party", events[0].Title)
}

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

func second[T any](_ T, err error) error { return err }
