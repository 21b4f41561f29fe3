package tracker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

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

// What is remembered of an operation depends on what the device has sent, and on nothing else that this version of the
// package stores: a device may repeat it after the service was updated.
func TestTheHashOfAnOperation(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	visit := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a"), RegionName: of("")})
	profile := h.edit(1, tracker.ProfileEdit{DisplayName: of("Anna"), Privacy: &tracker.Settings{"a": 1}})
	for hash, o := range map[string]tracker.Operation{
		"557fe5aca882f891a79806b80f2d58e90ef9e460ad262d44d14994ef7b13969c": visit,
		"c663a43fa85dcfcfd53c245a693f4ef7c85369c6eeb5517f55ab217c1508c788": profile,
	} {
		require.Equal(t, tracker.Applied, h.one("phone", tracker.ServerWins, o).Outcome)
		row, err := h.Direct.Get(t.Context(), table, dynastay.Key{PK: "SYNC#" + user, SK: "SEEN#" + o.ID}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, hash, row.Text("input_hash"))
	}
}

func TestADeleteHasNoFields(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")}))
	got := h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, 2, tracker.VisitEdit{Notes: of("b")}))
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, got.Err, &invalid)
	assert.Equal(t, "Place", invalid.Field)
}

// The ids of the visits of a batch are longer than that of the batch.
func TestABatchWithALongID(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.batch(10)
	o.ID = strings.Repeat("x", 126)
	got := h.one("phone", tracker.ServerWins, o)
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, got.Err, &invalid)
	assert.Equal(t, "ID", invalid.Field)
	o.ID = strings.Repeat("x", 125)
	assert.Equal(t, tracker.Applied, h.one("phone", tracker.ServerWins, o).Outcome)
}
