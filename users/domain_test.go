package users_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// One mailbox is one account, however its domain is written.
func TestOneMailboxIsOneAccount(t *testing.T) {
	t.Parallel()
	spellings := []string{"ada@münchen.example", "ada@MÜNCHEN.example", "ada@xn--mnchen-3ya.example", "ADA@mu\u0308nchen.EXAMPLE"}
	for _, secret := range [][]byte{nil, []byte("0123456789abcdef0123456789abcdef")} {
		for _, first := range spellings {
			db := dyntest.New(t, dyntest.Tables(keys.UsersTable), dyntest.At(fixture.Now))
			repo := users.New(db.DB, &users.Options{EmailSecret: secret})
			ada, err := repo.Create(t.Context(), users.User{Email: first, FirstName: "Ada", LastName: "Byron", Role: users.Customer})
			require.NoError(t, err)
			assert.Equal(t, "ada@münchen.example", ada.Email)
			for _, email := range spellings {
				_, err := repo.Create(t.Context(), users.User{Email: email, FirstName: "A.", LastName: "B.", Role: users.Customer})
				assert.ErrorIs(t, err, dynastay.ErrAlreadyExists, email)
				for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
					found, err := repo.ByEmail(t.Context(), email, opts...)
					require.NoError(t, err, email)
					assert.Equal(t, ada.ID, found.ID)
				}
				same, err := repo.VerifyEmail(t.Context(), ada.ID, email)
				require.NoError(t, err)
				assert.Equal(t, ada.Email, same.Email)
			}
		}
	}
}

// A user who was stored before domains were folded keeps the guard and the row of the address, is found by it, and gets
// the normal form with the next change of the address. Nothing of the old form is left then.
func TestUserStoredWithACapitalDomain(t *testing.T) {
	t.Parallel()
	const stored = "ada@mÜnchen.example" // as the capitals were stored: only ASCII letters in lower case
	db := dyntest.New(t, dyntest.Tables(keys.UsersTable), dyntest.At(fixture.Now))
	repo := users.New(db.DB, nil)
	ada, err := repo.Create(t.Context(), users.User{ID: "user_1", Email: "ada@example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer})
	require.NoError(t, err)
	profile, err := db.Direct.Get(t.Context(), keys.UsersTable, dynastay.Key{PK: "USER#user_1", SK: "PROFILE"}, dynastay.Consistent)
	require.NoError(t, err)
	item := profile.Item()
	item["Email"], item["GSI1PK"] = dynastay.Text(stored), dynastay.Text("EMAIL#"+stored)
	old := dynastay.Key{PK: "EMAIL#" + stored, SK: "GUARD"}
	guarded := dynastay.Item{
		"PK": dynastay.Text(old.PK), "SK": dynastay.Text(old.SK), "EntityType": dynastay.Text("Guard"), "UserId": dynastay.Text("user_1"),
	}
	require.NoError(t, db.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		_ = yield(keys.UsersTable, item) && yield(keys.UsersTable, guarded)
	}))
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		found, err := repo.ByEmail(t.Context(), "ada@MÜNCHEN.example", opts...)
		require.NoError(t, err)
		assert.Equal(t, ada.ID, found.ID)
		assert.Equal(t, stored, found.Email)
	}
	guard := func() bool {
		row, err := db.Direct.Get(t.Context(), keys.UsersTable, old, dynastay.Consistent)
		require.NoError(t, err)
		return row.Exists()
	}
	_, err = repo.Update(t.Context(), "user_1", func(u *users.User) error { u.FirstName = "A."; return nil })
	require.NoError(t, err)
	assert.True(t, guard())
	changed, err := repo.Update(t.Context(), "user_1", func(u *users.User) error { u.Email = "ada@MÜNCHEN.example"; return nil })
	require.NoError(t, err)
	assert.Equal(t, "ada@münchen.example", changed.Email)
	assert.False(t, guard(), "the old guard is released")
	found, err := repo.ByEmail(t.Context(), "ada@xn--mnchen-3ya.example", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, ada.ID, found.ID)
}
