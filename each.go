package dynastay

import (
	"context"
	"sync"
)

// Each calls f for 0 to n−1, up to [Options.Parallel] calls at a time. It is for repositories that send several requests
// for one call. It returns the first error, which also cancels the context of the other calls. If f panics, the other
// calls are cancelled as well, and Each panics with the same value once they have ended, so that the caller can recover
// it.
func (db *DB) Each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	if n == 1 {
		return f(ctx, 0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
		free  = make(chan struct{}, db.opts.Parallel)

		mu       sync.Mutex
		panicked any
	)
	for i := range n {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			defer func() {
				if v := recover(); v != nil {
					cancel()
					mu.Lock()
					defer mu.Unlock()
					panicked = v
				}
			}()
			if err := f(ctx, i); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	wg.Wait()
	if panicked != nil {
		panic(panicked)
	}
	return first
}
