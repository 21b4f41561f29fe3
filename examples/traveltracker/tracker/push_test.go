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

func TestAVisitFromMarkToTombstone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{RegionName: of("Italy")}))
	require.NoError(t, made.Err)
	assert.Equal(t, tracker.Applied, made.Outcome)
	assert.Equal(t, 2, made.Version, "its number in the log: the first is that of the profile")
	p, err := h.repo.Profile(h.context(), user)
	require.NoError(t, err)
	assert.Equal(t, 1, p.Countries)
	assert.Equal(t, 1, p.Version, "a counter is no edit")

	h.Clock.Advance(time.Minute)
	noted := h.one("phone", tracker.ServerWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("Pizza")}))
	assert.Equal(t, tracker.Applied, noted.Outcome)
	assert.Equal(t, 3, noted.Version)
	assert.Equal(t, "Pizza", noted.Visit.Notes)
	assert.Equal(t, "Italy", noted.Visit.RegionName)

	gone := h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, 3, tracker.VisitEdit{}))
	assert.Equal(t, tracker.Applied, gone.Outcome)
	assert.True(t, gone.Visit.Deleted)
	assert.Equal(t, h.Clock.Now().Add(90*24*time.Hour), gone.Visit.Expires)
	p, err = h.repo.Profile(h.context(), user)
	require.NoError(t, err)
	assert.Equal(t, 0, p.Countries)

	changes, err := h.repo.Pull(h.context(), user, tracker.Cursor{At: base.Add(-time.Hour)}, 0)
	require.NoError(t, err)
	require.Len(t, changes.Changes, 4, "the profile, and the three operations")
	assert.Equal(t, user, changes.Changes[0].Profile.ID)
	for i, c := range changes.Changes[1:] {
		assert.Equal(t, i+2, c.ServerVersion)
		assert.Equal(t, i+2, c.Visit.Version)
	}
	assert.Equal(t, 4, changes.Next.Version)
	visits := 0
	for _, err := range h.repo.Visits(user).All(h.context()) {
		require.NoError(t, err)
		visits++
	}
	assert.Zero(t, visits)
}

// A device that has deleted a visit may mark it again: nothing that another device wrote into the deleted one matters.
func TestADeviceMarksAgainWhatItHasDeleted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("one")}))
	h.one("tablet", tracker.ServerWins, h.op(tracker.Delete, italy, 2, tracker.VisitEdit{}))
	got := h.one("tablet", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("two")}))
	assert.Equal(t, tracker.Applied, got.Outcome)
	assert.Nil(t, got.Conflict)

	gone := h.one("tablet", tracker.ServerWins, h.op(tracker.Delete, italy, 4, tracker.VisitEdit{}))
	got = h.one("tablet", tracker.ClientWins, h.op(tracker.Update, italy, 5, tracker.VisitEdit{Notes: of("three")}))
	require.Equal(t, tracker.Rejected, got.Outcome, "only a create brings it back")
	assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Deleted, Stamp: gone.Visit.Stamps[tracker.Deleted]}}, got.Conflict.Fields)
}

// A change that brings a deleted visit back is still in conflict with what a third device has written into it.
func TestAThirdDeviceHasWrittenADeletedVisit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Clock.Advance(time.Hour)
	for i, step := range []struct {
		device string
		kind   tracker.OperationType
		at     time.Duration
		place  tracker.VisitEdit
	}{
		{"phone", tracker.Create, 0, tracker.VisitEdit{}},
		{"phone", tracker.Update, 3 * time.Minute, tracker.VisitEdit{Notes: of("the last")}},
		{"tablet", tracker.Delete, time.Minute, tracker.VisitEdit{}}, // its clock is behind
	} {
		o := h.op(step.kind, italy, i+1, step.place)
		o.ClientTime = base.Add(step.at)
		require.Equal(t, tracker.Applied, h.one(step.device, tracker.ServerWins, o).Outcome)
	}
	o := h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("before"), RegionName: of("Italia")})
	o.ClientTime = base.Add(2 * time.Minute)
	got := h.one("watch", tracker.MergeFields, o)
	require.Equal(t, tracker.Applied, got.Outcome)
	assert.Len(t, got.Conflict.Fields, 2, "the deletion and the notes")
	assert.Equal(t, "the last", got.Visit.Notes)
	assert.Equal(t, "Italia", got.Visit.RegionName)
}

// Under MergeFields, the last writer decides whether a visit that was changed is deleted.
func TestADeletionIsMerged(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]tracker.Outcome{-time.Minute: tracker.Rejected, time.Minute: tracker.Applied} {
		h := newHome(t)
		h.Clock.Advance(time.Hour)
		h.conflicting()
		o := h.op(tracker.Delete, italy, 2, tracker.VisitEdit{})
		o.ClientTime = h.Clock.Now().Add(after)
		h.Clock.Advance(time.Hour)
		got := h.one("tablet", tracker.MergeFields, o)
		assert.Equal(t, want, got.Outcome)
		assert.Equal(t, want == tracker.Applied, got.Visit.Deleted)
	}
}

// A visit that comes back is no tombstone any more: it would be removed.
func TestARevivedVisitDoesNotExpire(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.conflicting()
	h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, 3, tracker.VisitEdit{}))
	got := h.one("tablet", tracker.ClientWins, h.op(tracker.Update, italy, 3, tracker.VisitEdit{Notes: of("back")}))
	require.Equal(t, tracker.Applied, got.Outcome)
	assert.True(t, got.Visit.Expires.IsZero())
	row, err := h.Direct.Get(t.Context(), table, dynastay.Key{
		PK: "USER#" + user, SK: fmt.Sprintf("VISIT#country#IT#%d", italy.MarkedAt.UnixMilli()),
	}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, dynastay.KindMissing, row.Value("ttl").Kind())
	assert.Equal(t, "REGION#country#IT", row.Text("GSI1PK"))
	p, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 1, p.Countries)
}
