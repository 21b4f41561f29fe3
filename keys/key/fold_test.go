package key_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/keys/key"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		" -–—.,;'’\"()#%/\t\n": "",
		"New York, USA":        "newyorkusa",
		"Zürich":               "zurich",
		"ZU\u0308RICH":         "zurich",
		"Saint-Étienne":        "saintetienne",
		"São Paulo":            "saopaulo",
		"Ærø / Tromsø":         "aerotromso",
		"Łódź":                 "lodz",
		"Đà Nẵng":              "danang",
		"Straße":               "strasse",
		"STRAẞE":               "strasse",
		"Œuvre":                "oeuvre",
		"Diyarbakır":           "diyarbakir",
		"İSTANBUL":             "istanbul",
		"Seyðisfjörður":        "seydisfjordur",
		"Þingvellir":           "thingvellir",
		"Ħamrun":               "hamrun",
		"Bed & Breakfast":      "bedandbreakfast",
		"Ｂ＆Ｂ":                  "bandb",
		"Hawaiʻi":              "hawaii",
		"Hawai'i":              "hawaii",
		"Πειραιάς":             "πειραιασ",
		"ΠΕΙΡΑΙΆΣ":             "πειραιασ",
		"Ёлкино":               "елкино",
		"東京都・渋谷区":              "東京都渋谷区",
		"コーヒー":                 "コーヒー",
		"서울":                   "\u1109\u1165\u110b\u116e\u11af", // the first letters of a syllable are a prefix of it
		"ʯʹˮͱ":                 "ʯͱ",                             // letters next to those that look like an apostrophe
		"No. ② 2²":             "no222",
		"ﬁnn":                  "finn",
		"a\xffb":               "ab",
	} {
		assert.Equal(t, want, key.Fold(text), "%q", text)
	}
}

// Every character is folded to letters and digits that stay as they are.
func TestFoldOfEveryCharacter(t *testing.T) {
	kept := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if checkFold(t, string(r)) != "" {
			kept++
		}
	}
	assert.Greater(t, kept, 130_000)
}

func FuzzFold(f *testing.F) {
	for _, text := range []string{"", "New York, USA", "Zürich", "İ", "ﷺ", "각", "a\xff\u0301#&ß", strings.Repeat("\u0301", 40), strings.Repeat("0", 151) + "\xf0ť"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := checkFold(t, text)
		assert.Equal(t, folded, key.Fold(" "+strings.ToLower(text)+"\u0301"))
	})
}

func checkFold(t require.TestingT, text string) string {
	folded := key.Fold(text)
	if !utf8.ValidString(folded) || strings.ContainsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		assert.Fail(t, "not only letters and digits", "%q: %q", text, folded)
	}
	if again := key.Fold(folded); again != folded {
		assert.Fail(t, "folding again changes it", "%q: %q, %q", text, folded, again)
	}
	if strings.ToLower(folded) != folded {
		assert.Fail(t, "not in lower case", "%q: %q", text, folded)
	}
	return folded
}
