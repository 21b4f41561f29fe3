package dyntest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

const day = 24 * time.Hour

// The library does not wait for the sweep: it ignores expired items, whether they still exist or not.
func TestExpiredKeysCanBeUsedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	create := func(email, key string) error {
		_, err := users.New(db.DB, nil).Create(ctx, users.User{
			Email: email, FirstName: "Ada", LastName: "Byron", Role: users.Customer,
		}, dynastay.IdempotencyKey(key))
		return err
	}
	record := func(key string) dynastay.Item {
		at, err := keys.Of(keys.IdempotencyRecord{Key: key})
		require.NoError(t, err)
		row, err := db.Direct.Get(ctx, keys.MetadataTable, at, dynastay.Consistent)
		require.NoError(t, err)
		return row.Item()
	}
	ref := func(key string) dynastay.Ref {
		at, err := keys.Of(keys.IdempotencyRecord{Key: key})
		require.NoError(t, err)
		return dynastay.RefOf(keys.MetadataTable, at)
	}
	require.NoError(t, create("one@example.com", "before"))
	require.NoError(t, create("two@example.com", "after"))
	require.ErrorIs(t, create("three@example.com", "before"), dynastay.ErrIdempotencyMismatch)
	assert.Empty(t, db.Sweep())

	db.Clock.Advance(31 * day)
	assert.NotNil(t, record("before"), "it has expired, but still exists")
	require.NoError(t, create("three@example.com", "before"))
	require.ErrorIs(t, create("four@example.com", "before"), dynastay.ErrIdempotencyMismatch)

	assert.Equal(t, []dynastay.Ref{ref("after")}, db.Sweep(), "the other one was written again")
	assert.Nil(t, record("after"))
	assert.NotNil(t, record("before"))
	require.NoError(t, create("four@example.com", "after"))
	require.ErrorIs(t, create("five@example.com", "after"), dynastay.ErrIdempotencyMismatch)

	db.Clock.Advance(31 * day)
	assert.Equal(t, []dynastay.Ref{ref("after"), ref("before")}, db.Sweep())
}

func TestNightsExpireAfterTwoYears(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	fixture.New(t, db.DB, 5) // sells July 2026
	db.Clock.Set(time.Date(2028, time.July, 3, 0, 0, 0, 0, time.UTC))
	swept := db.Sweep()
	require.Len(t, swept, 2, "the night of the 3rd expires with this second, and goes with the next")
	assert.Equal(t, "Availability", swept[0].Table)
	db.Clock.Advance(time.Second)
	assert.Len(t, db.Sweep(), 1)
	db.Clock.Advance(60 * day)
	assert.Len(t, db.Sweep(), 28)
}
