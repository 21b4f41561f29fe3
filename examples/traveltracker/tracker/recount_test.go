package tracker_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// Other software has written a second visit of a region beside this package. After a recount, the counters stay right.
func TestRecountCorrectsTheRegions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(2)
	made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	at := dynastay.Key{PK: "USER#" + user, SK: fmt.Sprintf("VISIT#country#IT#%d", italy.MarkedAt.UnixMilli())}
	row, err := h.Direct.Get(t.Context(), table, at, dynastay.Consistent)
	require.NoError(t, err)
	second := row.Item()
	second["SK"] = text(fmt.Sprintf("VISIT#country#IT#%d", base.UnixMilli()))
	second["marked_at"] = text(base.Format(time.RFC3339))
	require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, second) }))
	wrong, err := h.repo.Recount(t.Context(), user)
	require.NoError(t, err)
	assert.False(t, wrong, "the region counts once")
	h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, made.Version, tracker.VisitEdit{}))
	p, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 3, p.Countries, "the other visit is left")
	count, err := h.Direct.Get(t.Context(), table, dynastay.Key{PK: "USER#" + user, SK: "REGION#country#C0"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.True(t, count.Exists(), "it was right")
}

// While a recount reads the visits, another process marks two countries, and deletes them again before the recount
// writes. The counters are those that the recount has read, but the visits are not.
func TestVisitsComeAndGoDuringARecount(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{true, false} {
		db, repo := other(t) // which counts two countries, with visits of one
		second := tracker.New(db.Direct, nil)
		push := func(ctx context.Context, id string, kind tracker.OperationType, codes ...string) {
			for _, code := range codes {
				results, err := second.Push(ctx, tracker.Push{UserID: "u9", DeviceID: "phone", Operations: []tracker.Operation{{
					ID: id + code, Type: kind, ClientVersion: 1, ClientTime: base,
					Visit: tracker.VisitID{RegionType: regions.Country, RegionCode: code, MarkedAt: base},
				}}})
				if assert.NoError(t, err) {
					assert.Equal(t, tracker.Applied, results[0].Outcome)
				}
			}
		}
		if logged {
			push(t.Context(), "made", tracker.Create, "ES")
			push(t.Context(), "gone", tracker.Delete, "ES")
		}
		db.Faults.Inject(dyntest.Before(func(ctx context.Context) { push(ctx, "mark", tracker.Create, "FR", "PT") }),
			dyntest.When{Operation: "Query", Nth: 1})
		db.Faults.Inject(dyntest.Before(func(ctx context.Context) { push(ctx, "delete", tracker.Delete, "FR", "PT") }),
			dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		wrong, err := repo.Recount(t.Context(), "u9")
		require.NoError(t, err)
		assert.True(t, wrong)
		p, err := repo.Profile(t.Context(), "u9")
		require.NoError(t, err)
		assert.Equal(t, 1, p.Countries, "logged: %t", logged)
	}
}

// Other software has not counted its visits. A counter is not less than zero.
func TestAVisitThatWasNotCountedIsDeleted(t *testing.T) {
	t.Parallel()
	db, repo := other(t)
	theirs := maps.Clone(oldVisit)
	theirs["SK"], theirs["region_type"], theirs["region_code"] = text("VISIT#canadian_province#BC#2114935200000"), text("canadian_province"), text("BC")
	require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, theirs) }))
	id := oldVisitID
	id.RegionType, id.RegionCode = regions.CanadianProvince, "BC"
	results, err := repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: "old phone", Operations: []tracker.Operation{
		{ID: "n1", Type: tracker.Delete, Visit: id, ClientVersion: 3, ClientTime: base},
	}})
	require.NoError(t, err)
	require.Equal(t, tracker.Applied, results[0].Outcome)
	p, err := repo.Profile(t.Context(), "u9")
	require.NoError(t, err)
	assert.Zero(t, p.Provinces)
	assert.Equal(t, 2, p.Countries)
}

// Other software changes a counter at the moment at which this package writes it. No change is lost.
func TestOtherSoftwareCountsToo(t *testing.T) {
	t.Parallel()
	db, repo := other(t)
	id := oldVisitID
	id.RegionCode = "FR"
	push := func(op string, kind tracker.OperationType, id tracker.VisitID) {
		results, err := repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: "phone", Operations: []tracker.Operation{
			{ID: op, Type: kind, Visit: id, ClientVersion: 1, ClientTime: base},
		}})
		require.NoError(t, err)
		require.Equal(t, tracker.Applied, results[0].Outcome)
	}
	counted := func(number int) {
		db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
			row, err := db.Direct.Get(ctx, table, dynastay.Key{PK: "USER#u9", SK: "PROFILE"}, dynastay.Consistent)
			assert.NoError(t, err)
			item := row.Item()
			item["countries_visited"] = dynastay.Number(number)
			assert.NoError(t, db.Direct.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, item) }))
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	}
	countries := func() int {
		p, err := repo.Profile(t.Context(), "u9")
		require.NoError(t, err)
		return p.Countries
	}
	counted(7)
	push("n1", tracker.Create, id)
	assert.Equal(t, 8, countries())
	counted(2)
	wrong, err := repo.Recount(t.Context(), "u9")
	require.NoError(t, err)
	assert.False(t, wrong, "the other software was faster")
	assert.Equal(t, 2, countries())

	id = oldVisitID
	id.MarkedAt = base
	push("n2", tracker.Create, id)
	push("n3", tracker.Delete, id)
	assert.Equal(t, 2, countries(), "the visit of the other software is left")
}
