package availability_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/tariff"
)

var (
	rateStays = flag.Int("rates.stays", 10_000, "how many random stays TestRatePricesAgreeWithRationals prices")
	rateSeed  = flag.Uint64("rates.seed", 0, "the seed of the first of them; the others follow; 0 for the time")
)

// Random stays under random plans cost what a second implementation says, which was written from the documentation only
// and calculates with fractions: every night, what it consists of and why, and what is refused. To repeat one stay:
//
//	go test ./availability -run TestRatePricesAgreeWithRationals -rates.stays=1 -rates.seed=…
func TestRatePricesAgreeWithRationals(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*rateSeed, uint64(time.Now().UnixNano()))
	t.Log("seed", seed)
	met := &model.Tally{}
	for i := range uint64(*rateStays) {
		plan, r := tariff.New(seed + i).Stay()
		require.NoError(t, plan.Validate(), "seed %d", seed+i)
		if r.From != nil {
			require.NoError(t, r.From.Validate(), "seed %d", seed+i)
		}
		want, refused := tariff.Price(plan, r, met)
		got, err := plan.Price(r)
		about := func() string { return fmt.Sprintf("seed %d: %s", seed+i, readable(t, []any{plan, r})) }
		if len(refused) > 0 {
			var failed *availability.Refused
			if !errors.As(err, &failed) || !slices.Equal(refused, failed.Nights) {
				require.Equal(t, &availability.Refused{Nights: refused}, err, about())
			}
			require.Nil(t, got)
			continue
		}
		if err != nil || !slices.EqualFunc(want, got, sameRateNight) {
			require.NoError(t, err, about())
			require.Equal(t, want, got, about())
		}
	}
	t.Log(met)
	if *rateStays < 1_000 {
		return
	}
	for _, outcome := range []string{
		"priced", "half", "tie", "derived", "party", "early_discount", "late_discount", "length_discount", "free_night",
		"meals", "meals included", "dearest age", "not_on_sale", "other_currency", "min_stay", "max_stay", "too_early",
		"too_late", "closed_to_arrival",
	} {
		assert.NotZero(t, met.Count(outcome), outcome)
	}
}

func readable(t *testing.T, v any) string {
	text, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(text)
}

func sameRateNight(a, b availability.RateNight) bool {
	same := a.Date == b.Date && a.Price == b.Price && a.Lodging == b.Lodging && a.Meals == b.Meals && a.Source == b.Source
	return same && slices.Equal(a.Steps, b.Steps)
}
