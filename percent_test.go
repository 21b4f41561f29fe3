package dynastay_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestPercentInJSON(t *testing.T) {
	for p := -dynastay.MaxPercent; p <= dynastay.MaxPercent; p++ {
		text, err := json.Marshal(p)
		require.NoError(t, err)
		require.Equal(t, p.String(), string(text))
		back := dynastay.MaxPercent
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, p, back)
	}
	some := dynastay.Percent(1250)
	require.NoError(t, json.Unmarshal([]byte("null"), &some))
	for _, text := range []string{"1250", `"12.5"`, "12.555", "-0", "1e1", "true"} {
		require.ErrorIs(t, json.Unmarshal([]byte(text), &some), dynastay.ErrInvalid, text)
	}
	assert.Equal(t, dynastay.Percent(1250), some)
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"15": "15", "15.0": "15", "15.00": "15", "015": "15", "12.5": "12.5", "12.50": "12.5", "7.25": "7.25", "0.01": "0.01",
		"0.1": "0.1", "10": "10", "100": "100", "100.00": "100", "999.99": "999.99", "-5": "-5", "-0.01": "-0.01", "-12.50": "-12.5",
	} {
		p, err := dynastay.ParsePercent(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, p.String(), text)
		again, err := dynastay.ParsePercent(p.String())
		require.NoError(t, err, text)
		assert.Equal(t, p, again, text)
	}
	p, err := dynastay.ParsePercent("12.5")
	require.NoError(t, err)
	assert.Equal(t, dynastay.Percent(1250), p)
	for _, text := range []string{
		"", "-", "--5", "0", "0.00", "-0", "1000", "-1000", "0015", "15.000", "15.", ".5", "+5", "1e1", "15%", " 15", "15\n", "1,5", "١٥",
	} {
		_, err := dynastay.ParsePercent(text)
		blame.Invalid(t, err, "Percent", text)
		assert.ErrorContains(t, err, "must be a number other than 0, with at most 3 digits and 2 decimal places, got ")
	}
	for p, text := range map[dynastay.Percent]string{
		0: "must be between 0.01 and 100, got 0", -5: "must be between 0.01 and 100, got -0.05",
		-1250: "must be between 0.01 and 100, got -12.5", 100_01: "must be between 0.01 and 100, got 100.01",
	} {
		assert.EqualError(t, p.Validate(), "invalid: "+text)
	}
	for _, p := range []dynastay.Percent{1, dynastay.MaxPercent} {
		assert.NoError(t, p.Validate())
	}
}
