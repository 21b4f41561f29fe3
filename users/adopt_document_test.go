package users_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// The document's profile is adopted: its address is its own, and nobody else can create a user with it.
func TestAdoptRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := clocked(t)
	theirs, other := raw.Document(t, "testdata/profile.json"), raw.Document(t, "testdata/loyalty.json")
	put(t, db, theirs)
	put(t, db, other)
	before, err := repo.Get(ctx, "user_456")
	require.NoError(t, err)
	adopted, err := repo.AdoptRow(ctx, dynastay.RowOf(other))
	require.NoError(t, err)
	assert.False(t, adopted, "no profile")
	for _, first := range []bool{true, false} {
		adopted, err = repo.AdoptRow(ctx, dynastay.RowOf(theirs))
		require.NoError(t, err)
		assert.Equal(t, first, adopted)
	}
	after, err := repo.Get(ctx, "user_456")
	require.NoError(t, err)
	assert.Equal(t, before, after)
	_, err = repo.Create(ctx, users.User{Email: before.Email, FirstName: "Jane", LastName: "Doe", Role: users.Customer})
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	found, err := repo.ByEmail(ctx, before.Email, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "user_456", found.ID)
}

// With a secret, the keys of an adopted profile are made with it, and a repository with another one adopts nothing.
func TestAdoptRowWithASecret(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := clocked(t)
	theirs := raw.Document(t, "testdata/profile.json")
	put(t, db, theirs)
	repo := users.New(db.DB, &users.Options{EmailSecret: []byte("0123456789abcdef0123456789abcdef")})
	adopted, err := repo.AdoptRow(ctx, dynastay.RowOf(theirs))
	require.NoError(t, err)
	assert.True(t, adopted)
	found, err := repo.ByEmail(ctx, "john.doe@example.com", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "user_456", found.ID)
	_, err = users.New(db.DB, nil).AdoptRow(ctx, dynastay.RowOf(theirs))
	require.ErrorIs(t, err, users.ErrEmailSecret)
}

// Other software stores the profile of an erased user again. It is not adopted: its address gets no guard.
func TestAdoptRowOfAnErasedUser(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := clocked(t)
	theirs := raw.Document(t, "testdata/profile.json")
	put(t, db, theirs)
	_, err := repo.Erase(ctx, "user_456")
	require.NoError(t, err)
	adopted, err := repo.AdoptRow(ctx, dynastay.RowOf(theirs))
	require.NoError(t, err, "it is gone, as it should be")
	assert.False(t, adopted)
	put(t, db, theirs)
	before := raw.All(t, db, keys.UsersTable)
	_, err = repo.AdoptRow(ctx, dynastay.RowOf(theirs))
	require.ErrorIs(t, err, users.ErrErased)
	assert.ElementsMatch(t, before, raw.All(t, db, keys.UsersTable))
}
