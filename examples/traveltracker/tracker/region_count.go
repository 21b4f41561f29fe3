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
	by int // never 0, because an operation either creates visits or deletes one
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
	uncounted, err := c.countUncounted(ctx)
	if err != nil {
		return err
	}
	moved := map[regions.Type]int{}
	for _, at := range c.order {
		d := c.deltas[at]
		before, err := c.write(tx, at, d, uncounted[at])
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

// write adds the action that writes a count, and returns the count before. uncounted is that of a region without an
// item.
func (c *counts) write(tx *dynastay.Tx, at dynastay.Key, d *delta, uncounted int) (before int, err error) {
	if row := c.rows[at]; row.Exists() {
		change, err := c.r.regionCounts.ChangeOf(at, row, func(n *regionCount) error {
			n.Visits = max(0, n.Visits+d.by) // other software may have added visits that were never counted
			return nil
		})
		if err != nil {
			return 0, err
		}
		return change.Before.Visits, change.AddTo(tx)
	}
	n := d.of
	n.Visits, n.Updated = uncounted+d.by, c.r.db.Now()
	item, err := c.r.count.Item(&n)
	if err == nil {
		tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), overtaken)
	}
	return uncounted, err
}

// countUncounted counts the visits of the regions that have no item yet: other software has not counted those that it
// has written. 1 request, for one region or for several.
func (c *counts) countUncounted(ctx context.Context) (map[dynastay.Key]int, error) {
	var without []regionCount
	for _, at := range c.order {
		if !c.rows[at].Exists() {
			without = append(without, c.deltas[at].of)
		}
	}
	if len(without) == 0 {
		return nil, nil
	}
	one := keys.Visit{UserID: c.userID, RegionType: string(without[0].RegionType), RegionCode: without[0].RegionCode}
	prefix, err := keys.VisitsOfRegion(one)
	if err != nil {
		return nil, err
	}
	if len(without) > 1 {
		prefix = visitPrefix
	}
	partition, err := key.Partition(one)
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, c.r.db, keys.Table, dynastay.Query{
		Name: "tracker.countUncounted", Partition: partition, Range: dynastay.Range{Prefix: prefix}, Consistent: true,
	})
	n := map[dynastay.Key]int{}
	for _, row := range rows {
		at, err := c.r.count.Key(&regionCount{
			UserID: c.userID, RegionType: regions.Type(row.Text("region_type")), RegionCode: row.Text("region_code"),
		})
		if err == nil && !row.Value(string(Deleted)).Bool() {
			n[at]++
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
		expr := dynastay.MustCompile(expression.NewBuilder().WithUpdate(update).WithCondition(condition)).With(nil)
		tx.Update(keys.Table, at, expr).Else(overtaken)
	}
	return nil
}
