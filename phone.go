package dynastay

import "strings"

// ValidatePhone asks for a number in E.164, +1-555-123-4567 say, where there is one: a plus sign and 7 to 15 digits,
// with spaces and hyphens wherever the writer likes them, 64 bytes in all. Its error has no field, see [Within].
func ValidatePhone(phone string) error {
	const most = 64 // the longest number, with " - " between its digits
	if phone == "" {
		return nil
	}
	if len(phone) > most {
		return Invalid("", "has %d bytes, the most is %d", len(phone), most)
	}
	compact := strings.NewReplacer(" ", "", "-", "").Replace(phone)
	number, plus := strings.CutPrefix(compact, "+")
	if !plus || len(number) < 7 || len(number) > 15 || number[0] == '0' || strings.Trim(number, "0123456789") != "" {
		return Invalid("", "is not a phone number in the form +1-555-123-4567")
	}
	return nil
}
