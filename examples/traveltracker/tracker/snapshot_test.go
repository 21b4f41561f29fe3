package tracker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// The entries of the last minute before the head are read again after a snapshot: while the head shows them, the visits
// may not show them yet.
func TestASnapshotGoesBackAMinute(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Clock.Advance(time.Hour)
	h.marks(2)
	h.Clock.Advance(50 * time.Second)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	s, err := h.repo.Snapshot(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 1, s.Cursor.Version, "before the two marks")
	changes, err := h.repo.Pull(t.Context(), user, s.Cursor, 0)
	require.NoError(t, err)
	assert.Len(t, changes.Changes, 3)
	assert.Equal(t, 4, changes.Next.Version)
}
