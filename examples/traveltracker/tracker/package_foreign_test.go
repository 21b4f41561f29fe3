package tracker_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// Other software keeps deleted visits in the indexes. No list has them.
func TestDeletedVisitsOfOtherSoftware(t *testing.T) {
	t.Parallel()
	db, repo := other(t)
	gone := maps.Clone(oldVisit)
	gone["is_deleted"] = &types.AttributeValueMemberBOOL{Value: true}
	require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(keys.Table, gone) }))
	for name, list := range map[string]dynastay.List[*tracker.Visit]{
		"Visits": repo.Visits("u9"), "VisitsOfType": repo.VisitsOfType("u9", regions.Country),
		"Recent": repo.Recent("u9", regions.Country), "Visitors": repo.Visitors(regions.Country, "IT"),
	} {
		assert.Empty(t, pageOf(t, list), name)
	}
}

// A user whose items other software has written has no log yet. A new device reads a snapshot, and its cursor is not
// that of a new device, so that the device needs no other one until something happens.
func TestANewDeviceOfAUserWithoutALog(t *testing.T) {
	t.Parallel()
	_, repo := other(t)
	_, err := repo.Pull(t.Context(), "u9", tracker.Cursor{}, 0)
	require.ErrorIs(t, err, tracker.ErrSnapshotNeeded)
	s, err := repo.Snapshot(t.Context(), "u9")
	require.NoError(t, err)
	kept, err := s.Cursor.MarshalText()
	require.NoError(t, err)
	var cursor tracker.Cursor
	require.NoError(t, cursor.UnmarshalText(kept))
	changes, err := repo.Pull(t.Context(), "u9", cursor, 0)
	require.NoError(t, err)
	assert.Empty(t, changes.Changes)
	_, err = repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: "tablet", Operations: []tracker.Operation{
		{ID: "n1", Type: tracker.Create, Visit: italy, ClientTime: base},
	}})
	require.NoError(t, err)
	_, err = repo.Pull(t.Context(), "u9", changes.Next, 0)
	require.ErrorIs(t, err, tracker.ErrSnapshotNeeded)
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
