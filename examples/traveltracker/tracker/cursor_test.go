package tracker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

func TestCursor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]tracker.Cursor{
		"":                 {},
		"0000000000000.0":  {},
		"2141370000250.17": {At: time.UnixMilli(2141370000250).UTC(), Version: 17},
	} {
		var c tracker.Cursor
		require.NoError(t, c.UnmarshalText([]byte(text)))
		assert.Equal(t, want, c)
	}
	for _, text := range []string{
		"x", "2141370000250", "2141370000250.", "2141370000250.017", "2141370000250.-1", "-141370000250.1", "141370000250.1",
		"2141370000250.1.1", " 2141370000250.1", "21413700002500.1",
	} {
		c := tracker.Cursor{Version: 3}
		err := c.UnmarshalText([]byte(text))
		assert.ErrorIs(t, err, dynastay.ErrCursor, text)
		assert.ErrorIs(t, err, dynastay.ErrInvalid, text)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("2141370000250.17")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		var c tracker.Cursor
		if c.UnmarshalText([]byte(text)) != nil {
			return
		}
		again, err := c.MarshalText()
		require.NoError(t, err)
		if text != "" {
			require.Equal(t, text, string(again))
		}
	})
}
