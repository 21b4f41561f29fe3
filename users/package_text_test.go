package users_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// Error texts end up in logs, so they contain no address, even if the key does.
func TestErrorsHoldNoAddress(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	twice := func() error {
		return db.Write(t.Context(), repo.CreateOp(john()), repo.CreateOp(john(func(u *users.User) { u.ID = "user_2" })))
	}
	err := twice()
	blame.Of(t, err, dynastay.ErrInvalid, "Operations")
	assert.ErrorContains(t, err, "both write item EMAIL#***/GUARD")
	assert.NotContains(t, err.Error(), "john")

	_, err = repo.Create(t.Context(), john(), dynastay.IdempotencyKey("john.doe@example.com"))
	require.NoError(t, err)
	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.FirstName = "Jane" }), dynastay.IdempotencyKey("john.doe@example.com"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	assert.NotContains(t, err.Error(), "john")
	assert.ErrorContains(t, err, "IDEMPOTENCY#***")

	_, err = keys.Parse[keys.ProfileByEmail](dynastay.Key{PK: "EMAIL#john@doe@example.com", SK: "USER"})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.NotContains(t, err.Error(), "john")
}
