package tracker

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// regionCount counts the visits of a user in one region that are not deleted. A region that is marked on two devices
// has two visits, and counts once: the profile's counters move with the first visit and with the last one.
type regionCount struct {
	UserID     string
	RegionType regions.Type
	RegionCode string
	Visits     int
	Updated    time.Time
}

func newRegionCounts() *entity.Entity[regionCount] {
	return entity.New(entity.Spec[regionCount]{
		Name: "RegionCount", Operations: "tracker", Schema: keys.Table, Updated: "updated_at",
		Key: func(c *regionCount) (dynastay.Key, error) {
			return key.Of(keys.RegionCount{UserID: c.UserID, RegionType: string(c.RegionType), RegionCode: c.RegionCode})
		},
		Codec: entity.Declare(func(f *entity.Fields, c *regionCount) {
			f.String("user_id", &c.UserID)
			entity.String(f, "region_type", &c.RegionType)
			f.String("region_code", &c.RegionCode)
			f.Int("visits", &c.Visits)
			f.Time("updated_at", &c.Updated)
			f.Const("schema_version", schemaVersion)
		}),
	})
}

// counts moves the counts of the regions that an operation touches, and the counters of the profile.
type counts struct {
	r      *Repository
	userID string
	rows   map[dynastay.Key]dynastay.Row
	deltas map[dynastay.Key]*delta
	order  []dynastay.Key
}

type delta struct {
	of regionCount
	by int
}

// add counts visits of a region: 1 for a new one, -1 for a deleted one.
func (c *counts) add(v VisitID, by int) error {
	of := regionCount{UserID: c.userID, RegionType: v.RegionType, RegionCode: v.RegionCode}
	at, err := c.r.count.Key(&of)
	if err != nil || by == 0 {
		return err
	}
	if c.deltas[at] == nil {
		c.deltas[at] = &delta{of: of}
		c.order = append(c.order, at)
	}
	c.deltas[at].by += by
	return nil
}

// addTo adds the actions. profile is the user's profile as it was read.
func (c *counts) addTo(ctx context.Context, tx *dynastay.Tx, profile dynastay.Row) error {
	moved := map[regions.Type]int{}
	for _, at := range c.order {
		d := c.deltas[at]
		if d.by == 0 {
			continue
		}
		before, err := c.write(ctx, tx, at, d)
		if err != nil {
			return err
		}
		switch {
		case before <= 0 && before+d.by > 0:
			moved[d.of.RegionType]++
		case before > 0 && before+d.by <= 0:
			moved[d.of.RegionType]--
		}
	}
	return c.r.countRegions(tx, c.userID, profile, moved)
}

// write adds the action that writes a count, and returns the count before.
func (c *counts) write(ctx context.Context, tx *dynastay.Tx, at dynastay.Key, d *delta) (before int, err error) {
	if row := c.rows[at]; row.Exists() {
		change, err := c.r.regionCounts.ChangeOf(at, row, func(n *regionCount) error {
			n.Visits += d.by
			return nil
		})
		if err != nil {
			return 0, err
		}
		return change.Before.Visits, change.AddTo(tx)
	}
	// The first visit of the region since it is counted. Other software has not counted those that it has written.
	if before, err = c.r.liveVisits(ctx, d.of); err != nil {
		return 0, err
	}
	n := d.of
	n.Visits, n.Updated = before+d.by, c.r.db.Now()
	item, err := c.r.count.Item(&n)
	if err == nil {
		tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), overtaken)
	}
	return before, err
}

// liveVisits counts the visits of a region that are not deleted. 1 request.
func (r *Repository) liveVisits(ctx context.Context, of regionCount) (n int, err error) {
	visit := keys.Visit{UserID: of.UserID, RegionType: string(of.RegionType), RegionCode: of.RegionCode}
	prefix, err := keys.VisitsOfRegion(visit)
	if err != nil {
		return 0, err
	}
	partition, err := key.Partition(visit)
	if err != nil {
		return 0, err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.Table, dynastay.Query{
		Name: "tracker.liveVisits", Partition: partition, Range: dynastay.Range{Prefix: prefix}, Consistent: true,
	})
	for _, row := range rows {
		if !row.Value(string(Deleted)).Bool() {
			n++
		}
	}
	return n, err
}

var counters = map[regions.Type]string{
	regions.Country: attrCountries, regions.USState: attrUSStates, regions.CanadianProvince: attrProvinces,
}

// countRegions adds the action that moves the counters of a profile. They are written as values, on condition that they
// are as they were read, because other software may have stored a NULL, to which nothing can be added.
func (r *Repository) countRegions(tx *dynastay.Tx, userID string, profile dynastay.Row, moved map[regions.Type]int) error {
	at, err := key.Of(keys.Profile{UserID: userID})
	if err != nil {
		return err
	}
	var update expression.UpdateBuilder
	condition := expression.AttributeExists(dynastay.NameOf(keys.Table.Key.Partition))
	any := false
	for _, kind := range regionTypes {
		if by := moved[kind]; by != 0 {
			attr := counters[kind]
			update = update.Set(dynastay.NameOf(attr), expression.Value(max(0, profile.Int(attr)+by)))
			condition = condition.And(dynastay.AsRead(attr, profile))
			any = true
		}
	}
	if any {
		expr := dynastay.Prepare(expression.NewBuilder().WithUpdate(update).WithCondition(condition)).With(nil)
		tx.Update(keys.Table, at, expr).Else(overtaken)
	}
	return nil
}
