package tracker_test

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
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

func TestCursor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]tracker.Cursor{
		"":                 {},
		"0000000000000.0":  {},
		"2141370000250.17": {At: time.UnixMilli(2141370000250).UTC(), Version: 17},
	} {
		var c tracker.Cursor
		require.NoError(t, c.UnmarshalText([]byte(text)))
		assert.Equal(t, want, c)
	}
	for _, text := range []string{
		"x", "2141370000250", "2141370000250.", "2141370000250.017", "2141370000250.-1", "-141370000250.1", "141370000250.1",
		"2141370000250.1.1", " 2141370000250.1", "21413700002500.1",
	} {
		c := tracker.Cursor{Version: 3}
		err := c.UnmarshalText([]byte(text))
		assert.ErrorIs(t, err, dynastay.ErrCursor, text)
		assert.ErrorIs(t, err, dynastay.ErrInvalid, text)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("2141370000250.17")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		var c tracker.Cursor
		if c.UnmarshalText([]byte(text)) != nil {
			return
		}
		again, err := c.MarshalText()
		require.NoError(t, err)
		if text != "" {
			require.Equal(t, text, string(again))
		}
	})
}

// start is the cursor of a device that has read nothing of the log, which began a moment ago.
var start = tracker.Cursor{At: base.Add(-time.Second)}

// marks pushes visits of n countries.
func (h *home) marks(n int) {
	h.t.Helper()
	for i := range n {
		id := tracker.VisitID{RegionType: regions.Country, RegionCode: fmt.Sprintf("C%d", i), MarkedAt: base}
		require.Equal(h.t, tracker.Applied, h.one("phone", tracker.ServerWins, h.op(tracker.Create, id, 0, tracker.VisitEdit{})).Outcome)
	}
}

// entry returns the stored entry of the log with a number.
func (h *home) entry(number int) dynastay.Row {
	h.t.Helper()
	rows, err := dynastay.QueryAll(h.context(), h.Direct, table, dynastay.Query{
		Name: "entry", Partition: "SYNC#" + user, Range: dynastay.Range{Prefix: "OP#"}, Consistent: true,
	})
	require.NoError(h.t, err)
	for _, row := range rows {
		if row.Int("server_version") == number {
			return row
		}
	}
	require.Fail(h.t, "no such entry", number)
	return dynastay.Row{}
}

// A Query may show an entry before the one ahead of it. A pull does not skip that one.
func TestAnEntryIsShownBeforeTheOneAheadOfIt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(5)
	hidden := h.entry(4)
	require.NoError(t, h.Direct.DeleteAll(t.Context(), table, []dynastay.Key{table.Key.From(hidden)}))
	var queries atomic.Int32
	repo := tracker.New(h.Open(&dynastay.Options{Clock: h.Clock.Now, Observer: dynastay.RequestObserver(func(ctx context.Context, c dynastay.Call) {
		if c.Operation == "Query" && queries.Add(1) == 1 {
			assert.NoError(t, h.Direct.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, hidden.Item()) }))
		}
	})}), nil)
	changes, err := repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	require.Len(t, changes.Changes, 6)
	for i, c := range changes.Changes {
		assert.Equal(t, i+1, c.ServerVersion)
	}
	assert.False(t, changes.More)
	assert.EqualValues(t, 2, queries.Load())
}

// The time to live removes entries in any order. What is left behind the gap is not enough.
func TestAGapThatStaysNeedsASnapshot(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(5)
	require.NoError(t, h.Direct.DeleteAll(t.Context(), table, []dynastay.Key{table.Key.From(h.entry(4))}))
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	assert.Len(t, changes.Changes, 3, "those ahead of the gap")
	assert.True(t, changes.More)
	assert.Equal(t, 3, changes.Next.Version)
	_, err = h.repo.Pull(t.Context(), user, changes.Next, 0)
	require.ErrorIs(t, err, tracker.ErrSnapshotNeeded)

	s, err := h.repo.Snapshot(t.Context(), user)
	require.NoError(t, err)
	h.Clock.Advance(2 * time.Minute)
	last := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	changes, err = h.repo.Pull(t.Context(), user, tracker.Cursor{At: h.Clock.Now().Add(-time.Minute), Version: 6}, 0)
	require.NoError(t, err)
	require.Len(t, changes.Changes, 1)
	assert.Equal(t, last.OperationID, changes.Changes[0].OperationID)
	assert.LessOrEqual(t, s.Cursor.Version, 6)
}

// A device that is up to date needs no snapshot, however long nothing has happened.
func TestNothingHasHappenedForAMonth(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(1)
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	h.Clock.Advance(40 * 24 * time.Hour)
	later, err := h.repo.Pull(t.Context(), user, changes.Next, 0)
	require.NoError(t, err)
	assert.Empty(t, later.Changes)
	assert.Equal(t, changes.Next, later.Next)
	h.marks(1)
	_, err = h.repo.Pull(t.Context(), user, changes.Next, 0)
	require.ErrorIs(t, err, tracker.ErrSnapshotNeeded)
}

// Rejected operations have numbers, and pulls pass over them.
func TestPullsPassOverRejectedOperations(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	require.Equal(t, tracker.Rejected, h.one("tablet", tracker.ServerWins, o).Outcome)
	h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, 3, tracker.VisitEdit{}))
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	var numbers []int
	for _, c := range changes.Changes {
		numbers = append(numbers, c.ServerVersion)
	}
	assert.Equal(t, []int{1, 2, 3, 5}, numbers)
	assert.Equal(t, 5, changes.Next.Version)
	rejected := pageOf(t, h.repo.ByStatus(tracker.StatusConflict))
	require.Len(t, rejected, 1)
	assert.Equal(t, o.ID, rejected[0].OperationID)
	assert.Equal(t, "server_wins", rejected[0].Strategy)
	assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Notes, Stamp: tracker.Stamp{Version: 3, At: base, DeviceID: "phone"}}}, rejected[0].Conflicts)
	assert.Equal(t, h.Clock.Now().Add(30*24*time.Hour), rejected[0].Expires)
}
