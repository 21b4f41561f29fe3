package entity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestCheckText(t *testing.T) {
	for _, text := range []string{"", "abcd", "éé", "\x00"} {
		assert.NoError(t, entity.CheckText(text, 4), "%q", text)
	}
	for _, text := range []string{"abcde", "ééé", "a\xff", "\xed\xa0\x80"} {
		err := entity.CheckText(text, 4)
		invalid := blame.As[*dynastay.InvalidError](t, err, "%q", text)
		assert.Empty(t, invalid.Field)
		assert.NotContains(t, err.Error(), text)
		assert.EqualError(t, dynastay.Within("Name", err), "invalid Name: "+invalid.Reason)
	}
}
