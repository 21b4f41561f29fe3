package tracker_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

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
	repo := tracker.New(h.Open(&dynastay.Options{Clock: h.Clock.Now, Observer: func(ctx context.Context, c dynastay.Call) {
		if c.Operation == "Query" && queries.Add(1) == 1 {
			assert.NoError(t, h.Direct.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, hidden.Item()) }))
		}
	}}), nil)
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

func TestARepetitionAfterAMonth(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	made := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("first")})
	h.one("phone", tracker.ServerWins, made)
	h.Clock.Advance(31 * 24 * time.Hour)
	h.one("phone", tracker.ServerWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("second")}))
	again := h.one("phone", tracker.ServerWins, made)
	assert.Equal(t, tracker.AlreadyApplied, again.Outcome)
	assert.Equal(t, "second", again.Visit.Notes, "what the server has now")
	assert.Equal(t, 2, again.Version, "the version that it made")

	made.Place.Notes = of("another")
	other := h.one("phone", tracker.ServerWins, made)
	require.Equal(t, tracker.Refused, other.Outcome)
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, other.Err, &invalid)
	assert.Equal(t, "ID", invalid.Field)

	_, err := h.repo.Pull(t.Context(), user, start, 0)
	assert.ErrorIs(t, err, tracker.ErrSnapshotNeeded, "a cursor that is older than the log")
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

func TestTheServersClockGoesBack(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(2)
	h.Clock.Set(base.Add(-24 * time.Hour))
	h.marks(2)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	require.Len(t, changes.Changes, 6)
	for i, c := range changes.Changes {
		assert.Equal(t, i+1, c.ServerVersion)
		if i > 0 {
			assert.True(t, c.At.After(changes.Changes[i-1].At))
		}
	}
}

// A clock that is a year ahead wins until the server has received a later write, and not for ever.
func TestAClientIsAYearAhead(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	ahead := h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("from the future")})
	ahead.ClientTime = ahead.ClientTime.AddDate(1, 0, 0)
	got := h.one("tablet", tracker.LastWriter, ahead)
	require.Equal(t, tracker.Applied, got.Outcome)
	assert.Equal(t, h.Clock.Now(), got.Visit.Stamps[tracker.Notes].At, "the time of receipt")

	h.Clock.Advance(time.Minute)
	got = h.one("phone", tracker.LastWriter, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("from today")}))
	assert.Equal(t, tracker.Applied, got.Outcome)
	assert.Equal(t, "from today", got.Visit.Notes)
}

// The visits of a user in countries, and the operations of a device named "country", are in one partition of the index.
func TestADeviceNamedCountry(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("country", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	h.one("country", tracker.ServerWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("x")}))
	for name, list := range map[string]dynastay.Listing[*tracker.Visit]{
		"VisitsOfType": h.repo.VisitsOfType(user, regions.Country), "Recent": h.repo.Recent(user, regions.Country),
	} {
		page, err := list.Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err, name)
		require.Len(t, page.Items, 1, name)
		assert.Equal(t, italy, page.Items[0].VisitID, name)
	}
	page, err := h.repo.ByDevice(user, "country").Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	assert.Equal(t, tracker.Update, page.Items[1].Type)
}

func (h *home) batch(n int) tracker.Operation {
	o := h.op(tracker.BatchCreate, tracker.VisitID{}, 0, tracker.VisitEdit{})
	for i := range n {
		o.Batch = append(o.Batch, tracker.NewVisit{
			Visit: tracker.VisitID{RegionType: regions.Country, RegionCode: fmt.Sprintf("C%d", i), MarkedAt: base},
		})
	}
	return o
}

func TestBatchesOf32And33(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	got := h.one("phone", tracker.ServerWins, h.batch(33))
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, got.Err, &invalid)
	assert.Equal(t, "Batch", invalid.Field)

	o := h.batch(32)
	got = h.one("phone", tracker.ServerWins, o)
	require.NoError(t, got.Err)
	require.Equal(t, tracker.Applied, got.Outcome)
	assert.Len(t, got.Parts, 32)
	p, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 32, p.Countries)
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	require.Len(t, changes.Changes, 33)
	for i, c := range changes.Changes[1:] {
		assert.Equal(t, fmt.Sprintf("%s.%d", o.ID, i+1), c.OperationID)
	}
	assert.Equal(t, tracker.AlreadyApplied, h.one("phone", tracker.ServerWins, o).Outcome)

	// A visit that another device has marked meanwhile is a conflict of that visit alone.
	o = h.batch(2)
	o.Batch[1].Visit.RegionCode, o.Batch[0].Place.Notes = "new", of("mine")
	got = h.one("tablet", tracker.ServerWins, o)
	assert.Equal(t, tracker.Rejected, got.Outcome)
	assert.Equal(t, tracker.Rejected, got.Parts[0].Outcome)
	assert.Equal(t, tracker.Applied, got.Parts[1].Outcome)
	again := h.one("tablet", tracker.ServerWins, o)
	assert.Equal(t, tracker.Rejected, again.Outcome)
	assert.Equal(t, tracker.AlreadyApplied, again.Parts[1].Outcome)
}

// The clock of one server is a day ahead. The entries that another one writes after it have later times, and expire by
// them: otherwise a device whose cursor is not 30 days old would miss what the log has forgotten.
func TestEntriesExpireByTheTimeOfTheLog(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Clock.Set(base.Add(24 * time.Hour))
	h.marks(1)
	ahead, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	h.Clock.Set(base.Add(time.Minute))
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	assert.GreaterOrEqual(t, int64(h.entry(3).Int("ttl")), ahead.Next.At.Add(30*24*time.Hour).Unix())
}

// What DynamoDB has not removed yet is not listed any more, apart from what waits for a decision.
func TestExpiredEntriesAreNotListed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, h.conflicting()).Outcome)
	o := h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("b")})
	require.Equal(t, tracker.Rejected, h.one("tablet", tracker.ServerWins, o).Outcome)
	with := func(status tracker.Status) int { return len(pageOf(t, h.repo.ByStatus(status))) }
	by := func(id string) int { return len(pageOf(t, h.repo.ByDevice(user, id))) }
	h.Clock.Set(base.Add(30*24*time.Hour - time.Second))
	assert.Equal(t, []int{3, 1, 1, 2, 2}, []int{
		with(tracker.StatusApplied), with(tracker.StatusConflict), with(tracker.StatusPending), by("phone"), by("tablet"),
	})
	h.Clock.Advance(time.Minute)
	assert.Equal(t, []int{0, 0, 1, 0, 1}, []int{
		with(tracker.StatusApplied), with(tracker.StatusConflict), with(tracker.StatusPending), by("phone"), by("tablet"),
	})
}

func TestABatchOfOneRegion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.batch(32)
	for i := range o.Batch {
		o.Batch[i].Visit.RegionCode, o.Batch[i].Visit.MarkedAt = "IT", base.Add(time.Duration(i)*time.Millisecond)
	}
	require.Equal(t, tracker.Applied, h.one("phone", tracker.ServerWins, o).Outcome)
	p, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 1, p.Countries)
	h.one("phone", tracker.ServerWins, h.op(tracker.Delete, o.Batch[0].Visit, 1, tracker.VisitEdit{}))
	p, err = h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 1, p.Countries, "31 are left")
}

func TestTheVisitsOfARegion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	second, gone, other := italy, italy, italy
	second.MarkedAt, gone.MarkedAt, other.RegionCode = base, base.Add(time.Second), "ITA"
	for _, id := range []tracker.VisitID{second, italy, gone, other} {
		h.one("phone", tracker.ServerWins, h.op(tracker.Create, id, 0, tracker.VisitEdit{}))
	}
	h.one("phone", tracker.ServerWins, h.op(tracker.Delete, gone, 1, tracker.VisitEdit{}))
	var got []tracker.VisitID
	for _, v := range pageOf(t, h.repo.VisitsOfRegion(user, regions.Country, "IT")) {
		got = append(got, v.VisitID)
	}
	assert.Equal(t, []tracker.VisitID{italy, second}, got)
	v, err := h.repo.Visit(t.Context(), user, gone, dynastay.Consistent)
	require.NoError(t, err)
	assert.True(t, v.Deleted)
	gone.RegionCode = "FR"
	_, err = h.repo.Visit(t.Context(), user, gone)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.VisitsOfRegion(user, regions.Country, "").Page(t.Context(), dynastay.Paging{})
	require.ErrorIs(t, err, dynastay.ErrInvalid)
}
