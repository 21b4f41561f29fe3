package tracker_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// Local engines always read consistently, so only the requests show whether DynamoDB would. Every read of the table that
// a write depends on, that of a pull and those of a snapshot are consistent.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	h.one("tablet", ask, o)
	for _, call := range []struct {
		name  string
		reads int
		do    func() error
	}{
		{"Push of a new region", 2, h.pushes("phone", tracker.ServerWins, tracker.Applied,
			h.op(tracker.Create, tracker.VisitID{RegionType: regions.USState, RegionCode: "GA", MarkedAt: base}, 0, tracker.VisitEdit{}))},
		{"Push of a profile", 1, h.pushes("phone", tracker.ServerWins, tracker.Applied, h.edit(1, tracker.ProfileEdit{DisplayName: of("x")}))},
		{"Settle", 2, func() error { _, err := h.repo.Settle(t.Context(), user, o.ID, tracker.ClientWins); return err }},
		{"Pull", 1, func() error { _, err := h.repo.Pull(t.Context(), user, start, 0); return err }},
		{"Pull with an old cursor", 1, func() error {
			_, err := h.repo.Pull(t.Context(), user, tracker.Cursor{}, 0)
			assert.ErrorIs(t, err, tracker.ErrSnapshotNeeded)
			return nil
		}},
		{"Snapshot", 4, func() error {
			s, err := h.repo.Snapshot(t.Context(), user)
			for range s.Visits.All(t.Context()) {
				continue
			}
			return err
		}},
		{"Recount", 3, func() error { _, err := h.repo.Recount(t.Context(), user); return err }},
		{"CalculateStatistics", 1, func() error { _, err := h.repo.CalculateStatistics(t.Context(), user); return err }},
	} {
		record := h.Faults.Record()
		require.NoError(t, call.do(), call.name)
		reads := 0
		for _, r := range record() {
			var body struct{ ConsistentRead bool }
			switch r.Operation {
			case "GetItem", "Query":
				require.NoError(t, json.Unmarshal(r.Body, &body))
				assert.True(t, body.ConsistentRead, "%s: %s", call.name, r.Operation)
				reads++
			case "BatchGetItem":
				assert.Contains(t, string(r.Body), `"ConsistentRead":true`, call.name)
				reads++
			}
		}
		assert.Equal(t, call.reads, reads, call.name)
	}
}
