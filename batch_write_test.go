package dynastay_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestDeleteAll(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	under, _ := openOutbox(t, dynastay.Options{})
	client := &batches{Client: under.Client}
	db := impatient(prefix(under), client, 3)
	var all []row
	for i := range 80 {
		all = append(all, note(fmt.Sprint(i), "there"))
	}
	require.NoError(t, under.PutAll(ctx, rows(all...)))

	var gone []dynastay.Key
	for i := range 60 {
		gone = append(gone, keyOf(fmt.Sprint(i)))
	}
	gone = append(gone, keyOf("59"), keyOf("missing"), dynastay.Key{PK: "58", SK: "a table without a sort key ignores it"})
	require.NoError(t, db.DeleteAll(ctx, outboxTable, gone))
	assert.Equal(t, []int{25, 25, 11}, client.writes, "61 different keys")
	left := stored(t, under.DB, 80)
	assert.Len(t, left, 20)
	for id := range left {
		n, err := strconv.Atoi(id)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, n, 60)
	}

	client.writes = nil
	require.NoError(t, db.DeleteAll(ctx, outboxTable, nil))
	assert.Empty(t, client.writes, "nothing to delete is no request")

	err := db.DeleteAll(ctx, outboxTable, slices.Concat(gone, []dynastay.Key{{}}))
	blame.Invalid(t, err, "Keys[63].PK")
	assert.Empty(t, client.writes)
}

func TestDeleteAllSendsTheRestAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	under, _ := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Base: time.Microsecond, Cap: time.Microsecond}})
	var all []row
	var gone []dynastay.Key
	for i := range 40 {
		all, gone = append(all, note(fmt.Sprint(i), "there")), append(gone, keyOf(fmt.Sprint(i)))
	}
	require.NoError(t, under.PutAll(ctx, rows(all...)))
	under.Faults.Inject(dyntest.Unprocessed(20), dyntest.When{Operation: "BatchWriteItem"})
	under.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "BatchWriteItem", Nth: 2})
	require.NoError(t, under.DeleteAll(ctx, outboxTable, gone))
	assert.Empty(t, stored(t, under.DB, 40))
}
