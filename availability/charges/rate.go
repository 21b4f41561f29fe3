package charges

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
)

// Rate is a percentage in ten-thousandths of a percent: 58750 is 5.875 %. Zero means none.
type Rate int

// MaxRate is 100 %.
const MaxRate Rate = 1_000_000

const rateDecimals = 4

var rateForm = regexp.MustCompile(`^([0-9]{1,3})(?:\.([0-9]{1,4}))?$`)

// ParseRate parses "10", "7.5" or "5.875". It returns an error for more than four decimal places, for zero, and for more
// than 100.
func ParseRate(text string) (Rate, error) {
	if match := rateForm.FindStringSubmatch(text); match != nil {
		n, _ := strconv.Atoi(match[1] + (match[2] + "0000")[:rateDecimals]) // cannot fail: they are at most 7 digits
		if Rate(n).Validate() == nil {
			return Rate(n), nil
		}
	}
	return 0, dynastay.Invalid("Rate", "must be a number above 0 and at most 100, with at most %d decimal places", rateDecimals)
}

// Validate returns an error unless r is between 0.0001 and 100 %.
func (r Rate) Validate() error {
	if r < 1 || r > MaxRate {
		return dynastay.Invalid("", "must be between 0.0001 and 100, got %s", r)
	}
	return nil
}

// String returns the form "5.875", without a percent sign.
func (r Rate) String() string {
	sign, n := "", int64(r)
	if r < 0 {
		sign, n = "-", -n
	}
	const one = int64(MaxRate) / 100
	digits := fmt.Sprintf("%s%d.%0*d", sign, uint64(n)/uint64(one), rateDecimals, uint64(n)%uint64(one))
	return strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")
}

// MarshalJSON returns the number 5.875.
func (r Rate) MarshalJSON() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalJSON reads what MarshalJSON returns: a percentage as [ParseRate] reads it, or 0 for none.
func (r *Rate) UnmarshalJSON(data []byte) error {
	switch text := string(data); text {
	case "null":
		return nil
	case "0":
		*r = 0
		return nil
	default:
		parsed, err := ParseRate(text)
		if err != nil {
			return err
		}
		*r = parsed
		return nil
	}
}
