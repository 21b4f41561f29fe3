package dynastay

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay/internal/shown"
)

// Percent is a percentage in hundredths of a percent: 1250 is 12.5 %, −1000 is −10 %. Integers keep prices exact. Zero
// means none.
type Percent int

// MaxPercent is 100 %.
const MaxPercent Percent = 100_00

var percentForm = regexp.MustCompile(`^-?([0-9]{1,3})(?:\.([0-9]{1,2}))?$`)

// ParsePercent parses "15", "12.5" or "-7.25". It returns an error for more than two decimal places, for zero, and for a
// percentage outside −999.99 to 999.99.
func ParsePercent(text string) (Percent, error) {
	if match := percentForm.FindStringSubmatch(text); match != nil {
		hundredths, _ := strconv.Atoi(match[1] + (match[2] + "00")[:2]) // cannot fail: they are at most 5 digits
		if text[0] == '-' {
			hundredths = -hundredths
		}
		if hundredths != 0 {
			return Percent(hundredths), nil
		}
	}
	return 0, Invalid("Percent", "must be a number other than 0, with at most 3 digits and 2 decimal places, got %q", shown.Truncated(text))
}

// Validate checks a percentage that is part of a whole, such as a discount. It returns an error unless p is between 0.01
// and 100 %.
func (p Percent) Validate() error {
	if p < 1 || p > MaxPercent {
		return Invalid("", "must be between 0.01 and 100, got %s", p)
	}
	return nil
}

// String returns the form "12.5", without a percent sign.
func (p Percent) String() string {
	sign, n := "", int(p)
	if p < 0 {
		sign, n = "-", -n
	}
	digits := fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
	return strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")
}

// MarshalJSON returns the number 12.5.
func (p Percent) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON reads what MarshalJSON returns: a percentage as [ParsePercent] reads it, or 0 for none.
func (p *Percent) UnmarshalJSON(data []byte) error {
	switch text := string(data); text {
	case "null":
		return nil
	case "0":
		*p = 0
		return nil
	default:
		parsed, err := ParsePercent(text)
		if err != nil {
			return err
		}
		*p = parsed
		return nil
	}
}
