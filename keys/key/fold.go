package key

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/dynastay/dynastay/internal/keytext"
)

// Fold returns the form of a name under which it is found however people type it: lower case, without accents, spaces
// and punctuation. "Zürich", "ZURICH" and "zu-rich" are all folded to "zurich".
//
// The text is decomposed (Unicode NFKD) and only its letters and digits are kept, in lower case. Letters that Unicode
// does not decompose are replaced by their usual spelling, such as "o" for "ø" and "ss" for "ß", and "&" by "and".
// Letters that look like an apostrophe, such as the ʻokina, are dropped. Marks are dropped in every script, so names
// that differ only in marks are folded to the same text, also in scripts that write vowels as marks. The result
// contains no '#', is valid UTF-8 whatever the text is, and is empty if the text has no letters or digits. Folding it
// again does not change it.
func Fold(text string) string {
	var b strings.Builder
	text = strings.ToValidUTF8(text, "") // norm does not decompose what follows an invalid byte
	for _, r := range norm.NFKD.String(text) {
		r = unicode.ToLower(r)
		if spelling, ok := spellings[r]; ok {
			b.WriteString(spelling)
		} else if (unicode.IsLetter(r) || unicode.IsDigit(r)) && !isApostrophe(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// spellings replace lower-case letters that Unicode does not decompose, and the ampersand.
var spellings = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'ħ': "h", 'ı': "i", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th",
	'ς': "σ", // at the end of a word
	'&': "and",
}

// isApostrophe reports whether r is one of the letters of Unicode that modify others and look like an apostrophe or an
// accent, such as the ʻokina of Hawaiʻi. People type an apostrophe or nothing.
func isApostrophe(r rune) bool { return 0x02b0 <= r && r <= 0x02ff }

// Folded is a name in the form of [Fold]. The folded name must have 1 to 256 bytes, and the name itself at most 1,024.
func Folded(name string, p *string) Value { return Value{field: name, kind: (*foldedValue)(p)} }

type foldedValue string

func (v *foldedValue) encode() (string, error) {
	const maxRaw = 4 * keytext.MaxText // checked before the text is folded
	if len(*v) > maxRaw {
		return "", fmt.Errorf("must be at most %d bytes", maxRaw)
	}
	folded := Fold(string(*v))
	switch {
	case folded == "":
		return "", errors.New("must contain a letter or a digit")
	case len(folded) > keytext.MaxText:
		return "", fmt.Errorf("must be at most %d bytes without accents, spaces and punctuation", keytext.MaxText)
	}
	return folded, nil
}

func (v *foldedValue) decode(text string) error {
	*v = foldedValue(text)
	return nil
}
