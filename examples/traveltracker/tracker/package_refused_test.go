package tracker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// A time that cannot be read back would hold up the pulls of all devices.
func TestTheYearOfADevice(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for year, want := range map[int]tracker.Outcome{
		-1: tracker.Refused, 0: tracker.Applied, 9999: tracker.Applied, 10_000: tracker.Refused, 56_830: tracker.Refused,
	} {
		o := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")})
		o.ClientTime = time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
		got := h.one("phone", tracker.ClientWins, o)
		require.Equal(t, want, got.Outcome, year)
		if want == tracker.Refused {
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, got.Err, &invalid)
			assert.Equal(t, "ClientTime", invalid.Field)
		}
		_, err := h.repo.Pull(t.Context(), user, start, 0)
		require.NoError(t, err, year)
	}
}
