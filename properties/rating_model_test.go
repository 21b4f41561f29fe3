package properties_test

import (
	"testing"

	"github.com/govalues/decimal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

func exact(t require.TestingT, coef, scale int) decimal.Decimal {
	d, err := decimal.New(int64(coef), scale)
	require.NoError(t, err)
	return d
}

// isAverage reports whether a rating is the exact average of n ratings with a sum, rounded half up: the sum is from n
// times 0.05 less to n times 0.05 more, the latter not included.
func isAverage(t require.TestingT, average dynastay.Rating, sum decimal.Decimal, n int) bool {
	if n == 0 {
		return average == 0
	}
	times := func(d decimal.Decimal) decimal.Decimal {
		product, err := d.Mul(exact(t, n, 0))
		require.NoError(t, err)
		return product
	}
	low, high := times(exact(t, 10*int(average)-5, 2)), times(exact(t, 10*int(average)+5, 2))
	return low.Cmp(sum) <= 0 && sum.Cmp(high) < 0
}

func TestAverageIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 30), rapid.IntRange(0, 10_000_000)).Draw(t, "reviews")
		tenths := rapid.IntRange(0, 100*n).Draw(t, "sum")
		got := properties.RatingTotals{Reviews: n, Tenths: tenths}.Average()
		assert.True(t, isAverage(t, got, exact(t, tenths, 1), n), "%d reviews, %d tenths: %v", n, tenths, got)
		assert.NoError(t, got.Validate())
	})
	for tenths, want := range map[int]dynastay.Rating{184: 92, 183: 92, 182: 91, 185: 93, 0: 0, 1: 1, 200: 100, 199: 100, 198: 99} {
		assert.Equal(t, want, properties.RatingTotals{Reviews: 2, Tenths: tenths}.Average(), tenths)
	}
	assert.Zero(t, properties.RatingTotals{Reviews: 0, Tenths: 50}.Average())
	assert.Zero(t, properties.RatingTotals{Reviews: -1, Tenths: 50}.Average())
}

// Reviews are rated, changed and withdrawn. After each step, the property has the average of exact decimals.
func TestRatingsAreExact(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		id := db.NewID("prop_")
		_, err := repo.Create(t.Context(), grand(id), []properties.RoomType{king("room_"+id, "100")})
		require.NoError(t, err)
		var list []dynastay.Rating
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 100), 1, 8).Draw(t, "ratings") {
			before, after, at := dynastay.Rating(0), dynastay.Rating(step), rapid.IntRange(0, len(list)).Draw(t, "which")
			if at < len(list) {
				before = list[at]
			} else {
				list, after = append(list, 0), max(after, 1)
			}
			got, err := repo.Rate(t.Context(), id, before, after)
			require.NoError(t, err)
			if list[at] = after; after == 0 {
				list = append(list[:at], list[at+1:]...)
			}
			sum := exact(t, 0, 0)
			for _, r := range list {
				sum, err = sum.Add(exact(t, int(r), 1))
				require.NoError(t, err)
			}
			require.Len(t, list, got.ReviewCount)
			require.True(t, isAverage(t, got.Rating, sum, len(list)), "%v: %v", list, got.Rating)
			stored, err := decimal.Parse(dynastay.RowOf(stored(t, db, id)).Value("RatingSum").Text())
			require.NoError(t, err)
			require.Zero(t, stored.Cmp(sum), "%v: %v", list, stored)
		}
	})
}
