package key_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

func TestPriceOf(t *testing.T) {
	for amount, want := range map[string]key.Thousandths{
		"0 USD":                   0,
		"150 USD":                 150_000,
		"0.5 USD":                 500,
		"1.234 KWD":               1_234,
		"1.2340 USD":              1_234,
		"1500 JPY":                1_500_000,
		"999999999999.999 KWD":    999_999_999_999_999,
		"1.2345 USD":              -1,
		"-0.01 USD":               -1,
		"-1 JPY":                  -1,
		"1000000000000 USD":       -1,
		"100000000000000000 JPY":  -1,
		"-100000000000000000 JPY": -1,
	} {
		money, err := dynastay.ParseMoney(amount)
		require.NoError(t, err)
		got, err := key.PriceOf(money)
		if want < 0 {
			assert.ErrorIs(t, err, dynastay.ErrInvalid, amount)
			continue
		}
		assert.NoError(t, err, amount)
		assert.Equal(t, want, got, amount)
	}
	_, err := key.PriceOf(dynastay.Money{})
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
}

// Prices of one currency compare as the amounts do.
func TestPriceOfKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (dynastay.Money, key.Thousandths) {
			n := rapid.Int64Range(0, 999_999_999_999_999).Draw(t, label)
			money, err := dynastay.ParseMoney(fmt.Sprintf("%d.%03d USD", n/1000, n%1000))
			require.NoError(t, err)
			price, err := key.PriceOf(money)
			require.NoError(t, err)
			return money, price
		}
		money1, price1 := draw("first")
		money2, price2 := draw("second")
		sign, err := money1.Compare(money2)
		require.NoError(t, err)
		assert.Equal(t, sign < 0, price1 < price2)
		assert.Equal(t, sign == 0, price1 == price2)
	})
}
