package world

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// hall is a small world with a venue.
var hall = Options{Seed: 5, Properties: 2, Users: 30, Requests: 120, Nights: 40}

// The items of the venue are exactly those that the repository writes to a database, attribute by attribute.
func TestVenueIsWhatTheRepositoryWrites(t *testing.T) {
	t.Parallel()
	w, drawn := New(hall), 0
	var now time.Time
	db := dyntest.New(t, dyntest.Tables(venuekeys.Table), dyntest.With(dynastay.Options{
		Clock: func() time.Time { return now },
		NewID: func(prefix string) string { drawn++; return venueID(prefix, drawn) },
	}))
	v, err := w.carryOut(t.Context(), venue.New(db.DB, nil), func(at time.Time) { now = at })
	require.NoError(t, err)
	assert.Equal(t, v, w.Venue())
	want := scan(t, db, venuekeys.Table)
	require.Greater(t, len(want), 500)
	got := map[string]string{}
	for at, item := range contents(t, w) {
		if strings.HasPrefix(at, venuekeys.Table.Name+" ") {
			got[at] = item
		}
	}
	compare(t, want, got)

	without := hall
	without.Requests = 0
	for at, item := range contents(t, New(without)) {
		got[at] = item
	}
	assert.Equal(t, contents(t, w), got, "the hotels do not depend on the venue")
}

// Load writes the venue too, and what a world says about it is what is read from the table.
func TestVenueDescribesWhatIsStored(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(hall)
	db := loaded(t, w, dyntest.Tables(venuekeys.Table))
	repo, v := venue.New(db.DB, nil), w.Venue()
	statuses, users := map[venue.Status]int{}, map[string]bool{}
	for _, b := range v.Bookings {
		stored, err := repo.Booking(ctx, b.ID)
		require.NoError(t, err)
		stored.WriteID = ""
		assert.Equal(t, b, stored)
		statuses[b.Status]++
		users[b.UserID] = true
	}
	assert.Len(t, v.Bookings, hall.Requests)
	for _, status := range []venue.Status{venue.Approved, venue.Pending, venue.Rejected, venue.Cancelled} {
		assert.Greater(t, statuses[status], 3, status)
	}
	assert.Len(t, v.Users, len(users))
	for _, u := range v.Users {
		stored, err := repo.Recount(ctx, u.ID)
		require.NoError(t, err)
		assert.Equal(t, [2]int{stored.RequestedCount, stored.ApprovedCount}, [2]int{u.RequestedCount, u.ApprovedCount})
		found, err := repo.UserByEmail(ctx, u.Email)
		require.NoError(t, err)
		assert.Equal(t, u.ID, found.ID)
	}
	var events []*venue.Event
	days, err := repo.Availability(ctx, dynastay.Stay{CheckIn: w.opts.Today.AddDays(-60), CheckOut: w.opts.Today.AddDays(60)})
	require.NoError(t, err)
	free := map[venue.Slot]dynastay.Date{}
	for _, day := range days {
		for _, e := range day.Events {
			e.WriteID = ""
			events = append(events, e)
		}
		for _, slot := range []venue.Slot{venue.Morning, venue.Afternoon, venue.FullDay} {
			if !day.Date.Before(w.opts.Today) && day.Free(slot) && free[slot].IsZero() {
				free[slot] = day.Date
			}
		}
	}
	assert.Equal(t, v.Events, events)
	for slot, date := range free {
		assert.Equal(t, date, v.Free(slot), slot)
	}
	assert.Len(t, free, 3)
	b, err := repo.Request(ctx, venue.Actor{UserID: v.Users[0].ID, Role: venue.Customer}, venue.Request{
		UserID: v.Users[0].ID, Date: v.Free(venue.FullDay), Slot: venue.FullDay, Description: "Party", Attendees: 10,
	})
	require.NoError(t, err)
	_, err = repo.Approve(ctx, caretaker, venue.Approval{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err, "the slot is free")
}

func TestEmptyVenue(t *testing.T) {
	t.Parallel()
	empty := hall
	empty.Empty = true
	v := New(empty).Venue()
	assert.Empty(t, v.Bookings)
	assert.Empty(t, v.Events)
	assert.Equal(t, New(empty).Options().Today, v.Free(venue.FullDay))
	assert.Empty(t, New(Options{}).Venue().Bookings)
}
