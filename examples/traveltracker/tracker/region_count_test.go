package tracker_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

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
