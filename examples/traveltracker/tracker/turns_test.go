package tracker_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// In one process, the writes of a user queue: each reads what the one before it has left, and is written at once.
func TestWritesOfAUserTakeTurns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Conflicts(time.Millisecond)
	const calls = 6
	h.one("phone", tracker.ServerWins, h.batch(calls))
	var edits, waiting []tracker.Operation
	for i, v := range h.batch(calls).Batch {
		edits = append(edits, h.op(tracker.Update, v.Visit, 1, tracker.VisitEdit{RegionName: of("b")}))
		waiting = append(waiting, h.op(tracker.Update, v.Visit, 0, tracker.VisitEdit{Notes: of("a")}))
		require.Equal(t, tracker.Waiting, h.one("tablet", ask, waiting[i]).Outcome)
	}
	at := dynastay.Key{PK: "USER#" + user, SK: "PROFILE"}
	for _, c := range []struct {
		name   string
		writes int
		call   func(i int) error
	}{
		{"Push", calls, func(i int) error {
			_, err := h.repo.Push(t.Context(), tracker.Push{UserID: user, DeviceID: "phone", Operations: edits[i : i+1]})
			return err
		}},
		{"Settle", calls, func(i int) error {
			_, err := h.repo.Settle(t.Context(), user, waiting[i].ID, tracker.ClientWins)
			return err
		}},
		{"Recount", 1, func(int) error { _, err := h.repo.Recount(t.Context(), user); return err }},
		{"Erase", 1, func(int) error { return h.repo.Erase(t.Context(), user) }},
	} {
		if c.name == "Recount" {
			row, err := h.Direct.Get(t.Context(), table, at, dynastay.Consistent)
			require.NoError(t, err)
			wrong := row.Item()
			wrong["countries_visited"] = dynastay.Number(99)
			require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, wrong) }))
		}
		record := h.Faults.Record()
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() { assert.NoError(t, c.call(i), c.name) })
		}
		all.Wait()
		writes := 0
		for _, r := range record() {
			if strings.Contains(string(r.Body), `"HEAD"`) && (r.Operation == "TransactWriteItems" || r.Operation == "UpdateItem") {
				writes++ // not those of the time of a push
			}
		}
		assert.Equal(t, c.writes, writes, c.name)
	}
}

// While the first operation of a user that other software has created is being written, another process begins the log,
// with an operation on another item.
func TestALogIsBegunMeanwhile(t *testing.T) {
	t.Parallel()
	db, repo := other(t)
	edit := func(ctx context.Context, repo *tracker.Repository, o tracker.Operation) {
		o.Type, o.ClientTime = tracker.Update, base
		results, err := repo.Push(ctx, tracker.Push{UserID: "u9", DeviceID: "tablet", Operations: []tracker.Operation{o}})
		if assert.NoError(t, err) {
			assert.Equal(t, tracker.Applied, results[0].Outcome)
		}
	}
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		edit(ctx, tracker.New(db.Direct, nil), tracker.Operation{
			ID: "n1", Entity: tracker.User, ClientVersion: 4, Profile: tracker.ProfileEdit{DisplayName: of("Zoé")},
		})
		row, err := db.Direct.Get(ctx, table, dynastay.Key{PK: "SYNC#u9", SK: "HEAD"}, dynastay.Consistent)
		assert.NoError(t, err)
		assert.Equal(t, "2037-11-10T09:00:00Z", row.Text("updated_at"))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	edit(t.Context(), repo, tracker.Operation{ID: "n2", Visit: oldVisitID, ClientVersion: 3, Place: tracker.VisitEdit{Notes: of("Milan")}})
	changes, err := repo.Pull(t.Context(), "u9", tracker.Cursor{At: base.Add(-time.Hour)}, 0)
	require.NoError(t, err)
	var ids []string
	for i, c := range changes.Changes {
		assert.Equal(t, i+1, c.ServerVersion)
		ids = append(ids, c.OperationID)
	}
	assert.Equal(t, []string{"n1", "n2"}, ids)
}

// A device repeats an operation while the first request is still being carried out. It waits once, although one that
// waits takes no number of the log.
func TestAnOperationThatWaitsIsSentTwiceAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		h.Clock.Advance(time.Second)
		_, err := tracker.New(h.Direct, nil).Push(ctx, tracker.Push{
			UserID: user, DeviceID: "tablet", Rule: ask, Operations: []tracker.Operation{o},
		})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	assert.Equal(t, tracker.Waiting, h.one("tablet", ask, o).Outcome)
	assert.Len(t, pageOf(t, h.repo.Pending(user)), 1)
	_, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins)
	require.NoError(t, err)
	assert.Empty(t, pageOf(t, h.repo.Pending(user)))
}

// Other software, which does not write the log, marks a visit at the moment at which a device pushes the same one.
func TestOtherSoftwareMarksTheSameVisit(t *testing.T) {
	t.Parallel()
	db, repo := other(t)
	theirs := maps.Clone(oldVisit)
	theirs["SK"], theirs["marked_at"] = text(fmt.Sprintf("VISIT#country#IT#%d", base.UnixMilli())), text(base.Format(time.RFC3339))
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, db.Direct.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, theirs) }))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	id := oldVisitID
	id.MarkedAt = base
	results, err := repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: "tablet", Operations: []tracker.Operation{
		{ID: "n1", Type: tracker.Create, Visit: id, ClientTime: base, Place: tracker.VisitEdit{Notes: of("Milan")}},
	}})
	require.NoError(t, err)
	assert.Equal(t, tracker.Rejected, results[0].Outcome)
	assert.Equal(t, "Rome", results[0].Visit.Notes, "it is not overwritten")
}
