package dynastay_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// textIs is the condition that a message has a text; each call builds it anew.
func textIs(text string) dynastay.Expr {
	condition := expression.Name("text").Equal(expression.Value(text))
	return dynastay.Prepare(expression.NewBuilder().WithCondition(condition)).With(nil)
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
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, err, &invalid, name)
			assert.Equal(t, "Operations", invalid.Field)
			assert.Contains(t, invalid.Reason, "test.First (Operations[")
		}
	}
	assert.Empty(t, stop(), "no request at all")
}
