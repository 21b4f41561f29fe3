package bookings_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestPercentInJSON(t *testing.T) {
	for p := bookings.Percent(0); p <= bookings.MaxPercent; p++ {
		text, err := json.Marshal(p)
		require.NoError(t, err)
		require.Equal(t, p.String(), string(text))
		back := bookings.MaxPercent
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, p, back)
	}
	some := bookings.Percent(1250)
	require.NoError(t, json.Unmarshal([]byte("null"), &some))
	for _, text := range []string{"1250", `"12.5"`, "12.555", "-1", "1e1", "true"} {
		require.ErrorIs(t, json.Unmarshal([]byte(text), &some), dynastay.ErrInvalid, text)
	}
	assert.Equal(t, bookings.Percent(1250), some)
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"15": "15", "15.0": "15", "15.00": "15", "015": "15", "12.5": "12.5", "12.50": "12.5", "7.25": "7.25", "0.01": "0.01",
		"0.1": "0.1", "10": "10", "100": "100", "100.00": "100", "99.99": "99.99",
	} {
		p, err := bookings.ParsePercent(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, p.String(), text)
		again, err := bookings.ParsePercent(p.String())
		require.NoError(t, err, text)
		assert.Equal(t, p, again, text)
		assert.NoError(t, p.Validate())
	}
	p, err := bookings.ParsePercent("12.5")
	require.NoError(t, err)
	assert.Equal(t, bookings.Percent(1250), p)
	for _, text := range []string{
		"", "0", "0.00", "100.01", "101", "1000", "0015", "15.000", "15.", ".5", "-5", "+5", "1e1", "15%", " 15", "15\n", "1,5", "١٥",
	} {
		_, err := bookings.ParsePercent(text)
		blame.Invalid(t, err, "Percent", text)
		assert.ErrorContains(t, err, "must be between 0.01 and 100 with at most 2 decimal places, got ")
	}
	for p, text := range map[bookings.Percent]string{
		0: "must be between 0.01 and 100, got 0", -5: "must be between 0.01 and 100, got -0.05",
		-1250: "must be between 0.01 and 100, got -12.5", 100_01: "must be between 0.01 and 100, got 100.01",
	} {
		assert.EqualError(t, p.Validate(), "invalid: "+text)
	}
}
