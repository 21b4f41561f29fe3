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
	"github.com/dynastay/dynastay/internal/testing/blame"
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
	condition, change := dynastay.MustCompile(while), dynastay.MustCompile(while.WithUpdate(expression.Set(text, expression.Value("new"))))
	expected := func(p *dynastay.Compiled, text string) dynastay.Expr {
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
	text := dynastay.MustCompile(expression.NewBuilder().WithCondition(dynastay.NameOf("text").Equal(dynastay.Param("text"))))
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

// textIs is the condition that a message has a text; each call builds it anew.
func textIs(text string) dynastay.Expr {
	condition := expression.Name("text").Equal(expression.Value(text))
	return dynastay.MustCompile(expression.NewBuilder().WithCondition(condition)).With(nil)
}

// Two operations of a write may check the same item if they check the same: DynamoDB accepts one action for an item.
func TestEqualChecksAreMerged(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Put(ctx, &message{ID: "m", Text: "old"})
	require.NoError(t, err)
	first, second := errors.New("first"), errors.New("second")
	check := func(name, id string, condition dynastay.Expr, meaning error) dynastay.Part {
		return dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: name,
			Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
				tx.Check(outboxTable, keyOf(id), condition, func(dynastay.Row) error { return meaning })
				return struct{}{}, nil
			},
		})
	}
	n := 0
	named := func() *message { n++; return &message{ID: strings.Repeat("n", n)} }
	stop := db.Faults.Record()
	require.NoError(t, db.Write(ctx, check("test.First", "m", textIs("old"), first), outbox.CreateOp(named()), check("test.Second", "m", textIs("old"), second)))
	sent := stop()
	require.Len(t, sent, 1)
	assert.Equal(t, 1, strings.Count(string(sent[0].Body), `"ConditionCheck"`))
	_, err = outbox.Get(ctx, keyOf("n"), dynastay.Consistent)
	require.NoError(t, err)

	err = db.Write(ctx, check("test.First", "m", textIs("new"), first), check("test.Second", "m", textIs("new"), second), outbox.CreateOp(named()))
	assert.ErrorIs(t, err, first)
	assert.NotErrorIs(t, err, second)
	_, err = outbox.Get(ctx, keyOf("nn"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)

	// The same condition on a different item is a check of its own.
	err = db.Write(ctx, check("test.First", "m", textIs("old"), first), check("test.Second", "other", textIs("old"), second), outbox.CreateOp(named()))
	assert.ErrorIs(t, err, second)

	stop = db.Faults.Record()
	for name, other := range map[string]func() dynastay.Part{
		"another value":     func() dynastay.Part { return check("test.Second", "m", textIs("new"), second) },
		"another condition": func() dynastay.Part { return check("test.Second", "m", exists, second) },
		"a put":             func() dynastay.Part { return outbox.PutOp(&message{ID: "m"}) },
		"a delete":          func() dynastay.Part { return outbox.DeleteOp(keyOf("m")) },
	} {
		checked := func() dynastay.Part { return check("test.First", "m", textIs("old"), first) }
		for _, parts := range [][]dynastay.Part{{checked(), other()}, {other(), checked()}} {
			err := db.Write(ctx, parts...)
			invalid := blame.Invalid(t, err, "Operations", name)
			assert.Contains(t, invalid.Reason, "test.First (Operations[")
		}
	}
	assert.Empty(t, stop(), "no request at all")
}

// A delta stores no id, so it is sent as a transaction, whose token makes two requests one.
func TestDeltaIsATransaction(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	made, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	add := dynastay.MustCompile(expression.NewBuilder().WithUpdate(expression.Add(expression.Name("sent"), expression.Value(1)))).With(nil)
	delta := func() error {
		return db.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "test.Count",
			Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
				tx.Update(outboxTable, keyOf("m"), add)
				return struct{}{}, nil
			},
		}))
	}
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	require.NoError(t, delta())
	assert.Equal(t, 2, db.Faults.Count("TransactWriteItems"))
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 1, got.Sent)
	_ = made

	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
	mine := db.Open(brief)
	err = mine.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Count",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Update(outboxTable, keyOf("m"), add)
			return struct{}{}, nil
		},
	}))
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
}
