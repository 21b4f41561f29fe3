package users_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/users"
)

// The document's item is reproduced attribute by attribute, including its index key.
func TestDocumentProfileComesBack(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/profile.json")
	u, err := users.UserEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	again, err := users.UserEntity.Item(u)
	require.NoError(t, err)
	assert.Equal(t, item, again)
}

func TestDocumentProfileIsRead(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	put(t, db, raw.Document(t, "testdata/profile.json"))
	put(t, db, raw.Document(t, "testdata/loyalty.json"))
	want := john()
	want.CreatedAt = time.Date(2024, 1, 10, 8, 0, 0, 0, time.UTC)
	want.UpdatedAt = want.LastLoginAt

	got, err := repo.Get(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	for _, email := range []string{"john.doe@example.com", " John.DOE@Example.com\n"} {
		got, err = repo.ByEmail(t.Context(), email)
		require.NoError(t, err)
		assert.Equal(t, &want, got)
	}
}

func TestNullReadsAsMissing(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/profile.json")
	for name := range item {
		item[name] = &types.AttributeValueMemberNULL{Value: true}
	}
	got, err := users.UserEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, &users.User{}, got)
}
