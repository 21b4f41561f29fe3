package dynastay_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// The record says that the write was done. An unreadable result must never be reported as "nothing was written".
func TestReplayThatCannotRead(t *testing.T) {
	t.Parallel()
	for code, kind := range map[string]error{
		"ProvisionedThroughputExceededException": dynastay.ErrThrottled,
		"AccessDeniedException":                  dynastay.ErrRejected,
		"InternalServerError":                    dynastay.ErrUnavailable,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, outbox := openOutbox(t, dynastay.Options{})
			key := dynastay.IdempotencyKey("k")
			_, err := outbox.Create(ctx, &message{ID: "m"}, key)
			require.NoError(t, err)
			unreadable := db.Faults.Inject(dyntest.Fail(code), dyntest.When{Operation: "GetItem", Table: "Outbox"})
			_, err = outbox.Create(ctx, &message{ID: "m"}, key)
			assert.ErrorIs(t, err, dynastay.ErrCommitted)
			assert.NotErrorIs(t, err, kind)
			assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			assert.ErrorContains(t, err, code)
			unreadable.Stop()
			got, err := outbox.Create(ctx, &message{ID: "m"}, key)
			require.NoError(t, err)
			assert.Equal(t, "m", got.ID)
		})
	}
}

// A write that finds nothing to do is complete. A retry does not undo what others have done since.
func TestNothingToWriteLeavesARecord(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m", Text: "a"})
	require.NoError(t, err)
	set := func(text string) error {
		op := outbox.UpdateOp(keyOf("m"), func(m *message) error { m.Text = text; return nil }, dynastay.AgreedOn(text))
		return db.Write(ctx, op, dynastay.IdempotencyKey("k"))
	}
	require.NoError(t, set("a"), "it is what it is")
	_, err = outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "another's"; return nil })
	require.NoError(t, err)
	require.NoError(t, set("a"), "the repetition")
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "another's", got.Text)
	assert.ErrorIs(t, set("b"), dynastay.ErrIdempotencyMismatch)

	// The response to the record alone may also be lost.
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	op := outbox.UpdateOp(keyOf("m"), func(*message) error { return nil }, dynastay.AgreedOn("nothing"))
	require.NoError(t, db.Write(ctx, op, dynastay.IdempotencyKey("l")))
	assert.Equal(t, "another's", op.Result().Text)
}

// However a write with a key runs out of budget, its record is read before an error is returned.
func TestContentionLooksAtTheRecord(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, retry := range map[string]dynastay.Retry{
		"after a conflict":   {Attempts: 1},
		"after two of them":  {Attempts: 2, Base: time.Millisecond},
		"after many of them": {Attempts: 5, Base: time.Millisecond, Cap: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
			require.NoError(t, err)
			db.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems"})
			mine := entity.NewTable(db.Open(&dynastay.Options{Retry: retry}), messageEntity)
			got, err := mine.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
			require.NoError(t, err)
			assert.Equal(t, "m", got.ID)
			_, err = mine.Create(ctx, &message{ID: "n"}, dynastay.IdempotencyKey("l"))
			assert.ErrorIs(t, err, dynastay.ErrContention)
		})
	}
}

// A message that a worker has taken away since does not stand in the way of a replay.
func TestReplayOfWhatIsGone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	for range 2 {
		op := outbox.CreateOp(&message{ID: "m", Text: "booked"})
		require.NoError(t, db.Write(ctx, op, dynastay.IdempotencyKey("k")))
		assert.Equal(t, "booked", op.Result().Text)
		if err := outbox.Delete(ctx, keyOf("m")); err != nil {
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
		}
	}
	_, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "it was not put again")
}

// What a key stands for was done, whatever doing it again would require.
func TestReplayOfWhatWouldNoLongerFit(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	write := func(messages int) error {
		return db.Write(ctx, dynastay.IdempotencyKey("k"), dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "test.Flush", Input: func(*dynastay.Input) {},
			Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
				for n := range messages {
					tx.Put(outboxTable, outboxTable.Key.Of(keyOf(fmt.Sprint(n))))
				}
				return struct{}{}, nil
			},
		}))
	}
	require.NoError(t, write(1))
	assert.NoError(t, write(100), "by now there is more to flush")
	_, err := outbox.Get(ctx, keyOf("1"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

// A caller that retries taking a lock with the same key does not get the write id of another caller that holds it by
// now.
func TestReplayHandsOutNoOtherWriteID(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	locks := entity.NewTable(db.DB, lockEntity)
	mine, err := locks.Create(ctx, &lock{Name: "l", Holder: "a"}, dynastay.IdempotencyKey("a"))
	require.NoError(t, err)
	require.NoError(t, locks.Delete(ctx, keyOf("l"), dynastay.IfWritten(mine.WriteID)), "taken away, for it took too long")
	other, err := locks.Create(ctx, &lock{Name: "l", Holder: "b"}, dynastay.IdempotencyKey("b"))
	require.NoError(t, err)
	again, err := locks.Create(ctx, &lock{Name: "l", Holder: "a"}, dynastay.IdempotencyKey("a"))
	require.NoError(t, err)
	assert.NotEqual(t, other.WriteID, again.WriteID)
}
