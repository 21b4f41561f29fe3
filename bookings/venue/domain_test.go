package venue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	keys "github.com/dynastay/dynastay/keys/venue"
)

// A user who was stored before domains were folded is found by the address as it was.
func TestUserStoredWithACapitalDomain(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	repo := venue.New(h.DB.DB, nil)
	ada, err := repo.CreateUser(t.Context(), venue.User{Email: "ada@example.com", Name: "Ada"})
	require.NoError(t, err)
	row, err := h.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "USER#" + ada.ID, SK: "METADATA"}, dynastay.Consistent)
	require.NoError(t, err)
	item, guard := row.Item(), dynastay.Item{
		"PK": dynastay.Text("EMAIL#ada@mÜnchen.example"), "SK": dynastay.Text("GUARD"), "userId": dynastay.Text(ada.ID),
	}
	item["email"], item["GSI1PK"] = dynastay.Text("ada@mÜnchen.example"), dynastay.Text("EMAIL#ada@mÜnchen.example")
	require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		_ = yield(keys.Table, item) && yield(keys.Table, guard)
	}))
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		found, err := repo.UserByEmail(t.Context(), "ada@MÜNCHEN.example", opts...)
		require.NoError(t, err)
		assert.Equal(t, ada.ID, found.ID)
	}
}

// One mailbox is one account, however its domain is written.
func TestInternationalDomains(t *testing.T) {
	t.Parallel()
	spellings := []string{"ada@münchen.example", "ada@MÜNCHEN.example", "ada@xn--mnchen-3ya.example"}
	for _, secret := range [][]byte{nil, []byte("0123456789abcdef0123456789abcdef")} {
		h := newHall(t)
		repo := venue.New(h.DB.DB, &venue.Options{EmailSecret: secret})
		ada, err := repo.CreateUser(t.Context(), venue.User{Email: spellings[1], Name: "Ada"})
		require.NoError(t, err)
		for _, email := range spellings {
			_, err := repo.CreateUser(t.Context(), venue.User{Email: email, Name: "Another"})
			assert.ErrorIs(t, err, dynastay.ErrAlreadyExists, email)
			for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
				found, err := repo.UserByEmail(t.Context(), email, opts...)
				require.NoError(t, err, email)
				assert.Equal(t, ada.ID, found.ID)
			}
		}
	}
}
