package dyntest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBeforeAndAfter(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	type mark struct{}
	ctx = context.WithValue(ctx, mark{}, "the caller's")
	var seen []string
	look := func(ctx context.Context) {
		seen = append(seen, read(t, d, "a"))
		assert.Equal(t, "the caller's", ctx.Value(mark{}))
		// A request that f sends with the same context does not take another turn.
		require.NoError(t, put(ctx, d.impatient(), d, "b", "own"))
	}
	before := d.Faults.Inject(Before(look), When{Operation: "PutItem", Nth: 1})
	after := d.Faults.Inject(After(look), When{Operation: "PutItem", Nth: 1})
	require.NoError(t, put(ctx, d.impatient(), d, "a", "1"))
	assert.Equal(t, []string{"", "1"}, seen)
	assert.Equal(t, 1, before.Hits())
	assert.Equal(t, 1, after.Hits())
	assert.Equal(t, 3, d.Faults.Count("PutItem"))
}

func TestTheContextEndsAfterTheCommit(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	ctx, cancel := context.WithCancel(t.Context())
	d.Faults.Inject(After(func(context.Context) { cancel() }), When{Operation: "PutItem", Nth: 1})
	assert.ErrorIs(t, put(ctx, d.Client, d, "a", "1"), context.Canceled)
	assert.Equal(t, "1", read(t, d, "a"))
	assert.Equal(t, 1, d.Faults.Count("PutItem"), "the SDK does not retry it")
}

// With Conflicts, a transaction that waits in Before holds its items.
func TestConflictsEncloseInjections(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	d.Faults.Conflicts(0)
	refused := func(context.Context) {
		assert.ErrorAs(t, put(ctx, d.impatient(), d, "n", "1"), new(*types.TransactionConflictException))
	}
	d.Faults.Inject(Before(refused), When{Operation: "TransactWriteItems", Nth: 1})
	d.Faults.Inject(After(refused), When{Operation: "TransactWriteItems", Nth: 1})
	_, err := d.impatient().TransactWriteItems(ctx, add(d, "n"))
	require.NoError(t, err)
	assert.Equal(t, "1", read(t, d, "n"))
	assert.NoError(t, put(ctx, d.impatient(), d, "n", "2"), "it is free again")
}
