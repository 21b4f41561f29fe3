package dynastay_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// travels are the patterns of the travel tracker.
var travels = []pattern{
	{"T1", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return (*tracker.Repository).Profile(tracker.New(db, nil), ctx, "user_ana")
	}},
	{"T2", 2, 1, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return (*tracker.Repository).ProfileByProvider(tracker.New(db, nil), ctx, "apple", "001234.abcd")
	}},
	{"T3", 2, 1, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return (*tracker.Repository).ProfileByEmail(tracker.New(db, nil), ctx, "ana@example.com")
	}},
	{"T4", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*tracker.Repository).Visits(tracker.New(db, nil), "user_ana").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T5", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*tracker.Repository).VisitsOfType(tracker.New(db, nil), "user_ana", regions.Country).Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T6", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*tracker.Repository).Visitors(tracker.New(db, nil), regions.Country, "FJ").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T7", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*tracker.Repository).Recent(tracker.New(db, nil), "user_ana", regions.Country).Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T8", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*tracker.Repository).Pending(tracker.New(db, nil), "user_ana").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T9", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*tracker.Repository).ByStatus(tracker.New(db, nil), tracker.StatusPending).Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T10", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*tracker.Repository).ByDevice(tracker.New(db, nil), "user_ana", "tablet").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T11", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return (*regions.Repository).Get(regions.New(db), ctx, regions.Country, "FJ")
	}},
	{"T12", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return some((*regions.Repository).ByName(regions.New(db), regions.Country, "Fi").Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T13", 4, 2, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		near, err := (*regions.Repository).InView(regions.New(db), ctx, regions.Box{North: -17, South: -18, West: 179, East: -179})
		return some(dynastay.Page[regions.Placed]{Items: near}, err)
	}},
	{"T14", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return (*tracker.Repository).Statistics(tracker.New(db, nil), ctx, "user_ana")
	}},
	{"T15", 1, 0.5, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		today := dynastay.DateOf(fixture.Clock(), time.UTC)
		return some((*tracker.Repository).StatisticsOn(tracker.New(db, nil), today).Page(ctx, dynastay.Paging{Limit: 10}))
	}},
	{"T16", 1, 1, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		changes, err := (*tracker.Repository).Pull(tracker.New(db, nil), ctx, "user_ana", tracker.Cursor{At: fixture.Clock().Add(-time.Hour)}, 10)
		return some(dynastay.Page[tracker.Change]{Items: changes.Changes}, err)
	}},
	{"T17", 3, 3, func(ctx context.Context, db *dynastay.DB, w world) (any, error) {
		return (*tracker.Repository).Snapshot(tracker.New(db, nil), ctx, "user_ana")
	}},
}

// travel writes what the patterns of the travel tracker find.
func travel(t *testing.T, db *dynastay.DB) {
	t.Helper()
	ctx, repo := t.Context(), tracker.New(db, nil)
	_, err := repo.SignUp(ctx, tracker.Profile{ID: "user_ana", AuthProvider: "apple", AuthProviderID: "001234.abcd", Email: "ana@example.com"})
	require.NoError(t, err)
	fiji := tracker.VisitID{RegionType: regions.Country, RegionCode: "FJ", MarkedAt: fixture.Clock().Add(-time.Minute)}
	push := func(device string, kind tracker.OperationType, version int, notes string, want tracker.Outcome) {
		results, err := repo.Push(ctx, tracker.Push{
			UserID: "user_ana", DeviceID: device, Rule: tracker.Decide(func(*tracker.Conflict) tracker.Decision { return tracker.Ask() }),
			Operations: []tracker.Operation{{
				ID: device + notes, Type: kind, Visit: fiji, ClientVersion: version, ClientTime: fixture.Clock(), Place: tracker.VisitEdit{Notes: &notes},
			}},
		})
		require.NoError(t, err)
		require.Equal(t, want, results[0].Outcome)
	}
	push("phone", tracker.Create, 0, "Suva", tracker.Applied)
	push("tablet", tracker.Update, 0, "Nadi", tracker.Waiting)
	_, err = repo.Statistics(ctx, "user_ana")
	require.NoError(t, err)
	_, err = regions.New(db).Create(ctx, regions.Region{
		Type: regions.Country, Code: "FJ", Name: "Fiji", Continent: regions.Oceania,
		Box: &regions.Box{North: -12.5, South: -21, West: 177, East: -178},
	})
	require.NoError(t, err)
}
