package key_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/keys/key"
)

func TestShardOf(t *testing.T) {
	assert.Equal(t, 0, key.ShardOf("bkg_1", 0))
	assert.Equal(t, 0, key.ShardOf("bkg_1", 1))
	// FNV-1a's published vector for "foobar" is 0xbf9cf968. Where a row lies may never change.
	assert.Equal(t, 0xbf9cf968%7, key.ShardOf("foobar", 7))
	assert.Equal(t, 0xbf9cf968%1000, key.ShardOf("foobar", 1000))
	assert.Equal(t, 1, key.ShardOf("b", 2)) // 0xe70c2de5

	rows := make([]int, 4)
	for i := range 4000 {
		rows[key.ShardOf(fmt.Sprintf("bkg_%d", i), len(rows))]++
	}
	for _, n := range rows {
		assert.InDelta(t, 1000, n, 150)
	}
}
