package dynastay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/engine"
)

// Of actions that the write can do without, as many are carried out as fit into a transaction, the first ones.
func TestIfFits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		needed, spare, written int
		key                    []dynastay.Part
	}{
		"all fit":               {97, 3, 3, nil},
		"some fit":              {98, 3, 2, nil},
		"none fits":             {100, 3, 0, nil},
		"some fit beside a key": {98, 3, 1, []dynastay.Part{dynastay.IdempotencyKey("k")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, _ := openOutbox(t, dynastay.Options{})
			op := dynastay.NewOp(dynastay.OpSpec[struct{}]{
				Name: "test.Fits", Input: func(*dynastay.Input) {},
				Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
					for n := range test.spare { // before the others: the order of the actions does not matter
						tx.Put(outboxTable, outboxTable.Key.Of(keyOf(fmt.Sprint("spare", n)))).IfFits()
					}
					for n := range test.needed {
						tx.Put(outboxTable, outboxTable.Key.Of(keyOf(fmt.Sprint("needed", n))))
					}
					return struct{}{}, nil
				},
				Restore: func(context.Context, map[string]string) (struct{}, error) { return struct{}{}, nil },
			})
			require.NoError(t, db.Write(t.Context(), append(test.key, op)...))
			for n := range test.spare {
				row, err := db.Get(t.Context(), outboxTable, keyOf(fmt.Sprint("spare", n)), dynastay.Consistent)
				require.NoError(t, err)
				assert.Equal(t, n < test.written, row.Exists(), n)
			}
			row, err := db.Get(t.Context(), outboxTable, keyOf(fmt.Sprint("needed", test.needed-1)), dynastay.Consistent)
			require.NoError(t, err)
			assert.True(t, row.Exists())
		})
	}
}

// What was found when a condition failed is kept, until something that the operation read has changed.
func TestFound(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	for _, id := range []string{"read", "other"} {
		_, err := outbox.Create(t.Context(), &message{ID: id})
		require.NoError(t, err)
	}
	fits := dynastay.MustCompile(expression.NewBuilder().WithCondition(dynastay.NameOf("text").Equal(dynastay.Param("text"))))
	change := func(id, text string) {
		_, err := outbox.Update(t.Context(), keyOf(id), func(m *message) error {
			m.Text = text
			return nil
		})
		require.NoError(t, err)
	}
	var texts []string // of the other one, as it was found by each preparation
	op := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Found",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			row, found := tx.Found(outboxTable, keyOf("other"))
			text := "nothing"
			if found {
				text = row.Text("text")
			}
			texts = append(texts, text)
			read, err := db.Get(ctx, outboxTable, keyOf("read"), dynastay.Consistent)
			if err != nil {
				return struct{}{}, err
			}
			want := map[int]string{0: "a", 1: "b", 2: "b", 3: "d"}[len(texts)-1]
			change("other", []string{"b", "c", "d", "d"}[len(texts)-1])
			if len(texts) == 3 {
				change("read", "changed")
			}
			tx.Check(outboxTable, keyOf("other"), fits.With(dynastay.Item{"text": dynastay.Text(want)}),
				func(dynastay.Row) error { return dynastay.ErrOvertaken })
			action, err := tx.Rewrite(outboxTable, read, expression.Set(dynastay.NameOf("text"), expression.Value(dynastay.Text("done"))))
			if err == nil {
				action.Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
			}
			return struct{}{}, err
		},
	})
	require.NoError(t, db.Write(t.Context(), op))
	assert.Equal(t, []string{"nothing", "b", "c", "nothing"}, texts)
}

// What only DynamoDB checks is rejected for certain, at once, and nothing is written. What is as large as can be is written.
func TestRejectedForItsSize(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	put := func(id string, v types.AttributeValue) func() error {
		return func() error { return putValue(t, db, id, v) }
	}
	lists := func(levels int) types.AttributeValue {
		v := &types.AttributeValueMemberL{}
		for range levels - 1 {
			v = &types.AttributeValueMemberL{Value: []types.AttributeValue{v}}
		}
		return v
	}
	require.NoError(t, put(strings.Repeat("k", 2048), dynastay.Number(1))())
	require.NoError(t, put("levels", lists(31))())
	require.NoError(t, put("empty", dynastay.Text(""))())
	made, err := outbox.Create(t.Context(), &message{ID: "item", Text: strings.Repeat("x", 300<<10)})
	require.NoError(t, err)
	writes := func() int { return db.Faults.Count("TransactWriteItems") + db.Faults.Count("UpdateItem") }
	for what, write := range map[string]func() error{
		"a key of 2,049 bytes":   put(strings.Repeat("k", 2049), dynastay.Number(1)),
		"a value of 40 levels":   put("levels", lists(40)),
		"a set without elements": put("empty", &types.AttributeValueMemberSS{}),
		"an item of more than 400 KB, of which the update has 300": func() error {
			return db.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
				Name: "test.Grow",
				Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
					tx.Update(outboxTable, keyOf("item"), more.With(dynastay.Item{"more": dynastay.Text(made.Text)}))
					return struct{}{}, nil
				},
			}))
		},
	} {
		sent := writes()
		err := write()
		assert.ErrorIs(t, err, dynastay.ErrRejected, what)
		assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown, what)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid, what)
		assert.Equal(t, sent+1, writes(), what)
	}
	got, err := outbox.Get(t.Context(), keyOf("item"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

// DynamoDB stores 38 digits of a number. It rejects one with more, instead of rounding it, as dynoxide does.
func TestRejectedForItsDigits(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, outboxTables, dyntest.On(engine.Dynoxide))
	number := func(digits int) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: strings.Repeat("1", digits)}
	}
	require.NoError(t, putValue(t, db, "number", number(38)))
	assert.ErrorIs(t, putValue(t, db, "number", number(39)), dynastay.ErrRejected)
	row, err := db.Get(t.Context(), outboxTable, keyOf("number"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, number(38), row.Item()["v"])
}

// putValue puts an item with one value.
func putValue(t *testing.T, db *dyntest.DB, id string, v types.AttributeValue) error {
	t.Helper()
	return db.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Put",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Put(outboxTable, dynastay.Item{"id": dynastay.Text(id), "v": v})
			return struct{}{}, nil
		},
	}))
}

var more = dynastay.MustCompile(expression.NewBuilder().WithUpdate(expression.Set(dynastay.NameOf("more"), dynastay.Param("more"))))
