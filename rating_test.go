package dynastay_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestRatingParsesWhatItPrints(t *testing.T) {
	for r := dynastay.Rating(0); r <= dynastay.MaxRating; r++ {
		assert.Equal(t, fmt.Sprintf("%.1f", float64(r)/10), r.String())
		back, err := dynastay.ParseRating(r.String())
		require.NoError(t, err)
		assert.Equal(t, r, back)
		assert.NoError(t, r.Validate())
	}
	nine, err := dynastay.ParseRating("9")
	require.NoError(t, err)
	assert.Equal(t, dynastay.Rating(90), nine)
	for _, text := range []string{"", ".", "9.", ".5", "10.1", "11", "99", "100", "9.25", "1.25", "-1", "+1", "9,2", " 9", "9 ", "9.x", "1e1", "0x1", "009"} {
		_, err := dynastay.ParseRating(text)
		blame.Invalid(t, err, "Rating", "%q", text)
	}
}

func TestRatingInJSON(t *testing.T) {
	for r := dynastay.Rating(0); r <= dynastay.MaxRating; r++ {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		assert.Equal(t, r.String(), string(text))
		var back dynastay.Rating
		require.NoError(t, json.Unmarshal(text, &back))
		assert.Equal(t, r, back)
	}
	nine := dynastay.Rating(92)
	require.NoError(t, json.Unmarshal([]byte("null"), &nine))
	for _, text := range []string{"92", `"9.2"`, "9.25", "-1", "1e1", "true", "{}"} {
		require.ErrorIs(t, json.Unmarshal([]byte(text), &nine), dynastay.ErrInvalid, text)
	}
	assert.Equal(t, dynastay.Rating(92), nine)
}

func TestRatingOutOfRange(t *testing.T) {
	for r, text := range map[dynastay.Rating]string{-1: "-0.1", -5: "-0.5", -15: "-1.5", 101: "10.1", math.MinInt: "-922337203685477580.8"} {
		assert.Equal(t, text, r.String())
		assert.EqualError(t, dynastay.Within("Rating", r.Validate()), "invalid Rating: must be between 0.0 and 10.0, got "+text)
	}
}
