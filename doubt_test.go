package dynastay_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// enterDoor is an operation that succeeds while a door is shut, and is otherwise prepared again. It is written together
// with others.
func enterDoor() dynastay.Part {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Enter", Input: func(*dynastay.Input) {},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Check(outboxTable, keyOf("door"), dynastay.IfNew(outboxTable), func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return struct{}{}, nil
		},
	})
}

func count(id string) dynastay.Part {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Count",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Update(outboxTable, keyOf(id), addHit).Else(func(dynastay.Row) error { return dynastay.ErrNotFound })
			return struct{}{}, nil
		},
	})
}

// An update that arrived late has left nothing to change. The operations written with it are not done again.
func TestOwnLateRequestThatLeavesNothingToChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	table := entity.NewTable(db.Direct, shelfEntity)
	for _, id := range []string{"a", "counted"} {
		_, err := outbox.Create(ctx, &message{ID: id})
		require.NoError(t, err)
	}
	late := &straggler{Client: db.Client, refusal: cancelled("None", "None", "ConditionalCheckFailed")}
	mine := over(db, late, 5)
	box := entity.NewTable(mine, messageEntity)
	set := box.UpdateOp(keyOf("a"), func(m *message) error { m.Text = "set"; return nil })
	require.NoError(t, mine.Write(ctx, set, count("counted"), enterDoor()))
	got, err := table.Get(ctx, keyOf("counted"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 1, got.Hits)
}

// A put leaves no trace of the previous write. A write that may have been carried out and overwritten is not reported
// as refused, and not done again.
func TestOwnLateRequestThatWasOverwritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		opts []dynastay.UpdateOption
		hide func(*entity.Table[message]) error
	}{
		"put": {nil, func(box *entity.Table[message]) error {
			_, err := box.Put(context.Background(), &message{ID: "a", Version: 7})
			return err
		}},
		"put, for one version": {[]dynastay.UpdateOption{dynastay.IfVersion(1)}, func(box *entity.Table[message]) error {
			_, err := box.Put(context.Background(), &message{ID: "a", Version: 7})
			return err
		}},
		"deleted": {nil, func(box *entity.Table[message]) error { return box.Delete(context.Background(), keyOf("a")) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "a"})
			require.NoError(t, err)
			late := &straggler{Client: db.Client, refusal: cancelled("None", "ConditionalCheckFailed")}
			before(db, "GetItem", 2, func(context.Context) { assert.NoError(t, test.hide(entity.NewTable(db.Direct, messageEntity))) })
			mine := over(db, late, 5)
			err = mine.Write(ctx, entity.NewTable(mine, messageEntity).UpdateOp(keyOf("a"), increment, test.opts...), enterDoor())
			assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown, "it was carried out, and nothing is left of it")
		})
	}
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

// locked makes all reads fail once the late request has arrived.
type locked struct{ straggler }

func (c *locked) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if c.sent >= 2 {
		return nil, &smithy.GenericAPIError{Code: "AccessDeniedException"}
	}
	return c.Client.GetItem(ctx, in, o...)
}

// If DynamoDB now rejects this caller, that says nothing about what it accepted before.
func TestRejectionAfterALostAnswerUnderAKey(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "a"})
	require.NoError(t, err)
	late := &locked{straggler{Client: db.Client, refusal: cancelled("None", "ConditionalCheckFailed", "None")}}
	mine := over(db, late, 5)
	update := entity.NewTable(mine, messageEntity).UpdateOp(keyOf("a"), increment, dynastay.AgreedOn("one"))
	err = mine.Write(ctx, dynastay.IdempotencyKey("k"), update, enterDoor())
	got, readErr := outbox.Get(ctx, keyOf("a"), dynastay.Consistent)
	require.NoError(t, readErr)
	require.Equal(t, 1, got.Sent, "it was written")
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.NotErrorIs(t, err, dynastay.ErrRejected)
}

// An id never recurs, not even in a copy of the item.
func TestPutAllLeavesNoOldWriteID(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	locks := entity.NewTable(db.DB, lockEntity)
	first, err := locks.Create(ctx, &lock{Name: "l", Holder: "a"})
	require.NoError(t, err)
	row, err := db.Get(ctx, outboxTable, keyOf("l"), dynastay.Consistent)
	require.NoError(t, err)
	item := row.Item()
	require.NoError(t, locks.Delete(ctx, keyOf("l"), dynastay.IfWritten(first.WriteID)))
	item["holder"] = dynastay.Text("b")
	require.NoError(t, db.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(outboxTable, item) }))
	assert.ErrorIs(t, locks.Delete(ctx, keyOf("l"), dynastay.IfWritten(first.WriteID)), dynastay.ErrVersion)
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

// A raw put of an item that was read is a new write.
func TestCopyOfAnItemHasAnIDOfItsOwn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	locks := entity.NewTable(db.DB, lockEntity)
	first, err := locks.Create(ctx, &lock{Name: "l", Holder: "a"})
	require.NoError(t, err)
	item, err := db.Get(ctx, outboxTable, keyOf("l"), dynastay.Consistent)
	require.NoError(t, err)
	require.NoError(t, db.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Copy",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Put(outboxTable, item.Item())
			return struct{}{}, nil
		},
	})))
	assert.ErrorIs(t, locks.Delete(ctx, keyOf("l"), dynastay.IfWritten(first.WriteID)), dynastay.ErrVersion)
}
