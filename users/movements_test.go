package users_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/users"
)

func account(t *testing.T, repo *users.Repository) *users.Loyalty {
	t.Helper()
	l, err := repo.Loyalty(t.Context(), "user_1", dynastay.Consistent)
	require.NoError(t, err)
	return l
}

// Points that were redeemed are returned without counting as earned; points that were earned are withdrawn as if they
// had not been. A tier remains.
func TestReverse(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	ctx := t.Context()
	_, err := repo.Earn(ctx, movement("stay_1", 900))
	require.NoError(t, err)
	db.Clock.Advance(time.Hour)
	reached, err := repo.Earn(ctx, movement("stay_2", 100))
	require.NoError(t, err)
	assert.Equal(t, users.Silver, reached.TierReached)
	redeemed, err := repo.Redeem(ctx, movement("night", 600))
	require.NoError(t, err)
	assert.Empty(t, redeemed.TierReached)

	var refused *users.PointsError
	_, err = repo.Reverse(ctx, "user_1", "stay_1")
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, &users.PointsError{UserID: "user_1", Points: 900, Balance: 400}, refused)

	db.Clock.Advance(time.Hour)
	for range 2 { // the second time, nothing is written
		got, err := repo.Reverse(ctx, "user_1", "night")
		require.NoError(t, err)
		want := *redeemed
		want.ReversedAt = start.Add(2 * time.Hour)
		assert.Equal(t, &want, got)
		assert.Equal(t, 1000, account(t, repo).Points)
		assert.Equal(t, 1000, account(t, repo).LifetimePoints)
		db.Clock.Advance(time.Hour)
	}
	_, err = repo.Reverse(ctx, "user_1", "stay_2")
	require.NoError(t, err)
	assert.Equal(t, 900, account(t, repo).Points)
	assert.Equal(t, 900, account(t, repo).LifetimePoints)
	assert.Equal(t, users.Silver, account(t, repo).Tier)
	again, err := repo.Earn(ctx, movement("stay_3", 100))
	require.NoError(t, err)
	assert.Empty(t, again.TierReached)
	assert.Equal(t, start.Add(time.Hour), account(t, repo).TierSince)

	for _, used := range []func(context.Context, users.Movement, ...dynastay.WriteOption) (*users.LoyaltyEntry, error){repo.Earn, repo.Redeem} {
		_, err = used(ctx, movement("night", 600))
		require.Error(t, err)
	}
	_, err = repo.Redeem(ctx, movement("night", 600))
	assert.ErrorIs(t, err, users.ErrReversed)
	_, err = repo.Reverse(ctx, "user_1", "none")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.Reverse(ctx, "user_1", "a#b")
	blame.Of(t, err, dynastay.ErrInvalid, "ReasonID")
	got, err := repo.LoyaltyEntry(ctx, "user_1", "night", dynastay.Consistent)
	require.NoError(t, err)
	assert.False(t, got.ReversedAt.IsZero())
}

// A movement that 16 callers in 16 processes reverse is reversed once, also while others move points.
func TestReverseOnce(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	_, err := repo.Earn(t.Context(), movement("stay", 500))
	require.NoError(t, err)
	_, err = repo.Redeem(t.Context(), movement("night", 300))
	require.NoError(t, err)
	db.Faults.Conflicts(0)
	var calls []racing.Call
	for i := range 16 {
		calls = append(calls, func(ctx context.Context, db *dynastay.DB) error {
			repo := users.New(db, nil)
			if i%2 == 0 {
				_, err := repo.Reverse(ctx, "user_1", "night")
				return err
			}
			_, err := repo.Earn(ctx, movement("stay_"+string(rune('a'+i)), 10))
			return err
		})
	}
	for _, err := range racing.AtOnce(t, db, calls...) {
		require.NoError(t, err)
	}
	assert.Equal(t, 580, account(t, repo).Points)
	assert.Equal(t, 580, account(t, repo).LifetimePoints)
}
