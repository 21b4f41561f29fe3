package tracker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// A device was offline for longer than a tombstone lasts. What it did counts with its own time, but a visit was modified
// when the server received it, and its tombstone is there for 90 days from then on.
func TestADeviceWasOfflineForMonths(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	now := h.Clock.Now()
	h.Clock.Set(now.AddDate(0, 0, -100))
	made, gone := h.op(tracker.Create, italy, 0, tracker.VisitEdit{}), h.op(tracker.Delete, italy, 0, tracker.VisitEdit{})
	h.Clock.Set(now)
	got := h.one("phone", tracker.ServerWins, made)
	assert.Equal(t, now, got.Visit.ModifiedAt)
	assert.Equal(t, made.ClientTime, got.Visit.Stamps[tracker.Notes].At)
	got = h.one("phone", tracker.ServerWins, gone)
	assert.Equal(t, now.Add(90*24*time.Hour), got.Visit.Expires)
}

// Times are stored in milliseconds. Those of an operation count in milliseconds too, so that two writers within one are
// ordered by their device, whoever was received first.
func TestWritersWithinAMillisecond(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Clock.Advance(time.Second)
	first := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("first")})
	first.ClientTime = base.Add(100 * time.Microsecond)
	made := h.one("phone", tracker.LastWriter, first)
	stored, err := h.repo.Visit(t.Context(), user, italy, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, stored, made.Visit)
	second := h.op(tracker.Update, italy, 0, tracker.VisitEdit{Notes: of("second")})
	second.ClientTime = base.Add(900 * time.Microsecond)
	assert.Equal(t, tracker.Rejected, h.one("car", tracker.LastWriter, second).Outcome)
	second.ID = "again"
	assert.Equal(t, tracker.Applied, h.one("tablet", tracker.LastWriter, second).Outcome)
}
