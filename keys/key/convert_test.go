package key_test

import (
	"fmt"
	"math"
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

func TestShardOf(t *testing.T) {
	assert.Equal(t, 0, key.ShardOf("bkg_1", 0))
	assert.Equal(t, 0, key.ShardOf("bkg_1", 1))
	// FNV-1a's published vector for "foobar" is 0xbf9cf968. Where a row lies may never change.
	assert.Equal(t, 0xbf9cf968%7, key.ShardOf("foobar", 7))
	assert.Equal(t, 0xbf9cf968%1000, key.ShardOf("foobar", 1000))
	assert.Equal(t, 1, key.ShardOf("b", 2)) // 0xe70c2de5

	rows := make([]int, 4)
	for i := range 4000 {
		rows[key.ShardOf(fmt.Sprintf("bkg_%d", i), len(rows))]++
	}
	for _, n := range rows {
		assert.InDelta(t, 1000, n, 150)
	}
}

func TestPlaceOf(t *testing.T) {
	for _, test := range []struct {
		name                string
		latitude, longitude float64
		geohash, cell       string
	}{
		// The hotel-booking document gives dr5regw3p for these coordinates, a place 5 km off.
		{"New York", 40.7589, -73.9851, "dr5ru7vty", "dr5"},
		{"Jutland", 57.64911, 10.40744, "u4pruydqq", "u4p"},
		{"null island", 0, 0, "s00000000", "s00"},
		{"north pole", 90, 0, "upbpbpbpb", "NORTH"},
		{"south pole", -90, 0, "h00000000", "SOUTH"},
		{"date line from the west", 0, 180, "xbpbpbpbp", "xbp"},
		{"date line from the east", 0, -180, "800000000", "800"},
		{"north-east corner", 90, 180, "zzzzzzzzz", "NORTH"},
		{"a float below it", math.Nextafter(90, 0), math.Nextafter(180, 0), "zzzzzzzzz", "NORTH"},
		{"80 degrees", 80, 0, "un0p0581b", "un0"},
		{"80 degrees south", -80, 0, "h1b0bh2n0", "h1b"},
		{"beyond 80 degrees", 80.001, 0, "un0p058p8", "NORTH"},
		{"beyond 80 degrees south", -80.001, 0, "h1b0bh202", "SOUTH"},
	} {
		place, err := key.PlaceOf(test.latitude, test.longitude)
		require.NoError(t, err, test.name)
		want := key.Place{Geohash: test.geohash, Precision6: test.geohash[:6], Precision5: test.geohash[:5], Cell: test.cell}
		assert.Equal(t, want, place, test.name)
	}
}

func TestPlaceOfRefuses(t *testing.T) {
	above := math.Nextafter(90, 91)
	for _, test := range []struct {
		latitude, longitude float64
		field               string
	}{
		{math.NaN(), 0, "Latitude"}, {above, 0, "Latitude"}, {-above, 0, "Latitude"}, {math.Inf(1), 0, "Latitude"},
		{0, math.NaN(), "Longitude"}, {0, 180.1, "Longitude"}, {0, -180.1, "Longitude"}, {0, math.Inf(-1), "Longitude"},
	} {
		_, err := key.PlaceOf(test.latitude, test.longitude)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, test.field, invalid.Field)
	}
}
