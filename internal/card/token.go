package card

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word or a group of digits.
type token struct {
	word   string // letters; "" for digits
	digits []byte // 0 to 9 each
	gap    string // what is between the token before and this one
	near   bool   // the gap is at most a few separators
	aside  bool   // part of what is no card number, whatever its digits are
}

// split returns the words and the groups of digits of a text.
func split(text string) []token {
	var tokens []token
	var start, end int // of the last token
	for i, r := range text {
		d, isDigit := digit(r)
		if !isDigit && !unicode.IsLetter(r) {
			continue
		}
		if len(tokens) == 0 || i > end || isDigit != (tokens[len(tokens)-1].word == "") {
			gap := text[end:i]
			tokens, start = append(tokens, token{gap: gap, near: few(gap)}), i
		}
		end = i + utf8.RuneLen(r)
		last := &tokens[len(tokens)-1]
		if isDigit {
			last.digits = append(last.digits, d)
		} else {
			last.word = text[start:end]
		}
	}
	return tokens
}

// digit returns the value of a decimal digit. In each script these are consecutive, from 0 to 9, and a script that has
// several kinds of them has one kind after the other.
func digit(r rune) (value byte, ok bool) {
	if !unicode.IsDigit(r) {
		return 0, false
	}
	for unicode.IsDigit(r - 1) {
		r, value = r-1, value+1
	}
	return value % 10, true
}

const mostSeparators = 4

// few reports whether a gap is at most a few separators. There are none between digits and letters.
func few(gap string) bool {
	n := 0
	for _, r := range gap {
		if n++; n > mostSeparators || !isSeparator(r) {
			return false
		}
	}
	return true
}

// isSeparator reports whether people write r between the digits of a number. This includes what they do not see: format
// characters, as in numbers that are copied from a web page, and marks, as in digits of emoji.
func isSeparator(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Pc, unicode.Cf, unicode.M) ||
		strings.ContainsRune(`./\·•・−⁄∕．／＼`, r)
}

// afterPlus reports whether a plus sign precedes the token.
func (t token) afterPlus() bool { return strings.ContainsAny(t.gap, "+＋") }

// countable reports whether the token can be part of a card number.
func (t token) countable() bool { return t.word == "" && !t.aside }

// value returns the number that up to 18 digits show.
func value(digits []byte) int {
	n := 0
	for _, d := range digits {
		n = 10*n + int(d)
	}
	return n
}
