package venue_test

import (
	"encoding/json"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
)

// inTheDocument is a time before the event of the document.
var inTheDocument = time.Date(2025, 10, 22, 9, 0, 0, 0, time.UTC)

// newOldHall stores the items of the venue-booking document, in which the booking is still pending although it has an
// event; without leaves out that with the given sort key.
func newOldHall(t *testing.T, without string) (*hall, map[string]map[string]any) {
	t.Helper()
	text, err := os.ReadFile("testdata/document.json")
	require.NoError(t, err)
	var items []map[string]any
	require.NoError(t, json.Unmarshal(text, &items))
	h := newHall(t, dyntest.At(inTheDocument))
	all := map[string]map[string]any{}
	for _, item := range items {
		all[item["PK"].(string)+"/"+item["SK"].(string)] = item
		if item["SK"] != without {
			h.put(t, item)
		}
	}
	return h, all
}

var old = venue.Actor{UserID: "abc123", Role: venue.Customer}

// The items of the venue-booking document are read as they are.
func TestItemsOfTheDocument(t *testing.T) {
	t.Parallel()
	h, _ := newOldHall(t, "")
	ctx := t.Context()
	requested := time.Date(2025, 10, 21, 10, 0, 0, 0, time.UTC)
	date := dynastay.MustDate("2025-11-15")

	user, err := h.repo.UserByEmail(ctx, "User@Example.com")
	require.NoError(t, err)
	assert.Equal(t, &venue.User{
		ID: "abc123", Email: "user@example.com", Name: "John Doe", Phone: "+39 123 456 7890", Role: venue.Customer, CreatedAt: requested,
	}, user)
	_, bookings, err := h.repo.UserWithBookings(ctx, "abc123")
	require.NoError(t, err)
	assert.Equal(t, []*venue.UserBooking{{UserID: "abc123", BookingID: "xyz789", Date: date, Status: venue.Pending}}, bookings)
	pending, err := h.repo.Pending().Page(ctx, dynastay.Paging{})
	require.NoError(t, err)
	assert.Equal(t, []*venue.Booking{{
		ID: "xyz789", UserID: "abc123", Date: date, Duration: venue.WholeDay, Description: "Birthday party", Attendees: 50,
		Status: venue.Pending, RequestedAt: requested,
	}}, pending.Items)
	events, err := h.repo.EventsOn(ctx, date)
	require.NoError(t, err)
	assert.Equal(t, []*venue.Event{{
		ID: "evt456", BookingID: "xyz789", Date: date, Slot: venue.FullDay, Type: venue.PrivateBooking, Title: "Birthday party",
		CreatedBy: "abc123",
	}}, events)
}

// Every attribute of the document's items survives the operations of the library, except those that they change.
func TestItemsOfTheDocumentAreAdopted(t *testing.T) {
	t.Parallel()
	h, doc := newOldHall(t, "FULLDAY")
	ctx := t.Context()
	for _, at := range []string{"USER#abc123/METADATA", "BOOKING#xyz789/METADATA", "USER#abc123/BOOKING#xyz789"} {
		doc[at]["theirs"] = "kept"
		h.put(t, doc[at])
	}
	_, err := h.repo.UpdateUser(ctx, "abc123", func(u *venue.User) error { u.Name = "Jane Doe"; return nil })
	require.NoError(t, err)
	b, err := h.repo.Approve(ctx, admin, venue.Approval{BookingID: "xyz789"})
	require.NoError(t, err)

	// without returns an item without what the library adds.
	without := func(item map[string]any, names ...string) map[string]any {
		item = maps.Clone(item)
		for _, name := range append(names, "writeId", "version", "updatedAt") {
			delete(item, name)
		}
		return item
	}
	stored := func(pk, sk string) map[string]any { return h.stored(t, pk, sk) }
	user := stored("USER#abc123", "METADATA")
	assert.Equal(t, 1.0, user["approvedCount"])
	want := maps.Clone(doc["USER#abc123/METADATA"])
	want["name"] = "Jane Doe"
	assert.Equal(t, want, without(user, "approvedCount", "countsMoved"))
	booking := stored("BOOKING#xyz789", "METADATA")
	assert.Equal(t, b.EventID, booking["eventId"])
	want = without(doc["BOOKING#xyz789/METADATA"], "GSI1PK", "GSI1SK")
	want["status"] = "approved"
	want["attendees"] = 50.0
	assert.Equal(t, want, without(booking, "decidedBy", "decidedAt", "eventId"))
	want = doc["USER#abc123/BOOKING#xyz789"]
	want["status"] = "approved"
	assert.Equal(t, want, without(stored("USER#abc123", "BOOKING#xyz789"), "duration"))
	event := stored("EVENT#2025-11-15", "FULLDAY")
	want = doc["EVENT#2025-11-15/FULLDAY"]
	want["eventId"] = b.EventID
	assert.Equal(t, want, without(event, "createdAt"))
	assert.Equal(t, "EMAIL#user@example.com", stored("EMAIL#user@example.com", "GUARD")["PK"], "the address is unique now")

	user2, err := h.repo.Recount(ctx, "abc123")
	require.NoError(t, err)
	assert.Equal(t, 1, user2.RequestedCount)
	assert.Equal(t, 1, user2.ApprovedCount)
}

// A booking that other software has approved is cancelled with its event, wherever in the day that is.
func TestCancellationOfTheDocumentsBooking(t *testing.T) {
	t.Parallel()
	for _, slot := range []string{"FULLDAY", "MORNING", "AFTERNOON"} {
		h, doc := newOldHall(t, "FULLDAY")
		booking, event := doc["BOOKING#xyz789/METADATA"], doc["EVENT#2025-11-15/FULLDAY"]
		booking["status"] = "approved"
		delete(booking, "GSI1PK")
		delete(booking, "GSI1SK")
		event["SK"] = slot
		if slot != "FULLDAY" {
			booking["duration"], event["timeSlot"] = "HALF_DAY", slot
		}
		h.put(t, booking)
		h.put(t, event)
		b, err := h.repo.Cancel(t.Context(), old, venue.Cancellation{BookingID: "xyz789"})
		require.NoError(t, err)
		assert.Equal(t, venue.Cancelled, b.Status)
		assert.Nil(t, h.stored(t, "EVENT#2025-11-15", slot))
		user, err := h.repo.User(t.Context(), "abc123")
		require.NoError(t, err)
		assert.Equal(t, 0, user.ApprovedCount, "not below zero")
	}
}

// A booking for half a day of other software does not say which half.
func TestBookingWithoutASlot(t *testing.T) {
	t.Parallel()
	h, doc := newOldHall(t, "FULLDAY")
	booking := doc["BOOKING#xyz789/METADATA"]
	booking["duration"] = "HALF_DAY"
	h.put(t, booking)
	_, err := h.repo.Approve(t.Context(), admin, venue.Approval{BookingID: "xyz789"})
	require.ErrorIs(t, err, venue.ErrNoSlot)
	b, err := h.repo.Update(t.Context(), admin, "xyz789", func(b *venue.Booking) error {
		b.Slot = venue.Afternoon
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, "2025-10-21T10:00:00Z#BOOKING#xyz789", h.stored(t, "BOOKING#xyz789", "METADATA")["GSI1SK"])
	_, err = h.repo.Approve(t.Context(), admin, approval(b))
	require.NoError(t, err)
	assert.NotNil(t, h.stored(t, "EVENT#2025-11-15", "AFTERNOON"))
}

// A change that says nothing about the slot of a whole day is possible, and writes the slot.
func TestUpdateOfTheDocumentsBooking(t *testing.T) {
	t.Parallel()
	h, _ := newOldHall(t, "FULLDAY")
	b, err := h.repo.Update(t.Context(), old, "xyz789", func(b *venue.Booking) error {
		b.Description = "Wedding"
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, venue.FullDay, b.Slot)
}

// The event of a booking that other software has left pending, as in the document's own example.
func TestApprovalOfTheDocumentsExample(t *testing.T) {
	t.Parallel()
	h := newHall(t, dyntest.At(time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)))
	h.put(t, map[string]any{"PK": "USER#abc123", "SK": "METADATA", "entityType": "User", "userId": "abc123", "email": "user@example.com", "name": "J"})
	h.put(t, map[string]any{
		"PK": "BOOKING#xyz789", "SK": "METADATA", "GSI1PK": "STATUS#PENDING", "GSI1SK": "2025-10-21T10:00:00Z",
		"entityType": "Booking", "bookingId": "xyz789", "userId": "abc123", "date": "2025-11-15", "duration": "FULL_DAY",
		"eventDescription": "Birthday party", "attendees": 50, "status": "pending", "requestedAt": "2025-10-21T10:00:00Z",
	})
	h.put(t, map[string]any{
		"PK": "EVENT#2025-11-15", "SK": "FULLDAY", "entityType": "Event", "eventId": "evt456", "bookingId": "xyz789",
		"date": "2025-11-15", "timeSlot": "FULL_DAY", "eventType": "private_booking", "title": "Birthday party", "createdBy": "abc123",
	})
	started := time.Now()
	_, err := h.repo.Approve(t.Context(), admin, venue.Approval{BookingID: "xyz789"})
	t.Log(time.Since(started), h.Faults.Count("TransactWriteItems"), err)
	assert.NotErrorIs(t, err, dynastay.ErrContention)
	_, err = h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: "xyz789"})
	require.NoError(t, err)
	err = h.repo.DeleteEvent(t.Context(), admin, venue.EventRef{Date: dynastay.MustDate("2025-11-15"), Slot: venue.FullDay, ID: "evt456"})
	require.NoError(t, err, "the slot of a rejected booking can never be freed")
	for _, entry := range lists.All(t, h.repo.Audit(dynastay.MustDate("2025-11-01"))) {
		if entry.Action == venue.EventDeleted {
			assert.Equal(t, "xyz789", entry.BookingID)
			assert.Equal(t, "abc123", entry.UserID)
			assert.Equal(t, "Birthday party", entry.Note)
		}
	}
}
