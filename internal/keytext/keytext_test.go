package keytext_test

import (
	"cmp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/internal/keytext"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"New York":                               "New York",
		"  New York\n":                           "New York",
		"A#B":                                    "A%23B",
		"100%":                                   "100%25",
		"A%23B":                                  "A%2523B",
		"a\tb\x7f":                               "a%09b%7F",
		"a\u0085b":                               "a%C2%85b",
		"Malmo\u0308":                            "Malmö",
		"東京":                                     "東京",
		"a/b?c+d":                                "a/b?c+d",
		" \u0301":                                "\u0301", // a mark without its letter
		"\x00":                                   "%00",
		strings.Repeat(" ", 1023) + "x":          "x",
		strings.Repeat("\u1100\u1161\u11a8", 85): strings.Repeat("각", 85), // nine bytes each make three
		strings.Repeat("x", 256):                 strings.Repeat("x", 256),
		strings.Repeat("#", 85):                  strings.Repeat("%23", 85),
	} {
		got, err := keytext.Escape(text)
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{
		"", " ", "\u00a0\n", "\xff", "a\xc3", strings.Repeat("x", 257), strings.Repeat("é", 129), strings.Repeat("#", 86),
		strings.Repeat(" ", 1024) + "x",
	} {
		got, err := keytext.Escape(text)
		assert.Error(t, err, "%q", text)
		assert.Empty(t, got)
	}
}

// Two texts that differ at all, such as two ids, have different results, and each can be read back.
func TestEscapeExactly(t *testing.T) {
	for text, want := range map[string]string{
		"ada": "ada", "ada ": "ada ", " ada": " ada", " ": " ", "a\n": "a%0A", "a#b": "a%23b", "a%23b": "a%2523b",
		"Malmo\u0308": "Malmo\u0308", "Malm\u00f6": "Malm\u00f6", strings.Repeat("x", 256): strings.Repeat("x", 256),
	} {
		got, err := keytext.EscapeExactly(text)
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, got)
		plain, err := keytext.Unescape(got)
		require.NoError(t, err)
		assert.Equal(t, text, plain)
	}
	for _, text := range []string{"", "\xff", strings.Repeat("x", 257), strings.Repeat("#", 86)} {
		got, err := keytext.EscapeExactly(text)
		assert.Error(t, err, "%q", text)
		assert.Empty(t, got)
	}
}

func TestUnescapeRefusesWhatNothingEscapesTo(t *testing.T) {
	for _, text := range []string{"%", "a%2", "%zz"} {
		_, err := keytext.Unescape(text)
		assert.Error(t, err, "%q", text)
	}
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"New York", "A#B%", " e\u0301\n", "\u2126", "\u212a", "a\u0085", "\xff", "%23", "\u1100\u1161\u11a8"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		escaped, err := keytext.Escape(text)
		if err != nil {
			return
		}
		assert.LessOrEqual(t, len(escaped), keytext.MaxText)
		assert.True(t, utf8.ValidString(escaped))
		assert.NotContains(t, escaped, "#")
		assert.False(t, strings.ContainsFunc(escaped, unicode.IsControl), "%q", escaped)

		plain, err := keytext.Unescape(escaped)
		require.NoError(t, err)
		assert.True(t, norm.NFC.IsNormalString(plain), "%q", plain)
		normal, err := keytext.Normal(text)
		require.NoError(t, err)
		assert.Equal(t, normal, plain)

		again, err := keytext.Escape(plain)
		require.NoError(t, err)
		assert.Equal(t, escaped, again)
	})
}

func FuzzCheckID(f *testing.F) {
	for _, seed := range []string{"", "bkg_01JCR", "a#b", "a\nb", "\xff", "%", strings.Repeat("x", 129)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		ok := id != "" && len(id) <= 128 && utf8.ValidString(id)
		for _, r := range id {
			ok = ok && r != '#' && !unicode.Is(unicode.Cc, r)
		}
		assert.Equal(t, ok, keytext.CheckID(id) == nil, "%q", id)
	})
}

func TestDecimal(t *testing.T) {
	for n, want := range map[int64]string{
		0:                   "000000000000.000",
		1:                   "000000000000.001",
		150_000:             "000000000150.000",
		999_999_999_999_999: "999999999999.999",
	} {
		text, err := keytext.Decimal(n)
		require.NoError(t, err)
		assert.Equal(t, want, text)
		back, err := keytext.Thousandths(text)
		require.NoError(t, err)
		assert.Equal(t, n, back)
	}
	for _, n := range []int64{-1, 1_000_000_000_000_000} {
		_, err := keytext.Decimal(n)
		assert.Error(t, err)
	}
}

func TestThousandths(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "150": 150_000, "0.5": 500, "1.25": 1_250, "007.125": 7_125} {
		got, err := keytext.Thousandths(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", ".", ".5", "-1", "+1", "1e3", "1.2345", "1.2.3", "1.-2", "1 000", "1_000", "0x1", "1000000000000"} {
		_, err := keytext.Thousandths(text)
		assert.Error(t, err, text)
	}
}

func TestDigits(t *testing.T) {
	text, err := keytext.Digits(95, 10)
	require.NoError(t, err)
	assert.Equal(t, "0000000095", text)
	for _, n := range []int64{-1, 10_000_000_000} {
		_, err := keytext.Digits(n, 10)
		assert.Error(t, err)
	}
	_, err = keytext.ParseDigits("9.5")
	assert.Error(t, err)
}

func TestInstant(t *testing.T) {
	text, err := keytext.Instant(time.Date(2024, 11, 10, 10, 15, 0, 999_999_999, time.FixedZone("", 3600)))
	require.NoError(t, err)
	assert.Equal(t, "2024-11-10T09:15:00Z", text)
	for _, tm := range []time.Time{{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC)} {
		_, err := keytext.Instant(tm)
		assert.Error(t, err)
	}
	_, err = keytext.ParseInstant("2024-11-10")
	assert.Error(t, err)
}

// Text sorts as the values do, and reads back as the value it was made of.
func TestTextKeepsValueAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(0, 9_999_999_999).Draw(t, "a"), rapid.Int64Range(0, 9_999_999_999).Draw(t, "b")
		check := func(write func(int64) (string, error), read func(string) (int64, error)) {
			textA, err := write(a)
			require.NoError(t, err)
			textB, err := write(b)
			require.NoError(t, err)
			assert.Equal(t, cmp.Compare(a, b), cmp.Compare(textA, textB), "%s, %s", textA, textB)
			back, err := read(textA)
			require.NoError(t, err)
			assert.Equal(t, a, back)
		}
		check(func(n int64) (string, error) { return keytext.Digits(n, 10) }, keytext.ParseDigits)
		check(keytext.Decimal, keytext.Thousandths)
		check(func(n int64) (string, error) { return keytext.Instant(time.Unix(n, 0)) }, func(text string) (int64, error) {
			tm, err := keytext.ParseInstant(text)
			return tm.Unix(), err
		})
	})
}
