package venue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/racing"
	keys "github.com/dynastay/dynastay/keys/venue"
)

func caught(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

func newKeyed(t *testing.T) *hall {
	t.Helper()
	h := newHall(t, dyntest.With(dynastay.Options{Idempotency: keys.Table}))
	h.join(t, ann, ben)
	return h
}

// --- idempotency keys

func TestAttackKeyedDecisions(t *testing.T) {
	h := newKeyed(t)
	ctx := t.Context()
	b := h.asked(t, ann, day, venue.Morning)
	for range 2 {
		err := caught(func() error { return h.Write(ctx, dynastay.IdempotencyKey("k1"), h.repo.ApproveOp(admin, approval(b))) })
		assert.NoError(t, err, "approve")
	}
	err := caught(func() error {
		return h.Write(ctx, dynastay.IdempotencyKey("k2"), h.repo.RejectOp(admin, venue.Rejection{BookingID: h.asked(t, ann, day, venue.Afternoon).ID, Version: 1}))
	})
	assert.NoError(t, err, "reject")
	err = caught(func() error {
		return h.Write(ctx, dynastay.IdempotencyKey("k3"), h.repo.UpdateOp(ann, h.asked(t, ann, day, venue.Afternoon).ID, func(b *venue.Booking) error { b.Attendees++; return nil }))
	})
	assert.True(t, err == nil || errors.Is(err, dynastay.ErrInvalid), "update: %v", err)
	err = caught(func() error {
		return h.Write(ctx, dynastay.IdempotencyKey("k4"), h.repo.UpdateOp(ann, h.asked(t, ann, day, venue.Afternoon).ID, func(b *venue.Booking) error { b.Attendees++; return nil }, dynastay.AgreedOn("x")))
	})
	assert.NoError(t, err, "update, agreed")
}

func TestAttackKeyedRequest(t *testing.T) {
	h := newKeyed(t)
	q := request(ann, day, venue.Morning)
	q.BookingID = "bkg_own"
	var ids []string
	for range 2 {
		b, err := h.repo.Request(t.Context(), ann, q, dynastay.IdempotencyKey("r"))
		require.NoError(t, err)
		ids = append(ids, b.ID)
	}
	assert.Equal(t, []string{"bkg_own", "bkg_own"}, ids)
	h.consistency(t)
}

func (h *hall) remove(t *testing.T, pk, sk string) {
	t.Helper()
	_, err := h.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(h.TableName(keys.Table)), Key: dynastay.Item{"PK": dynastay.Text(pk), "SK": dynastay.Text(sk)},
	})
	require.NoError(t, err)
}

func TestAttackDeleteEvent(t *testing.T) {
	h := newHall(t)
	e, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	require.NoError(t, h.repo.DeleteEvent(t.Context(), admin, e.Ref()))
}

func TestAttackKeyedCreateEvent(t *testing.T) {
	h := newKeyed(t)
	e := venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"}
	made, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	again, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	made.WriteID = ""
	assert.Equal(t, made, again)
}

// The event that a keyed call made is gone, and another one has the slot.
func TestAttackKeyedCreateEventAfterwards(t *testing.T) {
	h := newKeyed(t)
	e := venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"}
	made, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	h.remove(t, "EVENT#"+day.String(), "MORNING") // not by DeleteEvent, see TestAttackDeleteEvent
	again, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	assert.NoError(t, err, "deleted: siblings return it as it was given (listing.restore, entity.restore)")
	if again != nil {
		assert.Equal(t, made.ID, again.ID)
	}
	other := h.approved(t, ben, day, venue.Morning)
	again, err = h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	assert.Equal(t, made.ID, again.ID, "the event of somebody else's booking %s is returned as the created event", other.ID)
}

// One key, two different events in the same slot.
func TestAttackKeyedDeleteEvent(t *testing.T) {
	h := newKeyed(t)
	e := venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"}
	one, err := h.repo.CreateEvent(t.Context(), admin, e)
	require.NoError(t, err)
	del := func(e *venue.Event) error {
		return h.Write(t.Context(), dynastay.IdempotencyKey("d"), h.repo.DeleteEventOp(admin, e.Ref(), dynastay.AgreedOn("x")))
	}
	require.NoError(t, del(one))
	two, err := h.repo.CreateEvent(t.Context(), admin, e)
	require.NoError(t, err)
	assert.ErrorIs(t, del(two), dynastay.ErrIdempotencyMismatch, "told that event two is deleted")
	left, err := h.repo.EventsOn(t.Context(), day)
	require.NoError(t, err)
	t.Log("events left:", len(left))
}

func TestAttackKeyedPaymentAndCode(t *testing.T) {
	h := newKeyed(t)
	b := h.approved(t, ann, day, venue.Morning)
	p := venue.Payment{BookingID: b.ID, ID: "p1", Amount: dynastay.MustMoney("50.0", "EUR"), Status: venue.PaymentPaid}
	for range 2 {
		got, err := h.repo.RecordPayment(t.Context(), p, dynastay.IdempotencyKey("p"))
		require.NoError(t, err)
		assert.Equal(t, venue.PaymentPaid, got.Payment.Status)
	}
	c := venue.LockCode{EventID: b.EventID, Date: day, Slot: venue.Morning, Code: "1234", ValidFrom: now, ValidUntil: now.Add(time.Hour)}
	_, err := h.repo.SetLockCode(t.Context(), admin, c, dynastay.IdempotencyKey("c"))
	require.NoError(t, err)
	_, err = h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err)
	_, err = h.repo.SetLockCode(t.Context(), admin, c, dynastay.IdempotencyKey("c"))
	require.NoError(t, err)
	h.consistency(t)
}

// --- the contest

// A waiting approval is refused because of a slot that was never taken while its booking was pending.
func TestAttackRefusalOfWhatIsNoLongerWanted(t *testing.T) {
	h := newHall(t)
	h.join(t, ann, ben)
	held, waits, third := h.asked(t, ann, day, venue.Morning), h.asked(t, ben, day, venue.Morning), h.asked(t, ben, day, venue.Morning)
	process := h.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 200}})
	repo, direct := venue.New(process, nil), venue.New(h.Direct, nil)
	type who struct{}
	first := context.WithValue(t.Context(), who{}, 1)
	second := context.WithValue(t.Context(), who{}, 2)
	result := make(chan error, 1)
	read := make(chan struct{})
	h.Faults.Inject(dyntest.After(func(context.Context) { close(read) }), dyntest.When{Operation: "GetItem", Nth: 1,
		Match: func(r dyntest.Request) bool { return r.Context.Value(who{}) == 2 }})
	firstTx := func(r dyntest.Request) bool { return r.Context.Value(who{}) == 1 }
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		go func() {
			_, err := repo.Approve(second, admin, approval(waits))
			result <- err
		}()
		<-read
		time.Sleep(100 * time.Millisecond) // it queues
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Match: firstTx})
	h.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Match: firstTx})
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		_, err := direct.Cancel(context.Background(), ben, venue.Cancellation{BookingID: waits.ID, Version: 1})
		assert.NoError(t, err)
		_, err = direct.Approve(context.Background(), admin, approval(third))
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2, Match: firstTx})
	_, err := repo.Approve(first, admin, approval(held))
	var taken *venue.SlotTaken
	require.ErrorAs(t, err, &taken)
	err = <-result
	var status *venue.StatusError
	assert.ErrorAs(t, err, &status, "the booking was cancelled before the slot was taken, got %v", err)
}

// The event of a booking that other software has left pending, as in the document's own example.
func TestAttackApprovalOfTheDocumentsExample(t *testing.T) {
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
	assert.NoError(t, err, "the slot of a rejected booking can never be freed")
}

// --- statistics

// Other software approved the booking and keeps no statistics.
func (h *hall) foreignApproved(t *testing.T) {
	h.put(t, map[string]any{"PK": "USER#f", "SK": "METADATA", "entityType": "User", "userId": "f", "email": "f@example.com", "name": "F"})
	h.put(t, map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "entityType": "Booking", "bookingId": "fb", "userId": "f",
		"date": day.String(), "duration": "FULL_DAY", "eventDescription": "Party", "attendees": 5, "status": "approved", "requestedAt": "2037-01-01T00:00:00Z"})
	h.put(t, map[string]any{"PK": "USER#f", "SK": "BOOKING#fb", "entityType": "UserBooking", "bookingId": "fb", "date": day.String(), "status": "approved"})
	h.put(t, map[string]any{"PK": "EVENT#" + day.String(), "SK": "FULLDAY", "entityType": "Event", "eventId": "fe", "bookingId": "fb",
		"date": day.String(), "timeSlot": "FULL_DAY", "eventType": "private_booking", "title": "Party"})
}

func TestAttackRecountRacesCancel(t *testing.T) {
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
func TestAttackRecountAfterSkip(t *testing.T) {
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

func TestAttackForeignCounts(t *testing.T) {
	for name, count := range map[string]any{"NULL": nil, "text": "3"} {
		t.Run(name, func(t *testing.T) {
			h := newHall(t)
			h.put(t, map[string]any{"PK": "USER#f", "SK": "METADATA", "entityType": "User", "userId": "f", "email": "f@example.com", "name": "F",
				"requestedCount": count, "approvedCount": count})
			q := request(venue.Actor{UserID: "f", Role: venue.Customer}, day, venue.Morning)
			b, err := h.repo.Request(t.Context(), admin, q)
			if name == "NULL" {
				assert.NoError(t, err, "NULL reads like missing")
			}
			_, err = h.repo.Recount(t.Context(), "f")
			assert.NoError(t, err, "a recount replaces it")
			if b == nil {
				b, err = h.repo.Request(t.Context(), admin, q)
				require.NoError(t, err)
			}
			_, err = h.repo.Approve(t.Context(), admin, approval(b))
			assert.NoError(t, err)
		})
	}
}

// --- every pair of calls on one booking

func TestAttackPairs(t *testing.T) {
	type named struct {
		name string
		call func(b *venue.Booking) racing.Call
	}
	pending := []named{
		{"update", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).Update(ctx, ann, b.ID, func(b *venue.Booking) error { b.Slot, b.Date = venue.FullDay, day.AddDays(1); return nil }))
			}
		}},
		{"approve", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				a := approval(b)
				a.Code, a.ValidFrom, a.ValidUntil = "1", now, now.Add(time.Hour)
				return second(venue.New(db, nil).Approve(ctx, admin, a))
			}
		}},
		{"reject", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).Reject(ctx, admin, venue.Rejection{BookingID: b.ID, Version: b.Version}))
			}
		}},
		{"cancel", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version}))
			}
		}},
		{"recount", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).Recount(ctx, ann.UserID))
			}
		}},
		{"setcode", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				err := second(venue.New(db, nil).SetLockCode(ctx, admin, venue.LockCode{EventID: b.EventID, Date: b.Date, Slot: b.Slot, Code: "1", ValidFrom: now, ValidUntil: now.Add(1)}))
				return err
			}
		}},
		{"updateevent", func(b *venue.Booking) racing.Call {
			return func(ctx context.Context, db *dynastay.DB) error {
				return second(venue.New(db, nil).UpdateEvent(ctx, admin, venue.EventRef{Date: b.Date, Slot: b.Slot, ID: b.EventID}, func(e *venue.Event) error { e.Title = "x"; return nil }))
			}
		}},
	}
	for _, start := range []string{"pending", "approved"} {
		for _, one := range pending {
			for _, two := range pending {
				onEvent := func(n string) bool { return n == "setcode" || n == "updateevent" }
				if start == "pending" && (onEvent(one.name) || onEvent(two.name)) {
					continue
				}
				if start == "approved" && (one.name == "recount" || one.name == "update") {
					continue
				}
				t.Run(start+" "+one.name+" "+two.name, func(t *testing.T) {
					t.Parallel()
					for _, way := range racing.Ways {
						h := newHall(t)
						h.join(t, ann)
						var b *venue.Booking
						if start == "pending" {
							b = h.asked(t, ann, day, venue.Morning)
						} else {
							b = h.approved(t, ann, day, venue.Morning)
						}
						writes := false
						stop := h.Faults.Inject(dyntest.Before(func(context.Context) { writes = true }), dyntest.When{Match: racing.Writes, Nth: 1, Optional: true})
						_ = stop
						_ = writes
						func() {
							st := new(testing.T) // the calls may not meet if the first is refused by its read
							_ = st
							meets := start == "pending" && one.name != "recount" || start == "approved" && one.name != "approve" && one.name != "reject" && one.name != "recount"
							if !meets {
								return
							}
							idle := start == "approved" && (two.name == "update" || two.name == "reject" || two.name == "approve" || two.name == "recount")
							if (idle || start == "pending" && two.name == "recount") && strings.Contains(way.Name, "its own response") {
								return
							}
							e1, e2 := way.Meet(t, h.DB, one.call(b), two.call(b))
							for _, err := range []error{e1, e2} {
								var status *venue.StatusError
								ok := err == nil || errors.Is(err, dynastay.ErrOutcomeUnknown) && strings.Contains(way.Name, "lost") || errors.As(err, &status) || errors.Is(err, dynastay.ErrVersion) || errors.Is(err, dynastay.ErrNotFound) && start == "approved"
								assert.True(t, ok, "%s: %v", way.Name, err)
							}
							if one.name == "recount" || two.name == "recount" {
								assert.True(t, errors.Is(e1, dynastay.ErrOutcomeUnknown) || e1 == nil && e2 == nil, "%s %v %v", way.Name, e1, e2)
							}
						}()
						h.consistency(t)
					}
				})
			}
		}
	}
}

// --- a storm

func TestAttackStorm(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := newHall(t, dyntest.Seed(seed))
			h.join(t, ann, ben)
			days := []dynastay.Date{day, day.AddDays(1)}
			h.Faults.Conflicts(0)
			h.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Chance: 0.05, Match: racing.Writes})
			h.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Chance: 0.05, Match: racing.Writes})
			opts := &dynastay.Options{Retry: dynastay.Retry{Attempts: 300}}
			shared := []*dynastay.DB{h.Open(opts), h.Open(opts)}
			ids := make(chan string, 1000)
			together(8, func(n int) {
				draw := rand.New(rand.NewPCG(seed, uint64(n)))
				repo, ctx := venue.New(shared[n%2], nil), context.Background()
				who := []venue.Actor{ann, ben}[n/4]
				for range 25 {
					var err error
					id := ""
					select {
					case id = <-ids:
						ids <- id
					default:
					}
					version := 1 + draw.IntN(3)
					switch k := draw.IntN(10); {
					case k < 2 || id == "":
						var b *venue.Booking
						b, err = repo.Request(ctx, who, request(who, days[draw.IntN(2)], []venue.Slot{venue.Morning, venue.Afternoon, venue.FullDay}[draw.IntN(3)]))
						if err == nil {
							ids <- b.ID
						}
					case k < 5:
						_, err = repo.Approve(ctx, admin, venue.Approval{BookingID: id, Version: version, Code: "c", ValidFrom: now, ValidUntil: now.Add(1)})
					case k < 6:
						_, err = repo.Reject(ctx, admin, venue.Rejection{BookingID: id, Version: version})
					case k < 8:
						_, err = repo.Cancel(ctx, admin, venue.Cancellation{BookingID: id, Version: version})
					case k < 9:
						_, err = repo.Update(ctx, admin, id, func(b *venue.Booking) error { b.Date = days[draw.IntN(2)]; return nil })
					default:
						_, err = repo.Recount(ctx, who.UserID)
					}
					var status *venue.StatusError
					var taken *venue.SlotTaken
					ok := err == nil || errors.As(err, &status) || errors.As(err, &taken) || errors.Is(err, dynastay.ErrVersion) || errors.Is(err, dynastay.ErrOutcomeUnknown)
					assert.True(t, ok, "%v", err)
				}
			})
			h.consistency(t)
		})
	}
}

// --- foreign items

func TestAttackForeignEvents(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"no timeSlot":        func(m map[string]any) { delete(m, "timeSlot") },
		"timeSlot as in key": func(m map[string]any) { m["timeSlot"] = "FULLDAY" },
		"no date":            func(m map[string]any) { delete(m, "date") },
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

func TestAttackForeignBookings(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"no requestedAt":     func(m map[string]any) { delete(m, "requestedAt") },
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

// The relationship item says nothing of the slot that an update gives to the booking.
func TestAttackRelationOfAdoptedBooking(t *testing.T) {
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
func TestAttackForeignKindInUsersPartition(t *testing.T) {
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

// --- inputs

func TestAttackInputs(t *testing.T) {
	h := newHall(t)
	h.join(t, ann)
	b := h.asked(t, ann, day, venue.Morning)
	sent := h.Faults.Record()
	field := func(err error) string {
		var invalid *dynastay.InvalidError
		if errors.As(err, &invalid) {
			return invalid.Field
		}
		return fmt.Sprint("not invalid: ", err)
	}
	a := approval(b)
	a.Title = "  "
	assert.Equal(t, "Title", field(second(h.repo.Approve(t.Context(), admin, a))), "blank title")
	assert.Equal(t, "BookingID", field(second(h.repo.Notify(t.Context(), venue.Notification{UserID: "u", Title: "t", BookingID: strings.Repeat("x", 300_000)}))))
	assert.Equal(t, "BookingID", field(second(h.repo.Notify(t.Context(), venue.Notification{UserID: "u", Title: "t", BookingID: strings.Repeat("x", 500_000)}))))
	assert.Equal(t, "BookingID", field(second(h.repo.Notify(t.Context(), venue.Notification{UserID: "u", Title: "t", BookingID: "a#b"}))))
	assert.Equal(t, "Title", field(second(h.repo.Notify(t.Context(), venue.Notification{UserID: "u", Title: " "}))), "blank title")
	assert.Equal(t, "UserID", field(second(h.repo.Notify(t.Context(), venue.Notification{UserID: "", Title: "x"}))))
	q := request(ann, day, venue.Morning)
	q.BookingID = "a#b"
	t.Log("request id:", field(caught(func() error { return second(h.repo.Request(t.Context(), ann, q)) })))
	q = request(venue.Actor{UserID: ""}, day, venue.Morning)
	assert.Equal(t, "UserID", field(caught(func() error { return second(h.repo.Request(t.Context(), admin, q)) })))
	q = request(ann, dynastay.Date{}, venue.Morning)
	assert.Equal(t, "Date", field(caught(func() error { return second(h.repo.Request(t.Context(), ann, q)) })))
	_, err := h.repo.EventsOn(t.Context(), dynastay.Date{})
	assert.Equal(t, "Date", field(err))
	_, err = h.repo.SetLockCode(t.Context(), admin, venue.LockCode{EventID: "e", Slot: venue.Morning, Code: "1", ValidFrom: now, ValidUntil: now.Add(1)})
	assert.Equal(t, "Date", field(err))
	_, err = h.repo.RecordPayment(t.Context(), venue.Payment{BookingID: b.ID, ID: "p", Status: venue.PaymentPaid})
	assert.Equal(t, "Amount", field(err))
	_, err = h.repo.Recount(t.Context(), "")
	assert.Equal(t, "UserID", field(err))
	_, err = h.repo.Cancel(t.Context(), ann, venue.Cancellation{})
	assert.Equal(t, "BookingID", field(err))
	for _, r := range sent() {
		t.Log("sent:", r.Operation)
	}
	e, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "t", Title: "T"})
	require.NoError(t, err)
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.Date = day.AddDays(1); return nil })
	assert.Equal(t, "Date", field(err), "%v", err)
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.Slot = venue.Morning; return nil })
	assert.Equal(t, "Slot", field(err), "%v", err)
	_, err = h.repo.UpdateEvent(t.Context(), admin, e.Ref(), func(e *venue.Event) error { e.ID = "x"; return nil })
	assert.Equal(t, "ID", field(err), "%v", err)
	_, err = h.repo.Update(t.Context(), ann, b.ID, func(b *venue.Booking) error { b.UserID = "x"; return nil })
	assert.Equal(t, "UserID", field(err), "%v", err)
}

// Two events with one id share a lock code.
func TestAttackEventIDsAreNotUnique(t *testing.T) {
	h := newHall(t)
	one, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{ID: "gala", Date: day, Slot: venue.Morning, Type: "t", Title: "T"})
	require.NoError(t, err)
	two, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{ID: "gala", Date: day.AddDays(1), Slot: venue.Morning, Type: "t", Title: "T"})
	if !assert.ErrorIs(t, err, dynastay.ErrAlreadyExists) {
		_, err = h.repo.SetLockCode(t.Context(), admin, venue.LockCode{EventID: two.ID, Date: two.Date, Slot: two.Slot, Code: "1", ValidFrom: now, ValidUntil: now.Add(1)})
		require.NoError(t, err)
		require.NoError(t, h.repo.DeleteEvent(t.Context(), admin, one.Ref()))
		_, err = h.repo.LockCode(t.Context(), two.ID, dynastay.Consistent)
		assert.NoError(t, err, "deleting one event deleted the code of the other")
	}
}

// --- several operations in one write

func TestAttackCompositions(t *testing.T) {
	h := newHall(t)
	h.join(t, ann, ben)
	ctx := t.Context()
	m, f := h.asked(t, ann, day, venue.Morning), h.asked(t, ben, day, venue.FullDay)
	err := h.Write(ctx, h.repo.ApproveOp(admin, approval(m)), h.repo.ApproveOp(admin, approval(f)))
	t.Log("morning + full day:", err)
	a := h.asked(t, ben, day, venue.Afternoon)
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(m)), h.repo.ApproveOp(admin, approval(a)))
	assert.NoError(t, err, "morning + afternoon of two users")
	h.consistency(t)
	d2 := day.AddDays(1)
	one, two := h.asked(t, ann, d2, venue.Morning), h.asked(t, ann, d2, venue.Afternoon)
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.ApproveOp(admin, approval(two)))
	t.Log("two of one user:", err)
	m, _ = h.repo.Booking(ctx, m.ID)
	err = h.Write(ctx, h.repo.CancelOp(admin, venue.Cancellation{BookingID: m.ID, Version: m.Version}), h.repo.ApproveOp(admin, approval(h.asked(t, ben, day, venue.Morning))))
	t.Log("cancel + approve on the same slot:", err)
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.RecordPaymentOp(venue.Payment{BookingID: one.ID, ID: "p", Amount: dynastay.MustMoney("5", "EUR"), Status: venue.PaymentPaid}))
	t.Log("approve + first payment:", err)
	err = h.Write(ctx, h.repo.ApproveOp(admin, approval(one)), h.repo.NotifyOp(venue.Notification{UserID: ann.UserID, Title: "Approved"}))
	assert.NoError(t, err)
	h.consistency(t)
}

// --- the audit log

func TestAttackAuditOfBookingsEvent(t *testing.T) {
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

// --- payments

func TestAttackPayments(t *testing.T) {
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

// A later report without a method erases the method.
func TestAttackPaymentMethod(t *testing.T) {
	h := newHall(t)
	h.join(t, ann)
	p := venue.Payment{BookingID: h.asked(t, ann, day, venue.Morning).ID, ID: "p", Amount: dynastay.MustMoney("50", "EUR"), Status: venue.PaymentPaid, Method: "card"}
	_, err := h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	p.Status, p.Method = venue.PaymentRefunded, ""
	got, err := h.repo.RecordPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, "card", got.Payment.Method)
}

// The document's user, who has no guard yet, and a login.
func TestAttackLoginOfForeignUser(t *testing.T) {
	h := newHall(t)
	h.put(t, map[string]any{"PK": "USER#abc123", "SK": "METADATA", "GSI1PK": "EMAIL#user@example.com", "GSI1SK": "USER", "entityType": "User", "userId": "abc123", "email": "user@example.com", "name": "J"})
	_, err := h.repo.UserByEmail(t.Context(), "user@example.com")
	assert.NoError(t, err)
	_, err = h.repo.UserByEmail(t.Context(), "user@example.com", dynastay.Consistent)
	assert.NoError(t, err, "users.ByEmail finds such a user: index first, then the guard")
}

// An update that changes nothing.
func TestAttackIdleUpdateOfForeignBooking(t *testing.T) {
	h := newHall(t)
	h.join(t, ann)
	h.put(t, map[string]any{"PK": "BOOKING#fb", "SK": "METADATA", "GSI1PK": "STATUS#PENDING", "GSI1SK": "2037-01-01T00:00:00Z",
		"entityType": "Booking", "bookingId": "fb", "userId": ann.UserID,
		"date": day.String(), "duration": "FULL_DAY", "eventDescription": "Party", "attendees": 5, "status": "pending", "requestedAt": "2037-01-01T00:00:00Z"})
	b, err := h.repo.Update(t.Context(), ann, "fb", func(*venue.Booking) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, 0, b.Version)
}
