package venue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

func TestUsers(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ctx := t.Context()
	u, err := h.repo.CreateUser(ctx, venue.User{Email: " Ann@Example.com", Name: "Ann", Role: venue.Admin, RequestedCount: 7, ApprovedCount: 7})
	require.NoError(t, err)
	assert.Equal(t, &venue.User{
		ID: u.ID, Email: "ann@example.com", Name: "Ann", Role: venue.Customer, CreatedAt: now, UpdatedAt: now, Version: 1,
	}, u, "nobody makes themselves an administrator")
	_, err = h.repo.CreateUser(ctx, venue.User{Email: "ANN@example.com", Name: "Another"})
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)

	u, err = h.repo.UpdateUser(ctx, u.ID, func(u *venue.User) error { u.Email = "Ann@Example.org"; return nil }, dynastay.IfVersion(1))
	require.NoError(t, err)
	assert.Equal(t, "ann@example.org", u.Email)
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		found, err := h.repo.UserByEmail(ctx, "ann@EXAMPLE.org", opts...)
		require.NoError(t, err)
		assert.Equal(t, u, found)
		_, err = h.repo.UserByEmail(ctx, "ann@example.com", opts...)
		require.ErrorIs(t, err, dynastay.ErrNotFound, "the old address is free")
	}
	other, err := h.repo.CreateUser(ctx, venue.User{Email: "ann@example.com", Name: "Another"})
	require.NoError(t, err)
	const unseen = "b\u200ben@example.com"
	_, err = h.repo.CreateUser(ctx, venue.User{Email: unseen, Name: "Ben"})
	require.ErrorContains(t, err, "invisible")
	_, err = h.repo.UpdateUser(ctx, other.ID, func(u *venue.User) error { u.Email = unseen; return nil })
	require.ErrorContains(t, err, "invisible")

	_, err = h.repo.SetRole(ctx, ann, u.ID, venue.Admin)
	require.ErrorIs(t, err, venue.ErrNotAllowed)
	u, err = h.repo.SetRole(ctx, admin, u.ID, venue.Admin)
	require.NoError(t, err)
	assert.Equal(t, venue.Admin, u.Role)
	assert.Equal(t, 3, u.Version)
	_, err = h.repo.UpdateUser(ctx, other.ID, func(u *venue.User) error { u.Role = venue.Admin; return nil })
	require.Error(t, err)
	stored, err := h.repo.User(ctx, other.ID)
	require.NoError(t, err)
	assert.Equal(t, venue.Customer, stored.Role)
	again, err := h.repo.SetRole(ctx, admin, u.ID, venue.Admin)
	require.NoError(t, err)
	assert.Equal(t, u, again, "the role does not change")
	log := lists.All(t, h.repo.Audit(dynastay.DateOf(now, nil)))
	require.Len(t, log, 1)
	assert.Equal(t, venue.AuditEntry{
		ID: log[0].ID, At: now, By: admin.UserID, Role: venue.Admin, Action: venue.RoleSet, UserID: u.ID, Note: "admin",
	}, *log[0])
}

// A user who was read and is stored under another id is a new user.
func TestCopyOfAUser(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	h.approved(t, ann, day, venue.Morning)
	u, err := h.repo.User(t.Context(), ann.UserID)
	require.NoError(t, err)
	u.ID, u.Email = "user_copy", "copy@example.com"
	_, err = h.repo.CreateUser(t.Context(), *u)
	require.NoError(t, err)
	for _, count := range []string{"requestedCount", "approvedCount", "countsMoved"} {
		assert.Nil(t, h.stored(t, "USER#user_copy", "METADATA")[count], count)
	}
}

// A user who was stored before domains were folded is found by the address as it was.
func TestUserStoredWithACapitalDomain(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	repo := venue.New(h.DB.DB, nil)
	ada, err := repo.CreateUser(t.Context(), venue.User{Email: "ada@example.com", Name: "Ada"})
	require.NoError(t, err)
	row, err := h.Direct.Get(t.Context(), venuekeys.Table, dynastay.Key{PK: "USER#" + ada.ID, SK: "METADATA"}, dynastay.Consistent)
	require.NoError(t, err)
	item, guard := row.Item(), dynastay.Item{
		"PK": dynastay.Text("EMAIL#ada@mÜnchen.example"), "SK": dynastay.Text("GUARD"), "userId": dynastay.Text(ada.ID),
	}
	item["email"], item["GSI1PK"] = dynastay.Text("ada@mÜnchen.example"), dynastay.Text("EMAIL#ada@mÜnchen.example")
	require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		_ = yield(venuekeys.Table, item) && yield(venuekeys.Table, guard)
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

// With a secret, no key contains an address; the address is unique and found all the same.
func TestHashedAddresses(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	repo := venue.New(h.DB.DB, &venue.Options{EmailSecret: []byte("secret")})
	made, err := repo.CreateUser(t.Context(), venue.User{Email: "Eva@Example.com", Name: "Eva"})
	require.NoError(t, err)
	_, err = repo.CreateUser(t.Context(), venue.User{Email: "eva@example.com", Name: "Another"})
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		found, err := repo.UserByEmail(t.Context(), " EVA@example.com", opts...)
		require.NoError(t, err)
		assert.Equal(t, made.ID, found.ID)
	}
	hash, err := key.HashEmail([]byte("secret"), "eva@example.com")
	require.NoError(t, err)
	row, err := h.Direct.Get(t.Context(), venuekeys.Table, dynastay.Key{PK: "USER#" + made.ID, SK: "METADATA"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "EMAIL#"+hash, row.Text("GSI1PK"))
	for at, there := range map[string]bool{hash: true, "eva@example.com": false} {
		guard, err := h.Direct.Get(t.Context(), venuekeys.Table, dynastay.Key{PK: "EMAIL#" + at, SK: "GUARD"}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, there, guard.Exists())
	}
	_, err = repo.UserByEmail(t.Context(), "nobody")
	require.ErrorIs(t, err, dynastay.ErrInvalid)
}
