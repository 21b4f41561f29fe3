package dynastay_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func TestValidatePhone(t *testing.T) {
	for _, phone := range []string{"", "+1-555-123-4567", "+15551234567", "+49 30 901820", "+1234567", "+123456789012345", "+ 1 - 5 5 5 1 2 3 4", "+1555123456" + strings.Repeat(" ", 52) + "7"} {
		assert.NoError(t, dynastay.ValidatePhone(phone), "%q", phone)
	}
	for _, phone := range []string{
		" ", "+", "15551234567", "+123456", "+1234567890123456", "+0123456789", "++15551234567", "+1555123x567", "+1(555)1234567",
		"+1.555.123.4567", "+1555123456" + strings.Repeat(" ", 53) + "7", "+１５５５１２３４５６７", "+1555123456٧", "+1555\n1234567", "555-1234",
	} {
		var invalid *dynastay.InvalidError
		err := dynastay.ValidatePhone(phone)
		require.ErrorAs(t, err, &invalid, "%q", phone)
		assert.Empty(t, invalid.Field)
		if digits := strings.Trim(phone, "+ "); digits != "" {
			assert.NotContains(t, err.Error(), digits, "a phone number is personal data")
		}
	}
}

func FuzzValidatePhone(f *testing.F) {
	for _, seed := range []string{"", "+", "+1-555-123-4567", "+0", "+12345678901234567890", "+1\xff2345678", "-+1234567"} {
		f.Add(seed)
	}
	e164 := regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	f.Fuzz(func(t *testing.T, phone string) {
		err := dynastay.ValidatePhone(phone)
		want := phone == "" || len(phone) <= 64 && e164.MatchString(strings.ReplaceAll(strings.ReplaceAll(phone, " ", ""), "-", ""))
		if want != (err == nil) || err != nil && !errors.Is(err, dynastay.ErrInvalid) {
			t.Fatalf("%q: %v", phone, err)
		}
	})
}
