package dynastay_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
)

func TestEachCallsAllUpToTheLimit(t *testing.T) {
	t.Parallel()
	for parallel, want := range map[int]int32{0: 16, 3: 3} {
		eachCallsAllUpTo(t, dynastay.Open(nil, &dynastay.Options{Parallel: parallel}), want)
	}
}

func eachCallsAllUpTo(t *testing.T, db *dynastay.DB, limit int32) {
	t.Helper()
	var (
		now, most atomic.Int32
		called    [100]atomic.Bool
		full      = make(chan struct{})
		once      sync.Once
	)
	err := db.Each(t.Context(), len(called), func(_ context.Context, i int) error {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n == limit {
			once.Do(func() { close(full) })
		}
		<-full // the first ones wait until as many run as may
		assert.False(t, called[i].Swap(true))
		return nil
	})
	assert.NoError(t, err)
	assert.Equal(t, limit, most.Load())
	for i := range called {
		assert.True(t, called[i].Load())
	}
}

func TestEachReturnsTheFirstErrorAndCancelsTheOthers(t *testing.T) {
	t.Parallel()
	db := dynastay.Open(nil, nil)
	broken := errors.New("broken")
	err := db.Each(t.Context(), 5, func(ctx context.Context, i int) error {
		if i == 3 {
			return broken
		}
		<-ctx.Done()
		return ctx.Err()
	})
	assert.Equal(t, broken, err)
	assert.NoError(t, db.Each(t.Context(), 0, func(context.Context, int) error { return broken }))
	assert.Equal(t, broken, db.Each(t.Context(), 1, func(context.Context, int) error { return broken }))
}

func TestEachPanicsInTheCaller(t *testing.T) {
	t.Parallel()
	db := dynastay.Open(nil, nil)
	var ended atomic.Int32
	assert.PanicsWithValue(t, "broken", func() {
		_ = db.Each(t.Context(), 5, func(ctx context.Context, i int) error {
			if i == 3 {
				panic("broken")
			}
			<-ctx.Done()
			ended.Add(1)
			return ctx.Err()
		})
	})
	assert.Equal(t, int32(4), ended.Load(), "the others have ended")
}
