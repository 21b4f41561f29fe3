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
// The library's own are always right; those of other software may not be. It fails with [dynastay.ErrNotFound].
//
// 1 request, 1 a page of visits, and 1 for the write if a counter was wrong.
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
			counted, err := r.countVisited(ctx, userID)
			if err != nil {
				return false, err
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
			tx.Update(keys.Table, at, dynastay.Prepare(expression.NewBuilder().WithUpdate(update).WithCondition(condition)).With(nil)).
				Else(overtaken)
			return true, log.close(tx) // no visit has changed since the head was read
		},
	}))
}

var regionTypes = []regions.Type{regions.Country, regions.USState, regions.CanadianProvince}

// countVisited counts the regions of each type that a user has visited.
func (r *Repository) countVisited(ctx context.Context, userID string) (map[regions.Type]int, error) {
	type region struct {
		of   regions.Type
		code string
	}
	visited, counted := map[region]bool{}, map[regions.Type]int{}
	for v, err := range r.allVisits(userID, true).All(ctx) {
		if err != nil {
			return nil, err
		}
		if one := (region{v.RegionType, v.RegionCode}); !visited[one] {
			visited[one] = true
			counted[v.RegionType]++
		}
	}
	return counted, nil
}
