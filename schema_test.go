package dynastay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func TestSchemaIndex(t *testing.T) {
	s := &dynastay.Schema{Indexes: []dynastay.Index{{Name: "All"}, {Name: "Keys", Key: dynastay.KeyNames{Partition: "GSI2PK"}}}}
	index, ok := s.Index("Keys")
	require.True(t, ok)
	assert.Equal(t, "GSI2PK", index.Key.Partition)
	_, ok = s.Index("keys")
	assert.False(t, ok)
}

func TestKeyNames(t *testing.T) {
	both, one := dynastay.KeyNames{Partition: "PK", Sort: "SK"}, dynastay.KeyNames{Partition: "Id"}
	key := dynastay.Key{PK: "USER#1", SK: "PROFILE"}
	assert.Equal(t, dynastay.Item{"PK": dynastay.Text("USER#1"), "SK": dynastay.Text("PROFILE")}, both.Of(key))
	assert.Equal(t, key, both.From(dynastay.RowOf(both.Of(key))))
	assert.Equal(t, dynastay.Item{"Id": dynastay.Text("USER#1")}, one.Of(key))
	assert.Equal(t, dynastay.Key{PK: "USER#1"}, one.From(dynastay.RowOf(dynastay.Item{"Id": dynastay.Text("USER#1"), "SK": dynastay.Text("x")})))
	assert.Equal(t, dynastay.Key{}, both.From(dynastay.RowOf(dynastay.Item{"PK": dynastay.Number(1)})))
	assert.Equal(t, "USER#1/PROFILE", key.String())
	assert.Equal(t, "USER#1", dynastay.Key{PK: "USER#1"}.String())
}
