package users_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/users"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 12, 0, 0, int(7*time.Millisecond), time.UTC)
	db := dyntest.New(t, userTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return now }}))
	repo := users.New(db.DB, nil)
	made, err := repo.Create(t.Context(), john(func(u *users.User) {
		u.Email = " John.Doe@Example.COM "
		u.CreatedAt, u.UpdatedAt, u.Version = now.Add(-1), now.Add(-1), 7 // set by the library, whatever is in them
	}))
	require.NoError(t, err)
	want := john()
	want.CreatedAt, want.UpdatedAt, want.Version = now, now, 1
	assert.Equal(t, &want, made)
	got, err := repo.Get(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	got, err = repo.ByEmail(t.Context(), "john.doe@example.com")
	require.NoError(t, err)
	assert.Equal(t, &want, got)

	profile := partition(t, db, "USER#user_456")[0]
	assert.Equal(t, "EMAIL#john.doe@example.com", profile["GSI1PK"])
	assert.Equal(t, "USER", profile["GSI1SK"])
	assert.Equal(t, []map[string]any{{
		"PK": "EMAIL#john.doe@example.com", "SK": "GUARD", "EntityType": "Guard", "UserId": "user_456",
	}}, partition(t, db, "EMAIL#john.doe@example.com"))
}

func TestCreateDrawsAnID(t *testing.T) {
	t.Parallel()
	repo := users.New(dyntest.New(t, userTables).DB, nil)
	made, err := repo.Create(t.Context(), users.User{Email: "a@b", FirstName: "A", LastName: "B", Role: users.Owner})
	require.NoError(t, err)
	assert.Regexp(t, `^user_[0-9A-Z]{26}$`, made.ID)
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	repo := users.New(dyntest.New(t, userTables).DB, nil)
	_, err := repo.Get(t.Context(), "user_1")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.ByEmail(t.Context(), "nobody@example.com")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.NotContains(t, err.Error(), "nobody@example.com", "an address is personal data")
}

func TestCreateOfWhatIsTaken(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)

	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.ID, u.Email = "user_2", "JOHN.DOE@example.com" }))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "Email")
	assert.Empty(t, partition(t, db, "USER#user_2"))

	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.Email = "other@example.com" }))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "")
	assert.Empty(t, partition(t, db, "EMAIL#other@example.com"))

	got, err := repo.Get(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

func TestCreateOnce(t *testing.T) {
	t.Parallel()
	repo := users.New(dyntest.New(t, userTables).DB, nil)
	key := dynastay.IdempotencyKey("sign-up-1")
	noID := func(u *users.User) { u.ID = "" }
	made, err := repo.Create(t.Context(), john(noID), key)
	require.NoError(t, err)
	again, err := repo.Create(t.Context(), john(noID, func(u *users.User) { u.CreatedAt, u.LastLoginAt, u.Version = time.Now(), time.Now(), 7 }), key)
	require.NoError(t, err)
	assert.Equal(t, made, again)

	for name, change := range map[string]func(*users.User){
		"email":    func(u *users.User) { u.Email = "jane.doe@example.com" },
		"role":     func(u *users.User) { u.Role = users.Admin },
		"verified": func(u *users.User) { u.EmailVerified = false },
		"id":       func(u *users.User) { u.ID = "user_7" },
	} {
		_, err := repo.Create(t.Context(), john(noID, change), key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
	_, err = repo.Create(t.Context(), john(noID))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "Email")
}
