package tracker_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// Two devices of a user whom other software created push for the first time, at the same moment: the log begins once.
func TestALogBeginsOnce(t *testing.T) {
	t.Parallel()
	for range 6 {
		db, _ := other(t)
		db.Faults.Conflicts(time.Millisecond)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				opts := &dynastay.Options{Clock: db.Clock.Now, Retry: dynastay.Retry{Attempts: 300}}
				results, err := tracker.New(db.Open(opts), nil).Push(t.Context(), tracker.Push{
					UserID: "u9", DeviceID: fmt.Sprint("device", i), Operations: []tracker.Operation{{
						ID: fmt.Sprint("op", i), Type: tracker.Create, ClientTime: base,
						Visit: tracker.VisitID{RegionType: regions.Country, RegionCode: fmt.Sprint("C", i), MarkedAt: base},
					}},
				})
				if assert.NoError(t, err) {
					assert.Equal(t, tracker.Applied, results[0].Outcome)
				}
			})
		}
		all.Wait()
		changes, err := tracker.New(db.Direct, nil).Pull(t.Context(), "u9", tracker.Cursor{At: base.Add(-time.Hour)}, 0)
		require.NoError(t, err)
		require.Len(t, changes.Changes, 4)
		for i, c := range changes.Changes {
			assert.Equal(t, i+1, c.ServerVersion)
		}
	}
}

// As soon as the log is marked, no operation is applied any more, although the profile is still there.
func TestAPushWhileAnErasureIsBrokenOff(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Nth: 3})
	require.ErrorIs(t, h.repo.Erase(t.Context(), user), dynastay.ErrRejected)
	_, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	_, err = h.repo.Push(t.Context(), tracker.Push{UserID: user, DeviceID: "phone", Operations: []tracker.Operation{
		h.op(tracker.Create, italy, 0, tracker.VisitEdit{}),
	}})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.Snapshot(t.Context(), user)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
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

// A device repeats an operation while the first request is still being carried out, in other processes.
func TestAnOperationIsSentTwiceAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	for n := range 6 {
		o := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of(fmt.Sprint(n))})
		var mu sync.Mutex
		outcomes := map[tracker.Outcome]int{}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				opts := &dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 300}}
				results, err := tracker.New(h.Open(opts), nil).Push(t.Context(), tracker.Push{
					UserID: user, DeviceID: "phone", Operations: []tracker.Operation{o},
				})
				if assert.NoError(t, err) {
					mu.Lock()
					defer mu.Unlock()
					outcomes[results[0].Outcome]++
				}
			})
		}
		all.Wait()
		assert.Equal(t, map[tracker.Outcome]int{tracker.Applied: 1, tracker.AlreadyApplied: 3}, outcomes)
	}
	visits := pageOf(t, h.repo.Visits(user))
	require.Len(t, visits, 1)
	assert.Equal(t, 7, visits[0].Version)
}

// What a repeated operation is told: the outcome, the fields that conflicted, and what the server has now.
func TestARepeatedConflict(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	first := h.one("tablet", tracker.ServerWins, o)
	h.one("phone", tracker.ServerWins, h.op(tracker.Update, italy, 3, tracker.VisitEdit{Notes: of("later")}))
	again := h.one("tablet", tracker.ClientWins, o)
	assert.Equal(t, tracker.Rejected, again.Outcome, "the first answer")
	assert.Equal(t, first.Conflict.Fields, again.Conflict.Fields)
	assert.Equal(t, "later", again.Visit.Notes)

	missing := italy
	missing.RegionCode = "FR"
	o = h.op(tracker.Update, missing, 1, tracker.VisitEdit{Notes: of("x")})
	first = h.one("tablet", tracker.ClientWins, o)
	require.Equal(t, tracker.Rejected, first.Outcome, "an update makes no visit")
	assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Deleted}}, first.Conflict.Fields)
	again = h.one("tablet", tracker.ClientWins, o)
	assert.Equal(t, first.Conflict.Fields, again.Conflict.Fields)
	assert.Nil(t, again.Visit)
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

// The clock of a device counts at most as the time at which its operation was received, also if it was settled later.
func TestWhatWaitsHasTheTimeOfItsReceipt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	o.ClientTime = o.ClientTime.AddDate(0, 0, 1)
	require.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	h.Clock.Advance(time.Minute)
	h.one("phone", tracker.ServerWins, h.op(tracker.Update, italy, 3, tracker.VisitEdit{Notes: of("a minute later")}))
	h.Clock.Advance(time.Hour)
	settled, err := h.repo.Settle(t.Context(), user, o.ID, tracker.LastWriter)
	require.NoError(t, err)
	assert.Equal(t, tracker.Rejected, settled.Outcome)
}

// Visits that other software has written are counted with a batch, apart from those that it has deleted.
func TestABatchCountsWhatIsThere(t *testing.T) {
	t.Parallel()
	db, repo := other(t)
	var items []dynastay.Item
	for code, deleted := range map[string]bool{"FR": false, "ES": true} {
		item := dynastay.Item{}
		for name, value := range oldVisit {
			item[name] = value
		}
		item["SK"], item["region_code"] = text("VISIT#country#"+code+"#2114935200000"), text(code)
		item["is_deleted"] = dynastay.BoolValue(deleted).Stored()
		items = append(items, item)
	}
	require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, item := range items {
			yield(table, item)
		}
	}))
	o := tracker.Operation{ID: "b", Type: tracker.BatchCreate, ClientTime: base}
	for _, code := range []string{"IT", "FR", "ES", "PT"} {
		o.Batch = append(o.Batch, tracker.NewVisit{Visit: tracker.VisitID{RegionType: regions.Country, RegionCode: code, MarkedAt: base}})
	}
	results, err := repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: "phone", Operations: []tracker.Operation{o}})
	require.NoError(t, err)
	require.Equal(t, tracker.Applied, results[0].Outcome)
	p, err := repo.Profile(t.Context(), "u9")
	require.NoError(t, err)
	assert.Equal(t, 2+2, p.Countries, "Spain and Portugal are new")
}

// Times without a zone, as Python writes them, and notes that are longer than allowed, do not keep a visit from being
// read, deleted and pulled.
func TestVisitsOfOtherSoftware(t *testing.T) {
	t.Parallel()
	db, repo := other(t)
	item := dynastay.Item{}
	for name, value := range oldVisit {
		item[name] = value
	}
	item["marked_at"], item["last_modified_at"] = text("2037-01-07T10:00:00.000000"), text("2037-01-08T10:00:00")
	item["visited_date"], item["notes"] = text("2037-01-06T12:00:00.5"), text(string(make([]rune, 600)))
	require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, item) }))
	visits := pageOf(t, repo.Visits("u9"))
	require.Len(t, visits, 1)
	assert.Equal(t, dynastay.MustDate("2037-01-06"), visits[0].VisitedDate)
	results, err := repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: "old phone", Operations: []tracker.Operation{{
		ID: "d", Type: tracker.Delete, Visit: visits[0].VisitID, ClientVersion: 3, ClientTime: base,
	}}})
	require.NoError(t, err)
	assert.Equal(t, tracker.Applied, results[0].Outcome, "%v", results[0].Err)
}
