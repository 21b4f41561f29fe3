package phone_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/phone"
)

func TestValidate(t *testing.T) {
	for _, number := range []string{"", "+1-555-123-4567", "+15551234567", "+49 30 901820", "+1234567", "+123456789012345", "+ 1 - 5 5 5 1 2 3 4", "+1555123456" + strings.Repeat(" ", 52) + "7"} {
		assert.NoError(t, phone.Validate(number), "%q", number)
	}
	for _, number := range []string{
		" ", "+", "15551234567", "+123456", "+1234567890123456", "+0123456789", "++15551234567", "+1555123x567", "+1(555)1234567",
		"+1.555.123.4567", "+1555123456" + strings.Repeat(" ", 53) + "7", "+１５５５１２３４５６７", "+1555123456٧", "+1555\n1234567", "555-1234",
	} {
		var invalid *dynastay.InvalidError
		err := phone.Validate(number)
		require.ErrorAs(t, err, &invalid, "%q", number)
		assert.Empty(t, invalid.Field)
		if digits := strings.Trim(number, "+ "); digits != "" {
			assert.NotContains(t, err.Error(), digits, "a phone number is personal data")
		}
	}
}

func FuzzValidate(f *testing.F) {
	for _, seed := range []string{"", "+", "+1-555-123-4567", "+0", "+12345678901234567890", "+1\xff2345678", "-+1234567"} {
		f.Add(seed)
	}
	e164 := regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	f.Fuzz(func(t *testing.T, number string) {
		err := phone.Validate(number)
		want := number == "" || len(number) <= 64 && e164.MatchString(strings.ReplaceAll(strings.ReplaceAll(number, " ", ""), "-", ""))
		if want != (err == nil) || err != nil && !errors.Is(err, dynastay.ErrInvalid) {
			t.Fatalf("%q: %v", number, err)
		}
	})
}
