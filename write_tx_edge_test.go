package dynastay_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
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
