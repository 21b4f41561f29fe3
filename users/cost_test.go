package users_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/users"
)

func TestCosts(t *testing.T) {
	t.Parallel()
	var calls []dynastay.Call
	db := dyntest.New(t, userTables, dyntest.With(dynastay.Options{
		Observer: func(_ context.Context, c dynastay.Call) { calls = append(calls, c) },
	}))
	repo := users.New(db.DB, nil)
	only := func(operation string) dynastay.Call {
		t.Helper()
		require.Len(t, calls, 1)
		call := calls[0]
		calls = nil
		assert.Equal(t, operation, call.Operation)
		assert.Equal(t, 1, call.Requests())
		return call
	}
	units := func(c dynastay.Call, index string) (read, write float64) {
		for _, u := range c.Usage {
			if u.Index == index {
				read, write = read+u.ReadUnits, write+u.WriteUnits
			}
		}
		return read, write
	}

	// The first use of a repository reads the form of the addresses in keys, and the first user of all puts it.
	first := john()
	first.ID, first.Email = "user_1", "first@example.com"
	_, err := repo.Create(t.Context(), first)
	require.NoError(t, err)
	require.Len(t, calls, 3)
	assert.Equal(t, 1.0, calls[0].ReadUnits())
	assert.Equal(t, 1.0, calls[1].WriteUnits())
	calls = nil

	_, err = repo.Create(t.Context(), john())
	require.NoError(t, err)
	creation := only("TransactWriteItems")
	_, table := units(creation, "")
	_, index := units(creation, "GSI1-EmailIndex")
	// Profile and guard of up to 1 KB each, and the check of the caller's id, twice for the transaction. DynamoDB Local
	// does not charge for a check of an item that does not exist.
	if db.Has(dyntest.ExactUnits) {
		assert.Equal(t, 6.0, table)
	}
	assert.Equal(t, db.Has(dyntest.IndexUnits), index > 0, "engines count them differently")

	_, err = repo.Get(t.Context(), "user_456")
	require.NoError(t, err)
	get := only("GetItem")
	assert.Equal(t, 0.5, get.ReadUnits()) // up to 4 KB, eventually consistent

	_, err = repo.ByEmail(t.Context(), "john.doe@example.com")
	require.NoError(t, err)
	byEmail := only("Query")
	read, _ := units(byEmail, "GSI1-EmailIndex")
	assert.Equal(t, 0.5, read)
	assert.Equal(t, 0.5, byEmail.ReadUnits()) // the index alone

	_, err = repo.Create(t.Context(), john())
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	only("TransactWriteItems")
}
