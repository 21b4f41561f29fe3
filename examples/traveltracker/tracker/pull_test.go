package tracker_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

func TestTheLimitOfAPull(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(5)
	for limit, want := range map[int]int{1: 1, 5: 5, 1000: 6, 0: 6} {
		changes, err := h.repo.Pull(t.Context(), user, start, limit)
		require.NoError(t, err)
		assert.Len(t, changes.Changes, want)
		assert.Equal(t, want < 6, changes.More)
	}
	for _, limit := range []int{-1, 1001} {
		_, err := h.repo.Pull(t.Context(), user, start, limit)
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, "limit", invalid.Field)
	}
	// What was read before a gap that does not stay counts.
	hidden := h.entry(3)
	require.NoError(t, h.Direct.DeleteAll(t.Context(), table, []dynastay.Key{table.Key.From(hidden)}))
	h.Faults.Inject(dyntest.After(func(ctx context.Context) {
		assert.NoError(t, h.Direct.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, hidden.Item()) }))
	}), dyntest.When{Operation: "Query", Nth: 1})
	changes, err := h.repo.Pull(t.Context(), user, start, 4)
	require.NoError(t, err)
	assert.Len(t, changes.Changes, 4)
	assert.True(t, changes.More)
}

// A cursor is good for a day less than an entry lasts, and only for the log that it is from.
func TestTheAgeOfACursor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Clock.Set(start.At.Add(29 * 24 * time.Hour))
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	assert.Len(t, changes.Changes, 1)
	h.Clock.Advance(time.Millisecond)
	for _, version := range []int{0, 2} {
		_, err = h.repo.Pull(t.Context(), user, tracker.Cursor{At: start.At, Version: version}, 0)
		require.ErrorIs(t, err, tracker.ErrSnapshotNeeded, version)
	}
}

// A snapshot is followed by a pull, however long ago the user has changed something.
func TestAPullAfterASnapshotOfAnyAge(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(1)
	for _, age := range []time.Duration{0, 1, 10, 28, 29, 30, 40} {
		for _, more := range []time.Duration{0, time.Millisecond, 12 * time.Hour} {
			h.Clock.Set(base.Add(age*24*time.Hour + more))
			s, err := h.repo.Snapshot(t.Context(), user)
			require.NoError(t, err)
			changes, err := h.repo.Pull(t.Context(), user, s.Cursor, 0)
			require.NoError(t, err, "after %d days and %s", age, more)
			assert.Equal(t, 2, changes.Next.Version)
		}
	}
}

// Entries of other software, which have no number or one of their own, are no beginning for the cursor of a snapshot.
func TestASnapshotBesideEntriesOfOtherSoftware(t *testing.T) {
	t.Parallel()
	for _, number := range []int{0, 99} {
		db, repo := other(t)
		theirs := maps.Clone(oldEntry)
		theirs["SK"] = text("OP#2141456399000#op-8") // a second before base
		if number > 0 {
			theirs["server_version"] = dynastay.Number(number)
		}
		require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, theirs) }))
		push := func(id string) {
			_, err := repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: "phone", Operations: []tracker.Operation{
				{ID: id, Type: tracker.Create, Visit: italy, ClientTime: base},
			}})
			require.NoError(t, err)
		}
		push("n1")
		s, err := repo.Snapshot(t.Context(), "u9")
		require.NoError(t, err)
		assert.Equal(t, 1, s.Cursor.Version)
		push("n2")
		changes, err := repo.Pull(t.Context(), "u9", s.Cursor, 0)
		require.NoError(t, err)
		require.Len(t, changes.Changes, 1)
		assert.Equal(t, "n2", changes.Changes[0].OperationID)

		// In the log itself, they are a gap: nobody knows what else the other software has done.
		theirs["SK"] = text("OP#2141456500000#op-8")
		require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, theirs) }))
		_, err = repo.Pull(t.Context(), "u9", changes.Next, 0)
		require.ErrorIs(t, err, tracker.ErrSnapshotNeeded)
	}
}
