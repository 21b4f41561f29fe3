package world

import (
	"math"
	"testing"
	"time"

	"github.com/mmcloughlin/geohash"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/phone"
)

// metresBetween is the distance on a sphere.
func metresBetween(lat1, lon1, lat2, lon2 float64) float64 {
	const radius, degree = 6371e3, math.Pi / 180
	a := math.Pow(math.Sin((lat2-lat1)*degree/2), 2) +
		math.Cos(lat1*degree)*math.Cos(lat2*degree)*math.Pow(math.Sin((lon2-lon1)*degree/2), 2)
	return 2 * radius * math.Asin(math.Sqrt(a))
}

func TestCities(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range cities {
		assert.False(t, seen[c.name], c.name)
		seen[c.name] = true
		assert.True(t, math.Abs(c.latitude) <= 90 && math.Abs(c.longitude) <= 180, c.name)
		loc, err := time.LoadLocation(c.zone)
		require.NoError(t, err, c.name)
		_, offset := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC).In(loc).Zone()
		assert.InDelta(t, c.longitude/15, float64(offset)/3600, 4, "%s: the sun and the clock", c.name)
		assert.Positive(t, c.weight*c.level, c.name)
		from, ok := countries[c.country]
		require.True(t, ok, c.name)
		require.NoError(t, from.currency.Validate(), c.name)
		require.NoError(t, phone.Validate("+"+from.calling+"-200-000-000"), c.name)
		assert.Len(t, c.country, 3, c.name)

		// A plain room costs about 25 to 400 dollars; the rates are roughly those of early 2026.
		dollars := float64(c.level) * dollarsFor[from.currency]
		assert.True(t, dollars > 25 && dollars < 400, "%s: %.0f dollars", c.name, dollars)
	}
	assert.GreaterOrEqual(t, len(cities), 40)
	for name := range aliases {
		assert.True(t, seen[name], name)
	}
	for code, c := range countries {
		assert.NotEmpty(t, c.names.first, code)
		assert.NotEmpty(t, c.names.last, code)
	}
}

var dollarsFor = map[dynastay.Currency]float64{
	"USD": 1, "CAD": .73, "MXN": .055, "BRL": .18, "ARS": .0007, "PEN": .28, "COP": .00026, "GBP": 1.33, "EUR": 1.16,
	"CHF": 1.25, "CZK": .048, "HUF": .003, "TRY": .024, "DKK": .155, "SEK": .106, "ISK": .008, "AED": .272, "KWD": 3.26,
	"EGP": .021, "MAD": .108, "KES": .0077, "ZAR": .058, "INR": .0113, "THB": .031, "SGD": .77, "HKD": .128, "KRW": .0007,
	"JPY": .0065, "AUD": .66, "NZD": .57,
}

// The centres must never change: moving one would move every hotel of every world.
func TestCityCentresStay(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"New York": "dr5regw3p", "London": "gcpvj0duq", "Paris": "u09tvw0f6", "Tokyo": "xn76cydhz", "Sydney": "r3gx2f77b",
		"São Paulo": "6gyf4bf8m", "Cape Town": "k3vp520j0", "Dubai": "thrr3squw",
	}
	got := map[string]string{}
	for _, c := range cities {
		if want[c.name] != "" {
			got[c.name] = geohash.EncodeWithPrecision(c.latitude, c.longitude, 9)
		}
	}
	assert.Equal(t, want, got)
}

func TestHotelsStandInTheirCities(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 3, Properties: 2000})
	at := map[string]city{}
	for _, c := range cities {
		at[c.name] = c
	}
	near, far := 0, 0
	for i := range w.opts.Properties {
		p := w.house(i).property
		c := at[p.Address.City]
		away := metresBetween(c.latitude, c.longitude, p.Address.Latitude, p.Address.Longitude)
		require.Less(t, away, reach*1.01, p.ID)
		switch {
		case away < reach/4:
			near++
		case away > reach*3/4:
			far++
		}
	}
	assert.Greater(t, near, 4*far, "more hotels in the inner sixteenth of the area than in the outer half of it")
	assert.Positive(t, far)
}
