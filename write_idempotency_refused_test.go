package dynastay_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

// An operation that writes the record of its own idempotency key gets an error that says so.
func TestNobodyElseWritesTheRecord(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
	op := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Meddle", Input: func(*dynastay.Input) {},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Delete(keys.MetadataTable, dynastay.Key{PK: "IDEMPOTENCY#k", SK: "METADATA"})
			return struct{}{}, nil
		},
	})
	invalid := blame.As[*dynastay.InvalidError](t, db.Write(t.Context(), op, dynastay.IdempotencyKey("k")))
	assert.Equal(t, dynastay.InvalidError{
		Field: "Operations", Reason: "test.Meddle (Operations[0]) and the idempotency record both write item IDEMPOTENCY#k/METADATA, and a transaction can write an item only once",
	}, *invalid)
}

// An idempotency key is compared by input. An operation without input cannot be written with one.
func TestKeyNeedsAnInput(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	set := func(text string, opts ...dynastay.UpdateOption) error {
		return db.Write(ctx, dynastay.IdempotencyKey("k"), outbox.UpdateOp(keyOf("m"), func(m *message) error { m.Text = text; return nil }, opts...))
	}
	blame.Invalid(t, set("a"), "IdempotencyKey")
	require.NoError(t, set("a", dynastay.AgreedOn("a")))
	require.NoError(t, set("a", dynastay.AgreedOn("a")))
	assert.ErrorIs(t, set("b", dynastay.AgreedOn("b")), dynastay.ErrIdempotencyMismatch)
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "a", Version: 2}, got)
}

// A missing idempotency table is detected by the first write with a key, and nothing is in doubt.
func TestMissingTableOfRecords(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(outboxTable))
	outbox := entity.NewTable(db.DB, messageEntity)
	_, err := outbox.Create(t.Context(), &message{ID: "m"}, dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrRejected)
	assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
}
