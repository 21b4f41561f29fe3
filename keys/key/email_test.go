package key_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys/key"
)

type login struct{ Email string }

func (k *login) Form(f *key.Form) { f.PK("EMAIL#", key.Email("Email", &k.Email)) }

func TestNormalEmail(t *testing.T) {
	for email, want := range map[string]string{
		"john.doe@example.com":              "john.doe@example.com",
		"  John.Doe@Example.COM\n":          "john.doe@example.com",
		"a+b#c%d@example.com":               "a+b#c%d@example.com",
		"JOSÉ@example.com":                  "josÉ@example.com", // only ASCII changes its case
		"jose\u0301@example.com":            "josé@example.com",
		"H\u0331@example.com":               "ẖ@example.com",
		"\u212a@example.com":                "k@example.com", // the Kelvin sign
		"":                                  "",
		"@":                                 "",
		"john":                              "",
		"john@":                             "",
		"@example.com":                      "",
		"john@doe@example.com":              "",
		"john doe@example.com":              "",
		"john\x00doe@example.com":           "",
		"john@example.com\xff":              "",
		"a@b":                               "a@b",
		"o'neil/x_y!@mail-1.bücher.example": "o'neil/x_y!@mail-1.bücher.example",
		"अ@उदाहरण.भारत":                     "अ@उदाहरण.भारत", // with marks, in the domain as well
		"a@e\u0301.example":                 "a@é.example",
	} {
		got, err := key.NormalEmail(email)
		assert.Equal(t, want, got, "%q", email)
		if want == "" {
			blame.Invalid(t, err, "Email", "%q", email)
		} else {
			assert.NoError(t, err, "%q", email)
		}
	}
}

// lookalikes look like john@example.com, or like an equivalent address.
var lookalikes = map[string]string{
	"zero-width space":            "jo\u200bhn@example.com",
	"zero-width non-joiner":       "jo\u200chn@example.com",
	"zero-width joiner":           "jo\u200dhn@example.com",
	"in the domain":               "john@exam\u200dple.com",
	"word joiner":                 "jo\u2060hn@example.com",
	"soft hyphen":                 "jo\u00adhn@example.com",
	"byte order mark":             "\ufeffjohn@example.com",
	"variation selector":          "john\ufe0f@example.com",
	"variation selector 17":       "john\U000e0100@example.com",
	"Mongolian selector":          "john\u180b@example.com",
	"Mongolian vowel separator":   "john\u180e@example.com",
	"combining grapheme joiner":   "jo\u034fhn@example.com",
	"Hangul filler":               "john\u3164@example.com",
	"Hangul choseong filler":      "john\u115f@example.com",
	"Hangul jungseong filler":     "john\u1160@example.com",
	"half-width Hangul filler":    "john\uffa0@example.com",
	"Khmer inherent vowel":        "john\u17b4@example.com",
	"tag":                         "john\U000e0061@example.com",
	"right-to-left mark":          "john\u200f@example.com",
	"right-to-left override":      "\u202enhoj@example.com",
	"first strong isolate":        "\u2068john@example.com",
	"no-break space":              "jo\u00a0hn@example.com",
	"private use":                 "john\ue000@example.com",
	"no character":                "john\u0378@example.com",
	"full-width letter":           "ｊohn@example.com",
	"full-width letter in domain": "john@ｅxample.com",
	"ligature":                    "ﬁnn@example.com",
	"mathematical letter":         "𝐣ohn@example.com",
	"full-width at sign":          "john＠example.com",
	"full-width stop":             "john@example．com",
	"ideographic stop":            "john@example。com",
	"trailing dot":                "john@example.com.",
	"leading dot":                 "john@.example.com",
	"empty label":                 "john@example..com",
	"dot alone":                   "john@.",
	"underscore in the domain":    "john@exa_mple.com",
	"address literal":             "john@[192.0.2.1]",
	"port":                        "john@example.com:25",
	"slash in the domain":         "john@example.com/x",
	"too long":                    strings.Repeat("j", 257-len("@example.com")) + "@example.com",
	"too long to look at":         strings.Repeat(" ", 1025) + "john@example.com",
}

// An account of john@example.com cannot be shadowed by one that looks the same.
func TestNormalEmailRefusesLookalikes(t *testing.T) {
	for name, email := range lookalikes {
		got, err := key.NormalEmail(email)
		assert.Empty(t, got, name)
		blame.Invalid(t, err, "Email", name)
		assert.NotContains(t, err.Error(), "example", name)
	}
	longest := strings.Repeat("j", 256-len("@example.com")) + "@example.com"
	got, err := key.NormalEmail(longest)
	require.NoError(t, err)
	assert.Equal(t, longest, got)
}

// Whatever is inserted into an existing address, the result is refused or is visibly a different address.
func TestNormalEmailIsVisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SampledFrom([]string{"a", "B", "@", ".", "-", "#", "%", "/", "é", "e\u0301", "\u212a", "한", " ", "1", "٣"})
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(parts, rapid.Map(rapid.Rune(), func(r rune) string { return string(r) })), 1, 12).Draw(t, "parts"), "")
		if at := rapid.IntRange(0, len(text)).Draw(t, "at"); utf8.ValidString(text[:at]) {
			text = text[:at] + "@" + text[at:]
		}
		normal, err := key.NormalEmail(text)
		if err != nil {
			return
		}
		again, err := key.NormalEmail(normal)
		require.NoError(t, err)
		assert.Equal(t, normal, again)
		assert.True(t, norm.NFKC.IsNormalString(normal), "%q", normal)
		for _, r := range normal {
			assert.True(t, unicode.IsGraphic(r) && !unicode.IsSpace(r), "%q in %q", r, normal)
			assert.False(t, unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector), "%q", r)
		}
		_, host, _ := strings.Cut(normal, "@")
		assert.NotContains(t, "."+host+".", "..")

		stored, err := key.Of(login{Email: normal})
		if len(normal)+2*strings.Count(normal, "#")+2*strings.Count(normal, "%") > 256 {
			return
		}
		require.NoError(t, err)
		parsed, err := key.Parse[login](stored)
		require.NoError(t, err)
		assert.Equal(t, normal, parsed.Email)
	})
}

func FuzzNormalEmail(f *testing.F) {
	f.Add("John@Example.com")
	f.Add("H\u0331@\u212a")
	for _, email := range lookalikes {
		f.Add(email)
	}
	f.Fuzz(func(t *testing.T, email string) {
		normal, err := key.NormalEmail(email)
		if err != nil {
			return
		}
		again, err := key.NormalEmail(normal)
		require.NoError(t, err)
		assert.Equal(t, normal, again)
	})
}

func TestKeysTakeTheNormalEmailOrItsHash(t *testing.T) {
	stored, err := key.Of(login{Email: " John@Example.com"})
	require.NoError(t, err)
	assert.Equal(t, "EMAIL#john@example.com", stored.PK)

	stored, err = key.Of(login{Email: "a#b%c@example.com"})
	require.NoError(t, err)
	assert.Equal(t, "EMAIL#a%23b%25c@example.com", stored.PK)

	hash, err := key.HashEmail([]byte("secret"), " John@Example.com")
	require.NoError(t, err)
	stored, err = key.Of(login{Email: hash})
	require.NoError(t, err)
	assert.Equal(t, "EMAIL#"+hash, stored.PK)
	back, err := key.Parse[login](stored)
	require.NoError(t, err)
	assert.Equal(t, hash, back.Email)

	for _, email := range []string{"john", hash[1:], strings.ToUpper(hash)} {
		_, err = key.Of(login{Email: email})
		assert.ErrorIs(t, err, dynastay.ErrInvalid, email)
	}
}

func TestHashEmail(t *testing.T) {
	// From: printf john@example.com | openssl dgst -sha256 -hmac secret
	const want = "62f6d956c6a553410a5571d75aaf18a7ceaf78addce3d9999da2e289164e8598"
	hash, err := key.HashEmail([]byte("secret"), "John@Example.com ")
	require.NoError(t, err)
	assert.Equal(t, want, hash)

	other, err := key.HashEmail([]byte("Secret"), "john@example.com")
	require.NoError(t, err)
	assert.NotEqual(t, hash, other)

	_, err = key.HashEmail(nil, "john@example.com")
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	_, err = key.HashEmail([]byte("secret"), "john")
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
}

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
		"ada@xxn--.example":      {"ada@xxn--.example"}, // no Punycode, and none that is not valid
		"ẞ@bücher.example":       {"ẞ@BÜCHER.example"},
		"zoe@example.com":        {"ZOE@EXAMPLE.COM"},
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
		blame.Invalid(t, err, "Email", email)
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
