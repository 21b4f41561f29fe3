package card

import "strings"

// setAside marks the tokens of dates and IBANs.
func setAside(tokens []token) {
	for i := range tokens {
		n := max(date(tokens, i), iban(tokens[i:]))
		for j := range n {
			tokens[i+j].aside = true
		}
	}
}

// parts are the tokens of a date.
const parts = 3

// date returns the number of tokens of a date that begins at i, such as 2026-07-10, 10.7.2026, 7/10/2026 or 10.07.26,
// or 0.
func date(tokens []token, i int) int {
	if len(tokens) < i+parts || tokens[i].word+tokens[i+1].word+tokens[i+2].word != "" {
		return 0
	}
	gap := strings.TrimSpace(tokens[i+1].gap)
	if gap != strings.TrimSpace(tokens[i+2].gap) || gap != "." && gap != "-" && gap != "/" {
		return 0
	}
	first, middle, last := tokens[i].digits, tokens[i+1].digits, tokens[i+2].digits
	if len(first) == 4 {
		first, last = last, first
	}
	if len(first) > 2 || len(middle) > 2 || !isYear(last) || len(last) == 2 && !alone(tokens, i) {
		return 0
	}
	one, other := value(first), value(middle)
	if 1 <= min(one, other) && min(one, other) <= 12 && max(one, other) <= 31 {
		return parts
	}
	return 0
}

func isYear(digits []byte) bool {
	return len(digits) == 2 || len(digits) == 4 && 1900 <= value(digits) && value(digits) < 2100
}

// alone reports whether the three tokens from i are not part of a longer number that is written in pairs of digits.
func alone(tokens []token, i int) bool {
	gap, next := tokens[i+1].gap, i+parts
	return (i == 0 || tokens[i].gap != gap) && (next == len(tokens) || tokens[next].gap != gap)
}

// The lengths of an IBAN.
const (
	shortestIBAN = 15
	longestIBAN  = 34
)

// iban returns the number of tokens of an IBAN at the beginning, or 0. Of other texts that look like one, 1 in 97
// counts as one too.
func iban(tokens []token) int {
	if len(tokens) < 2 || !upper(tokens[0].word) || len(tokens[0].word) != 2 || tokens[1].gap != "" || len(tokens[1].digits) < 2 {
		return 0
	}
	country, check := tokens[0].word, tokens[1].digits[:2]
	end := follow(follow(0, country, nil), "", check) // what follows the rest when its check digits are verified
	length, rest := 4, follow(0, "", tokens[1].digits[2:])
	length += len(tokens[1].digits) - 2
	for n := 2; ; n++ {
		if length > longestIBAN {
			return 0
		}
		if length >= shortestIBAN && (rest*1_000_000+end)%97 == 1 {
			return n
		}
		if n == len(tokens) || !tokens[n].near || !upper(tokens[n].word) {
			return 0
		}
		length += len(tokens[n].word) + len(tokens[n].digits)
		rest = follow(rest, tokens[n].word, tokens[n].digits)
	}
}

// follow appends letters, from A = 10 to Z = 35, or digits to a number modulo 97 (ISO 7064).
func follow(number int, letters string, digits []byte) int {
	for _, letter := range []byte(letters) {
		number = (number*100 + int(letter-'A') + 10) % 97
	}
	for _, d := range digits {
		number = (number*10 + int(d)) % 97
	}
	return number
}

// upper reports whether a word has only the letters A to Z.
func upper(word string) bool { return strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" }
