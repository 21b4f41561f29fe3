package regions_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

// Callers in two processes move and rename one region at the same time, through conflicts and lost responses: its items
// are always those of one of them.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	const callers, rounds = 8, 4
	patient := dynastay.Options{Retry: dynastay.Retry{Attempts: 300}}
	a := newAtlas(t, dyntest.With(patient))
	a.create(t, korea())
	processes := []*regions.Repository{a.repo, regions.New(a.Open(&patient))}
	var acknowledged, unknown atomic.Int64
	storm := a.Faults.Inject(dyntest.AnyOf(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.3})
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for round := range rounds {
				_, err := processes[i%2].Update(t.Context(), regions.Country, "KR", func(r *regions.Region) error {
					west := float64(20*i + round*10 - 90)
					r.Box, r.Center = box(0, west, 20, west+30), nil
					r.Aliases = []string{string(rune('a' + i)), string(rune('a' + round))}
					r.Population++
					return nil
				})
				if errors.Is(err, dynastay.ErrOutcomeUnknown) {
					unknown.Add(1)
				} else if assert.NoError(t, err) {
					acknowledged.Add(1)
				}
			}
		})
	}
	wg.Wait()
	storm.Stop()
	assert.Positive(t, storm.Hits())
	a.check(t)
	got, err := a.repo.Get(t.Context(), regions.Country, "KR", dynastay.Consistent)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, got.Population, int(acknowledged.Load()), "an acknowledged update is lost")
	assert.LessOrEqual(t, got.Population, int(acknowledged.Load()+unknown.Load()), "an update was made twice")
}

// An update that is overtaken by another one removes the cells of that one, and keeps its other changes.
func TestOvertakenUpdate(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.create(t, korea())
	a.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := regions.New(a.Direct).Update(ctx, regions.Country, "KR", func(r *regions.Region) error {
			r.Box, r.Center, r.Capital = box(-50, -50, -40, -40), nil, "Seoul"
			return nil
		})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	got, err := a.repo.Update(t.Context(), regions.Country, "KR", func(r *regions.Region) error {
		r.Box, r.Center = box(0, 0, 1, 1), nil
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, "Seoul", got.Capital)
	a.check(t)

	stale := got.WriteID
	_, err = a.repo.Update(t.Context(), regions.Country, "KR", func(r *regions.Region) error { r.Population = 1; return nil })
	require.NoError(t, err)
	_, err = a.repo.Update(t.Context(), regions.Country, "KR", func(*regions.Region) error { return nil }, dynastay.IfWritten(stale))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	require.ErrorIs(t, a.repo.Delete(t.Context(), regions.Country, "KR", dynastay.IfWritten(stale)), dynastay.ErrVersion)
	_, err = a.repo.Create(t.Context(), korea())
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	_, err = a.repo.Get(t.Context(), regions.USState, "KR")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}
