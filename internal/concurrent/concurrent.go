// Package concurrent runs the same function several times at once.
package concurrent

import (
	"context"
	"sync"
)

// Limit is the number of requests that one call of the library sends in parallel. More would hardly be faster, because
// the throughput of a partition is limited, and would leave too few connections for the program's other calls.
const Limit = 16

// Each calls f for 0 to n−1, up to [Limit] at a time. It returns the first error, which also cancels the other calls.
// If f panics, the other calls are cancelled as well, and Each panics with the same value once they have ended, so that
// the caller can recover it.
func Each(ctx context.Context, n int, f func(context.Context, int) error) error {
	if n == 1 {
		return f(ctx, 0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
		free  = make(chan struct{}, Limit)

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
