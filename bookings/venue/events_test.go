package venue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/lists"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	e, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	assert.Equal(t, venue.Event{
		ID: e.ID, Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz", CreatedBy: admin.UserID, CreatedAt: now,
		UpdatedAt: now, Version: 1, WriteID: e.WriteID,
	}, *e)
	b := h.approved(t, ann, day, venue.Morning)
	events, err := h.repo.EventsOn(ctx, day)
	require.NoError(t, err)
	require.Len(t, events, 2)
	assert.Equal(t, []venue.Slot{venue.Morning, venue.Afternoon}, []venue.Slot{events[0].Slot, events[1].Slot})

	_, err = h.repo.UpdateEvent(ctx, admin, e.Ref(), func(e *venue.Event) error { e.Title, e.Type = "Folk", "party"; return nil })
	require.NoError(t, err)
	_, err = h.repo.UpdateEvent(ctx, admin, e.Ref(), func(e *venue.Event) error { e.Title = "Pop"; return nil }, dynastay.IfVersion(1))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	_, err = h.repo.UpdateEvent(ctx, admin, events[0].Ref(), func(e *venue.Event) error { e.Type = "party"; return nil })
	blame.Invalid(t, err, "Type")
	_, err = h.repo.UpdateEvent(ctx, admin, venue.EventRef{Date: day, Slot: venue.Afternoon, ID: "evt_another"}, func(*venue.Event) error { return nil })
	require.ErrorIs(t, err, dynastay.ErrNotFound, "the slot holds another event")
	require.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, venue.EventRef{Date: day, Slot: venue.Afternoon, ID: "evt_another"}), dynastay.ErrNotFound)
	require.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, events[0].Ref()), venue.ErrOfBooking)
	require.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, e.Ref(), dynastay.IfVersion(1)), dynastay.ErrVersion)
	require.NoError(t, h.repo.DeleteEvent(ctx, admin, e.Ref(), dynastay.IfVersion(2)))
	require.ErrorIs(t, h.repo.DeleteEvent(ctx, admin, e.Ref()), dynastay.ErrNotFound)

	tango, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day.AddDays(31), Slot: venue.Morning, Type: "concert", Title: "Tango"})
	require.NoError(t, err)
	event, booking, err := h.repo.EventWithBooking(ctx, tango.Date, venue.Morning)
	require.NoError(t, err)
	assert.Equal(t, tango, event)
	assert.Nil(t, booking, "the venue's own event")
	days, err := h.repo.Availability(ctx, dynastay.MonthOf(day))
	require.NoError(t, err)
	assert.Len(t, days, 31)
	for _, d := range days {
		busy := d.Date == day
		assert.Equal(t, !busy, d.Free(venue.Morning), d.Date)
		assert.True(t, d.Free(venue.Afternoon), d.Date)
		assert.Equal(t, !busy, d.Free(venue.FullDay), d.Date)
		assert.False(t, d.Free("EVENING"))
	}
	assert.False(t, venue.Day{}.Free(venue.Morning))
	event, booking, err = h.repo.EventWithBooking(ctx, day, venue.Morning)
	require.NoError(t, err)
	assert.Equal(t, b.EventID, event.ID)
	assert.Equal(t, b, booking)
	days, err = h.repo.Availability(ctx, dynastay.Stay{CheckIn: day, CheckOut: day.AddDays(venue.MaxDays)})
	require.NoError(t, err)
	assert.Len(t, days, 366)
	var actions []venue.Action
	for _, entry := range lists.All(t, h.repo.Audit(dynastay.DateOf(now, nil))) {
		actions = append(actions, entry.Action)
	}
	assert.ElementsMatch(t, []venue.Action{
		venue.EventCreated, venue.BookingRequested, venue.BookingApproved, venue.EventUpdated, venue.EventDeleted, venue.EventCreated,
	}, actions)
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
