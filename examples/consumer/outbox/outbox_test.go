package outbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"

	"example.com/frontdesk/outbox"
)

var noon = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

// newTest returns an outbox with its own table only.
func newTest(t *testing.T, about ...string) (*dyntest.DB, *outbox.Outbox) {
	t.Helper()
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(outbox.Table), dyntest.At(noon))
	for _, ref := range about {
		send(t, db, ref)
		db.Clock.Advance(time.Millisecond)
	}
	return db, outbox.New(db.DB)
}

// send puts a message, bypassing the faults, and returns its id.
func send(t *testing.T, db *dyntest.DB, about string) string {
	t.Helper()
	op := outbox.New(db.Direct).SendOp("test", func() string { return about })
	require.NoError(t, db.Direct.Write(t.Context(), op))
	return op.Result().ID
}

// relay collects what is delivered.
func relay(o *outbox.Outbox, delivered *[]string) *outbox.Relay {
	return &outbox.Relay{Outbox: o, Deliver: func(_ context.Context, m *outbox.Message) error {
		*delivered = append(*delivered, m.Ref)
		return nil
	}}
}

func TestOldestFirst(t *testing.T) {
	db, o := newTest(t, "b", "a")
	last := send(t, db, "c")
	var delivered []string
	n, err := relay(o, &delivered).Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.Equal(t, []string{"b", "a", "c"}, delivered)
	m, err := o.Get(t.Context(), last)
	require.NoError(t, err)
	assert.Equal(t, noon.Add(2*time.Millisecond), m.DeliveredAt)
}

// Messages within one second are also delivered in order, whatever their ids are.
func TestOldestFirstWithinASecond(t *testing.T) {
	t.Parallel()
	ids := []string{"msg_b", "msg_a"}
	db := dyntest.New(t, dyntest.OnlyTables(outbox.Table), dyntest.At(noon), dyntest.With(dynastay.Options{
		NewID: func(string) string { id := ids[0]; ids = ids[1:]; return id },
	}))
	o := outbox.New(db.DB)
	for _, about := range []string{"first", "second"} {
		require.NoError(t, db.Write(t.Context(), o.SendOp("test", func() string { return about })))
		db.Clock.Advance(time.Millisecond)
	}
	var delivered []string
	_, err := relay(o, &delivered).Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"first", "second"}, delivered)
}

func TestPagesThatEndEarlyAreNotTheEnd(t *testing.T) {
	db, o := newTest(t, "a", "b", "c")
	pages := db.Faults.Inject(dyntest.ShortPages(1), dyntest.When{Operation: "Query", Index: outbox.PendingIndex})
	var delivered []string
	_, err := relay(o, &delivered).Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c"}, delivered)
	assert.GreaterOrEqual(t, pages.Hits(), 2)
}

// The index still shows a message as pending that was just delivered. A relay that trusts it would deliver it twice.
func TestIndexLags(t *testing.T) {
	db, o := newTest(t, "a")
	stale := db.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Index: outbox.PendingIndex})
	var delivered []string
	for range 2 {
		_, err := relay(o, &delivered).Run(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"a"}, delivered)
	assert.Equal(t, 2, stale.Hits())
}

// The message was delivered and that was recorded, but the answer to the relay is lost.
func TestAnswerToTheDeliveryRecordIsLost(t *testing.T) {
	db, o := newTest(t, "a", "b")
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "UpdateItem", Nth: 1})
	var delivered []string
	for range 2 {
		_, err := relay(o, &delivered).Run(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"a", "b"}, delivered)
}

func TestOneFailureDoesNotStopTheOthers(t *testing.T) {
	db, o := newTest(t, "b")
	first := send(t, db, "a")
	broken := errors.New("no such mailbox")
	var delivered []string
	r := relay(o, &delivered)
	collect := r.Deliver
	r.Deliver = func(ctx context.Context, m *outbox.Message) error {
		if m.ID == first {
			return broken
		}
		return collect(ctx, m)
	}
	n, err := r.Run(t.Context())
	assert.ErrorIs(t, err, broken)
	assert.Equal(t, 1, n)
	assert.Equal(t, []string{"b"}, delivered)
	m, err := o.Get(t.Context(), first)
	require.NoError(t, err)
	assert.True(t, m.DeliveredAt.IsZero(), "it is still pending")
}

// A delivered message is not found after a week, whether or not DynamoDB has removed it yet.
func TestDeliveredMessagesExpire(t *testing.T) {
	db, o := newTest(t)
	old := send(t, db, "old")
	var delivered []string
	_, err := relay(o, &delivered).Run(t.Context())
	require.NoError(t, err)
	pending := send(t, db, "pending")

	db.Clock.Advance(outbox.Keep - time.Second)
	_, err = o.Get(t.Context(), old)
	assert.NoError(t, err)
	assert.Empty(t, db.Sweep())

	db.Clock.Advance(2 * time.Second)
	_, err = o.Get(t.Context(), old)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	item, err := db.Direct.Get(t.Context(), outbox.Table, dynastay.Key{PK: old}, dynastay.Consistent)
	require.NoError(t, err)
	assert.NotEmpty(t, item, "it still exists")

	gone := dynastay.RefOf(outbox.Table, dynastay.Key{PK: old})
	assert.Equal(t, []dynastay.Ref{gone}, db.Sweep())
	_, err = o.Get(t.Context(), pending)
	assert.NoError(t, err)
}

// A message has a different id and time in every call. Under an idempotency key, the first one still counts.
func TestRepeatedCallReturnsTheFirstMessage(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.Tables(outbox.Table), dyntest.At(noon))
	o := outbox.New(db.DB)
	write := func(topic, about string) (*outbox.Message, error) {
		op := o.SendOp(topic, func() string { return about })
		if err := db.Write(t.Context(), dynastay.IdempotencyKey("request-1"), op); err != nil {
			return nil, err
		}
		return op.Result(), nil
	}
	first, err := write("test", "bkg_1")
	require.NoError(t, err)
	db.Clock.Advance(time.Minute)
	again, err := write("test", "bkg_2")
	require.NoError(t, err)
	assert.Equal(t, first, again)
	_, err = write("another", "bkg_1")
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	var delivered []string
	_, err = relay(o, &delivered).Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"bkg_1"}, delivered)
}

// A run costs one query, and three requests for each message: two are reads, since an update does its own read.
func TestCostOfARelay(t *testing.T) {
	db, o := newTest(t, "a", "b")
	var delivered []string
	dyntest.Budget(t, db, dyntest.Cost{Requests: 1 + 2*3, ReadUnits: 0.5 + 2*2, WriteUnits: 2 * 3}, func() {
		_, err := relay(o, &delivered).Run(t.Context())
		require.NoError(t, err)
	})
}
