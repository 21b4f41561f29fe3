package venue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
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

func TestKeyedDecisions(t *testing.T) {
	t.Parallel()
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
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "update: its function cannot be compared")
	err = caught(func() error {
		at := venue.EventRef{Date: day, Slot: venue.Morning, ID: "evt_1"}
		return h.Write(ctx, dynastay.IdempotencyKey("k5"), h.repo.UpdateEventOp(admin, at, func(*venue.Event) error { return nil }))
	})
	assert.ErrorIs(t, err, dynastay.ErrInvalid, "update of an event")
	err = caught(func() error {
		return h.Write(ctx, dynastay.IdempotencyKey("k4"), h.repo.UpdateOp(ann, h.asked(t, ann, day, venue.Afternoon).ID, func(b *venue.Booking) error { b.Attendees++; return nil }, dynastay.AgreedOn("x")))
	})
	assert.NoError(t, err, "update, agreed")
}

func TestKeyedRequest(t *testing.T) {
	t.Parallel()
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

func TestKeyedCreateEvent(t *testing.T) {
	t.Parallel()
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
func TestKeyedCreateEventAfterwards(t *testing.T) {
	t.Parallel()
	h := newKeyed(t)
	e := venue.Event{Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"}
	made, err := h.repo.CreateEvent(t.Context(), admin, e, dynastay.IdempotencyKey("e"))
	require.NoError(t, err)
	h.remove(t, "EVENT#"+day.String(), "MORNING") // not by DeleteEvent, see TestDeleteEvent
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
func TestKeyedDeleteEvent(t *testing.T) {
	t.Parallel()
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

func TestKeyedPaymentAndCode(t *testing.T) {
	t.Parallel()
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
