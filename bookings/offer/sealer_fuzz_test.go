package offer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/bookings/offer"
)

// Without a key, no text is a token except those that were sealed.
func FuzzOpen(f *testing.F) {
	s := newSealer(f, june, july)
	sealed := map[string]bool{seal(f, s, simple()): true, seal(f, newSealer(f, july), full()): true, seal(f, s, family()): true}
	for token := range sealed {
		f.Add(token, "user_456")
		f.Add(token+"A", "user_456")
		f.Add(token, "user_457")
		f.Add(strings.Replace(token, "v1", "v2", 1), "")
		f.Add(strings.Replace(token, "v2", "v1", 1), "")
		f.Add(strings.Replace(token, "6", "7", 1), "")
		f.Add(strings.ReplaceAll(token, ".", ""), "")
	}
	for _, text := range []string{"", "v1...", "v1.2026-06..", "v2.2026-06..", "v9", strings.Repeat(".", offer.MaxToken+1)} {
		f.Add(text, "")
	}
	f.Fuzz(func(t *testing.T, token, userID string) {
		got, err := s.Open(token, userID, now)
		switch {
		case !sealed[token]:
			refused(t, anyReason(t, err), got, err, "")
		case userID != "user_456":
			refused(t, offer.ErrOtherUser, got, err, token)
		default:
			assert.NoError(t, err)
		}
	})
}

// With a genuine signature, arbitrary contents are refused, or they are an offer that Seal accepts and that is the same
// when it is opened again.
func FuzzContents(f *testing.F) {
	s := newSealer(f, june)
	for _, o := range []offer.Offer{simple(), full(), family(), planned()} {
		contents, err := offer.Encode(o)
		require.NoError(f, err)
		for _, second := range []bool{false, true} {
			f.Add(contents, second)
			f.Add(contents[:len(contents)-1], second)
		}
	}
	for _, contents := range []string{"", "null", "{}", `{"q":null}`, `{"q":{"l":[{}]}}`, `{"q":{"l":[{"d":[1e9]}]}}`, `{"q":{"s":{"i":"2026-07-10"}},"x":""}`} {
		f.Add([]byte(contents), false)
		f.Add([]byte(contents), true)
	}
	escaped := full()
	escaped.Quote.Lines[0].Name = "<&>"
	contents, err := offer.Encode(escaped)
	require.NoError(f, err)
	unescaped := strings.NewReplacer(`\u003c`, "<", `\u0026`, "&", "123456789Z", "1-09:00").Replace(string(contents))
	f.Add([]byte(unescaped), false)
	f.Add([]byte(strings.Replace(form2, `"c":1},"e"`, `"c":1,"g":[]},"e"`, 1)), true)
	f.Add([]byte(strings.Replace(form2, `[30,49.5,0]`, `["30",null,0.0]`, 1)), true)
	f.Fuzz(func(t *testing.T, contents []byte, second bool) {
		if len(contents) > offer.MaxToken/8 {
			return // what others have written without escapes may not fit when Seal writes it
		}
		sign := map[bool]func([]byte) string{false: s.Sign, true: s.Sign2}[second]
		token := sign(contents)
		got, err := s.Open(token, "user_456", now)
		if err != nil {
			reason := offer.ErrMalformed
			for _, genuine := range []error{offer.ErrOtherUser, offer.ErrExpired} {
				if errors.Is(err, genuine) {
					reason = genuine
				}
			}
			refused(t, reason, got, err, "")
			return
		}
		again, err := s.Seal(got)
		require.NoError(t, err)
		require.Equal(t, token[:2], again[:2], "the version")
		same, err := s.Open(again, "user_456", now)
		require.NoError(t, err)
		assert.Equal(t, got, same)
	})
}
