// Package card finds the numbers and the verification codes of payment cards in texts that people write, so that they
// are not stored.
package card

import (
	"iter"
	"regexp"

	"github.com/dynastay/dynastay"
)

// Check returns an error if text contains what looks like the number of a payment card, or a card verification code.
// The error has no field, see [dynastay.Within], and does not repeat the text.
//
// A card number is 13 to 19 decimal digits, of any script, with the first digits and the length that a card brand uses,
// and the right check digit. Up to 4 spaces, hyphens, dots, slashes and the like may separate groups of digits. A
// number begins at the beginning of a group and ends at the end of one; what precedes and follows it does not matter.
// One in ten numbers that begin like a card but are none has the right check digit too. So Check leaves out what has a
// form of its own: dates, UUIDs, IBANs, ascending lists of rooms, and numbers of 13 digits after a plus sign, which are
// phone numbers.
//
// A card verification code is 3 or 4 digits after a word such as CVC or "security code", or 3 digits before CVC or CVV.
func Check(text string) error {
	tokens := split(uuids.ReplaceAllLiteralString(text, ","))
	setAside(tokens)
	if hasNumber(tokens) || hasCode(tokens) {
		return dynastay.Invalid("", "must not contain a card number or a card verification code")
	}
	return nil
}

// uuids finds UUIDs, of which the decimal digits between two letters may be those of a card.
var uuids = regexp.MustCompile(`[[:xdigit:]]{8}-(?:[[:xdigit:]]{4}-){3}[[:xdigit:]]{12}`)

func hasNumber(tokens []token) bool {
	for groups := range candidates(tokens) {
		if isCard(groups) {
			return true
		}
	}
	return false
}

// candidates are the neighbouring groups of digits that have as many digits together as a card. A group begins at most
// 7 of them, so their number grows no faster than the text.
func candidates(tokens []token) iter.Seq[[]token] {
	return func(yield func([]token) bool) {
		for from := range tokens {
			n := 0
			for to := from; to < len(tokens) && tokens[to].countable() && (to == from || tokens[to].near); to++ {
				if n += len(tokens[to].digits); n > most {
					break
				}
				if n >= fewest && !yield(tokens[from:to+1]) {
					return
				}
			}
		}
	}
}

func isCard(groups []token) bool {
	var digits []byte
	for _, group := range groups {
		digits = append(digits, group.digits...)
	}
	phone := len(digits) == fewest && groups[0].afterPlus()
	return !phone && issued(digits) && luhn(digits) && !ascending(groups)
}

// luhn reports whether the last digit is the check digit of the others (ISO/IEC 7812-1).
func luhn(digits []byte) bool {
	sum := 0
	for i, d := range digits {
		if (len(digits)-i)%2 == 0 {
			d = 2*d/10 + 2*d%10
		}
		sum += int(d)
	}
	return sum%10 == 0
}

const mostBetweenRooms = 20

// ascending reports whether the groups are a list of three numbers or more, such as 4101 4102 4105.
func ascending(groups []token) bool {
	for i := 1; i < len(groups); i++ {
		step := value(groups[i].digits) - value(groups[i-1].digits)
		if step < 1 || step > mostBetweenRooms {
			return false
		}
	}
	return len(groups) > 2
}
