package listing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// A reservation that keeps its nights keeps all of them: none is given to another one that moves, and so none is free once that one
// is cancelled.
func TestReservationsThatKeepTheirNights(t *testing.T) {
	t.Parallel()
	stays := reserved("b", "2025-07-10", "2025-07-15")
	for name, test := range map[string]struct {
		before, after []entry
		believed      bool
		refused       []string
	}{
		"the feed lacks it": {
			[]entry{reserved("a", "2025-07-01", "2025-07-05"), stays},
			[]entry{reserved("a", "2025-07-08", "2025-07-12")}, false, []string{"a"},
		},
		"it cannot move": {
			[]entry{reserved("a", "2025-07-01", "2025-07-05"), stays, reserved("c", "2025-07-20", "2025-07-22")},
			[]entry{reserved("a", "2025-07-08", "2025-07-12"), reserved("b", "2025-07-19", "2025-07-25"), reserved("c", "2025-07-20", "2025-07-22")},
			true, []string{"a", "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFeedHome(t)
			h.sync(t, test.before...)
			before := h.held(t)
			mayFree := -1
			if test.believed {
				mayFree = 1000
			}
			s, err := h.repo.Sync(t.Context(), freeing(h.feed("airbnb", calendarOf(test.after...)), mayFree))
			if !test.believed {
				blame.As[*listing.ShrunkError](t, err)
			} else {
				require.NoError(t, err)
			}
			var refused []string
			for _, c := range s.Conflicts {
				refused = append(refused, c.UID)
			}
			assert.Equal(t, test.refused, refused)
			after := h.held(t)
			for date := range dynastay.MustStay(stays.from, stays.to).Dates() {
				assert.Equal(t, before[date.String()], after[date.String()], "%s", date)
			}
		})
	}
}
