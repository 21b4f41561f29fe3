package dynastay_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// Tagged structs contain the id like any other attribute; what they write into it is ignored.
func TestWriteIDOfTaggedEntities(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	type tagged struct {
		ID      string           `dynamodbav:"id"`
		WriteID dynastay.WriteID `dynamodbav:"WriteId"`
	}
	db, _ := openOutbox(t, dynastay.Options{})
	table := entity.NewTable(db.DB, entity.New(entity.Spec[tagged]{
		Name: "Tagged", Schema: outboxTable, Codec: entity.Tagged[tagged](),
		Key: func(v *tagged) (dynastay.Key, error) { return keyOf(v.ID), nil },
	}))
	made, err := table.Put(ctx, &tagged{ID: "t"})
	require.NoError(t, err)
	again, err := table.Put(ctx, made)
	require.NoError(t, err)
	assert.NotEqual(t, made.WriteID, again.WriteID)
	got, err := table.Get(ctx, keyOf("t"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, again, got)
	text, err := json.Marshal(got)
	require.NoError(t, err)
	assert.Contains(t, string(text), string(got.WriteID), "it can go through a form")
}

// The requests of one preparation are identical byte for byte, including write ids.
func TestPreparationsDifferInTheirIDs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	stop := db.Faults.Record()
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "UpdateItem", Nth: 1})
	_, err = outbox.Update(ctx, keyOf("m"), increment)
	require.NoError(t, err)
	var sent []dyntest.Request
	for _, r := range stop() {
		if r.Operation == "UpdateItem" {
			sent = append(sent, r)
		}
	}
	require.Len(t, sent, 2)
	assert.Equal(t, string(sent[0].Body), string(sent[1].Body))
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
