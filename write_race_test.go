package dynastay_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// A transaction holds the item for as long as the test likes; another write of it gives up when its budget is spent.
func TestContention(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 2, Base: time.Millisecond}})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	db.Faults.Conflicts(0)
	held, release := make(chan struct{}), make(chan struct{})
	db.Faults.Inject(dyntest.Before(func(context.Context) {
		close(held)
		<-release
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := db.Write(ctx, outbox.PutOp(&message{ID: "m", Text: "slow"}), outbox.PutOp(&message{ID: "n"}))
		assert.NoError(t, err)
	})
	<-held

	_, err = outbox.Put(ctx, &message{ID: "m", Text: "single"})
	assert.ErrorIs(t, err, dynastay.ErrContention)
	var single *types.TransactionConflictException
	assert.ErrorAs(t, err, &single, "the SDK's error is within reach")

	err = db.Write(ctx, outbox.PutOp(&message{ID: "m"}), outbox.PutOp(&message{ID: "o"}))
	assert.ErrorIs(t, err, dynastay.ErrContention)
	close(release)
	wg.Wait()
	_, err = outbox.Get(ctx, keyOf("o"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "nothing was written")
}

// What is overtaken again and again ends as contention, not as an endless loop.
func TestOvertakenForEver(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 4, Base: time.Millisecond}})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	never, err := expression.NewBuilder().WithCondition(expression.Name("text").Equal(expression.Value("never"))).Build()
	require.NoError(t, err)
	prepared := 0
	op := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Never", Input: func(*dynastay.Input) {},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			prepared++
			tx.Delete(outboxTable, keyOf("m")).If(dynastay.Expr{
				Condition: never.Condition(), Names: never.Names(), Values: never.Values(),
			}, func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return struct{}{}, nil
		},
	})
	err = db.Write(ctx, op)
	assert.ErrorIs(t, err, dynastay.ErrContention)
	assert.Equal(t, 4, prepared)
}

// Concurrent changes to different attributes are both kept: the one that was overtaken is prepared again.
func TestTwoEditorsBothSurvive(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	before(db, "UpdateItem", 1, func(ctx context.Context) {
		_, err := entity.NewTable(db.Direct, messageEntity).Update(ctx, keyOf("m"), increment)
		assert.NoError(t, err)
	})
	got, err := outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "mine"; return nil })
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "mine", Sent: 1, Version: 3}, got)
	stored, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, stored, got)
}

// The result of a plain update is what is stored, with what another caller wrote at the same time.
func TestUpdateReturnsWhatIsStored(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	first := true
	got, err := outbox.Update(ctx, keyOf("m"), func(m *message) error {
		if first {
			first = false
			_, err := outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "other's"; return nil })
			require.NoError(t, err)
		}
		m.Sent = 1
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "other's", Sent: 1, Version: 3}, got)
}
