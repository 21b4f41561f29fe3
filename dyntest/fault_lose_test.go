package dyntest

import (
	"errors"
	"io"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnswerIsLost(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	client := d.impatient()
	lost := d.Faults.Inject(LoseAnswer(), When{Operation: "PutItem", Nth: 2})
	_, err := client.DeleteItem(ctx, remove(d, "a"))
	require.NoError(t, err, "it is a different operation")
	require.NoError(t, put(ctx, client, d, "a", "first"))
	assert.ErrorIs(t, put(ctx, client, d, "a", "second"), io.ErrUnexpectedEOF)
	assert.Equal(t, "second", read(t, d, "a"), "it was carried out")
	assert.NoError(t, put(ctx, client, d, "a", "third"))
	assert.Equal(t, 3, d.Faults.Count("PutItem"))
	assert.Equal(t, 1, lost.Hits())
}

func TestSDKRetriesARequestWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	d.Faults.Inject(LoseAnswer(), When{Operation: "TransactWriteItems", Nth: 1})
	_, err := d.Client.TransactWriteItems(t.Context(), add(d, "a"))
	require.NoError(t, err)
	assert.Equal(t, 2, d.Faults.Count("TransactWriteItems"))
	assert.Equal(t, "1", read(t, d, "a"), "the client token makes it one transaction")
}

func TestLostRequest(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	i := d.Faults.Inject(LoseRequest(), When{Operation: "PutItem", Nth: 1})
	err := put(ctx, d.impatient(), d, "a", "1")
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	var api smithy.APIError
	assert.False(t, errors.As(err, &api), "there was no answer")
	assert.Empty(t, read(t, d, "a"))
	assert.Equal(t, 1, i.Hits())
}
