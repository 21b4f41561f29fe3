package tracker

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// Recount sets the counters of a profile to the numbers of regions with a visit, and reports whether they were wrong.
// The library's own are always right; those of other software may not be. It also corrects what the library knows of the
// visits of each region, so that the counters stay right. It fails with [dynastay.ErrNotFound].
//
// 1 request, 1 a page of visits and of visited regions, 1 for every 25 regions of which the library knew a wrong number
// of visits, and 1 for the write if a counter was wrong.
func (r *Repository) Recount(ctx context.Context, userID string) (wrong bool, err error) {
	at, err := key.Of(keys.Profile{UserID: userID})
	return dynastay.Do(ctx, r.db, dynastay.NewOp(dynastay.OpSpec[bool]{
		Name: "tracker.Recount", Invalid: err,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (bool, error) {
			if err := contend(ctx, tx, userID); err != nil {
				return false, err
			}
			headAt, err := key.Of(keys.Head{UserID: userID})
			if err != nil {
				return false, err
			}
			rows, err := r.db.GetAll(ctx, keys.Table, []dynastay.Key{headAt, at}, dynastay.Consistent)
			if err != nil {
				return false, err
			}
			log, err := r.openLog(userID, rows[0])
			if err != nil {
				return false, err
			}
			if !rows[1].Exists() {
				return false, r.noUser(userID)
			}
			visits, err := r.countVisits(ctx, userID)
			if err != nil {
				return false, err
			}
			if err := r.dropCounts(ctx, userID, visits); err != nil {
				return false, err
			}
			counted := map[regions.Type]int{}
			for region := range visits {
				counted[region.of]++
			}
			var update expression.UpdateBuilder
			condition := expression.AttributeExists(dynastay.NameOf(keys.Table.Key.Partition))
			wrong := false
			for _, kind := range regionTypes {
				attr := counters[kind]
				if rows[1].Int(attr) != counted[kind] {
					wrong = true
				}
				update = update.Set(dynastay.NameOf(attr), expression.Value(counted[kind]))
				condition = condition.And(dynastay.AsRead(attr, rows[1]))
			}
			if !wrong {
				return false, nil
			}
			tx.Update(keys.Table, at, dynastay.MustCompile(expression.NewBuilder().WithUpdate(update).WithCondition(condition)).With(nil)).
				Else(overtaken)
			return true, log.close(tx) // no visit has changed since the head was read
		},
	}))
}

var regionTypes = []regions.Type{regions.Country, regions.USState, regions.CanadianProvince}

// region is one that a user has visited.
type region struct {
	of   regions.Type
	code string
}

// countVisits counts the visits of a user in each region.
func (r *Repository) countVisits(ctx context.Context, userID string) (map[region]int, error) {
	visits := map[region]int{}
	for v, err := range r.allVisits(userID, true).All(ctx) {
		if err != nil {
			return nil, err
		}
		visits[region{v.RegionType, v.RegionCode}]++
	}
	return visits, nil
}

// dropCounts deletes the counts of regions that are wrong. The next operation on such a region counts its visits. It does
// no harm if a count was right, because an operation has changed it meanwhile.
func (r *Repository) dropCounts(ctx context.Context, userID string, visits map[region]int) error {
	partition, err := key.Partition(keys.RegionCount{UserID: userID})
	if err != nil {
		return err
	}
	var wrong []dynastay.Key
	for c, err := range r.regionCounts.List(dynastay.Query{
		Name: "tracker.Recount", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.RegionCount]()}, Consistent: true,
	}).All(ctx) {
		if err != nil {
			return err
		}
		if c.Visits == visits[region{c.RegionType, c.RegionCode}] {
			continue
		}
		at, err := r.count.Key(c)
		if err != nil {
			return err
		}
		wrong = append(wrong, at)
	}
	return r.db.DeleteAll(ctx, keys.Table, wrong)
}
