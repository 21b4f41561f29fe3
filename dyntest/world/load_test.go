package world

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
)

func TestLoadReportsProgress(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 2, Properties: 13, Users: 3, Nights: 5})
	db := dyntest.New(t, dyntest.At(w.Now()))
	var told []int
	require.NoError(t, w.Load(t.Context(), db.DB, func(done, of int) {
		assert.Equal(t, 13, of)
		told = append(told, done) // the race detector reports concurrent calls
	}))
	assert.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, told)
	compare(t, contents(t, w), scan(t, db))

	// A second load writes the same world.
	require.NoError(t, w.Load(t.Context(), db.DB, nil))
	compare(t, contents(t, w), scan(t, db))
}

func TestLoadRefusesAnotherDay(t *testing.T) {
	t.Parallel()
	w := New(small)
	db := dyntest.New(t)
	err := w.Load(t.Context(), db.DB, nil)
	require.Error(t, err)
	for _, part := range []string{
		dynastay.DateOf(time.Now(), nil).String(), "2026-06-01", "dyntest.At(w.Now())", "Options.Today",
	} {
		assert.ErrorContains(t, err, part)
	}
	assert.Zero(t, db.Faults.Count("BatchWriteItem"))

	today := dynastay.DateOf(time.Now(), nil)
	assert.NoError(t, New(Options{Properties: 1, Nights: 2, Users: 1, Today: today}).Load(t.Context(), db.DB, nil))
}

// Even if the engine leaves a part of every other batch unprocessed, throttles, and loses requests and answers, the
// whole world is loaded.
func TestLoadLosesNothing(t *testing.T) {
	t.Parallel()
	w := New(small)
	db := dyntest.New(t, dyntest.At(w.Now()), dyntest.With(dynastay.Options{
		Retry: dynastay.Retry{Base: time.Microsecond, Cap: time.Millisecond},
	}))
	batch := "BatchWriteItem"
	faults := []*dyntest.Injection{
		db.Faults.Inject(dyntest.Unprocessed(24), dyntest.When{Operation: batch, Chance: 0.2}),
		db.Faults.Inject(dyntest.Unprocessed(3), dyntest.When{Operation: batch, Chance: 0.2}),
		db.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: batch, Chance: 0.1}),
		db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: batch, Chance: 0.05}),
		db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: batch, Chance: 0.05}),
		db.Faults.Inject(dyntest.InternalError(), dyntest.When{Operation: batch, Chance: 0.05}),
	}
	require.NoError(t, w.Load(t.Context(), db.DB, nil))
	hits := 0
	for _, f := range faults {
		hits += f.Hits()
	}
	assert.Greater(t, hits, 5)
	compare(t, contents(t, w), scan(t, db))
}

// Load fails if the catalogues cannot be written, even if all hotels are.
func TestLoadWithoutCatalogues(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 11, Properties: 2, Users: 1, Nights: 1})
	for h := range w.Hotels() {
		require.Nil(t, h.PromoCode, "only the catalogues are in the table")
	}
	db := dyntest.New(t, dyntest.At(w.Now()))
	hotels, first := make(chan struct{}), dyntest.When{Operation: "BatchWriteItem", Table: keys.MetadataTable.Name, Nth: 1}
	db.Faults.Inject(dyntest.Before(func(context.Context) { <-hotels }), first)
	db.Faults.Inject(dyntest.Fail("AccessDeniedException"), first)
	err := w.Load(t.Context(), db.DB, func(done, of int) {
		if done == of {
			close(hotels)
		}
	})
	assert.ErrorContains(t, err, "AccessDeniedException")
}

func TestLoadEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 2, Properties: 200, Users: 1, Nights: 3})
	db := dyntest.New(t, dyntest.At(w.Now()))
	db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "BatchWriteItem", Nth: 5})
	last := 0
	err := w.Load(t.Context(), db.DB, func(done, _ int) { last = done })
	assert.ErrorContains(t, err, "AccessDeniedException")
	assert.Less(t, last, 100)

	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	last = 0
	err = w.Load(ctx, db.DB, func(done, _ int) {
		last = done
		if done == 3 {
			cancel(enough)
		}
	})
	assert.ErrorIs(t, err, enough)
	assert.Less(t, last, 100)
}

// A failed assertion in the progress function ends its goroutine, and the others do not wait for it.
func TestProgressThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 2, Properties: 20, Users: 1, Nights: 3, Empty: true})
	db := dyntest.New(t, dyntest.At(w.Now()))
	last := 0
	require.NoError(t, w.Load(t.Context(), db.DB, func(done, of int) {
		if last = done; done == 2 {
			runtime.Goexit()
		}
	}))
	assert.Equal(t, 20, last)

	every := w.Load(t.Context(), db.DB, func(int, int) { runtime.Goexit() })
	assert.ErrorContains(t, every, "the progress function called runtime.Goexit, as a failed assertion does")
}
