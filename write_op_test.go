package dynastay_test

import (
	"cmp"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// An operation has one result, so it is for one write.
func TestOperationIsForOneWrite(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	op := outbox.PutOp(&message{ID: "m"})
	require.NoError(t, db.Write(t.Context(), op))
	assert.ErrorIs(t, db.Write(t.Context(), op), dynastay.ErrInvalid)
}

func TestResultBeforePreparing(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	op := outbox.CreateOp(&message{ID: "m"})
	assert.PanicsWithValue(t, "dynastay: Result of Message.Create was called before Write prepared the operation", func() { op.Result() })
	require.NoError(t, db.Write(t.Context(), op))
	assert.Equal(t, "m", op.Result().ID)
	again := outbox.CreateOp(&message{ID: "m"})
	assert.ErrorIs(t, db.Write(t.Context(), again), dynastay.ErrAlreadyExists)
}

// An operation that records what it makes but cannot read it again would answer a retry with ids that were never
// stored.
func TestMadeNeedsRestore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	op := func() *dynastay.Operation[string] {
		return dynastay.NewOp(dynastay.OpSpec[string]{
			Name: "test.Make", Input: func(*dynastay.Input) {},
			Prepare: func(_ context.Context, tx *dynastay.Tx) (string, error) {
				id := db.NewID("m_")
				tx.Put(outboxTable, outboxTable.Key.Of(keyOf(id)))
				tx.Made("id", id)
				return id, nil
			},
		})
	}
	stop := db.Faults.Record()
	assert.ErrorContains(t, db.Write(ctx, op()), "Tx.Made or Creation.AddTo, so OpSpec.Restore is required")
	assert.Empty(t, stop())
	err := db.Write(ctx, op(), outbox.CreateOp(&message{ID: "n"}), dynastay.IdempotencyKey("k"))
	assert.ErrorContains(t, err, "test.Make")
	_, err = outbox.Get(ctx, keyOf("n"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

// Two ids under one name could not both be read back, so a repeated call would have another result than the first.
func TestMadeNeedsNames(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	op := func(names, ids []string) *dynastay.Operation[string] {
		return dynastay.NewOp(dynastay.OpSpec[string]{
			Name: "test.Make", Input: func(*dynastay.Input) {},
			Prepare: func(_ context.Context, tx *dynastay.Tx) (string, error) {
				for i, id := range ids {
					tx.Put(outboxTable, outboxTable.Key.Of(keyOf(names[i]+id)))
					tx.Made(names[i], id)
				}
				return ids[0], nil
			},
			Restore: func(_ context.Context, made map[string]string) (string, error) { return made["id"], nil },
		})
	}
	both := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Both", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			for _, id := range []string{"a", "b"} {
				c, err := outbox.Creation(&message{ID: id})
				if err := cmp.Or(err, c.AddTo(tx)); err != nil {
					return none, err
				}
			}
			return none, nil
		},
		Restore: func(context.Context, map[string]string) (none struct{}, err error) { return none, nil },
	})
	stop := db.Faults.Record()
	failed := blame.As[*dynastay.Error](t, db.Write(ctx, op([]string{"id", "id"}, []string{"1", "2"})))
	assert.Equal(t, []string{"test.Make", "id"}, []string{failed.Op, failed.Field})
	require.ErrorAs(t, db.Write(ctx, both), &failed)
	assert.Equal(t, []string{"test.Both", "PK"}, []string{failed.Op, failed.Field})
	assert.ErrorContains(t, failed, "Creation.AddTo")
	assert.Empty(t, stop())

	for range 2 {
		again := op([]string{"id", "other"}, []string{"1", "2"})
		require.NoError(t, db.Write(ctx, again, op([]string{"id"}, []string{"3"}), dynastay.IdempotencyKey("k")), "each operation has its own names")
		assert.Equal(t, "1", again.Result())
	}
}
