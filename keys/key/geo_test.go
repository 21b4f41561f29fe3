package key_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys/key"
)

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
		blame.Invalid(t, err, test.field)
	}
}
