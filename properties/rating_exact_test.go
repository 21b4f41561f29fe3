package properties_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/govalues/decimal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/racing"
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

// 64 ratings of one property at once queue, so that each takes two requests. Those of two processes are exact as well.
func TestRatingsQueue(t *testing.T) {
	t.Parallel()
	type caller struct{}
	var mu sync.Mutex
	requests := map[any]int{}
	db := dyntest.New(t, propertyTables, dyntest.With(dynastay.Options{Observer: func(ctx context.Context, c dynastay.Call) {
		mu.Lock()
		defer mu.Unlock()
		requests[ctx.Value(caller{})] += c.Requests()
	}}))
	create(t, properties.New(db.Direct, nil), grand("p1"))
	db.Faults.Conflicts(0)
	repo := properties.New(db.DB, nil)
	race(64, func(i int) {
		_, err := repo.Rate(context.WithValue(t.Context(), caller{}, i), "p1", 0, dynastay.Rating(30+i))
		assert.NoError(t, err)
	})
	for i := range 64 {
		assert.Equal(t, 2, requests[i], i)
	}
	sum := 64*30 + 63*32
	assert.Equal(t, properties.RatingTotals{Reviews: 64, Tenths: sum}, get(t, properties.New(db.Direct, nil), "p1").Totals())

	db.Faults.Conflicts(time.Millisecond)
	processes := []*dynastay.DB{db.Open(&dynastay.Options{Retry: patient}), db.Open(&dynastay.Options{Retry: patient})}
	race(64, func(i int) {
		_, err := properties.New(processes[i%2], nil).Rate(t.Context(), "p1", dynastay.Rating(30+i), dynastay.Rating(31+i))
		assert.NoError(t, err)
	})
	assert.Equal(t, properties.RatingTotals{Reviews: 64, Tenths: sum + 64}, get(t, properties.New(db.Direct, nil), "p1").Totals())
	checkDerived(t, db, "p1")
}

// A rating that is written while the ratings are counted, at any point, is neither lost nor counted twice.
func TestRecountMeetsRate(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	for i, way := range racing.Ways {
		id := "p" + string(rune('a'+i))
		create(t, properties.New(db.Direct, nil), grand(id))
		require.NoError(t, second(properties.New(db.Direct, nil).Rate(t.Context(), id, 0, 50))) // nothing of which is true
		right := properties.RatingTotals{Reviews: 3, Tenths: 270}
		recount, rate := way.Meet(t, db, func(ctx context.Context, db *dynastay.DB) error {
			return second(properties.New(db, nil).Recount(ctx, id, func(context.Context) (properties.RatingTotals, error) {
				return right, nil
			}))
		}, func(ctx context.Context, db *dynastay.DB) error {
			err := second(properties.New(db, nil).Rate(ctx, id, 0, 100))
			right = properties.RatingTotals{Reviews: 4, Tenths: 370}
			return err
		})
		require.NoError(t, recount, way.Name)
		require.NoError(t, rate, way.Name)
		assert.Equal(t, right, get(t, properties.New(db.Direct, nil), id).Totals(), way.Name)
		checkDerived(t, db, id)
	}
}

func TestRecount(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	created := create(t, repo, grand("p1")).Property
	counting := func(n, tenths int) func(context.Context) (properties.RatingTotals, error) {
		return func(context.Context) (properties.RatingTotals, error) {
			return properties.RatingTotals{Reviews: n, Tenths: tenths}, nil
		}
	}
	none, right := properties.RatingTotals{}, properties.RatingTotals{Reviews: 2, Tenths: 185}
	got, err := repo.Recount(t.Context(), "p1", counting(2, 185))
	require.NoError(t, err)
	assert.Equal(t, properties.Recount{Before: none, After: right, Changed: true}, got)
	assertRated(t, db, get(t, repo, "p1"), 93, 2, "18.5")
	before := stored(t, db, "p1")
	stop := db.Faults.Record()
	got, err = repo.Recount(t.Context(), "p1", counting(2, 185))
	require.NoError(t, err)
	assert.Equal(t, properties.Recount{Before: right, After: right}, got)
	assert.Len(t, stop(), 1)
	assert.Equal(t, before, stored(t, db, "p1"))

	for _, bad := range [][2]int{{-1, 0}, {0, 1}, {1, -1}, {1, 101}, {2, 201}} {
		assertField(t, second(repo.Recount(t.Context(), "p1", counting(bad[0], bad[1]))), dynastay.ErrCorrupt, "RatingSum")
	}
	assert.Equal(t, assert.AnError, second(repo.Recount(t.Context(), "p1", func(context.Context) (properties.RatingTotals, error) {
		return right, assert.AnError
	})))
	assert.ErrorIs(t, second(repo.Recount(t.Context(), "none", counting(0, 0))), dynastay.ErrNotFound)
	stop = db.Faults.Record()
	assertField(t, second(repo.Recount(t.Context(), "", counting(0, 0))), dynastay.ErrInvalid, "PropertyID")
	assert.Empty(t, stop())
	assert.ErrorIs(t, db.Write(t.Context(), dynastay.IdempotencyKey("k"), repo.RecountOp("p1", counting(1, 1))), dynastay.ErrInvalid)
	assert.Equal(t, before, stored(t, db, "p1"))
	for _, edge := range [][2]int{{0, 0}, {1, 0}, {1, 100}} {
		require.NoError(t, second(repo.Recount(t.Context(), "p1", counting(edge[0], edge[1]))))
	}

	// Without an exact sum, there is something to write even if the totals are right.
	set(t, db, keyOf("p1"), "SET AverageRating = :r, ReviewCount = :n REMOVE RatingSum, WriteId",
		dynastay.Item{":r": dynastay.Number(9), ":n": dynastay.Number(3)})
	got, err = repo.Recount(t.Context(), "p1", counting(3, 270))
	require.NoError(t, err)
	same := properties.RatingTotals{Reviews: 3, Tenths: 270}
	assert.Equal(t, properties.Recount{Before: same, After: same, Changed: true}, got)
	assertRated(t, db, get(t, repo, "p1"), 90, 3, "27")
	assertSameVersion(t, &created, get(t, repo, "p1"))
	checkDerived(t, db, "p1")
}
