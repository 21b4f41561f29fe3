package provision

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// provisioned reports how the table is billed. A table that never was on demand has no summary.
func (c *comparison) provisioned() bool {
	if b := c.table.BillingModeSummary; b != nil {
		return b.BillingMode == types.BillingModeProvisioned
	}
	return c.parts()[0].capacity.Read > 0
}

func (c *comparison) billing() {
	const onDemand, provisioned = string(types.BillingModePayPerRequest), string(types.BillingModeProvisioned)
	switch p, wanted := c.t.Settings.Provisioned, c.t.Settings.Provisioned != nil; {
	case wanted == c.provisioned():
	case wanted:
		c.add(Difference{
			Setting: "Billing", Want: provisioned, Have: onDemand, Mend: ByName,
			Effect: fmt.Sprintf("Each hour of the capacity is paid for, whether it is used or not, and what is above it is throttled. The table begins "+
				"with %s, however much it serves now.", Units{p.Read.Min, p.Write.Min}),
			change: c.update(func(in *dynamodb.UpdateTableInput) {
				in.BillingMode, in.ProvisionedThroughput = types.BillingModeProvisioned, c.t.Settings.throughput("")
				for _, index := range c.table.GlobalSecondaryIndexes {
					in.GlobalSecondaryIndexUpdates = append(in.GlobalSecondaryIndexUpdates, types.GlobalSecondaryIndexUpdate{
						Update: &types.UpdateGlobalSecondaryIndexAction{
							IndexName: index.IndexName, ProvisionedThroughput: c.t.Settings.throughput(*index.IndexName),
						},
					})
				}
			}),
		})
	default:
		c.add(Difference{
			Setting: "Billing", Want: onDemand, Have: provisioned, Mend: ByApply,
			Effect: "Each request is paid for. No request fails because of the change, which is possible four times in 24 hours. Delete the " +
				"scaling policies of the table and its indexes.",
			change: c.update(func(in *dynamodb.UpdateTableInput) { in.BillingMode = types.BillingModePayPerRequest }),
		})
	}
}

// part is the table, with index "", or one of the indexes of its schema. What the engine does not say is zero.
type part struct {
	index                   string
	capacity, maximum, warm Units
}

func (c *comparison) parts() []part {
	units := func(read, write *int64) Units { return Units{max(0, aws.ToInt64(read)), max(0, aws.ToInt64(write))} } // -1 is no maximum
	describe := func(index string, p *types.ProvisionedThroughputDescription, m *types.OnDemandThroughput) part {
		at := part{index: index}
		if p != nil {
			at.capacity = units(p.ReadCapacityUnits, p.WriteCapacityUnits)
		}
		if m != nil {
			at.maximum = units(m.MaxReadRequestUnits, m.MaxWriteRequestUnits)
		}
		return at
	}
	table := describe("", c.table.ProvisionedThroughput, c.table.OnDemandThroughput)
	if w := c.table.WarmThroughput; w != nil {
		table.warm = units(w.ReadUnitsPerSecond, w.WriteUnitsPerSecond)
	}
	all := []part{table}
	for _, there := range c.table.GlobalSecondaryIndexes {
		if _, known := c.t.Schema.Index(*there.IndexName); !known {
			continue
		}
		index := describe(*there.IndexName, there.ProvisionedThroughput, there.OnDemandThroughput)
		if w := there.WarmThroughput; w != nil {
			index.warm = units(w.ReadUnitsPerSecond, w.WriteUnitsPerSecond)
		}
		all = append(all, index)
	}
	return all
}

// about returns the name of a setting of a part.
func (p part) about(setting string) string {
	if p.index == "" {
		return setting
	}
	return setting + " of " + p.index
}

// update returns a change of a part.
func (p part) update(c *comparison, table dynamodb.UpdateTableInput, index types.UpdateGlobalSecondaryIndexAction) func(context.Context, Control) error {
	return c.update(func(in *dynamodb.UpdateTableInput) {
		if p.index == "" {
			in.ProvisionedThroughput, in.OnDemandThroughput, in.WarmThroughput = table.ProvisionedThroughput, table.OnDemandThroughput, table.WarmThroughput
			return
		}
		index.IndexName = &p.index
		in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{{Update: &index}}
	})
}

func (c *comparison) capacity() {
	if c.t.Settings.Provisioned == nil || !c.provisioned() {
		return // a change of the billing sets it
	}
	for _, p := range c.parts() {
		have, want := p.capacity, c.t.Settings.Provisioned.Of(p.index)
		if have == (Units{}) {
			c.unchecked(p.about("Capacity"), "the engine does not say")
			continue
		}
		to := Units{want.Read.within(have.Read), want.Write.within(have.Write)}
		if to == have {
			continue
		}
		d := Difference{
			Setting: p.about("Capacity"), Want: to.String(), Have: have.String(), Mend: ByApply,
			Effect: "Each hour of the capacity is paid for. Readers and writers do not notice.",
		}
		if to.Read < have.Read || to.Write < have.Write {
			d.Mend, d.Effect = ByName, "What is above the capacity is throttled. DynamoDB allows only some decreases a day."
		}
		through := &types.ProvisionedThroughput{ReadCapacityUnits: &to.Read, WriteCapacityUnits: &to.Write}
		d.change = p.update(c, dynamodb.UpdateTableInput{ProvisionedThroughput: through}, types.UpdateGlobalSecondaryIndexAction{ProvisionedThroughput: through})
		c.add(d)
	}
}

// within returns the capacity that is nearest to what there is.
func (s Scale) within(have int64) int64 { return min(max(have, s.Min), s.Max) }

func (c *comparison) maximum() {
	if c.t.Settings.Provisioned != nil || c.provisioned() {
		return
	}
	for _, p := range c.parts() {
		want, have := c.t.Settings.Maximum, p.maximum
		if want == have {
			continue
		}
		d := Difference{
			Setting: p.about("Maximum"), Want: want.String(), Have: have.String(), Mend: ByApply,
			Effect: "More requests are served, and paid for.",
		}
		if lower(want.Read, have.Read) || lower(want.Write, have.Write) {
			d.Mend, d.Effect = ByName, "What is above the maximum is throttled."
		}
		to := &types.OnDemandThroughput{MaxReadRequestUnits: orUnlimited(want.Read), MaxWriteRequestUnits: orUnlimited(want.Write)}
		d.change = p.update(c, dynamodb.UpdateTableInput{OnDemandThroughput: to}, types.UpdateGlobalSecondaryIndexAction{OnDemandThroughput: to})
		c.add(d)
	}
}

// lower reports whether a maximum allows less than another one; 0 is none.
func lower(want, have int64) bool { return want != 0 && (have == 0 || want < have) }

func orUnlimited(n int64) *int64 {
	if n == 0 {
		n = -1
	}
	return &n
}

func (c *comparison) warm() {
	if c.t.Settings.Warm == (Units{}) {
		return
	}
	for _, p := range c.parts() {
		if p.warm == (Units{}) {
			c.unchecked(p.about("Warm"), "the engine does not say")
			continue
		}
		have, want := p.warm, Units{max(c.t.Settings.Warm.Read, p.warm.Read), max(c.t.Settings.Warm.Write, p.warm.Write)}
		if want == have {
			continue // more than that does not become less again
		}
		to := want.warm()
		c.add(Difference{
			Setting: p.about("Warm"), Want: want.String(), Have: have.String(), Mend: ByApply,
			Effect: fmt.Sprintf("Raises it by %d read and %d write units, which are paid for once, and it does not fall again. Readers and writers do not notice.",
				want.Read-have.Read, want.Write-have.Write),
			change: p.update(c, dynamodb.UpdateTableInput{WarmThroughput: to}, types.UpdateGlobalSecondaryIndexAction{WarmThroughput: to}),
		})
	}
}

// String returns the units for people, such as "25 read and 100 write units".
func (u Units) String() string {
	if u == (Units{}) {
		return none
	}
	text := func(n int64) string {
		if n == 0 {
			return "any"
		}
		return fmt.Sprint(n)
	}
	return text(u.Read) + " read and " + text(u.Write) + " write units"
}
