package card_test

import (
	"strings"
	"testing"
	"unicode"
)

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "10.07.2026", "cvc 123", "+4915123456789", "\xff4111", "4101 4102 4103 4104",
		"7c490622-3626-452c-a785-2865d5e33ea5", "٤١١١ ١١١١", "GB29NWBK60161331926819", "security code is", "1.1.26-", "AA00", "𝟒+",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !refused(text+",4111 1111 1111 1111") || !refused("4111 1111 1111 1111,"+text) || !refused(text+",cvc 123") {
			t.Errorf("%q hides a card", text)
		}
		if refused(text) && !refused("x,"+text+",x") {
			t.Errorf("%q is allowed within other text", text)
		}
		noDigits := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, text)
		if refused(noDigits) {
			t.Errorf("%q has no digits", noDigits)
		}
	})
}
