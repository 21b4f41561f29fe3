package search

import (
	"time"

	"github.com/dynastay/dynastay"
)

// ForgedCursor returns a cursor that nobody was given: it spans everything that a request can find after from.
func ForgedCursor(r Request, now time.Time, from dynastay.Cursor) (dynastay.Cursor, error) {
	r, err := r.complete(now, dynastay.Paging{Limit: 1})
	return dynastay.NewCursor(r.identity(), place{span: span{From: from, Known: true}}), err
}

var Divide = divide
