package keys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// What the fields take whose range or length is the hotel's own choice.
func TestWhatFieldsTake(t *testing.T) {
	score := func(n int64) error { _, err := keys.SortPrefix(keys.FeaturedProperty{Score: n}); return err }
	area := func(hash string) error { _, err := keys.Partition(keys.PropertyByArea{Geohash: hash}); return err }
	place := func(hash string) error { _, err := keys.SortPrefix(keys.PropertyByCell{Geohash: hash}); return err }
	stars := func(n int) error {
		_, err := keys.Partition(keys.PropertyByStars{City: "New York", Country: "USA", Stars: n})
		return err
	}
	for name, test := range map[string]struct {
		err   error
		field string // "" where the value is taken
	}{
		"highest score":            {score(9_999_999_999), ""},
		"score above":              {score(10_000_000_000), "Score"},
		"negative score":           {score(-1), "Score"},
		"6 characters of an area":  {area("dr5reg"), ""},
		"5 characters of an area":  {area("dr5re"), "Geohash"},
		"7 characters of an area":  {area("dr5regw"), "Geohash"},
		"9 characters of a place":  {place("dr5regw3p"), ""},
		"8 characters of a place":  {place("dr5regw3"), "Geohash"},
		"10 characters of a place": {place("dr5regw3pd"), "Geohash"},
		"1 star":                   {stars(1), ""},
		"no star":                  {stars(0), "Stars"},
		"5 stars":                  {stars(5), ""},
		"6 stars":                  {stars(6), "Stars"},
	} {
		var invalid *dynastay.InvalidError
		if test.field == "" {
			assert.NoError(t, test.err, name)
		} else if assert.ErrorAs(t, test.err, &invalid, name) {
			assert.Equal(t, test.field, invalid.Field, name)
		}
	}
}

// A name has one form in keys, however it is typed.
func TestNamesAreFolded(t *testing.T) {
	for _, name := range []string{"Zürich", "zurich", " ZU-RICH "} {
		got, err := keys.Of(keys.CatalogName{Catalog: "locations", Name: name, ItemID: "zrh"})
		require.NoError(t, err)
		assert.Equal(t, dynastay.Key{PK: "CATALOG#locations", SK: "NAME#zurich#ITEM#zrh"}, got)
	}
}

func TestPlaceOfFitsTheKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place, err := key.PlaceOf(rapid.Float64Range(-90, 90).Draw(t, "latitude"), rapid.Float64Range(-180, 180).Draw(t, "longitude"))
		require.NoError(t, err)
		_, err = keys.Of(keys.PropertyByCell{Cell: place.Cell, Geohash: place.Geohash, PropertyID: "prop_1"})
		require.NoError(t, err)
		_, err = keys.Of(keys.PropertyByArea{Geohash: place.Precision6, PropertyID: "prop_1"})
		require.NoError(t, err)
	})
}
