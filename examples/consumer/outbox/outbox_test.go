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

// newTest is an outbox in its own table alone, with messages.
func newTest(t *testing.T, ids ...string) (*dyntest.DB, *outbox.Outbox) {
	t.Helper()
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(outbox.Table), dyntest.At(noon))
	for _, id := range ids {
		require.NoError(t, db.Direct.Write(t.Context(), outbox.New(db.Direct).SendOp(id, "test", "about "+id)))
		db.Clock.Advance(time.Second)
	}
	return db, outbox.New(db.DB)
}

// relay collects the ids that are delivered.
func relay(o *outbox.Outbox, delivered *[]string) *outbox.Relay {
	return &outbox.Relay{Outbox: o, Deliver: func(_ context.Context, m *outbox.Message) error {
		*delivered = append(*delivered, m.ID)
		return nil
	}}
}

func TestOldestFirst(t *testing.T) {
	_, o := newTest(t, "b", "a", "c")
	var delivered []string
	n, err := relay(o, &delivered).Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.Equal(t, []string{"b", "a", "c"}, delivered)
	m, err := o.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, noon.Add(3*time.Second), m.DeliveredAt)
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

// The index still shows a message as pending that was delivered a moment ago. Who trusted it would deliver it twice.
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

// The message was delivered and that was written down, but the relay never heard of it.
func TestNoteOfTheDeliveryIsLost(t *testing.T) {
	db, o := newTest(t, "a", "b")
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "UpdateItem", Nth: 1})
	var delivered []string
	for range 2 {
		_, err := relay(o, &delivered).Run(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"a", "b"}, delivered)
}

func TestOneFailureDoesNotKeepTheOthers(t *testing.T) {
	_, o := newTest(t, "a", "b")
	broken := errors.New("no such mailbox")
	var delivered []string
	r := relay(o, &delivered)
	collect := r.Deliver
	r.Deliver = func(ctx context.Context, m *outbox.Message) error {
		if m.ID == "a" {
			return broken
		}
		return collect(ctx, m)
	}
	n, err := r.Run(t.Context())
	assert.ErrorIs(t, err, broken)
	assert.Equal(t, 1, n)
	assert.Equal(t, []string{"b"}, delivered)
	m, err := o.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.True(t, m.DeliveredAt.IsZero(), "it is still pending")
}

func TestSameMessageTwice(t *testing.T) {
	db, o := newTest(t, "a")
	err := db.Write(t.Context(), o.SendOp("a", "test", ""))
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
}

// A delivered message is gone after a week, whether or not DynamoDB has removed it yet.
func TestDeliveredMessagesExpire(t *testing.T) {
	db, o := newTest(t, "delivered")
	var delivered []string
	_, err := relay(o, &delivered).Run(t.Context())
	require.NoError(t, err)
	require.NoError(t, db.Write(t.Context(), o.SendOp("pending", "test", "")))

	db.Clock.Advance(outbox.Keep - time.Second)
	_, err = o.Get(t.Context(), "delivered")
	assert.NoError(t, err)
	assert.Empty(t, db.Sweep())

	db.Clock.Advance(2 * time.Second)
	_, err = o.Get(t.Context(), "delivered")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	item, err := db.Direct.Get(t.Context(), outbox.Table, dynastay.Key{PK: "delivered"}, true)
	require.NoError(t, err)
	assert.NotEmpty(t, item, "it is still there")

	gone := dynastay.RefOf(outbox.Table, dynastay.Key{PK: "delivered"})
	assert.Equal(t, []dynastay.Ref{gone}, db.Sweep())
	_, err = o.Get(t.Context(), "pending")
	assert.NoError(t, err)
}

// The cost of a run is one query, and three requests a message: two reads, since an update reads for itself.
func TestCostOfARelay(t *testing.T) {
	db, o := newTest(t, "a", "b")
	var delivered []string
	dyntest.Budget(t, db, dyntest.Cost{Requests: 1 + 2*3, ReadUnits: 0.5 + 2*2, WriteUnits: 2 * 3}, func() {
		_, err := relay(o, &delivered).Run(t.Context())
		require.NoError(t, err)
	})
}
