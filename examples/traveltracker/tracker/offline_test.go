package tracker_test

import (
	"fmt"
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

// DynamoDB removes a tombstone some days after it has expired. Devices get the same answers before and after that.
func TestATombstoneHasExpired(t *testing.T) {
	t.Parallel()
	for _, removed := range []bool{false, true} {
		h := newHome(t)
		h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")}))
		o := h.op(tracker.Delete, italy, 2, tracker.VisitEdit{})
		h.one("phone", tracker.ServerWins, o)
		waits := h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("b")})
		require.Equal(t, tracker.Waiting, h.one("tablet", ask, waits).Outcome)

		h.Clock.Advance(90*24*time.Hour - time.Millisecond)
		_, err := h.repo.Visit(t.Context(), user, italy)
		require.NoError(t, err)
		h.Clock.Advance(time.Millisecond)
		if removed {
			at := dynastay.Key{PK: "USER#" + user, SK: fmt.Sprintf("VISIT#country#IT#%d", italy.MarkedAt.UnixMilli())}
			require.NoError(t, h.Direct.DeleteAll(t.Context(), table, []dynastay.Key{at}))
		}
		_, err = h.repo.Visit(t.Context(), user, italy)
		require.ErrorIs(t, err, dynastay.ErrNotFound)
		assert.Nil(t, h.one("phone", tracker.ServerWins, o).Visit)
		settled, err := h.repo.Settle(t.Context(), user, waits.ID, tracker.ClientWins)
		require.NoError(t, err)
		for _, got := range []tracker.Result{
			settled,
			h.one("tablet", tracker.ClientWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("c")})),
			h.one("tablet", tracker.ClientWins, h.op(tracker.Delete, italy, 2, tracker.VisitEdit{})),
		} {
			assert.Equal(t, tracker.Rejected, got.Outcome)
			assert.Nil(t, got.Visit)
			assert.Nil(t, got.Conflict.Visit)
			assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Deleted}}, got.Conflict.Fields)
		}
		got := h.one("tablet", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{RegionName: of("Italy")}))
		require.Equal(t, tracker.Applied, got.Outcome)
		assert.Nil(t, got.Conflict)
		assert.Empty(t, got.Visit.Notes, "nothing of it comes back")
		assert.Equal(t, "tablet", got.Visit.MarkedFrom)
		assert.True(t, got.Visit.Expires.IsZero())
		p, err := h.repo.Profile(t.Context(), user)
		require.NoError(t, err)
		assert.Equal(t, 1, p.Countries)
	}
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
