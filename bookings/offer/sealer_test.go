package offer_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/offer"
)

// The form of a token, from the packages of the standard library alone.
func TestToken(t *testing.T) {
	t.Parallel()
	token := seal(t, newSealer(t, june), full())
	contents, err := offer.Encode(full())
	require.NoError(t, err)
	text := "v1.2026-06." + base64.RawURLEncoding.EncodeToString(contents)
	mac := hmac.New(sha256.New, june.Secret)
	mac.Write([]byte("dynastay/bookings/offer\x00" + text))
	assert.Equal(t, text+"."+base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), token)
	assert.Regexp(t, `^[A-Za-z0-9_.-]+$`, token)

	token = seal(t, newSealer(t, june), family())
	assert.Regexp(t, `^v2\.2026-06\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$`, token)
}

// A signature of the same text with the same secret, but for something else, is refused.
func TestSignatureOfSomethingElse(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	token := seal(t, s, simple())
	text := token[:strings.LastIndex(token, ".")]
	mac := hmac.New(sha256.New, june.Secret)
	mac.Write([]byte(text))
	other := text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	got, err := s.Open(other, simple().UserID, now)
	refused(t, offer.ErrForged, got, err, other)
}

// Each byte is replaced, removed and doubled.
func TestAlteredTokens(t *testing.T) {
	t.Parallel()
	t.Run("version 1", func(t *testing.T) { alterToken(t, simple()) })
	t.Run("version 2", func(t *testing.T) { alterToken(t, family()) })
}

func alterToken(t *testing.T, o offer.Offer) {
	t.Parallel()
	s := newSealer(t, june, july)
	token := seal(t, s, o)
	seen := map[error]bool{}
	check := func(altered string) {
		got, err := s.Open(altered, o.UserID, now)
		reason := anyReason(t, err)
		refused(t, reason, got, err, altered)
		seen[reason] = true
	}
	for i := range token {
		for _, c := range []string{"A", "B", "8", "9", "-", "_", ".", "v", "=", "+", "/", " ", "\r", "\n", "\x00", "\xff", "é", "%2e"} {
			if c != token[i:i+1] {
				check(token[:i] + c + token[i+1:])
			}
			check(token[:i] + c + token[i:])
		}
		for bit := range 8 {
			check(token[:i] + string([]byte{token[i] ^ 1<<bit}) + token[i+1:])
		}
		check(token[:i] + token[i+1:])
		check(token[:i]) // cut off, and empty
		if i > 0 {
			check(token[i:])
		}
	}
	for _, more := range []string{"A", ".", "=", "\n", " ", ".A", token, "." + token} {
		check(token + more)
	}
	check("." + token)
	assert.Equal(t, map[error]bool{
		offer.ErrMalformed: true, offer.ErrUnknownVersion: true, offer.ErrUnknownKey: true, offer.ErrForged: true,
	}, seen)
	got, err := s.Open(token, o.UserID, now)
	require.NoError(t, err)
	assert.Equal(t, o, got)
}

// The last character of a signature has bits that base64 ignores.
func TestSignatureHasOneSpelling(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	token := seal(t, s, simple())
	mac := token[strings.LastIndex(token, ".")+1:]
	want, err := base64.RawURLEncoding.DecodeString(mac)
	require.NoError(t, err)
	same := 0
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
		spelling := mac[:len(mac)-1] + string(c)
		if raw, err := base64.RawURLEncoding.DecodeString(spelling); err != nil || !bytes.Equal(raw, want) || spelling == mac {
			continue
		}
		same++
		altered := strings.TrimSuffix(token, mac) + spelling
		got, err := s.Open(altered, simple().UserID, now)
		refused(t, offer.ErrForged, got, err, altered)
	}
	assert.Equal(t, 3, same)
}

// A token of parts of several genuine ones is refused.
func TestPartsOfSeveralTokens(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june, july)
	cheaper := simple()
	cheaper.TaxesAndFees = dynastay.Money{}
	var tokens [][]string
	for _, token := range []string{
		seal(t, s, simple()), seal(t, s, cheaper), seal(t, newSealer(t, july), simple()),
		seal(t, newSealer(t, offer.Key{ID: june.ID, Secret: july.Secret}), simple()),
	} {
		tokens = append(tokens, strings.Split(token, "."))
	}
	genuine := map[string]bool{}
	for _, parts := range tokens[:3] {
		genuine[strings.Join(parts, ".")] = true
	}
	opened := map[string]bool{}
	for n := range 4 * 4 * 4 {
		parts := []string{"v1", tokens[n%4][1], tokens[n/4%4][2], tokens[n/16][3]}
		token := strings.Join(parts, ".")
		got, err := s.Open(token, simple().UserID, now)
		if genuine[token] {
			assert.NoError(t, err)
			opened[token] = true
			continue
		}
		refused(t, offer.ErrForged, got, err, token)
	}
	assert.Equal(t, genuine, opened)
}

func TestTextsThatAreNoTokens(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	parts := strings.Split(seal(t, s, simple()), ".")
	rest := strings.Join(parts[1:], ".")
	for text, reason := range map[string]error{
		"":                        offer.ErrMalformed,
		".":                       offer.ErrMalformed,
		"...":                     offer.ErrMalformed,
		"v1":                      offer.ErrMalformed,
		"v1...":                   offer.ErrUnknownKey,
		"v1..." + parts[3]:        offer.ErrUnknownKey,
		"v1.2026-06..":            offer.ErrForged,
		"v1.2026-06.." + parts[3]: offer.ErrForged,
		"v1.2026-07." + parts[2] + "." + parts[3]:                     offer.ErrUnknownKey,
		"v1.2026-06." + parts[2]:                                      offer.ErrMalformed,
		"v1.2026-06." + parts[2] + ".":                                offer.ErrForged,
		"v1.2026-06." + parts[2] + "." + strings.ToUpper(parts[3]):    offer.ErrForged,
		"v1.2026-06." + parts[2] + "." + parts[3] + "." + parts[3]:    offer.ErrMalformed,
		"v1.2026-06." + parts[2] + "=." + parts[3]:                    offer.ErrMalformed,
		"v1.2026-06." + parts[2][:9] + "\n" + parts[2][9:] + parts[3]: offer.ErrMalformed,
		"v2." + rest:                    offer.ErrForged,
		"v2...":                         offer.ErrUnknownKey,
		"v3." + rest:                    offer.ErrUnknownVersion,
		"v0." + rest:                    offer.ErrUnknownVersion,
		"v02." + rest:                   offer.ErrUnknownVersion,
		"v01." + rest:                   offer.ErrUnknownVersion,
		"v10":                           offer.ErrUnknownVersion,
		"v":                             offer.ErrMalformed,
		"v." + rest:                     offer.ErrMalformed,
		"V1." + rest:                    offer.ErrMalformed,
		"1." + rest:                     offer.ErrMalformed,
		"v1a." + rest:                   offer.ErrMalformed,
		"eyJhbGciOiJub25lIn0.e30.":      offer.ErrMalformed,
		"v1.2026-06.bnVsbA." + parts[3]: offer.ErrForged,
	} {
		got, err := s.Open(text, simple().UserID, now)
		refused(t, reason, got, err, text)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	before, added, moved, after := newSealer(t, june), newSealer(t, june, july), newSealer(t, july, june), newSealer(t, july)
	sealers := []*offer.Sealer{before, added, moved, after}
	for i, signer := range sealers {
		token := seal(t, signer, simple())
		id := []string{"2026-06", "2026-06", "2026_07", "2026_07"}[i]
		assert.Equal(t, id, strings.Split(token, ".")[1])
		for j, verifier := range sealers {
			got, err := verifier.Open(token, simple().UserID, now)
			if i < 2 && j == 3 || i >= 2 && j == 0 { // never the case of processes that are one step apart
				refused(t, offer.ErrUnknownKey, got, err, token)
				continue
			}
			assert.NoError(t, err, "%d, %d", i, j)
		}
	}
	other := newSealer(t, offer.Key{ID: june.ID, Secret: bytes.Repeat([]byte{7}, 32)})
	token := seal(t, before, simple())
	got, err := other.Open(token, simple().UserID, now)
	refused(t, offer.ErrForged, got, err, token)
}

func TestUsers(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	bound, free := simple(), simple()
	free.UserID = ""
	for _, test := range []struct {
		offer  offer.Offer
		userID string
		reason error
	}{
		{bound, "user_456", nil}, {bound, "user_45", offer.ErrOtherUser}, {bound, "user_4567", offer.ErrOtherUser},
		{bound, "USER_456", offer.ErrOtherUser}, {bound, "", offer.ErrOtherUser},
		{free, "", nil}, {free, "user_456", nil}, {free, "user_457", nil},
	} {
		token := seal(t, s, test.offer)
		got, err := s.Open(token, test.userID, now)
		if test.reason != nil {
			refused(t, test.reason, got, err, token)
			assert.EqualError(t, err, "invalid Token: belongs to a different user")
			// A different user does not learn when it has expired.
			got, err = s.Open(token, test.userID, expires.Add(time.Minute))
			refused(t, test.reason, got, err, token)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, test.offer, got)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	token := seal(t, s, simple())
	for _, at := range []time.Time{{}, now, expires.Add(-1), expires.Add(-1).In(time.FixedZone("", 3600))} {
		_, err := s.Open(token, "user_456", at)
		assert.NoError(t, err, "%s", at)
	}
	for _, at := range []time.Time{expires, expires.Add(1), expires.Add(time.Minute), expires.AddDate(100, 0, 0)} {
		got, err := s.Open(token, "user_456", at)
		refused(t, offer.ErrExpired, got, err, token)
		assert.EqualError(t, err, "invalid Token: expired at 2026-06-01T12:15:00.123456789Z")
	}
}

func TestNewSealer(t *testing.T) {
	t.Parallel()
	with := func(id string, bytes int) offer.Key { return offer.Key{ID: id, Secret: make([]byte, bytes)} }
	for want, keys := range map[string][]offer.Key{
		"invalid Keys: must not be empty":                   nil,
		"invalid Keys[0].ID: is required":                   {with("", 32)},
		"invalid Keys[1].ID: must be at most 32 bytes":      {june, with(strings.Repeat("a", 33), 32)},
		"invalid Keys[0].Secret: must be at least 32 bytes": {with("a", 31), june},
		"invalid Keys[1].Secret: must be at least 32 bytes": {june, {ID: "a"}},
		"invalid Keys[2].ID: appears more than once":        {june, july, {ID: june.ID, Secret: july.Secret}},
	} {
		s, err := offer.NewSealer(keys...)
		assert.Nil(t, s)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.EqualError(t, err, want)
	}
	for _, id := range []string{".", "a.b", " a", "a b", "a\n", "é", "a=", "a+", "a/", "\x00", "a%"} {
		_, err := offer.NewSealer(with(id, 32))
		assert.EqualError(t, err, "invalid Keys[0].ID: must contain only letters, digits, '-' and '_'", "%q", id)
	}
	for _, id := range []string{"a", "Z", "0", "9", "-", "_", "azAZ09-_", strings.Repeat("a", 32)} {
		s := newSealer(t, with(id, 32))
		_, err := s.Open(seal(t, s, simple()), "user_456", now)
		assert.NoError(t, err, "%q", id)
	}
}

// The caller may overwrite a secret as soon as the Sealer has it.
func TestSecretsAreCopied(t *testing.T) {
	t.Parallel()
	keys := []offer.Key{{ID: "a", Secret: bytes.Clone(june.Secret)}, {ID: "b", Secret: bytes.Clone(july.Secret)}}
	s := newSealer(t, keys...)
	token := seal(t, s, simple())
	for i := range keys {
		clear(keys[i].Secret)
		keys[i].ID = "c"
	}
	assert.Equal(t, token, seal(t, s, simple()))
	_, err := s.Open(token, "user_456", now)
	assert.NoError(t, err)
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	key := offer.Key{ID: "2026-06", Secret: []byte("0123456789abcdefghijklmnopqrstuv")}
	s := newSealer(t, key)
	var logged bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
		slog.New(handler).Info("keys", "key", key, "pointer", &key, "all", []offer.Key{key}, "sealer", s)
	}
	marshalled, err := json.Marshal(map[string]any{"key": key, "pointer": &key, "sealer": s})
	require.NoError(t, err)
	texts := []string{string(marshalled), logged.String(), fmt.Sprint(key), fmt.Sprintln(key, s)}
	type config struct {
		Key     offer.Key
		Keys    []offer.Key
		Pointer *offer.Key
		Sealer  *offer.Sealer
		sealer  *offer.Sealer
		value   offer.Sealer
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%c", "%U", "%t", "% x", "%#x", "%10.3v"} {
		texts = append(texts, fmt.Sprintf(verb, key), fmt.Sprintf(verb, &key), fmt.Sprintf(verb, s), fmt.Sprintf(verb, *s),
			fmt.Sprintf(verb, config{key, []offer.Key{key}, &key, s, s, *s}))
	}
	_, err = offer.NewSealer(key, key)
	require.Error(t, err)
	texts = append(texts, err.Error())
	for _, text := range texts {
		for _, part := range []string{"012345", "48 49 50", "0x30, 0x31", "30313233343536", "30 31 32", "110000 110001", "U+0030", "60 61 62", "[0 1 2", "MDEy", "stuv"} {
			assert.NotContains(t, strings.ToLower(text), strings.ToLower(part))
		}
	}
	assert.Equal(t, `offer.Key("2026-06")`, fmt.Sprint(key))
	const text = `offer.Key(\"2026-06\")`
	assert.Equal(t, 6, strings.Count(logged.String(), text), logged.String())
	assert.Equal(t, 2, strings.Count(string(marshalled), text))
}
