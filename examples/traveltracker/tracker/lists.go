package tracker

import (
	"cmp"
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// Visits returns the visits of a user, by region. Deleted visits are left out. 1 request a page, as for all lists; a list
// whose partition is sharded takes 1 for each shard.
//
// Pattern T4: PK = USER#{user_id}, SK begins with VISIT#, 1 request
func (r *Repository) Visits(userID string) dynastay.List[*Visit] {
	return r.allVisits(userID, false)
}

// Visit reads one visit, or fails with [dynastay.ErrNotFound]; a deleted visit is found until it expires. opts may contain
// [dynastay.Consistent]. 1 request.
func (r *Repository) Visit(ctx context.Context, userID string, id VisitID, opts ...dynastay.ReadOption) (*Visit, error) {
	at, err := visitKey(userID, id)
	if err != nil {
		return nil, err
	}
	v, err := r.visits.Get(ctx, at, opts...)
	if err == nil && v.gone(r.db.Now()) {
		return nil, &dynastay.Error{Entity: "Visit", ID: id.text(), Kind: dynastay.ErrNotFound}
	}
	return v, err
}

// VisitsOfRegion returns the visits of a user in one region, in the order in which they were marked.
func (r *Repository) VisitsOfRegion(userID string, of regions.Type, code string) dynastay.List[*Visit] {
	k := keys.Visit{UserID: userID, RegionType: string(of), RegionCode: code}
	prefix, err := keys.VisitsOfRegion(k)
	if err := cmp.Or(checkType(of), err); err != nil {
		return dynastay.NoList[*Visit](err)
	}
	partition, err := key.Partition(k)
	if err != nil {
		return dynastay.NoList[*Visit](err)
	}
	return r.visits.List(dynastay.Query{
		Name: "tracker.VisitsOfRegion", Partition: partition, Range: dynastay.Range{Prefix: prefix},
	}).Filter(func(v *Visit) bool { return !v.Deleted })
}

func (r *Repository) allVisits(userID string, consistent bool) dynastay.List[*Visit] {
	partition, err := key.Partition(keys.Visit{UserID: userID})
	if err != nil {
		return dynastay.NoList[*Visit](err)
	}
	return r.visits.List(dynastay.Query{
		Name: "tracker.Visits", Partition: partition, Range: dynastay.Range{Prefix: visitPrefix}, Consistent: consistent,
	}).Filter(notDeleted)
}

// VisitsOfType returns the visits of a user in regions of one type, in the order in which they were marked. The index
// lags behind the table: a visit that has just been pushed may be missing.
//
// Pattern T5: GSI2, GSI2PK = USER#{user_id}#{region_type}, GSI2SK begins with VISIT#, 1 request
func (r *Repository) VisitsOfType(userID string, of regions.Type) dynastay.List[*Visit] {
	return r.byTime("tracker.VisitsOfType", userID, of, false)
}

// Recent is [Repository.VisitsOfType] in reverse: the visit that was marked last comes first.
//
// Pattern T7: GSI2, GSI2PK = USER#{user_id}#{region_type}, GSI2SK begins with VISIT#, descending, 1 request
func (r *Repository) Recent(userID string, of regions.Type) dynastay.List[*Visit] {
	return r.byTime("tracker.Recent", userID, of, true)
}

func (r *Repository) byTime(name, userID string, of regions.Type, descending bool) dynastay.List[*Visit] {
	partition, err := key.Partition(keys.VisitByTime{UserID: userID, RegionType: string(of)})
	if err := cmp.Or(checkType(of), err); err != nil {
		return dynastay.NoList[*Visit](err)
	}
	return r.visits.List(dynastay.Query{
		Name: name, Index: keys.Index2, Partition: partition, Descending: descending,
		// A device may be named like a type of region; its operations are in the same partition.
		Range: dynastay.Range{Prefix: key.SortKind[keys.VisitByTime]()},
	}).Filter(notDeleted)
}

// Visitors returns the visits of all users in a region, by user.
//
// Pattern T6: GSI1, GSI1PK = REGION#{region_type}#{region_code}, 1 request
func (r *Repository) Visitors(of regions.Type, code string) dynastay.List[*Visit] {
	partitions, err := key.Partitions(keys.VisitByRegion{RegionType: string(of), RegionCode: code}, r.opts.Shards.Read)
	if err := cmp.Or(checkType(of), err); err != nil {
		return dynastay.NoList[*Visit](err)
	}
	return r.visits.List(dynastay.Query{
		Name: "tracker.Visitors", Index: keys.Index1, Partition: partitions[0], Shards: partitions[1:],
	}).Filter(notDeleted)
}

// notDeleted also leaves out what other software has deleted: it keeps such visits in the indexes.
func notDeleted(v *Visit) bool { return !v.Deleted }

// Pending returns the operations of a user that wait for a decision, the oldest first.
//
// Pattern T8: PK = SYNC#{user_id}, SK begins with PENDING#, 1 request
func (r *Repository) Pending(userID string) dynastay.List[*Entry] {
	partition, err := key.Partition(keys.Pending{UserID: userID})
	if err != nil {
		return dynastay.NoList[*Entry](err)
	}
	return r.entries.List(dynastay.Query{
		Name: "tracker.Pending", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.Pending]()},
	})
}

// ByStatus returns the operations of all users with a status, the oldest first. Those that were applied or rejected are
// in the log for 30 days.
//
// Pattern T9: GSI1, GSI1PK = SYNC_STATUS#{status}, 1 request
func (r *Repository) ByStatus(status Status) dynastay.List[*Entry] {
	if status != StatusPending && status != StatusApplied && status != StatusConflict {
		return dynastay.NoList[*Entry](dynastay.Invalid("Status", "must be pending, applied or conflict"))
	}
	partitions, err := key.Partitions(keys.EntryByStatus{Status: string(status)}, r.opts.Shards.Read)
	if err != nil {
		return dynastay.NoList[*Entry](err)
	}
	return r.entries.List(dynastay.Query{
		Name: "tracker.ByStatus", Index: keys.Index1, Partition: partitions[0], Shards: partitions[1:],
	}).Filter(r.inLog)
}

// inLog leaves out what has expired. DynamoDB removes it some time later.
func (r *Repository) inLog(e *Entry) bool { return !expired(e.Expires, r.db.Now()) }

// ByDevice returns the operations of one device of a user, the oldest first, including those that wait.
//
// Pattern T10: GSI2, GSI2PK = USER#{user_id}#{device_id}, GSI2SK begins with OP#, 1 request
func (r *Repository) ByDevice(userID, deviceID string) dynastay.List[*Entry] {
	partition, err := key.Partition(keys.EntryByDevice{UserID: userID, DeviceID: deviceID})
	if err != nil {
		return dynastay.NoList[*Entry](err)
	}
	return r.entries.List(dynastay.Query{
		Name: "tracker.ByDevice", Index: keys.Index2, Partition: partition,
		Range: dynastay.Range{Prefix: key.SortKind[keys.EntryByDevice]()},
	}).Filter(r.inLog)
}
