package dynastay

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCurrencyTable(t *testing.T) {
	code := regexp.MustCompile(`^[A-Z]{3}$`)
	seen := map[string]int{}
	for digits, codes := range isoMinorUnits {
		for _, c := range strings.Fields(codes) {
			assert.Regexp(t, code, c)
			if other, twice := seen[c]; twice {
				t.Errorf("%s stands under %d and %d digits", c, other, digits)
			}
			seen[c] = digits
			assert.Equal(t, digits, Currency(c).MinorUnit(), c)
			assert.NoError(t, Currency(c).Validate(), c)
		}
	}
	assert.Len(t, minorUnits, len(seen))
	assert.Empty(t, isoMinorUnits[1], "no active currency has one digit")
	for c, digits := range map[Currency]int{
		"USD": 2, "EUR": 2, "GBP": 2, "CHF": 2, "INR": 2, "CNY": 2, "HUF": 2, "MGA": 2,
		"JPY": 0, "KRW": 0, "VND": 0, "CLP": 0, "ISK": 0, "XOF": 0,
		"KWD": 3, "BHD": 3, "TND": 3, "JOD": 3, "OMR": 3, "IQD": 3, "LYD": 3,
	} {
		got, ok := seen[string(c)]
		assert.True(t, ok, c)
		assert.Equal(t, digits, got, c)
	}
	for _, c := range []Currency{"", "usd", "CLF", "XAU", "XDR", "XXX", "XTS", "USN", "HRK", "ZWL", "USD ", "U$D"} {
		var invalid *InvalidError
		require.ErrorAs(t, c.Validate(), &invalid, "%q", c)
		assert.Empty(t, invalid.Field, "the caller knows the field")
		assert.Equal(t, 2, c.MinorUnit())
	}
}
