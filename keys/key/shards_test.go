package key_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys/key"
)

type byState struct {
	State string
	Shard int
	ID    string
}

func (k *byState) Form(f *key.Form) {
	f.PK("STATE#", key.Word("State", &k.State), key.Shard("Shard", &k.Shard))
	f.SK("ITEM#", key.ID("ID", &k.ID))
}

type whole struct{ ID string }

func (k *whole) Form(f *key.Form) { f.PK("ITEM#", key.ID("ID", &k.ID)) }

type lone struct{}

func (k *lone) Form(f *key.Form) { f.PK("ALL") }

func TestShardsGrowOnly(t *testing.T) {
	for _, c := range []struct {
		shards key.Shards
		field  string
	}{
		{key.Shards{}, ""},
		{key.Shards{Write: 1}, ""},
		{key.Shards{Read: 1}, ""},
		{key.Shards{Read: 4}, ""},
		{key.Shards{Write: 4, Read: 4}, ""},
		{key.Shards{Write: 3, Read: 4}, ""},
		{key.Shards{Write: 256, Read: 256}, ""},
		{key.Shards{Write: 2}, "Write"},
		{key.Shards{Write: 2, Read: 1}, "Write"},
		{key.Shards{Write: 5, Read: 4}, "Write"},
		{key.Shards{Write: -1}, "Write"},
		{key.Shards{Read: -1}, "Read"},
		{key.Shards{Write: 257, Read: 257}, "Write"},
		{key.Shards{Read: 257}, "Read"},
	} {
		err := c.shards.Validate()
		if c.field == "" {
			assert.NoError(t, err, c.shards)
			continue
		}
		blame.Invalid(t, err, c.field, c.shards)
	}
	for i := range 100 {
		id := fmt.Sprint("bkg_", i)
		assert.Equal(t, key.ShardOf(id, 3), key.Shards{Write: 3, Read: 9}.Of(id))
		assert.Zero(t, key.Shards{Read: 9}.Of(id))
	}
}

func TestPartitions(t *testing.T) {
	for count, want := range map[int][]string{
		0: {"STATE#open"}, 1: {"STATE#open"}, 3: {"STATE#open", "STATE#open#SHARD#1", "STATE#open#SHARD#2"},
	} {
		got, err := key.Partitions(byState{State: "open", Shard: 7}, count)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := key.Partitions(byState{State: "#"}, 3)
	blame.Invalid(t, err, "State")

	got, err := key.Partitions(whole{"1"}, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"ITEM#1"}, got)
	assert.PanicsWithValue(t, "key: key_test.whole: a count of 2 requires a Shard in PK", func() {
		_, _ = key.Partitions(whole{"1"}, 2)
	})
	assert.Panics(t, func() { _, _ = key.Partitions(lone{}, 2) })
	got, err = key.Partitions(lone{}, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"ALL"}, got)
}
