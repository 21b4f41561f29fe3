package keys_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

func TestNormalEmail(t *testing.T) {
	for email, want := range map[string]string{
		"john.doe@example.com":     "john.doe@example.com",
		"  John.Doe@Example.COM\n": "john.doe@example.com",
		"a+b#c%d@example.com":      "a+b#c%d@example.com",
		"JOSÉ@example.com":         "josÉ@example.com", // only ASCII changes its case
		"jose\u0301@example.com":   "josé@example.com",
		"H\u0331@example.com":      "ẖ@example.com",
		"\u212a@example.com":       "k@example.com", // the Kelvin sign
		"":                         "",
		"@":                        "",
		"john":                     "",
		"john@":                    "",
		"@example.com":             "",
		"john@doe@example.com":     "",
		"john doe@example.com":     "",
		"john\x00doe@example.com":  "",
		"john@example.com\xff":     "",
	} {
		got, err := keys.NormalEmail(email)
		assert.Equal(t, want, got, "%q", email)
		if want == "" {
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, err, &invalid, "%q", email)
			assert.Equal(t, "Email", invalid.Field)
		} else {
			assert.NoError(t, err, "%q", email)
		}
	}
}

func FuzzNormalEmail(f *testing.F) {
	f.Add("John@Example.com")
	f.Add("H\u0331@\u212a")
	f.Fuzz(func(t *testing.T, email string) {
		normal, err := keys.NormalEmail(email)
		if err != nil {
			return
		}
		again, err := keys.NormalEmail(normal)
		require.NoError(t, err)
		assert.Equal(t, normal, again)
	})
}

func TestKeysTakeTheNormalEmailOrItsHash(t *testing.T) {
	key, err := keys.Of(keys.EmailGuard{Email: " John@Example.com"})
	require.NoError(t, err)
	assert.Equal(t, "EMAIL#john@example.com", key.PK)

	key, err = keys.Of(keys.EmailGuard{Email: "a#b%c@example.com"})
	require.NoError(t, err)
	assert.Equal(t, "EMAIL#a%23b%25c@example.com", key.PK)

	hash, err := keys.HashEmail([]byte("secret"), " John@Example.com")
	require.NoError(t, err)
	key, err = keys.Of(keys.ProfileByEmail{Email: hash})
	require.NoError(t, err)
	assert.Equal(t, "EMAIL#"+hash, key.PK)
	back, err := keys.Parse[keys.ProfileByEmail](key)
	require.NoError(t, err)
	assert.Equal(t, hash, back.Email)

	for _, email := range []string{"john", hash[1:], strings.ToUpper(hash)} {
		_, err = keys.Of(keys.EmailGuard{Email: email})
		assert.ErrorIs(t, err, dynastay.ErrInvalid, email)
	}
}

func TestHashEmail(t *testing.T) {
	// From: printf john@example.com | openssl dgst -sha256 -hmac secret
	const want = "62f6d956c6a553410a5571d75aaf18a7ceaf78addce3d9999da2e289164e8598"
	hash, err := keys.HashEmail([]byte("secret"), "John@Example.com ")
	require.NoError(t, err)
	assert.Equal(t, want, hash)

	other, err := keys.HashEmail([]byte("Secret"), "john@example.com")
	require.NoError(t, err)
	assert.NotEqual(t, hash, other)

	_, err = keys.HashEmail(nil, "john@example.com")
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	_, err = keys.HashEmail([]byte("secret"), "john")
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
}
