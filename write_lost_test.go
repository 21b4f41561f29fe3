package dynastay_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// An answer that is lost is asked for again with the same bytes, client token included, so that DynamoDB can tell that
// it is the same write; one that was overtaken is another write.
func TestWriteSendsTheSameAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	stop := db.Faults.Record()
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	require.NoError(t, db.Write(ctx, outbox.CreateOp(&message{ID: "a"}), outbox.CreateOp(&message{ID: "b"})))
	sent := stop()
	require.Len(t, sent, 2)
	assert.Equal(t, string(sent[0].Body), string(sent[1].Body))
	assert.Contains(t, string(sent[0].Body), "ClientRequestToken")

	stop = db.Faults.Record()
	runs := 0
	require.NoError(t, db.Write(ctx, outbox.CreateOp(&message{ID: "c"}), outbox.DeleteOp(keyOf("b")), dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Overtaken", Input: func(*dynastay.Input) {},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			runs++
			id := []string{"missing", "a"}[min(runs, 2)-1]
			tx.Check(outboxTable, keyOf(id), exists, func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return struct{}{}, nil
		},
	})))
	sent = stop()
	require.Len(t, sent, 2)
	assert.NotEqual(t, tokenOf(t, sent[0]), tokenOf(t, sent[1]))
}

var exists = func() dynastay.Expr {
	return dynastay.MustCompile(expression.NewBuilder().WithCondition(expression.AttributeExists(expression.Name("id")))).With(nil)
}()

func tokenOf(t *testing.T, r dyntest.Request) string {
	t.Helper()
	var body struct{ ClientRequestToken string }
	require.NoError(t, json.Unmarshal(r.Body, &body))
	require.NotEmpty(t, body.ClientRequestToken)
	return body.ClientRequestToken
}

func TestPlainWritesSurviveLostAnswers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})

	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "PutItem", Nth: 1})
	_, err := outbox.Create(ctx, &message{ID: "m", Text: "one"})
	require.NoError(t, err, "its own item is not taken for another's")
	_, err = outbox.Create(ctx, &message{ID: "m", Text: "two"})
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)

	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "UpdateItem", Nth: 1})
	got, err := outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Sent++; return nil })
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "one", Sent: 1, Version: 2}, got)
	stored, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, got, stored, "once")

	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "DeleteItem", Nth: 1})
	assert.ErrorIs(t, outbox.Delete(ctx, keyOf("m")), dynastay.ErrOutcomeUnknown, "it is gone, and anyone may have taken it")
	assert.ErrorIs(t, outbox.Delete(ctx, keyOf("m")), dynastay.ErrNotFound)
}

// Others wrote the item twice after a write whose answer was lost: nobody can tell any more whether it was done.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	other := entity.NewTable(db.Direct, messageEntity)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "UpdateItem", Nth: 1})
	before(db, "GetItem", 2, func(ctx context.Context) { // the first read is for the update, the second one to settle it
		for _, text := range []string{"other's", "once more"} {
			_, err := other.Update(ctx, keyOf("m"), func(m *message) error { m.Text = text; return nil })
			assert.NoError(t, err)
		}
	})
	_, err = outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "mine"; return nil })
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)

	// A put that takes no heed of what is there would bury the other's, were it simply sent again.
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "PutItem", Nth: 1})
	before(db, "GetItem", 1, func(ctx context.Context) {
		_, err := other.Put(ctx, &message{ID: "m", Text: "other's put"})
		assert.NoError(t, err)
	})
	_, err = outbox.Put(ctx, &message{ID: "m", Text: "mine"})
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "other's put", got.Text)
}
