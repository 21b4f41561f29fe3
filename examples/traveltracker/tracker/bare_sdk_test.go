package tracker

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// The entity stores the same items with the same requests as code on the bare SDK.
func TestAgainstTheBareSDK(t *testing.T) {
	t.Parallel()
	ctx, at := t.Context(), time.Date(2037, 11, 10, 9, 0, 0, 250_000_000, time.UTC)
	db := dyntest.New(t, dyntest.OnlyTables(keys.Table), dyntest.At(at))
	table := entity.NewTable(db.DB, newVisits(key.Shards{}))
	bare := bareVisits{client: db.Client, table: db.TableName(keys.Table), now: db.Clock.Now}
	requests := func(do func()) map[string]int {
		sent := map[string]int{}
		record := db.Faults.Record()
		do()
		for _, r := range record() {
			sent[r.Operation]++
		}
		return sent
	}
	id := VisitID{RegionType: regions.Country, RegionCode: "IT", MarkedAt: at}
	ours := Visit{UserID: "ours", VisitID: id, RegionName: "Italy", Notes: "Rome", MarkedFrom: "phone", OperationID: "op1",
		Stamps: Stamps{Notes: {Version: 1, At: at, DeviceID: "phone"}}}
	theirs := bareVisit{UserID: "theirs", RegionType: "country", RegionCode: "IT", MarkedAt: bareTime(at), RegionName: "Italy",
		Notes: "Rome", MarkedFrom: "phone", OperationID: "op1", Stamps: map[string]any{"notes": bareStamp(1, at, "phone")}}
	ourKey, err := visitKey("ours", id)
	require.NoError(t, err)
	same := func(what string, a, b func()) {
		t.Helper()
		assert.Equal(t, requests(a), requests(b), what)
		mine, err := db.Direct.Get(ctx, keys.Table, ourKey, dynastay.Consistent)
		require.NoError(t, err)
		other, err := db.Direct.Get(ctx, keys.Table, dynastay.Key{PK: "USER#theirs", SK: ourKey.SK}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, comparable(mine), comparable(other), what)
	}
	same("create", func() {
		_, err := table.Create(ctx, &ours)
		require.NoError(t, err)
	}, func() {
		_, err := bare.create(ctx, theirs)
		require.NoError(t, err)
	})
	_, err = table.Create(ctx, &ours)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	_, err = bare.create(ctx, theirs)
	require.ErrorIs(t, err, errBareExists)
	same("update", func() {
		_, err := table.Update(ctx, ourKey, func(v *Visit) error { v.Notes = "Milan"; return nil })
		require.NoError(t, err)
	}, func() {
		_, err := bare.update(ctx, theirs, func(v *bareVisit) { v.Notes = "Milan" })
		require.NoError(t, err)
	})
	partition, err := key.Partition(keys.VisitByTime{UserID: "ours", RegionType: "country"})
	require.NoError(t, err)
	same("list", func() {
		page, err := table.List(dynastay.Query{
			Name: "x", Index: keys.Index2, Partition: partition, Range: dynastay.Range{Prefix: "VISIT#"},
		}).Page(ctx, dynastay.Paging{})
		require.NoError(t, err)
		assert.Len(t, page.Items, 1)
	}, func() {
		visits, _, err := bare.byTime(ctx, "theirs", "country", 50, nil)
		require.NoError(t, err)
		assert.Len(t, visits, 1)
	})
	same("tombstone", func() {
		_, err := table.Update(ctx, ourKey, func(v *Visit) error {
			v.Deleted, v.Expires = true, at.Add(tombstoneLife)
			return nil
		})
		require.NoError(t, err)
	}, func() {
		_, err := bare.update(ctx, theirs, func(v *bareVisit) { v.Deleted, v.TTL = true, at.Add(tombstoneLife).Unix() })
		require.NoError(t, err)
	})
}

// comparable is an item without what differs between the two users.
func comparable(row dynastay.Row) map[string]any {
	item := map[string]any{}
	for name, value := range row.Item() {
		switch name {
		case "PK", "user_id", "composite_key", "write_id", "GSI1SK", "GSI2PK":
			_, isText := value.(*types.AttributeValueMemberS)
			item[name] = isText
		default:
			item[name] = value
		}
	}
	return item
}
