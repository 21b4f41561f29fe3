// Package parallel does the same thing to several values at once.
package parallel

import (
	"errors"
	"sync"
)

// Do calls f with each value of all at the same time, and joins the errors in the order of the values.
func Do[T any](all []T, f func(T) error) error {
	var wg sync.WaitGroup
	errs := make([]error, len(all))
	for i, one := range all {
		wg.Go(func() { errs[i] = f(one) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
