package dynastay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// An amount in a currency that has been withdrawn can be made, but nothing new may cost it.
func TestWithdrawnCurrencies(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"240.50 HRK", "240.50 BGN", "240 BYR"} {
		amount, err := dynastay.ParseMoney(text)
		require.NoError(t, err, text)
		assert.Equal(t, text, amount.String())
		assert.NoError(t, amount.ValidatePaid())
		assert.ErrorIs(t, amount.Validate(), dynastay.ErrInvalid)
		assert.True(t, amount.Currency().Known())
	}
	for _, code := range []dynastay.Currency{"XYZ", "hrk", ""} {
		assert.False(t, code.Known(), code)
		_, err := dynastay.MoneyOfMinor(1, code)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
	}
	assert.ErrorIs(t, dynastay.MustMoney("1.005", "HRK").ValidatePaid(), dynastay.ErrInvalid)
	assert.ErrorIs(t, dynastay.Money{}.ValidatePaid(), dynastay.ErrInvalid)
}
