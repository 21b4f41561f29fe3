package properties_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/properties"
)

// 64 ratings of one property at once queue, so that each takes two requests. Those of two processes are exact as well.
func TestRatingsQueue(t *testing.T) {
	t.Parallel()
	type caller struct{}
	var mu sync.Mutex
	requests := map[any]int{}
	db := dyntest.New(t, propertyTables, dyntest.With(dynastay.Options{Observer: dynastay.RequestObserver(func(ctx context.Context, c dynastay.Call) {
		mu.Lock()
		defer mu.Unlock()
		requests[ctx.Value(caller{})] += c.Requests()
	})}))
	create(t, properties.New(db.Direct, nil), grand("p1"))
	db.Faults.Conflicts(0)
	repo := properties.New(db.DB, nil)
	racing.Together(64, func(i int) {
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
	racing.Together(64, func(i int) {
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
