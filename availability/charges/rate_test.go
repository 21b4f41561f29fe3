package charges_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability/charges"
)

func TestRates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]charges.Rate{
		"5.875": 5_8750, "0.375": 3750, "10": 10_0000, "100": charges.MaxRate, "0.0001": 1, "7.5": 7_5000, "19.0": 19_0000,
		"007": 7_0000, "99.9999": 99_9999, "100.0000": 100_0000,
	} {
		got, err := charges.ParseRate(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		assert.NoError(t, got.Validate())
	}
	for _, text := range []string{
		"", "0", "0.0000", "-1", "+1", "100.0001", "101", "1000", "0.00001", "1.", ".5", "1e1", "5 %", " 5", "5,5", "NaN", "5\n",
	} {
		_, err := charges.ParseRate(text)
		refused(t, err, "Rate", "must be a number above 0 and at most 100, with at most 4 decimal places")
	}
	for rate, want := range map[charges.Rate]string{
		5_8750: "5.875", 3750: "0.375", 100_0000: "100", 10_0000: "10", 1: "0.0001", 0: "0", -5_0000: "-5", -1: "-0.0001",
		math.MinInt64: "-922337203685477.5808", math.MaxInt64: "922337203685477.5807",
	} {
		assert.Equal(t, want, rate.String())
	}
	for _, rate := range []charges.Rate{-1, 0, charges.MaxRate + 1} {
		refused(t, rate.Validate(), "", "must be between 0.0001 and 100, got "+rate.String())
	}
}

func TestRatesInJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal([]charges.Rate{0, 5_8750})
	require.NoError(t, err)
	assert.Equal(t, "[0,5.875]", string(text))
	var read []charges.Rate
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, []charges.Rate{0, 5_8750}, read)
	one := charges.Rate(7)
	require.NoError(t, json.Unmarshal([]byte("0"), &one))
	assert.Zero(t, one)
	one = 7
	require.NoError(t, json.Unmarshal([]byte("null"), &one))
	assert.Equal(t, charges.Rate(7), one)
	for _, text := range []string{`"5"`, "-1", "1e1", "true", "101"} {
		refused(t, json.Unmarshal([]byte(text), &one), "Rate", "must be a number")
		assert.Equal(t, charges.Rate(7), one)
	}
}

// Every text is either refused or the rate that its number is, which is written in the shortest way.
func FuzzParseRate(f *testing.F) {
	for _, text := range []string{"5.875", "100", "0.0001", "007.50", "-1", "1e2", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := charges.ParseRate(text)
		if err != nil {
			assert.Zero(t, rate)
			return
		}
		require.NoError(t, rate.Validate())
		again, err := charges.ParseRate(rate.String())
		require.NoError(t, err)
		assert.Equal(t, rate, again)
		assert.LessOrEqual(t, len(rate.String()), len(text))
	})
}
