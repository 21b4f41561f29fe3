package users_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// streamed returns a database whose tables have streams. Its clock stands still until advanced.
func streamed(t *testing.T) (*dyntest.DB, *users.Repository) {
	t.Helper()
	db := dyntest.New(t, append(
		streamtest.Tables(keys.UsersTable, keys.MetadataTable), dyntest.At(start), dyntest.With(dynastay.Options{IndexLag: 1}),
	)...)
	return db, users.New(db.DB, nil)
}

// Every change of a user and what belongs to the user is decoded as the repository returned it.
func TestChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := streamed(t)
	was := func(err error) {
		t.Helper()
		require.NoError(t, err)
		db.Clock.Advance(time.Minute) // every change has times of its own
	}

	created, err := repo.Create(ctx, john(func(u *users.User) { u.ID = "user_1" }))
	was(err)
	updated, err := repo.Update(ctx, "user_1", editing(func(u *users.User) { u.Email, u.Phone = "jd@example.com", "" }))
	was(err)
	was(repo.RecordLogin(ctx, "user_1"))
	seen, err := repo.Get(ctx, "user_1", dynastay.Consistent)
	was(err)
	require.NotEqual(t, updated.LastLoginAt, seen.LastLoginAt)

	preferred, err := repo.UpdatePreferences(ctx, "user_1", setting("theme", "dark"))
	was(err)
	repreferred, err := repo.UpdatePreferences(ctx, "user_1", setting("theme", ""))
	was(err)

	var accounts []*users.Loyalty
	earned, err := repo.Earn(ctx, movement("bkg_1", 1500))
	was(err)
	accounts = append(accounts, account(t, repo))
	require.Equal(t, users.Silver, earned.TierReached)
	redeemed, err := repo.Redeem(ctx, movement("bkg_2", 200))
	was(err)
	accounts = append(accounts, account(t, repo))
	reversed, err := repo.Reverse(ctx, "user_1", "bkg_2")
	was(err)
	accounts = append(accounts, account(t, repo))

	listed, err := repo.CreateWishlist(ctx, summer(func(w *users.Wishlist) { w.UserID = "user_1" }))
	was(err)
	longer, err := repo.AddToWishlist(ctx, "user_1", "wl_123", "prop_9")
	was(err)
	public, err := repo.UpdateWishlist(ctx, "user_1", "wl_123", func(w *users.Wishlist) error { w.Public = true; return nil })
	was(err)
	removed, err := repo.CreateWishlist(ctx, summer(func(w *users.Wishlist) { w.ID, w.UserID = "wl_2", "user_1" }))
	was(err)
	was(repo.DeleteWishlist(ctx, "user_1", "wl_2"))

	erased, err := repo.Erase(ctx, "user_1")
	was(err)
	_, err = repo.Erase(ctx, "user_1")
	was(err)

	changes := repo.Changes()
	assert.Equal(t, map[string][]*users.User{
		"USER#user_1/PROFILE": {created, updated, seen, nil},
	}, streamtest.Histories(t, db, keys.UsersTable, changes.Users))
	assert.Equal(t, map[string][]*users.Preferences{
		"USER#user_1/PREFERENCE": {preferred, repreferred, nil},
	}, streamtest.Histories(t, db, keys.UsersTable, changes.Preferences))
	assert.Equal(t, map[string][]*users.Loyalty{
		"USER#user_1/LOYALTY": append(accounts, nil),
	}, streamtest.Histories(t, db, keys.UsersTable, changes.Loyalty))
	assert.Equal(t, map[string][]*users.LoyaltyEntry{
		"USER#user_1/LOYALTYENTRY#bkg_1": {earned, nil},
		"USER#user_1/LOYALTYENTRY#bkg_2": {redeemed, reversed, nil},
	}, streamtest.Histories(t, db, keys.UsersTable, changes.LoyaltyEntries))
	assert.Equal(t, map[string][]*users.Wishlist{
		"USER#user_1/WISHLIST#wl_123": {listed, longer, public, nil},
		"USER#user_1/WISHLIST#wl_2":   {removed, nil},
	}, streamtest.Histories(t, db, keys.MetadataTable, changes.Wishlists))
	assert.Equal(t, map[string][]*users.Erased{
		"USER#user_1/ERASED": {{UserID: "user_1", ErasedAt: erased.ErasedAt}},
	}, streamtest.Histories(t, db, keys.UsersTable, changes.Erasures))
}

// The hotel-booking document's items are decoded unchanged, and so is what the repository makes of them.
func TestChangesOfTheDocument(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := streamed(t)
	put(t, db, raw.Document(t, "testdata/profile.json"))
	put(t, db, raw.Document(t, "testdata/loyalty.json"))
	raw.Put(t, db, keys.MetadataTable, raw.Document(t, "testdata/wishlist.json"))
	user, err := repo.Get(ctx, "user_456", dynastay.Consistent)
	require.NoError(t, err)
	points, err := repo.Loyalty(ctx, "user_456", dynastay.Consistent)
	require.NoError(t, err)
	list, err := repo.Wishlist(ctx, "user_456", "wl_123", dynastay.Consistent)
	require.NoError(t, err)

	renamed, err := repo.Update(ctx, "user_456", editing(func(u *users.User) { u.FirstName = "Jack" }))
	require.NoError(t, err)
	_, err = repo.Redeem(ctx, users.Movement{UserID: "user_456", ReasonID: "bkg_1", Points: 100})
	require.NoError(t, err)
	fewer, err := repo.Loyalty(ctx, "user_456", dynastay.Consistent)
	require.NoError(t, err)
	shorter, err := repo.RemoveFromWishlist(ctx, "user_456", "wl_123", "prop_456")
	require.NoError(t, err)

	changes := repo.Changes()
	assert.Equal(t, map[string][]*users.User{
		"USER#user_456/PROFILE": {user, renamed},
	}, streamtest.Histories(t, db, keys.UsersTable, changes.Users))
	assert.Equal(t, map[string][]*users.Loyalty{
		"USER#user_456/LOYALTY": {points, fewer},
	}, streamtest.Histories(t, db, keys.UsersTable, changes.Loyalty))
	assert.Equal(t, map[string][]*users.Wishlist{
		"USER#user_456/WISHLIST#wl_123": {list, shorter},
	}, streamtest.Histories(t, db, keys.MetadataTable, changes.Wishlists))
}
