package card

import "strings"

// hasCode reports whether a text contains a card verification code with its name.
func hasCode(tokens []token) bool {
	for i := range tokens {
		switch nameAt(tokens, i) {
		case sure:
			if codeBefore(tokens, i) || codeAfter(tokens, i) {
				return true
			}
		case likely:
			if codeAfter(tokens, i) {
				return true
			}
		}
	}
	return false
}

// name says how certainly a word is the name of a verification code.
type name int

const (
	other  name = iota
	likely      // may also be something else
	sure
)

// nameAt classifies a word, together with the one before it. Letters that directly follow digits are part of an id.
func nameAt(tokens []token, i int) name {
	if i > 0 && tokens[i].gap == "" {
		return other
	}
	switch lower(tokens[i]) {
	case "cvc", "cvv", "cvn":
		return sure
	case "csc", "cid":
		return likely
	case "code":
		if i > 0 && kinds[lower(tokens[i-1])] {
			return likely
		}
	}
	return other
}

// kinds are the words before "code" in a name.
var kinds = map[string]bool{"security": true, "verification": true, "validation": true, "card": true}

func lower(t token) string { return strings.ToLower(t.word) }

// mostBetween limits the words between a name and its code.
const mostBetween = 6

// between are the words that people put between a name and its code.
var between = map[string]bool{
	"is": true, "are": true, "code": true, "number": true, "no": true, "nr": true, "value": true, "digits": true,
	"the": true, "my": true, "our": true, "of": true, "on": true, "for": true, "card": true, "back": true,
}

// codeAfter reports whether 3 or 4 digits follow the name, which may end in a 2, as in CVV2.
func codeAfter(tokens []token, name int) bool {
	at := name + 1
	if at < len(tokens) && tokens[at].gap == "" && len(tokens[at].digits) == 1 && tokens[at].digits[0] == 2 {
		at++
	}
	for n := 0; at < len(tokens) && n < mostBetween && between[lower(tokens[at])]; n++ {
		at++
	}
	return at < len(tokens) && (len(tokens[at].digits) == 3 || len(tokens[at].digits) == 4)
}

// codeBefore reports whether 3 digits precede the name. Four digits are more often the last ones of the card number,
// which may be stored.
func codeBefore(tokens []token, name int) bool {
	at := name - 1
	for n := 0; at >= 0 && n < mostBetween && between[lower(tokens[at])]; n++ {
		at--
	}
	return at >= 0 && len(tokens[at].digits) == 3
}
