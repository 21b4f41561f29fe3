// Package phone validates phone numbers.
package phone

import (
	"strings"

	"github.com/dynastay/dynastay"
)

// Validate returns an error unless phone is empty or a number in E.164 form, such as +1-555-123-4567: a plus sign and 7
// to 15 digits, with spaces and hyphens anywhere, at most 64 bytes. The error has no field, see [dynastay.Within].
func Validate(phone string) error {
	const most = 64 // fits the longest number with " - " between its digits
	if phone == "" {
		return nil
	}
	if len(phone) > most {
		return dynastay.Invalid("", "must be at most %d bytes, got %d", most, len(phone))
	}
	number, plus := strings.CutPrefix(Normal(phone), "+")
	if !plus || len(number) < 7 || len(number) > 15 || number[0] == '0' || strings.Trim(number, "0123456789") != "" {
		return dynastay.Invalid("", "must be a phone number in E.164 form, such as +1-555-123-4567")
	}
	return nil
}

// Normal returns a number without its spaces and hyphens, for comparisons.
func Normal(phone string) string { return strings.NewReplacer(" ", "", "-", "").Replace(phone) }
