// Package concurrent runs the same function several times at once.
package concurrent

import (
	"context"
	"sync"
)

// Limit is the number of requests that one call of the library sends in parallel. More would hardly be faster, because
// a partition of a table accepts only so many, and would starve the program's other calls of connections.
const Limit = 16

// Each calls f for 0 to n−1, up to [Limit] at a time. It returns the first error, which also cancels the other calls.
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
	)
	for i := range n {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			if err := f(ctx, i); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	wg.Wait()
	return first
}
