package tracker_test

import (
	"math"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// nested returns a value with a number of levels.
func nested(levels int) any {
	v := any("x")
	for range levels {
		v = []any{v}
	}
	return v
}

// Settings that DynamoDB does not store are refused, and do not hold up the operations behind them.
func TestSettingsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	pushed := func(s tracker.Settings) []tracker.Result {
		return h.push("phone", tracker.ClientWins,
			h.edit(1, tracker.ProfileEdit{Privacy: &s}), h.edit(1, tracker.ProfileEdit{Notifications: &s}),
			h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna")}))
	}
	for name, value := range map[string]any{
		"not a number": math.NaN(), "infinite": map[string]any{"b": []any{math.Inf(1)}}, "too large": 1e126, "too small": 9e-131,
		"39 digits": attributevalue.Number("1" + strings.Repeat("2", 38)), "hexadecimal": attributevalue.Number("0x1p2"),
		"text": "\xff", "17 levels": nested(16), "size": strings.Repeat("x", 16<<10-1), "empty name": map[string]any{"": 1},
	} {
		results := pushed(tracker.Settings{"a": value})
		for i, field := range []string{"Privacy", "Notifications"} {
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, results[i].Err, &invalid, name)
			assert.Contains(t, invalid.Field, field, name)
		}
		assert.Equal(t, tracker.Applied, results[2].Outcome, name)
		_, err := h.repo.SignUp(t.Context(), tracker.Profile{
			AuthProvider: "apple", AuthProviderID: name, Privacy: tracker.Settings{"a": value},
		})
		assert.ErrorIs(t, err, dynastay.ErrInvalid, name)
	}
	for name, value := range map[string]any{
		"large": 9.9e125, "small": 1e-130, "zero": 0, "38 digits": attributevalue.Number("-0.0" + strings.Repeat("2", 38) + "00"),
		"16 levels": nested(15), "size": strings.Repeat("x", 16<<10-2),
	} {
		for _, result := range pushed(tracker.Settings{"a": value}) {
			assert.NoError(t, result.Err, name)
		}
	}
}
