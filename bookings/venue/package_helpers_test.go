package venue_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// hall is a database with the repository.
type hall struct {
	*dyntest.DB
	repo *venue.Repository
}

// now is the time in the tests: 12:00 in the year that time-to-live tests of an engine do not reach.
var now = time.Date(2037, 6, 1, 12, 0, 0, 0, time.UTC)

func newHall(t *testing.T, opts ...dyntest.Option) *hall {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{dyntest.Tables(venuekeys.Table), dyntest.At(now)}, opts...)...)
	return &hall{db, venue.New(db.DB, nil)}
}

var (
	admin = venue.Actor{UserID: "user_admin", Role: venue.Admin}
	ann   = venue.Actor{UserID: "user_ann", Role: venue.Customer}
	ben   = venue.Actor{UserID: "user_ben", Role: venue.Customer}
	day   = dynastay.MustDate("2037-07-11")
)

// join creates a user.
func (h *hall) join(t *testing.T, who ...venue.Actor) {
	t.Helper()
	for _, a := range who {
		_, err := venue.New(h.Direct, nil).CreateUser(t.Context(), venue.User{
			ID: a.UserID, Email: a.UserID + "@example.com", Name: "Somebody", Phone: "+39 123 456 7890",
		})
		require.NoError(t, err)
	}
}

func request(who venue.Actor, date dynastay.Date, slot venue.Slot) venue.Request {
	return venue.Request{UserID: who.UserID, Date: date, Slot: slot, Description: "Birthday party", Attendees: 50}
}

// asked creates a booking.
func (h *hall) asked(t *testing.T, who venue.Actor, date dynastay.Date, slot venue.Slot) *venue.Booking {
	t.Helper()
	b, err := venue.New(h.Direct, nil).Request(t.Context(), who, request(who, date, slot))
	require.NoError(t, err)
	return b
}

func approval(b *venue.Booking) venue.Approval {
	return venue.Approval{BookingID: b.ID, Version: b.Version}
}

// approved creates a booking and approves it.
func (h *hall) approved(t *testing.T, who venue.Actor, date dynastay.Date, slot venue.Slot) *venue.Booking {
	t.Helper()
	b, err := venue.New(h.Direct, nil).Approve(t.Context(), admin, approval(h.asked(t, who, date, slot)))
	require.NoError(t, err)
	return b
}

// stored reads an item as it is stored; nil if it does not exist.
func (h *hall) stored(t *testing.T, pk, sk string) map[string]any {
	t.Helper()
	item := raw.Get(t, h.DB, venuekeys.Table, dynastay.Key{PK: pk, SK: sk})
	if item == nil {
		return nil
	}
	return raw.Plain(t, item)
}

// put stores an item as other software does.
func (h *hall) put(t *testing.T, item map[string]any) {
	t.Helper()
	raw.Put(t, h.DB, venuekeys.Table, raw.Item(t, item))
}

// all reads the whole table.
func (h *hall) all(t testing.TB) []map[string]any {
	t.Helper()
	return raw.Plains(t, raw.All(t, h.DB, venuekeys.Table))
}

// consistency checks, with its own arithmetic, that all items of the table agree with each other.
func (h *hall) consistency(t testing.TB) {
	t.Helper()
	type key struct{ pk, sk string }
	items := map[key]map[string]any{}
	for _, item := range h.all(t) {
		items[key{item["PK"].(string), item["SK"].(string)}] = item
	}
	requested, approved, slots := map[string]float64{}, map[string]float64{}, map[string][]string{}
	for at, item := range items {
		switch item["entityType"] {
		case "Event":
			date := item["date"].(string)
			slots[date] = append(slots[date], at.sk)
			assert.Equal(t, "EVENT#"+date, at.pk)
			if id, ok := item["bookingId"].(string); ok {
				booking := items[key{"BOOKING#" + id, "METADATA"}]
				assert.Equal(t, "approved", booking["status"], "the booking of event %v", item)
				assert.Equal(t, item["eventId"], booking["eventId"])
				assert.Equal(t, date, booking["date"])
				assert.Equal(t, item["timeSlot"], booking["timeSlot"])
				assert.Equal(t, map[string]string{"MORNING": "MORNING", "AFTERNOON": "AFTERNOON", "FULL_DAY": "FULLDAY"}[item["timeSlot"].(string)], at.sk)
			}
		case "Booking":
			user, status := item["userId"].(string), item["status"].(string)
			requested[user]++
			if status == "approved" {
				approved[user]++
				sk := map[string]string{"MORNING": "MORNING", "AFTERNOON": "AFTERNOON", "FULL_DAY": "FULLDAY"}[item["timeSlot"].(string)]
				event := items[key{fmt.Sprint("EVENT#", item["date"]), sk}]
				assert.Equal(t, item["bookingId"], event["bookingId"], "the event of booking %v", item)
			} else {
				assert.Nil(t, item["eventId"])
			}
			relation := items[key{"USER#" + user, fmt.Sprint("BOOKING#", item["bookingId"])}]
			for _, attr := range []string{"bookingId", "date", "timeSlot", "duration", "status"} {
				assert.Equal(t, item[attr], relation[attr], "%s of %s", attr, at.pk)
			}
			_, listed := item["GSI1PK"]
			assert.Equal(t, status == "pending", listed, at.pk)
		case "UserBooking":
			assert.NotNil(t, items[key{at.sk, "METADATA"}], at.sk)
		case "LockCode":
			found := false
			for _, other := range items {
				found = found || other["entityType"] == "Event" && other["eventId"] == item["eventId"]
			}
			assert.True(t, found, "a code without an event: %v", item)
		}
	}
	for date, taken := range slots {
		if slices.Contains(taken, "FULLDAY") {
			assert.Len(t, taken, 1, "%s is taken twice", date)
		}
	}
	for at, item := range items {
		if item["entityType"] == "User" {
			id := item["userId"].(string)
			assert.Equal(t, requested[id], number(item["requestedCount"]), "requestedCount of %s", at.pk)
			assert.Equal(t, approved[id], number(item["approvedCount"]), "approvedCount of %s", at.pk)
		}
	}
}

func number(v any) float64 {
	n, _ := v.(float64)
	return n
}

func second[T any](_ T, err error) error { return err }
