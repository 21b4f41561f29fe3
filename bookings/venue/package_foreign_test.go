package venue_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

// Other software approved the booking and keeps no statistics.
func (h *hall) foreignApproved(t *testing.T) {
	h.put(t, map[string]any{"PK": "USER#f", "SK": "METADATA", "entityType": "User", "userId": "f", "email": "f@example.com", "name": "F"})
	h.put(t, map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "entityType": "Booking", "bookingId": "fb", "userId": "f",
		"date": day.String(), "duration": "FULL_DAY", "eventDescription": "Party", "attendees": 5, "status": "approved", "requestedAt": "2037-01-01T00:00:00Z"})
	h.put(t, map[string]any{"PK": "USER#f", "SK": "BOOKING#fb", "entityType": "UserBooking", "bookingId": "fb", "date": day.String(), "status": "approved"})
	h.put(t, map[string]any{"PK": "EVENT#" + day.String(), "SK": "FULLDAY", "entityType": "Event", "eventId": "fe", "bookingId": "fb",
		"date": day.String(), "timeSlot": "FULL_DAY", "eventType": "private_booking", "title": "Party"})
}

func TestRecountRacesCancel(t *testing.T) {
	t.Parallel()
	for name, both := range map[string]bool{"recount first": false, "cancel first": true} {
		for _, way := range racing.Ways {
			if strings.Contains(way.Name, "response") {
				continue // the first response is a refusal, which cannot be lost here
			}
			t.Run(name+", "+way.Name, func(t *testing.T) {
				h := newHall(t)
				h.foreignApproved(t)
				recount := func(ctx context.Context, db *dynastay.DB) error { return second(venue.New(db, nil).Recount(ctx, "f")) }
				cancel := func(ctx context.Context, db *dynastay.DB) error {
					return second(venue.New(db, nil).Cancel(ctx, admin, venue.Cancellation{BookingID: "fb"}))
				}
				a, b := recount, cancel
				if both {
					a, b = cancel, recount
				}
				one, two := way.Meet(t, h.DB, a, b)
				if errors.Is(one, dynastay.ErrOutcomeUnknown) && way.Unknown {
					return
				}
				require.NoError(t, one)
				require.NoError(t, two)
				u, err := h.repo.User(t.Context(), "f", dynastay.Consistent)
				require.NoError(t, err)
				assert.Equal(t, 0, u.ApprovedCount, "no booking is approved")
			})
		}
	}
}

// Cancel before the transaction of the skipping preparation: the recount commits between the skip and the repetition.
func TestRecountAfterSkip(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.foreignApproved(t)
	direct := venue.New(h.Direct, nil)
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		_, err := direct.Recount(context.Background(), "f")
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	_, err := h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: "fb"})
	require.NoError(t, err)
	u, err := h.repo.User(t.Context(), "f", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 0, u.ApprovedCount, "no booking is approved")
}

// The user is deleted after a cancellation has learned that the user has no count.
func TestUserWhoIsDeletedDuringACancellation(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.foreignApproved(t)
	h.Faults.Inject(dyntest.Before(func(context.Context) { h.remove(t, "USER#f", "METADATA") }), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	_, err := h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: "fb"})
	require.NoError(t, err)
	assert.Nil(t, h.stored(t, "USER#f", "METADATA"), "a count must not create a user")
}

// Other software approved the booking without counting it: the count is zero, and stays so.
func TestCountIsNeverNegative(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.foreignApproved(t)
	user := h.stored(t, "USER#f", "METADATA")
	user["approvedCount"] = 0
	h.put(t, user)
	_, err := h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: "fb"})
	require.NoError(t, err)
	assert.Equal(t, 0.0, h.stored(t, "USER#f", "METADATA")["approvedCount"])
}

// A count that is NULL reads like a missing one. Anything else that is not a number is an error, and nothing is
// written.
func TestForeignCounts(t *testing.T) {
	t.Parallel()
	for name, count := range map[string]any{"NULL": nil, "text": "3"} {
		h := newHall(t)
		h.put(t, map[string]any{
			"PK": "USER#f", "SK": "METADATA", "entityType": "User", "userId": "f", "email": "f@example.com", "name": "F",
			"requestedCount": count, "approvedCount": count,
		})
		b, err := h.repo.Request(t.Context(), admin, request(venue.Actor{UserID: "f", Role: venue.Customer}, day, venue.Morning))
		if name == "text" {
			require.ErrorIs(t, err, dynastay.ErrCorrupt)
			require.Empty(t, lists.All(t, h.repo.Pending()))
			continue
		}
		require.NoError(t, err)
		_, err = h.repo.Approve(t.Context(), admin, approval(b))
		require.NoError(t, err)
		h.consistency(t)
		_, err = h.repo.Recount(t.Context(), "f")
		require.NoError(t, err)
	}
}

func TestForeignEvents(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(map[string]any){
		"no timeSlot":        func(m map[string]any) { delete(m, "timeSlot") },
		"timeSlot as in key": func(m map[string]any) { m["timeSlot"] = "FULLDAY" },
		"another date":       func(m map[string]any) { m["date"] = "2037-07-12" },
		"no date":            func(m map[string]any) { delete(m, "date") },
		"of no booking":      func(m map[string]any) { m["bookingId"], m["eventType"] = "none", "private_booking" },
		"bookingId with #":   func(m map[string]any) { m["bookingId"], m["eventType"] = "a#b", "private_booking" },
		"unreadable title":   func(m map[string]any) { m["title"] = 5 },
		"text version":       func(m map[string]any) { m["version"] = "1" },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHall(t)
			m := map[string]any{"PK": "EVENT#" + day.String(), "SK": "FULLDAY", "entityType": "Event", "eventId": "fe",
				"date": day.String(), "timeSlot": "FULL_DAY", "eventType": "maintenance", "title": "Party"}
			change(m)
			h.put(t, m)
			events, err := h.repo.EventsOn(t.Context(), day)
			require.NoError(t, err)
			_, err = h.repo.UpdateEvent(t.Context(), admin, events[0].Ref(), func(e *venue.Event) error { e.Title = "New"; return nil })
			assert.NotErrorIs(t, err, dynastay.ErrInvalid, "update: stored data")
			e, _, err := h.repo.EventWithBooking(t.Context(), day, venue.FullDay)
			if err == nil {
				assert.Equal(t, venue.FullDay, e.Slot)
				assert.Equal(t, day, e.Date)
			}
			err = h.repo.DeleteEvent(t.Context(), admin, events[0].Ref())
			assert.NoError(t, err, "delete: the slot can never be freed")
		})
	}
}

// An event that cannot be read is still that of its booking.
func TestUnreadableEventOfABooking(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.approved(t, ann, day, venue.Morning)
	event := h.stored(t, "EVENT#"+day.String(), "MORNING")
	event["title"] = 5
	h.put(t, event)
	events, err := h.repo.EventsOn(t.Context(), day)
	require.NoError(t, err)
	assert.Equal(t, []*venue.Event{{ID: b.EventID, BookingID: b.ID, Date: day, Slot: venue.Morning}}, events)
	require.ErrorIs(t, h.repo.DeleteEvent(t.Context(), admin, events[0].Ref()), venue.ErrOfBooking)
}

func TestForeignBookings(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(map[string]any){
		"no requestedAt":     func(m map[string]any) { delete(m, "requestedAt") },
		"another bookingId":  func(m map[string]any) { m["bookingId"] = "other" },
		"no bookingId":       func(m map[string]any) { delete(m, "bookingId") },
		"no duration":        func(m map[string]any) { delete(m, "duration") },
		"no description":     func(m map[string]any) { delete(m, "eventDescription") },
		"no attendees":       func(m map[string]any) { delete(m, "attendees") },
		"user id with #":     func(m map[string]any) { m["userId"] = "a#b" },
		"no userId":          func(m map[string]any) { delete(m, "userId") },
		"half day":           func(m map[string]any) { m["duration"] = "HALF_DAY" },
		"as in the document": func(m map[string]any) {},
	} {
		t.Run(name, func(t *testing.T) {
			foreign := func(t *testing.T) *hall {
				h := newHall(t)
				h.join(t, ann)
				m := map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "GSI1PK": "STATUS#PENDING", "GSI1SK": "2037-01-01T00:00:00Z",
					"entityType": "Booking", "bookingId": "fb", "userId": ann.UserID,
					"date": day.String(), "duration": "FULL_DAY", "eventDescription": "Party", "attendees": 5, "status": "pending", "requestedAt": "2037-01-01T00:00:00Z"}
				change(m)
				h.put(t, m)
				return h
			}
			for call, f := range map[string]func(h *hall) error{
				"approve": func(h *hall) error {
					return second(h.repo.Approve(t.Context(), admin, venue.Approval{BookingID: "fb"}))
				},
				"reject": func(h *hall) error {
					return second(h.repo.Reject(t.Context(), admin, venue.Rejection{BookingID: "fb"}))
				},
				"cancel": func(h *hall) error {
					return second(h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: "fb"}))
				},
				"update": func(h *hall) error {
					return second(h.repo.Update(t.Context(), admin, "fb", func(b *venue.Booking) error {
						b.Slot, b.Description, b.Attendees = venue.Morning, "New", 6
						return nil
					}))
				},
			} {
				h := foreign(t)
				err := f(h)
				t.Log(call, err)
				assert.NotErrorIs(t, err, dynastay.ErrInvalid, call)
			}
		})
	}
}

// Other software stored a booking without a description, from which no event can be made: with a code or without, the
// booking stays pending.
func TestApprovalOfAnUnusableBooking(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "1234"} {
		h := newHall(t)
		h.join(t, ann)
		h.put(t, map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "entityType": "Booking", "bookingId": "fb", "userId": ann.UserID,
			"date": day.String(), "duration": "FULL_DAY", "attendees": 5, "status": "pending", "requestedAt": "2037-01-01T00:00:00Z"})
		a := venue.Approval{BookingID: "fb", Code: code}
		if code != "" {
			a.ValidFrom, a.ValidUntil = now, now.Add(time.Hour)
		}
		require.ErrorIs(t, second(h.repo.Approve(t.Context(), admin, a)), dynastay.ErrCorrupt, code)
		assert.Equal(t, "pending", h.stored(t, "BOOKING#fb", "METADATA")["status"], code)
	}
}

// Other software has made a rejected booking pending again.
func TestApprovalAfterARejection(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	booking := h.stored(t, "BOOKING#"+h.asked(t, ann, day, venue.Morning).ID, "METADATA")
	booking["reason"] = "too loud"
	h.put(t, booking)
	b, err := h.repo.Approve(t.Context(), admin, venue.Approval{BookingID: booking["bookingId"].(string), Version: 1})
	require.NoError(t, err)
	assert.Empty(t, b.Reason, "the reason was that of the rejection")
}

// Other software has stored an event id for which there can be no lock code.
func TestEventIDWithoutACode(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.approved(t, ann, day, venue.Morning)
	event, booking := h.stored(t, "EVENT#"+day.String(), "MORNING"), h.stored(t, "BOOKING#"+b.ID, "METADATA")
	event["eventId"], booking["eventId"] = "2037-07-12", "2037-07-12"
	h.put(t, event)
	h.put(t, booking)
	codes, err := h.repo.LockCodesOn(t.Context(), day)
	require.NoError(t, err)
	assert.Empty(t, codes)
	_, err = h.repo.Cancel(t.Context(), ann, venue.Cancellation{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err)
	h.consistency(t)
}

// A recount stores the counts of other software's users, even those that are zero.
func TestRecountOfForeignUser(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for _, missing := range []string{"requestedCount", "approvedCount"} {
		user := map[string]any{"PK": "USER#f", "SK": "METADATA", "entityType": "User", "userId": "f", "email": "f@example.com", "name": "F",
			"requestedCount": 0, "approvedCount": 0}
		user[missing] = nil
		h.put(t, user)
		_, err := h.repo.Recount(t.Context(), "f")
		require.NoError(t, err)
		assert.Equal(t, 0.0, h.stored(t, "USER#f", "METADATA")[missing])
	}
	for _, wrong := range []string{"requestedCount", "approvedCount"} {
		user := h.stored(t, "USER#f", "METADATA")
		user[wrong] = 5
		h.put(t, user)
		u, err := h.repo.Recount(t.Context(), "f")
		require.NoError(t, err)
		assert.Equal(t, 0, u.RequestedCount+u.ApprovedCount)
		assert.Equal(t, 0.0, h.stored(t, "USER#f", "METADATA")[wrong])
	}
}

// The relationship item says nothing of the slot that an update gives to the booking.
func TestRelationOfAdoptedBooking(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	h.put(t, map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "GSI1PK": "STATUS#PENDING", "GSI1SK": "2037-01-01T00:00:00Z",
		"entityType": "Booking", "bookingId": "fb", "userId": ann.UserID,
		"date": day.String(), "duration": "FULL_DAY", "eventDescription": "Party", "attendees": 5, "status": "pending", "requestedAt": "2037-01-01T00:00:00Z"})
	h.put(t, map[string]any{"PK": "USER#" + ann.UserID, "SK": "BOOKING#fb", "entityType": "UserBooking", "bookingId": "fb", "date": day.String(), "status": "pending"})
	_, err := h.repo.Update(t.Context(), ann, "fb", func(b *venue.Booking) error { b.Attendees = 6; return nil })
	require.NoError(t, err)
	booking, relation := h.stored(t, "BOOKING#fb", "METADATA"), h.stored(t, "USER#"+ann.UserID, "BOOKING#fb")
	assert.Equal(t, booking["timeSlot"], relation["timeSlot"])
	assert.Equal(t, booking["duration"], relation["duration"])
}

// An item of another kind in the user's partition, between BOOKING# and METADATA.
func TestForeignKindInUsersPartition(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	h.approved(t, ann, day, venue.Morning)
	h.put(t, map[string]any{"PK": "USER#" + ann.UserID, "SK": "DEVICE#1", "entityType": "Device"})
	_, all, err := h.repo.UserWithBookings(t.Context(), ann.UserID)
	assert.NoError(t, err)
	assert.Len(t, all, 1)
	_, err = h.repo.Recount(t.Context(), ann.UserID)
	assert.NoError(t, err)
}

// The document's user, who has no guard yet, and a login.
func TestLoginOfForeignUser(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.put(t, map[string]any{"PK": "USER#abc123", "SK": "METADATA", "GSI1PK": "EMAIL#user@example.com", "GSI1SK": "USER", "entityType": "User", "userId": "abc123", "email": "user@example.com", "name": "J"})
	_, err := h.repo.UserByEmail(t.Context(), "user@example.com")
	assert.NoError(t, err)
	_, err = h.repo.UserByEmail(t.Context(), "user@example.com", dynastay.Consistent)
	assert.NoError(t, err, "users.ByEmail finds such a user: index first, then the guard")
}

// An update that does not change an address leaves it as other software has spelled it.
func TestUpdateOfForeignUser(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.put(t, map[string]any{"PK": "USER#f", "SK": "METADATA", "entityType": "User", "userId": "f", "email": "F@Example.com", "name": "F"})
	_, err := h.repo.UpdateUser(t.Context(), "f", func(u *venue.User) error { u.Name = "G"; return nil })
	require.NoError(t, err)
	stored := h.stored(t, "USER#f", "METADATA")
	assert.Equal(t, "F@Example.com", stored["email"])
	assert.Equal(t, "EMAIL#f@example.com", stored["GSI1PK"])
}

// An update that changes nothing.
func TestIdleUpdateOfForeignBooking(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	h.put(t, map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "GSI1PK": "STATUS#PENDING", "GSI1SK": "2037-01-01T00:00:00Z",
		"entityType": "Booking", "bookingId": "fb", "userId": ann.UserID,
		"date": day.String(), "duration": "FULL_DAY", "eventDescription": "Party", "attendees": 5, "status": "pending", "requestedAt": "2037-01-01T00:00:00Z"})
	b, err := h.repo.Update(t.Context(), ann, "fb", func(*venue.Booking) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, 0, b.Version)
}

// The user of a booking does not exist when its approval is prepared, and exists when the approval is written.
func TestUserWhoIsCreatedDuringAnApproval(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.put(t, map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "entityType": "Booking", "bookingId": "fb", "userId": ann.UserID,
		"date": day.String(), "duration": "FULL_DAY", "eventDescription": "Party", "attendees": 5, "status": "pending", "requestedAt": "2037-01-01T00:00:00Z"})
	h.Faults.Inject(dyntest.Before(func(context.Context) { h.join(t, ann) }), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	_, err := h.repo.Approve(t.Context(), admin, venue.Approval{BookingID: "fb"})
	require.NoError(t, err)
	u, err := h.repo.User(t.Context(), ann.UserID)
	require.NoError(t, err)
	assert.Equal(t, 1, u.ApprovedCount)
}

// The user of a booking has been deleted: there is nothing to count, and the booking can still be decided.
func TestUserWhoIsGone(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	h.remove(t, "USER#"+ann.UserID, "METADATA")
	b, err := h.repo.Approve(t.Context(), admin, approval(b))
	require.NoError(t, err)
	_, err = h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err)
	assert.Nil(t, h.stored(t, "USER#"+ann.UserID, "METADATA"), "a count must not create a user")
	_, _, err = h.repo.UserWithBookings(t.Context(), ann.UserID)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	h.consistency(t)
}

// A booking of other software has a slot, but no duration or the wrong one: the slot counts, and an update gives its
// duration to the booking and to its item in the user's partition.
func TestDurationOfAdoptedBooking(t *testing.T) {
	t.Parallel()
	for _, duration := range []any{nil, "FULL_DAY"} {
		h := newHall(t)
		h.join(t, ann)
		b := h.asked(t, ann, day, venue.Morning)
		for _, item := range []map[string]any{
			h.stored(t, "BOOKING#"+b.ID, "METADATA"), h.stored(t, "USER#"+ann.UserID, "BOOKING#"+b.ID),
		} {
			item["duration"] = duration
			h.put(t, item)
		}
		_, err := h.repo.Update(t.Context(), ann, b.ID, func(b *venue.Booking) error { b.Attendees++; return nil })
		require.NoError(t, err, duration)
		stored := h.stored(t, "BOOKING#"+b.ID, "METADATA")
		assert.Equal(t, "MORNING", stored["timeSlot"], duration)
		assert.Equal(t, "HALF_DAY", stored["duration"], duration)
		h.consistency(t)
	}
}

// A cancellation of what other software has approved deletes the event of that booking and its code, and nothing else.
func TestCancellationSparesOtherEvents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		booking map[string]any // instead of no slot and no event id
		slot    string         // of its event; "" for none
	}{
		"no slot":         {nil, "AFTERNOON"},
		"no event":        {nil, ""},
		"no event id":     {map[string]any{"timeSlot": "AFTERNOON"}, "AFTERNOON"},
		"another's slot":  {map[string]any{"timeSlot": "MORNING", "eventId": "fe"}, ""},
		"no slot, an id":  {map[string]any{"eventId": "fe"}, "AFTERNOON"},
		"slot and its id": {map[string]any{"timeSlot": "AFTERNOON", "eventId": "fe"}, "AFTERNOON"},
	} {
		h := newHall(t)
		h.join(t, ann, ben)
		spared := h.approved(t, ben, day, venue.Morning)
		booking := map[string]any{
			"PK": "BOOKING#fb", "SK": "METADATA", "entityType": "Booking", "bookingId": "fb", "userId": ann.UserID, "date": day.String(),
			"duration": "HALF_DAY", "eventDescription": "Party", "attendees": 5, "status": "approved", "requestedAt": "2037-01-01T00:00:00Z",
		}
		for attr, value := range test.booking {
			booking[attr] = value
		}
		h.put(t, booking)
		if test.slot != "" {
			h.put(t, map[string]any{
				"PK": "EVENT#" + day.String(), "SK": test.slot, "entityType": "Event", "eventId": "fe", "bookingId": "fb",
				"date": day.String(), "timeSlot": test.slot, "eventType": "private_booking", "title": "Party",
			})
			h.put(t, map[string]any{"PK": "EVENT#fe", "SK": "LOCKCODE", "entityType": "LockCode", "eventId": "fe", "code": "1"})
		}
		_, err := h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: "fb"})
		require.NoError(t, err, name)
		events, err := h.repo.EventsOn(t.Context(), day)
		require.NoError(t, err)
		if assert.Len(t, events, 1, name) {
			assert.Equal(t, spared.EventID, events[0].ID, name)
		}
		assert.Nil(t, h.stored(t, "EVENT#fe", "LOCKCODE"), name)
	}
}
