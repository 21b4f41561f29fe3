package tracker_test

import (
	"context"
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
