package dynastay_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

func TestAwaitIndexes(t *testing.T) {
	t.Parallel()
	for lag, want := range map[time.Duration]time.Duration{0: 10 * time.Second, -time.Second: 10 * time.Second, 3 * time.Second: 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			db := dynastay.Open(nil, &dynastay.Options{IndexLag: lag})
			began := time.Now()
			assert.NoError(t, db.AwaitIndexes(t.Context()))
			assert.Equal(t, want, time.Since(began))

			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began = time.Now()
			assert.ErrorIs(t, db.AwaitIndexes(ctx), context.DeadlineExceeded)
			assert.Equal(t, time.Second, time.Since(began))
		})
	}
}

// counter is a sequence that records what was consumed.
type counter byte

func (c *counter) Read(p []byte) (int, error) {
	p[0] = byte(*c)
	*c++
	return 1, nil
}

func TestRand(t *testing.T) {
	t.Parallel()
	drawn := func() []string {
		db := dynastay.Open(nil, &dynastay.Options{Rand: new(counter), Clock: fixture.Clock})
		p := make([]byte, 3)
		db.Random(p)
		assert.Equal(t, []byte{0, 1, 2}, p)
		ids := []string{db.NewID("a_"), db.NewID("a_"), db.NewID("a_")}
		assert.True(t, slices.IsSorted(ids), "ids are in the order of their creation: %v", ids)
		assert.Len(t, slices.Compact(slices.Clone(ids)), 3)
		return ids
	}
	assert.Equal(t, drawn(), drawn(), "the same source is the same ids")

	one, other := make([]byte, 16), make([]byte, 16)
	db := dynastay.Open(nil, nil)
	db.Random(one)
	db.Random(other)
	assert.NotEqual(t, one, other)
	assert.PanicsWithValue(t, "dynastay: read from Options.Rand: EOF", func() {
		dynastay.Open(nil, &dynastay.Options{Rand: strings.NewReader("")}).Random(one)
	})
}
