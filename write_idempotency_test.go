package dynastay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// The same key of another user is a different key, and using it reveals nothing.
func TestKeysHaveOwners(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hers, his, bare := dynastay.IdempotencyKey("1").Of("ada"), dynastay.IdempotencyKey("1").Of("bob"), dynastay.IdempotencyKey("1")
	for _, key := range []dynastay.Idempotency{hers, his, bare} {
		made, err := db.MadeBy(ctx, key)
		require.NoError(t, err)
		assert.Nil(t, made)
	}
	for id, key := range map[string]dynastay.Idempotency{"hers": hers, "his": his, "bare": bare} {
		for range 2 {
			_, err := outbox.Create(ctx, &message{ID: id}, key)
			require.NoError(t, err)
		}
		made, err := db.MadeBy(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, []map[string]string{{"PK": id, "SK": ""}}, made)
	}
	record, err := keys.Of(keys.ScopedIdempotencyRecord{Scope: "ada", Key: "1"})
	require.NoError(t, err)
	item, err := db.Get(ctx, keys.MetadataTable, record, dynastay.Consistent)
	require.NoError(t, err)
	assert.NotNil(t, item, "%s", record)

	var invalid *dynastay.InvalidError
	_, err = outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("1").Of(""))
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "IdempotencyKey.Scope", invalid.Field, "a scope that was forgotten is not the same as none")
	_, err = db.MadeBy(ctx, dynastay.IdempotencyKey(""))
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "IdempotencyKey", invalid.Field)
}

// Scopes are compared byte by byte, as the ids of users are: no two of them share a key.
func TestScopesAreExact(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	for _, scope := range []string{"ada", "ada ", " ada", "ada\n", "\u00e9", "e\u0301", " ", "a#b", "a%23b"} {
		key := dynastay.IdempotencyKey("1").Of(scope)
		made, err := db.MadeBy(ctx, key)
		require.NoError(t, err)
		require.Nil(t, made, "%q", scope)
		_, err = outbox.Create(ctx, &message{ID: "of " + scope}, key)
		require.NoError(t, err)
		made, err = db.MadeBy(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, []map[string]string{{"PK": "of " + scope, "SK": ""}}, made)

		at, err := keys.Of(keys.ScopedIdempotencyRecord{Scope: scope, Key: "1"})
		require.NoError(t, err)
		item, err := db.Get(ctx, keys.MetadataTable, at, dynastay.Consistent)
		require.NoError(t, err)
		assert.True(t, item.Exists(), "%q", scope)
		parsed, err := keys.Parse[keys.ScopedIdempotencyRecord](at)
		require.NoError(t, err)
		assert.Equal(t, scope, parsed.Scope)
	}
	for scope, want := range map[string]string{"user_456": "user_456", "a#b": "a%23b", "100%": "100%25", "Zo\u00eb L": "Zo\u00eb L"} {
		at, err := keys.Of(keys.ScopedIdempotencyRecord{Scope: scope, Key: " order 66"}) // as always
		require.NoError(t, err)
		assert.Equal(t, dynastay.Key{PK: "IDEMPOTENCY#" + want + "#order 66", SK: "METADATA"}, at)
	}
	for _, scope := range []string{"", "\xff", strings.Repeat("x", 257), strings.Repeat("#", 86)} {
		var invalid *dynastay.InvalidError
		_, err := db.MadeBy(ctx, dynastay.IdempotencyKey("1").Of(scope))
		require.ErrorAs(t, err, &invalid, "%q", scope)
		assert.Equal(t, "IdempotencyKey.Scope", invalid.Field)
	}
}

// A record of a later version of the library cannot be compared. The key is not refused because of that.
func TestRecordOfAnotherForm(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m", Text: "first"}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	_, err = outbox.Create(ctx, &message{ID: "m", Text: "another"}, dynastay.IdempotencyKey("k"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	at, err := keys.Of(keys.IdempotencyRecord{Key: "k"})
	require.NoError(t, err)
	stored, err := db.Get(ctx, keys.MetadataTable, at, dynastay.Consistent)
	require.NoError(t, err)
	record := stored.Item()
	record["Hash"] = dynastay.Text("v0:" + stored.Text("Hash")[3:])
	raw.Put(t, db, keys.MetadataTable, record)
	got, err := outbox.Create(ctx, &message{ID: "m", Text: "another"}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, "first", got.Text)
}

// The record is the item that other software finds by the key.
func TestRecordAsStored(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	at := dynastay.Key{PK: "IDEMPOTENCY#k", SK: "METADATA"}
	stored, err := db.Get(ctx, keys.MetadataTable, at, dynastay.Consistent)
	require.NoError(t, err)
	record := stored.Item()
	assert.Regexp(t, "^v2:[0-9a-f]{64}$", stored.Text("Hash"))
	assert.Equal(t, dynastay.Item{
		"PK": dynastay.Text(at.PK), "SK": dynastay.Text(at.SK), "EntityType": dynastay.Text("Idempotency"), "Hash": record["Hash"],
		"Made": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: dynastay.Item{
			"PK": dynastay.Text("m"), "SK": dynastay.Text(""),
		}}}},
		"CreatedAt": dynastay.Instant(fixture.Now), "ExpiresAt": dynastay.Number(int(fixture.Now.AddDate(0, 0, 30).Unix())),
	}, record)

	// Without a readable expiry it is valid forever.
	for _, end := range []types.AttributeValue{nil, dynastay.Text("never"), &types.AttributeValueMemberN{Value: "1.5"}} {
		if delete(record, "ExpiresAt"); end != nil {
			record["ExpiresAt"] = end
		}
		raw.Put(t, db, keys.MetadataTable, record)
		made, err := db.MadeBy(ctx, dynastay.IdempotencyKey("k"))
		require.NoError(t, err)
		assert.Equal(t, []map[string]string{{"PK": "m", "SK": ""}}, made)
	}
}

// A key is compared by its operations and their items, not only by the values.
func TestKeyTellsWritesApart(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	for _, id := range []string{"m", "n"} {
		_, err := outbox.Create(ctx, &message{ID: id})
		require.NoError(t, err)
	}
	rename := func(id string) dynastay.Part {
		return outbox.UpdateOp(keyOf(id), func(m *message) error { m.Text = "a"; return nil }, dynastay.AgreedOn("a"))
	}
	key := dynastay.IdempotencyKey("update")
	require.NoError(t, db.Write(ctx, rename("m"), key))
	assert.ErrorIs(t, db.Write(ctx, rename("n"), key), dynastay.ErrIdempotencyMismatch, "another item")
	key = dynastay.IdempotencyKey("put")
	_, err := outbox.Create(ctx, &message{ID: "o"}, key)
	require.NoError(t, err)
	_, err = outbox.Put(ctx, &message{ID: "o"}, key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, "another operation")
}

// A key is remembered for exactly thirty days.
func TestRecordLivesThirtyDays(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, outboxTables, dyntest.At(fixture.Now))
	outbox := entity.NewTable(db.DB, messageEntity)
	key := dynastay.IdempotencyKey("k")
	_, err := outbox.Create(ctx, &message{ID: "m"}, key)
	require.NoError(t, err)
	db.Clock.Advance(30*24*time.Hour - time.Second)
	made, err := db.MadeBy(ctx, key)
	require.NoError(t, err)
	assert.NotNil(t, made)
	_, err = outbox.Create(ctx, &message{ID: "m", Text: "another"}, key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	db.Clock.Advance(time.Second)
	made, err = db.MadeBy(ctx, key)
	require.NoError(t, err)
	assert.Nil(t, made)
	_, err = outbox.Create(ctx, &message{ID: "n"}, key)
	require.NoError(t, err, "DynamoDB may keep the expired record for days")
	made, err = db.MadeBy(ctx, key)
	require.NoError(t, err)
	assert.Equal(t, []map[string]string{{"PK": "n", "SK": ""}}, made)
}
