package keytext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxThousandths is the maximum of [Decimal]: 999999999999.999.
const maxThousandths = 999_999_999_999_999

// Digits returns n with exactly width digits.
func Digits(n int64, width int) (string, error) {
	text := fmt.Sprintf("%0*d", width, n)
	switch {
	case n < 0:
		return "", errors.New("must not be negative")
	case len(text) > width:
		return "", fmt.Errorf("must have at most %d digits", width)
	}
	return text, nil
}

// ParseDigits parses the text of [Digits].
func ParseDigits(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, errors.New("must be a whole number")
	}
	return n, nil
}

// Decimal returns a number of thousandths as 12 digits, a point and 3 decimal places.
func Decimal(thousandths int64) (string, error) {
	if thousandths < 0 {
		return "", errors.New("must not be negative")
	}
	if thousandths > maxThousandths {
		return "", errors.New("must have at most 12 digits before the decimal point")
	}
	return fmt.Sprintf("%012d.%03d", thousandths/1000, thousandths%1000), nil
}

// Thousandths parses a decimal number, with or without leading zeros and decimal places. It is exact: a fourth decimal
// place is an error, even if it is a zero.
func Thousandths(text string) (int64, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	switch {
	case whole == "":
		return 0, errors.New("is required")
	case strings.HasPrefix(whole, "-"):
		return 0, errors.New("must not be negative")
	case len(decimals) > 3:
		return 0, errors.New("must have at most 3 decimal places")
	case len(whole) > 12:
		return 0, errors.New("must have at most 12 digits before the decimal point")
	}
	n, err := strconv.ParseUint(whole+(decimals + "000")[:3], 10, 64)
	if err != nil {
		return 0, errors.New("must be a decimal number")
	}
	return int64(n), nil
}
