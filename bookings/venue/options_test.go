package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/keys/key"
	keys "github.com/dynastay/dynastay/keys/venue"
)

// The bookings that wait are spread over partitions, and listed in their order.
func TestPendingShards(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	repo := venue.New(h.DB.DB, &venue.Options{PendingShards: key.Shards{Write: 4, Read: 4}})
	var want []string
	for n := range 12 {
		h.Clock.Advance(time.Minute)
		b, err := repo.Request(t.Context(), ann, request(ann, day.AddDays(n), venue.Morning))
		require.NoError(t, err)
		want = append(want, b.ID)
	}
	partitions := map[string]bool{}
	for _, id := range want {
		row, err := h.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "BOOKING#" + id, SK: "METADATA"}, dynastay.Consistent)
		require.NoError(t, err)
		partitions[row.Text("GSI1PK")] = true
	}
	assert.Greater(t, len(partitions), 1)
	var got []string
	for b, err := range repo.Pending().All(t.Context()) {
		require.NoError(t, err)
		got = append(got, b.ID)
	}
	assert.Equal(t, want, got)
	assert.Panics(t, func() { venue.New(h.DB.DB, &venue.Options{PendingShards: key.Shards{Write: 2, Read: 1}}) })
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
	row, err := h.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "USER#" + made.ID, SK: "METADATA"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "EMAIL#"+hash, row.Text("GSI1PK"))
	for at, there := range map[string]bool{hash: true, "eva@example.com": false} {
		guard, err := h.Direct.Get(t.Context(), keys.Table, dynastay.Key{PK: "EMAIL#" + at, SK: "GUARD"}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, there, guard.Exists())
	}
	_, err = repo.UserByEmail(t.Context(), "nobody")
	require.ErrorIs(t, err, dynastay.ErrInvalid)
}
