package users_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/users"
)

func TestLostAnswer(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	assert.Equal(t, 2, db.Faults.Count("TransactWriteItems"))
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
	assert.Equal(t, 1, got.Version)
}
