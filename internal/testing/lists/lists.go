// Package lists reads whole lists.
package lists

import (
	"context"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// All returns everything that a list has.
func All[T any](t require.TestingT, l dynastay.List[T]) (all []T) {
	for item, err := range l.All(context.Background()) {
		require.NoError(t, err)
		all = append(all, item)
	}
	return all
}

// Paged returns the same, read in pages of at most limit.
func Paged[T any](t require.TestingT, l dynastay.List[T], limit int) (all []T) {
	for p := (dynastay.Paging{Limit: limit}); ; {
		page, err := l.Page(context.Background(), p)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Items), limit)
		all = append(all, page.Items...)
		if p.After = page.Next; p.After == "" {
			return all
		}
	}
}
