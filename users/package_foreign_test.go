package users_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// Values that other software stored, and that this package would refuse, are reported as such or removed. They are
// never reported as an argument of the caller, and no write is acknowledged that did not happen.
func TestOddUsers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := clocked(t)
	item := raw.Document(t, "testdata/profile.json")
	for _, login := range []string{"Mon Jan 2 2006", "yesterday"} {
		item["LastLoginAt"] = dynastay.Text(login)
		put(t, db, item)
		blame.Of(t, repo.RecordLogin(ctx, "user_456"), dynastay.ErrCorrupt, "LastLoginAt")
	}
	item["LastLoginAt"] = dynastay.Number(7)
	put(t, db, item)
	blame.Of(t, repo.RecordLogin(ctx, "user_456"), dynastay.ErrCorrupt, "LastLoginAt")

	item = raw.Document(t, "testdata/profile.json")
	item["PhoneNumber"] = dynastay.Text("555-1234")
	put(t, db, item)
	_, err := repo.VerifyEmail(ctx, "user_456", "john.doe@example.com")
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	require.NotErrorIs(t, err, dynastay.ErrInvalid)
	_, err = repo.ReplaceEmail(ctx, "user_456", "john.doe@example.com", "new@example.com")
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	_, err = repo.Update(ctx, "user_456", editing(func(u *users.User) { u.Phone = "" }))
	require.NoError(t, err)
	_, err = repo.VerifyEmail(ctx, "user_456", "john.doe@example.com")
	require.NoError(t, err)

	list := raw.Document(t, "testdata/wishlist.json")
	list["PropertyIds"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Text("prop_1"), dynastay.Text("prop#1")}}
	raw.Put(t, db, keys.MetadataTable, list)
	got, err := repo.RemoveFromWishlist(ctx, "user_456", "wl_123", "prop#1")
	require.NoError(t, err)
	assert.Equal(t, []string{"prop_1"}, got.PropertyIDs)

	delete(item, "UserId")
	item["PK"] = dynastay.Text("USER#user_7")
	put(t, db, item)
	report, err := repo.Erase(ctx, "user_7")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"profiles deleted": 1}, report.Done)
	assertErased(t, db, "user_7", "")

	refused := &users.PointsError{UserID: "john@example.com", Points: 2, Balance: 1}
	assert.Equal(t, "loyalty account of ***: 2 points exceed the balance of 1", refused.Error())
}
