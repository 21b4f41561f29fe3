package entity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

func TestCheckText(t *testing.T) {
	for _, text := range []string{"", "abcd", "éé", "\x00"} {
		assert.NoError(t, entity.CheckText(text, 4), "%q", text)
	}
	for _, text := range []string{"abcde", "ééé", "a\xff", "\xed\xa0\x80"} {
		err := entity.CheckText(text, 4)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid, "%q", text)
		assert.Empty(t, invalid.Field)
		assert.NotContains(t, err.Error(), text)
		assert.EqualError(t, dynastay.Within("Name", err), "invalid Name: "+invalid.Reason)
	}
}
