package listing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/dyntest"
)

// spans returns the dates of the feed's events, with B for a booking and - for a block.
func (h *home) spans(t *testing.T) (spans []string) {
	t.Helper()
	h.held(t)
	for _, run := range h.runs(t) {
		kind := "-"
		if run[len("2025-03-01 to 2025-03-01 ")+1] == 'O' {
			kind = "B"
		}
		spans = append(spans, run[5:10]+" to "+run[19:24]+" "+kind) // MM-DD, first and last night
	}
	return spans
}

// atNoon is a home whose listing has the given date in Rome.
func atNoon(t *testing.T, day int) *home {
	return newHome(t, dyntest.At(time.Date(2025, 3, day, 11, 0, 0, 0, time.UTC)))
}

// What has begun keeps the nights that are over, whatever the feed has instead.
func TestWhatHasBegunKeepsItsNights(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after []entry
		want          []string // the nights of the events, on 4 March
	}{
		"another guest on some of its nights": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-08")}, []entry{reserved("bob", "2025-03-06", "2025-03-10")},
			[]string{"03-01 to 03-03 B", "03-06 to 03-09 B"},
		},
		"the same entry, moved ahead": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-08")}, []entry{reserved("ann", "2025-03-06", "2025-03-10")},
			[]string{"03-01 to 03-03 B", "03-06 to 03-09 B"},
		},
		"the same entry, moved far ahead": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-08")}, []entry{reserved("ann", "2025-04-06", "2025-04-10")},
			[]string{"03-01 to 03-03 B", "04-06 to 04-09 B"},
		},
		"a channel that is a day ahead": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-08")}, []entry{reserved("ann", "2025-03-05", "2025-03-08")},
			[]string{"03-01 to 03-07 B"},
		},
		"a channel that is a day ahead, with another UID": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-08")}, []entry{reserved("x", "2025-03-05", "2025-03-08")},
			[]string{"03-01 to 03-07 B"},
		},
		"a channel that is two days ahead": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-08")}, []entry{reserved("ann", "2025-03-06", "2025-03-08")},
			[]string{"03-01 to 03-03 B", "03-06 to 03-07 B"},
		},
		"it ends tomorrow": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-05")}, []entry{reserved("bob", "2025-03-05", "2025-03-08")},
			[]string{"03-01 to 03-04 B", "03-05 to 03-07 B"},
		},
		"it ends tomorrow, and was extended": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-05")}, []entry{reserved("ann", "2025-03-05", "2025-03-08")},
			[]string{"03-01 to 03-07 B"},
		},
		"it ends tomorrow, but another guest has tonight": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-05")}, []entry{reserved("bob", "2025-03-04", "2025-03-08")},
			[]string{"03-01 to 03-07 B"}, // nothing tells them apart
		},
		"it goes on, but another guest has tonight": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-08")},
			[]entry{reserved("bob", "2025-03-04", "2025-03-05"), reserved("ann", "2025-03-05", "2025-03-08")},
			[]string{"03-01 to 03-04 B", "03-05 to 03-07 B"},
		},
		"it ends tomorrow, but tonight is closed": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-05")}, []entry{closed("c", "2025-03-04", "2025-03-08")},
			[]string{"03-01 to 03-03 B", "03-04 to 03-07 -"},
		},
		"it was cancelled": {
			[]entry{reserved("ann", "2025-03-01", "2025-03-08")}, []entry{reserved("bob", "2025-03-08", "2025-03-10")},
			[]string{"03-01 to 03-03 B", "03-08 to 03-09 B"},
		},
		"closed nights, a day ahead": {
			[]entry{closed("c", "2025-03-01", "2025-03-08")}, []entry{closed("c", "2025-03-05", "2025-03-08")},
			[]string{"03-01 to 03-07 -"},
		},
		"closed nights that end tomorrow": {
			[]entry{closed("c", "2025-03-01", "2025-03-05")}, []entry{reserved("bob", "2025-03-08", "2025-03-10")},
			[]string{"03-01 to 03-04 -", "03-08 to 03-09 B"},
		},
		"closed nights that are open again": {
			[]entry{closed("c", "2025-03-01", "2025-03-08")}, []entry{closed("c", "2025-03-06", "2025-03-08")},
			[]string{"03-01 to 03-03 -", "03-06 to 03-07 -"},
		},
		"closed nights, most of them later": {
			[]entry{closed("c", "2025-03-01", "2025-03-20")}, []entry{closed("c", "2025-03-06", "2025-03-20")},
			[]string{"03-01 to 03-03 -", "03-06 to 03-19 -"},
		},
		"closed nights, a day ahead, divided by a guest": {
			[]entry{closed("c", "2025-03-01", "2025-03-20")},
			[]entry{closed("c", "2025-03-05", "2025-03-08"), reserved("bob", "2025-03-08", "2025-03-11"), closed("d", "2025-03-11", "2025-03-20")},
			[]string{"03-01 to 03-07 -", "03-08 to 03-10 B", "03-11 to 03-19 -"},
		},
		"closed nights that begin today, a day ahead, divided by a guest": {
			[]entry{closed("c", "2025-03-04", "2025-03-20")},
			[]entry{closed("c", "2025-03-05", "2025-03-08"), reserved("bob", "2025-03-08", "2025-03-11"), closed("d", "2025-03-11", "2025-03-20")},
			[]string{"03-04 to 03-07 -", "03-08 to 03-10 B", "03-11 to 03-19 -"},
		},
		"it was cancelled, one night more than a step frees": {
			[]entry{reserved("ann", "2025-03-01", "2025-04-19")}, []entry{closed("c", "2025-03-05", "2025-04-19")},
			[]string{"03-01 to 03-03 B", "03-05 to 03-31 -", "04-01 to 04-18 -"},
		},
		"it begins today, and was cancelled, one night more than a step frees": {
			[]entry{reserved("ann", "2025-03-04", "2025-04-19")}, []entry{closed("c", "2025-03-05", "2025-04-19")},
			[]string{"03-05 to 03-31 -", "04-01 to 04-18 -"},
		},
		"tonight alone": {
			[]entry{reserved("ann", "2025-03-04", "2025-03-05")}, []entry{reserved("ann", "2025-03-10", "2025-03-11")},
			[]string{"03-04 to 03-04 B", "03-10 to 03-10 B"},
		},
		"it begins today, and was moved": {
			[]entry{reserved("ann", "2025-03-04", "2025-03-08")}, []entry{reserved("ann", "2025-03-10", "2025-03-14")},
			[]string{"03-10 to 03-13 B"},
		},
		"it begins today, a day ahead": {
			[]entry{reserved("ann", "2025-03-04", "2025-03-08")}, []entry{reserved("ann", "2025-03-05", "2025-03-08")},
			[]string{"03-04 to 03-07 B"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := atNoon(t, 1)
			h.sync(t, test.before...)
			event := h.event(t, "2025-03-04")
			h.Clock.Advance(3 * 24 * time.Hour)
			h.sync(t, test.after...)
			assert.Equal(t, test.want, h.spans(t))
			if test.before[0].from < "2025-03-04" {
				assert.Equal(t, event, h.event(t, "2025-03-01"), "the nights that are over are those of the same event")
			}
			assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", short(h.sync(t, test.after...)), "a second time")
		})
	}
}
