package stored

import (
	"strconv"
	"strings"
)

// Numeral is a parsed decimal number: its digits without leading and trailing zeros, and how many of them are after the
// decimal point (if Scale is negative, that many zeros follow the digits). Zero has no digits. Equal numbers are ==.
type Numeral struct {
	Negative bool
	Digits   string
	Scale    int
}

// Integer returns a whole number in DynamoDB's format, which may be written as 1.00 or 1E2: DynamoDB returns the shortest
// form of every number, but DynamoDB Local returns the form that an update has set.
func Integer(text string) (int, error) {
	whole, err := strconv.Atoi(text)
	if err == nil {
		return whole, nil
	}
	const most = 19 // the digits of the largest int
	n, ok := ReadNumeral(text)
	if !ok || n.Scale > 0 || len(n.Digits)-n.Scale > most {
		return whole, err
	}
	digits := "0" + n.Digits + strings.Repeat("0", -n.Scale)
	if n.Negative {
		digits = "-" + digits
	}
	return strconv.Atoi(digits)
}

// ReadNumeral parses a number in DynamoDB's format: digits with an optional sign, decimal point and exponent.
func ReadNumeral(text string) (n Numeral, ok bool) {
	rest, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		const most = 1000 // DynamoDB's limit is about 126
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || e < -most || e > most {
			return Numeral{}, false
		}
		rest, exponent = text[:i], e
	}
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		n.Negative = rest[0] == '-'
		rest = rest[1:]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	all := whole + fraction
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return Numeral{}, false
	}
	kept := strings.TrimRight(all, "0")
	n.Digits = strings.TrimLeft(kept, "0")
	if n.Digits == "" {
		return Numeral{}, true
	}
	n.Scale = len(fraction) - exponent - (len(all) - len(kept))
	return n, true
}
