package search

import (
	"time"

	"github.com/dynastay/dynastay"
)

// ForgedCursor returns a cursor that nobody was given: it spans everything that a request can find.
func ForgedCursor(r Request, now time.Time) (dynastay.Cursor, error) {
	r, err := r.complete(now, dynastay.Paging{Limit: 1})
	return dynastay.NewCursor(r.identity(), place{span: span{Known: true}}), err
}
