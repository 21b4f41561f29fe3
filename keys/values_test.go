package keys_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

func TestWhatFieldsTake(t *testing.T) {
	instant := time.Date(2024, 11, 10, 9, 15, 0, 0, time.UTC)
	id := func(id string) error { _, err := keys.Of(keys.Booking{BookingID: id}); return err }
	slug := func(slug string) error { _, err := keys.Of(keys.SlugGuard{Slug: slug}); return err }
	status := func(s string) error { _, err := keys.Partition(keys.BookingByStatus{Status: s}); return err }
	shard := func(n int) error { _, err := keys.Partition(keys.BookingByHold{Shard: n}); return err }
	hold := func(t time.Time) error { _, err := keys.SortPrefix(keys.BookingByHold{Expires: t}); return err }
	rating := func(r dynastay.Rating) error { _, err := keys.SortPrefix(keys.PropertyByCity{Rating: r}); return err }
	price := func(p keys.Price) error { _, err := keys.SortPrefix(keys.PropertyByArea{Price: p}); return err }
	score := func(n int64) error { _, err := keys.SortPrefix(keys.FeaturedProperty{Score: n}); return err }
	area := func(hash string) error { _, err := keys.Partition(keys.PropertyByArea{Geohash: hash}); return err }
	cell := func(cell string) error { _, err := keys.Partition(keys.PropertyByCell{Cell: cell}); return err }
	stars := func(n int) error {
		_, err := keys.Partition(keys.PropertyByStars{City: "New York", Country: "USA", Stars: n})
		return err
	}
	currency := func(c dynastay.Currency) error {
		_, err := keys.Partition(keys.PropertyByPrice{City: "New York", Country: "USA", Currency: c})
		return err
	}
	for name, test := range map[string]struct {
		err   error
		field string // "" where the value is taken
	}{
		"id of 128 bytes":               {id(strings.Repeat("x", 128)), ""},
		"id of 129 bytes":               {id(strings.Repeat("x", 129)), "BookingID"},
		"id with a percent sign":        {id("a%23b"), ""},
		"id with #":                     {id("a#b"), "BookingID"},
		"id with a control character":   {id("a\u0085"), "BookingID"},
		"id in invalid UTF-8":           {id("a\xff"), "BookingID"},
		"text of 256 bytes":             {slug(strings.Repeat("x", 256)), ""},
		"text of 257 bytes":             {slug(strings.Repeat("x", 257)), "Slug"},
		"text of 258 bytes escaped":     {slug(strings.Repeat("#", 86)), "Slug"},
		"text of white space":           {slug(" \u00a0\t"), "Slug"},
		"text in invalid UTF-8":         {slug("a\xff"), "Slug"},
		"status of 64 bytes":            {status(strings.Repeat("x", 64)), ""},
		"status of 65 bytes":            {status(strings.Repeat("x", 65)), "Status"},
		"status in upper case":          {status("Pending"), "Status"},
		"status with another separator": {status("checked in"), "Status"},
		"status with #":                 {status("pending#"), "Status"},
		"shard 0":                       {shard(0), ""},
		"shard -1":                      {shard(-1), "Shard"},
		"zero time":                     {hold(time.Time{}), "Expires"},
		"zero time and a little":        {hold(time.Time{}.Add(time.Second - 1)), "Expires"},
		"first instant":                 {hold(time.Time{}.Add(time.Second)), ""},
		"last instant":                  {hold(time.Date(9999, 12, 31, 23, 59, 59, 999, time.UTC)), ""},
		"year 10000":                    {hold(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), "Expires"},
		"year 10000 in UTC":             {hold(time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -1))), "Expires"},
		"year 0":                        {hold(instant.AddDate(-2024, 0, 0)), "Expires"},
		"rating 10.0":                   {rating(100), ""},
		"rating 10.1":                   {rating(101), "Rating"},
		"rating -0.1":                   {rating(-1), "Rating"},
		"highest price":                 {price(999_999_999_999_999), ""},
		"price above":                   {price(1_000_000_000_000_000), "Price"},
		"negative price":                {price(-1), "Price"},
		"highest score":                 {score(9_999_999_999), ""},
		"score above":                   {score(10_000_000_000), "Score"},
		"negative score":                {score(-1), "Score"},
		"6 characters of geohash":       {area("dr5reg"), ""},
		"5 characters of geohash":       {area("dr5re"), "Geohash"},
		"7 characters of geohash":       {area("dr5regw"), "Geohash"},
		"no geohash":                    {area("dr5rea"), "Geohash"},
		"geohash in upper case":         {area("DR5REG"), "Geohash"},
		"cell":                          {cell("dr5"), ""},
		"pole's cell":                   {cell("SOUTH"), ""},
		"no cell":                       {cell("EAST"), "Cell"},
		"1 star":                        {stars(1), ""},
		"no star":                       {stars(0), "Stars"},
		"5 stars":                       {stars(5), ""},
		"6 stars":                       {stars(6), "Stars"},
		"currency":                      {currency("USD"), ""},
		"no currency":                   {currency("XXX"), "Currency"},
	} {
		var invalid *dynastay.InvalidError
		if test.field == "" {
			assert.NoError(t, test.err, name)
		} else if assert.ErrorAs(t, test.err, &invalid, name) {
			assert.Equal(t, test.field, invalid.Field, name)
		}
	}
}

func TestInstantsAreCutToSecondsOfUTC(t *testing.T) {
	tokyo := time.FixedZone("", 9*60*60)
	got, err := keys.SortPrefix(keys.ReviewByUser{Created: time.Date(2024, 11, 10, 18, 15, 0, 999_999_999, tokyo)})
	require.NoError(t, err)
	assert.Equal(t, "CREATED#2024-11-10T09:15:00Z#REVIEW#", got)
}

func TestPriceOf(t *testing.T) {
	for amount, want := range map[string]keys.Price{
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
		got, err := keys.PriceOf(money)
		if want < 0 {
			assert.ErrorIs(t, err, dynastay.ErrInvalid, amount)
			continue
		}
		assert.NoError(t, err, amount)
		assert.Equal(t, want, got, amount)
	}
	_, err := keys.PriceOf(dynastay.Money{})
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
}

// Prices of one currency compare as the amounts do.
func TestPriceOfKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (dynastay.Money, keys.Price) {
			n := rapid.Int64Range(0, 999_999_999_999_999).Draw(t, label)
			money, err := dynastay.ParseMoney(fmt.Sprintf("%d.%03d USD", n/1000, n%1000))
			require.NoError(t, err)
			price, err := keys.PriceOf(money)
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
	assert.Equal(t, 0, keys.ShardOf("bkg_1", 0))
	assert.Equal(t, 0, keys.ShardOf("bkg_1", 1))
	// FNV-1a's published vector for "foobar" is 0xbf9cf968. Where a row lies may never change.
	assert.Equal(t, 0xbf9cf968%7, keys.ShardOf("foobar", 7))
	assert.Equal(t, 0xbf9cf968%1000, keys.ShardOf("foobar", 1000))

	rows := make([]int, 4)
	for i := range 4000 {
		rows[keys.ShardOf(fmt.Sprintf("bkg_%d", i), len(rows))]++
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
		place, err := keys.PlaceOf(test.latitude, test.longitude)
		require.NoError(t, err, test.name)
		want := keys.Place{Geohash: test.geohash, Precision6: test.geohash[:6], Precision5: test.geohash[:5], Cell: test.cell}
		assert.Equal(t, want, place, test.name)
	}
}

func TestPlaceOfFitsTheKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place, err := keys.PlaceOf(rapid.Float64Range(-90, 90).Draw(t, "latitude"), rapid.Float64Range(-180, 180).Draw(t, "longitude"))
		require.NoError(t, err)
		_, err = keys.Of(keys.PropertyByCell{Cell: place.Cell, Geohash: place.Geohash, PropertyID: "prop_1"})
		require.NoError(t, err)
		_, err = keys.Of(keys.PropertyByArea{Geohash: place.Precision6, PropertyID: "prop_1"})
		require.NoError(t, err)
	})
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
		_, err := keys.PlaceOf(test.latitude, test.longitude)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, test.field, invalid.Field)
	}
}
