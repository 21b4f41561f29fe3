package dynastay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
)

// Every kind of action, alone and in a transaction: it takes effect if its condition holds, and otherwise its Failed
// function gets the item.
func TestActions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	old := &message{ID: "m", Text: "old"}
	text := dynastay.NameOf("text")
	while := expression.NewBuilder().WithCondition(text.Equal(dynastay.Param("text")))
	condition, change := dynastay.Prepare(while), dynastay.Prepare(while.WithUpdate(expression.Set(text, expression.Value("new"))))
	expected := func(p *dynastay.Prepared, text string) dynastay.Expr {
		return p.With(dynastay.Item{"text": dynastay.Text(text)})
	}
	item := outboxTable.Key.Of(keyOf("m"))
	item["text"] = dynastay.Text("new")
	for name, kind := range map[string]struct {
		add  func(tx *dynastay.Tx, text string, failed dynastay.Failed)
		want string // the text that it stores, "" for no item
	}{
		"put": {func(tx *dynastay.Tx, text string, failed dynastay.Failed) {
			tx.Put(outboxTable, item).If(expected(condition, text), failed)
		}, "new"},
		"put with an id": {func(tx *dynastay.Tx, text string, failed dynastay.Failed) {
			tx.Put(outboxTable, item).Identified().If(expected(condition, text), failed)
		}, "new"},
		"update": {func(tx *dynastay.Tx, text string, failed dynastay.Failed) {
			tx.Update(outboxTable, keyOf("m"), expected(change, text)).Else(failed)
		}, "new"},
		"delete": {func(tx *dynastay.Tx, text string, failed dynastay.Failed) {
			tx.Delete(outboxTable, keyOf("m")).If(expected(condition, text), failed)
		}, ""},
		"check": {func(tx *dynastay.Tx, text string, failed dynastay.Failed) {
			tx.Check(outboxTable, keyOf("m"), expected(condition, text), failed)
		}, "old"},
	} {
		for others := range 2 {
			t.Run(fmt.Sprintf("%s beside %d", name, others), func(t *testing.T) {
				_, err := outbox.Put(ctx, old)
				require.NoError(t, err)
				refused := errors.New("refused")
				write := func(text string, shown *dynastay.Row) error {
					parts := []dynastay.Part{dynastay.NewOp(dynastay.OpSpec[struct{}]{
						Name: "test.Act",
						Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
							kind.add(tx, text, func(there dynastay.Row) error { *shown = there; return refused })
							return struct{}{}, nil
						},
					})}
					if others == 1 {
						parts = append(parts, outbox.PutOp(&message{ID: "other"}))
					}
					return db.Write(ctx, parts...)
				}
				var shown dynastay.Row
				assert.ErrorIs(t, write("another", &shown), refused)
				assert.Equal(t, "old", shown.Text("text"))
				got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
				require.NoError(t, err)
				assert.Equal(t, old, got)

				require.NoError(t, write("old", &shown))
				got, err = outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
				if kind.want == "" {
					assert.ErrorIs(t, err, dynastay.ErrNotFound)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, kind.want, got.Text)
			})
		}
	}
}

// Operations that check the same condition of an item share one action. Another condition of the item, or a write of
// it, is a second action.
func TestSameCheckTwice(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	text := dynastay.Prepare(expression.NewBuilder().WithCondition(dynastay.NameOf("text").Equal(dynastay.Param("text"))))
	first, second := errors.New("first"), errors.New("second")
	check := func(key, value string, meaning error) *dynastay.Operation[struct{}] {
		return dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "test.Check",
			Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
				condition := text.With(dynastay.Item{"text": dynastay.Text(value)})
				tx.Check(outboxTable, keyOf(key), condition, func(dynastay.Row) error { return meaning })
				return struct{}{}, nil
			},
		})
	}
	_, err := outbox.Put(ctx, &message{ID: "m", Text: "a"})
	require.NoError(t, err)
	stop := db.Faults.Record()
	require.NoError(t, db.Write(ctx, check("m", "a", first), check("m", "a", second), outbox.PutOp(&message{ID: "n", Text: "a"})))
	sent := stop()
	require.Len(t, sent, 1)
	assert.Equal(t, 1, strings.Count(string(sent[0].Body), `"ConditionCheck":`))
	assert.NoError(t, db.Write(ctx, check("m", "a", first), check("n", "a", second)))
	assert.Equal(t, first, db.Write(ctx, check("m", "b", first), check("m", "b", second)))

	stop = db.Faults.Record()
	assert.ErrorContains(t, db.Write(ctx, check("m", "a", first), check("m", "b", second)), "both write item m")
	assert.ErrorContains(t, db.Write(ctx, outbox.PutOp(&message{ID: "m"}), check("m", "a", second)), "both write item m")
	assert.Empty(t, stop())
}

// A write of nothing is refused or sends no write, and nil is not an operation.
func TestWriteOfNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m", Text: "a"})
	require.NoError(t, err)
	stop := db.Faults.Record()
	for text, parts := range map[string][]dynastay.Part{
		"invalid Operations: must not be empty": {dynastay.IdempotencyKey("k")},
		"invalid Operations[1]: is nil":         {outbox.PutOp(&message{ID: "n"}), nil},
	} {
		err := db.Write(ctx, parts...)
		require.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.EqualError(t, err, text)
	}
	assert.Empty(t, stop())

	stop = db.Faults.Record()
	got, err := outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "a"; return nil })
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "a", Version: 1}, got)
	sent := stop()
	require.Len(t, sent, 1)
	assert.Equal(t, "GetItem", sent[0].Operation)
}

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
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, db.Write(t.Context(), op, dynastay.IdempotencyKey("k")), &invalid)
	assert.Equal(t, dynastay.InvalidError{
		Field: "Operations", Reason: "test.Meddle (Operations[0]) and the idempotency record both write item IDEMPOTENCY#k/METADATA, and a transaction can write an item only once",
	}, *invalid)
}
