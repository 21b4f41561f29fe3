package key_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// A domain is one domain, however it is written: in capitals, with a combining mark, or as Punycode.
func TestNormalEmailFoldsDomains(t *testing.T) {
	for want, spellings := range map[string][]string{
		"ada@münchen.example": {
			"ada@münchen.example", "ada@MÜNCHEN.example", "ada@mu\u0308nchen.EXAMPLE", "ada@MU\u0308NCHEN.example",
			"ada@xn--mnchen-3ya.example", "ada@XN--MNCHEN-3YA.example", "ada@Xn--Mnchen-3ya.example",
		},
		"ada@straße.example":     {"ada@straße.example", "ada@xn--strae-oqa.example"},
		"ada@почта.рф":           {"ada@почта.рф", "ada@ПОЧТА.РФ", "ada@xn--80a1acny.xn--p1ai", "ada@почта.xn--p1ai"},
		"अ@उदाहरण.भारत":          {"अ@उदाहरण.भारत", "अ@xn--p1b6ci4b4b3a.xn--h2brj9c"},
		"É@bücher.example":       {"É@BÜCHER.example"}, // the name before the @ keeps its case
		"ada@-odd-.example":      {"ada@-Odd-.example"},
		"ada@ab--cd.example":     {"ada@ab--cd.example"},
		"ada@xxn--a.example":     {"ada@xxn--a.example"},
		"ada@example.com":        {" Ada@Example.COM "},
		"xn--mnchen-3ya@example": {"xn--mnchen-3ya@example"},
	} {
		for _, email := range spellings {
			got, err := key.NormalEmail(email)
			assert.NoError(t, err, email)
			assert.Equal(t, want, got, email)
		}
	}
	for _, email := range []string{
		"ada@xn--.example", "ada@xn--a.example", "ada@xn--mnchen-3yz999.example", // no Punycode
		"ada@xn--exmple-qnf.example", // hides a zero-width character
		"ada@xn--example-.com", "ada@xn--ls8h.example", "ada@xn--a-ecp.ru", "ada@-münchen-.example", "ada@STRAẞE.example", "ada@xn--MNCHEN-3YA\u200b.example",
	} {
		got, err := key.NormalEmail(email)
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, email) {
			assert.Equal(t, "Email", invalid.Field)
		}
		assert.Empty(t, got)
	}
}

// A key contains the address as it is stored, so that what was stored before domains were folded is still found.
func TestStoredEmailsKeepTheirKeys(t *testing.T) {
	for email, want := range map[string]string{
		"Ada@Example.com": "EMAIL#ada@example.com", "ada@münchen.example": "EMAIL#ada@münchen.example",
		"ada@MÜNCHEN.example": "EMAIL#ada@mÜnchen.example", "ada@xn--mnchen-3ya.example": "EMAIL#ada@xn--mnchen-3ya.example",
	} {
		got, err := key.Of(login{Email: email})
		require.NoError(t, err)
		assert.Equal(t, want, got.PK)
	}
	secret := []byte("0123456789abcdef0123456789abcdef")
	one, err := key.HashEmail(secret, "ada@MÜNCHEN.example")
	require.NoError(t, err)
	other, err := key.HashEmail(secret, "ada@münchen.example")
	require.NoError(t, err)
	assert.NotEqual(t, one, other)
}
