package tracker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

var italyKey = dynastay.Key{PK: "USER#" + user, SK: fmt.Sprintf("VISIT#country#IT#%d", italy.MarkedAt.UnixMilli())}

// expire lets the tombstones expire, and DynamoDB remove that of Italy.
func (h *home) expire(removed bool) {
	h.t.Helper()
	h.Clock.Advance(90 * 24 * time.Hour)
	if removed {
		require.NoError(h.t, h.Direct.DeleteAll(h.t.Context(), table, []dynastay.Key{italyKey}))
	}
}

// A visit was deleted and, when its tombstone had expired, created again. A device that was away all the time still has
// the first visit. What it sends is based on any of its versions, and is a conflict with the second visit; what an
// operation that has waited all the time wants is another one.
func TestADeviceKnowsAnEarlierVisit(t *testing.T) {
	t.Parallel()
	for _, removed := range []bool{false, true} {
		h := newHome(t)
		first := []int{h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")})).Version}
		for _, text := range []string{"b", "c"} {
			first = append(first, h.one("phone", tracker.ServerWins,
				h.op(tracker.Update, italy, first[len(first)-1], tracker.VisitEdit{Notes: &text})).Version)
		}
		waits := h.op(tracker.Update, italy, first[0], tracker.VisitEdit{Notes: of("waits")})
		require.Equal(t, tracker.Waiting, h.one("tablet", ask, waits).Outcome)
		gone := h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, first[2], tracker.VisitEdit{}))
		h.expire(removed)
		made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("again")}))
		require.Equal(t, tracker.Applied, made.Outcome)
		assert.Greater(t, made.Version, gone.Version, "a device takes it for newer than its own")

		stamp := tracker.Stamp{Version: made.Version, At: h.Clock.Now(), DeviceID: "phone"}
		for _, version := range append(first, gone.Version) {
			got := h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, version, tracker.VisitEdit{Notes: of("late")}))
			require.Equal(t, tracker.Rejected, got.Outcome, "version %d, removed %t", version, removed)
			assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Notes, Stamp: stamp}}, got.Conflict.Fields)
			got = h.one("tablet", tracker.ServerWins, h.op(tracker.Delete, italy, version, tracker.VisitEdit{}))
			require.Equal(t, tracker.Rejected, got.Outcome, "deletion of version %d, removed %t", version, removed)
			assert.Len(t, got.Conflict.Fields, 4)
		}
		settled, err := h.repo.Settle(t.Context(), user, waits.ID, tracker.ServerWins)
		require.NoError(t, err)
		assert.Equal(t, tracker.Rejected, settled.Outcome, "removed %t", removed)
		v, err := h.repo.Visit(t.Context(), user, italy, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, "again", v.Notes)
	}
}

// Whether DynamoDB has removed an expired tombstone cannot be seen in the visit that replaces it.
func TestAVisitThatIsCreatedAgainIsNew(t *testing.T) {
	t.Parallel()
	var visits []*tracker.Visit
	for _, removed := range []bool{false, true} {
		h := newHome(t)
		made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")}))
		h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, made.Version, tracker.VisitEdit{}))
		h.expire(removed)
		got := h.one("tablet", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
		v, err := h.repo.Visit(t.Context(), user, italy, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, v, got.Visit)
		v.WriteID = ""
		visits = append(visits, v)
	}
	assert.Equal(t, visits[0], visits[1])
}

// The version of a device is larger than that of the server: it is of another visit, or the table was restored from a
// backup. The device knows nothing of what the server has.
func TestAVersionThatTheServerDoesNotHave(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")}))
	got := h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, made.Version+1, tracker.VisitEdit{Notes: of("b")}))
	assert.Equal(t, tracker.Rejected, got.Outcome, "an edit")
	got = h.one("tablet", tracker.ServerWins, h.op(tracker.Delete, italy, made.Version+1, tracker.VisitEdit{}))
	assert.Equal(t, tracker.Rejected, got.Outcome, "a deletion")
	got = h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, made.Version, tracker.VisitEdit{Notes: of("b")}))
	assert.Equal(t, tracker.Applied, got.Outcome, "an edit of the version that the server has")
	assert.Equal(t, tracker.Applied, h.one("phone", tracker.ServerWins,
		h.op(tracker.Update, italy, made.Version+7, tracker.VisitEdit{RegionName: of("Italia")})).Outcome, "its own field")

	profile := func(device string, version int) tracker.Operation {
		o := h.op(tracker.Update, tracker.VisitID{}, version, tracker.VisitEdit{})
		o.Entity, o.Profile.DisplayName = tracker.User, of("Zoé by "+device)
		return o
	}
	assert.Equal(t, tracker.Rejected, h.one("tablet", tracker.ServerWins, profile("tablet", 2)).Outcome)
	assert.Equal(t, tracker.Applied, h.one("tablet", tracker.ServerWins, profile("tablet", 1)).Outcome)
}

// An operation began to wait in front of a version that the stored visit has not reached: it was another visit.
func TestADecisionAboutAnotherVisit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	v := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")})).Version
	for range 3 {
		v = h.one("tablet", tracker.ServerWins, h.op(tracker.Update, italy, v, tracker.VisitEdit{Notes: of("b")})).Version
	}
	waits := h.op(tracker.Update, italy, v-3, tracker.VisitEdit{Notes: of("c")})
	require.Equal(t, tracker.Waiting, h.one("phone", ask, waits).Outcome)
	// As versions of this package used to be: the second visit began at 1, and the device that waits has made it.
	row, err := h.Direct.Get(t.Context(), table, italyKey, dynastay.Consistent)
	require.NoError(t, err)
	item := row.Item()
	item["sync_version"] = dynastay.Number(1)
	stamps := item["field_versions"].(*types.AttributeValueMemberM).Value
	for field := range stamps {
		stamps[field] = &types.AttributeValueMemberL{Value: []types.AttributeValue{
			dynastay.Number(1), dynastay.Number(int(h.Clock.Now().UnixMilli())), dynastay.Text("phone"),
		}}
	}
	require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, item) }))
	settled, err := h.repo.Settle(t.Context(), user, waits.ID, tracker.ServerWins)
	require.NoError(t, err)
	assert.Equal(t, tracker.Rejected, settled.Outcome)
}
