package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// indexes compares the global secondary indexes. A further attribute in a projection is no difference: nothing that the
// readers need is missing. A further index is one, because each write pays for it.
func (c *comparison) indexes() {
	for _, index := range c.t.Schema.Indexes {
		c.index(index)
	}
	for _, there := range c.table.GlobalSecondaryIndexes {
		if _, known := c.t.Schema.Index(*there.IndexName); known {
			continue
		}
		c.add(Difference{
			Setting: "Index " + *there.IndexName, Want: none, Have: c.indexText(there), Mend: ByName,
			Effect: "Each write that changes it pays for it. Other software may query it: those queries would fail. To have it again costs what it " +
				"cost before: " + c.backfill(),
			change: c.deleteIndex(*there.IndexName),
		})
	}
}

func (c *comparison) index(index dynastay.Index) {
	want := keyText(keySchema(index.Key), nil) + "; " + projectionText(projection(index))
	at := slices.IndexFunc(c.table.GlobalSecondaryIndexes, func(there types.GlobalSecondaryIndexDescription) bool {
		return *there.IndexName == index.Name
	})
	if at < 0 {
		d := Difference{
			Setting: "Index " + index.Name, Want: want, Have: none, Mend: ByApply,
			Effect: c.backfill() + " Readers and writers of the table do not notice, unless the capacity of the index is less than what writes need.",
		}
		capacity := c.throughput(index.Name)
		if capacity != nil && *capacity.WriteCapacityUnits < c.parts()[0].capacity.Write {
			d.Mend = ByName
			d.Effect = c.backfill() + " The index has less write capacity than the table: a write of the table that is above it is throttled."
		}
		d.change = c.update(func(in *dynamodb.UpdateTableInput) {
			in.AttributeDefinitions = c.definitions(index)
			in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
				IndexName: &index.Name, KeySchema: keySchema(index.Key), Projection: projection(index),
				ProvisionedThroughput: capacity, OnDemandThroughput: c.t.Settings.Maximum.onDemand(), WarmThroughput: c.t.Settings.Warm.warm(),
			}}}
		})
		c.add(d)
		return
	}
	there := c.table.GlobalSecondaryIndexes[at]
	if inProgress(there) {
		c.passing("Status of "+index.Name, string(there.IndexStatus))
	}
	if c.keyText(there.KeySchema) == keyText(keySchema(index.Key), nil) && isIn(index, there.Projection) {
		return
	}
	c.add(Difference{
		Setting: "Index " + index.Name, Want: want, Have: c.indexText(there), Mend: ByName,
		Effect: "An index cannot be changed. Deletes it and makes it anew: its queries fail until that is done. " + c.backfill() +
			" To keep the queries, add an index with another name first.",
		change: c.deleteIndex(index.Name),
	})
}

// throughput is the capacity of a new index. It must fit how the table is billed, not how it must be. Its writes are those
// of the table, as far as its scale allows: an index that takes fewer throttles the writers of the table.
func (c *comparison) throughput(index string) *types.ProvisionedThroughput {
	if !c.provisioned() {
		return nil
	}
	to := c.parts()[0].capacity
	if p := c.t.Settings.Provisioned; p != nil {
		to = Units{p.Of(index).Read.Min, p.Of(index).Write.within(to.Write)}
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: &to.Read, WriteCapacityUnits: &to.Write}
}

// definitions are the key attributes of an index, as they must be, and the others that the table has.
func (c *comparison) definitions(index dynastay.Index) []types.AttributeDefinition {
	all := (Table{Schema: &dynastay.Schema{Key: index.Key}}).attributes()
	for _, has := range c.table.AttributeDefinitions {
		if !slices.ContainsFunc(all, func(a types.AttributeDefinition) bool { return *a.AttributeName == *has.AttributeName }) {
			all = append(all, has)
		}
	}
	return all
}

func (c *comparison) deleteIndex(name string) func(context.Context, Control) error {
	return c.update(func(in *dynamodb.UpdateTableInput) {
		in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: &name}}}
	})
}

// backfill is what it costs to fill an index: each item that has its key is written to it. Its entries are at most as
// large as the items.
func (c *comparison) backfill() string {
	if c.Items == 0 {
		return "DynamoDB counts no items in the table, so filling the index costs little."
	}
	most := c.Items + (c.Bytes+1<<10-1)>>10 // each item is rounded up to whole units of 1 KB
	return fmt.Sprintf("Filling the index costs up to %d write units: %d items, %s.", most, c.Items, sizeText(c.Bytes))
}

func (c *comparison) indexText(there types.GlobalSecondaryIndexDescription) string {
	return c.keyText(there.KeySchema) + "; " + projectionText(there.Projection)
}

func (c *comparison) keyText(elements []types.KeySchemaElement) string {
	return keyText(elements, c.table.AttributeDefinitions)
}

// keyText names the attributes of a key. Those that the definitions do not define as strings are marked.
func keyText(elements []types.KeySchemaElement, definitions []types.AttributeDefinition) string {
	names := make([]string, len(elements))
	for i, e := range elements {
		names[i] = *e.AttributeName
		for _, a := range definitions {
			if *a.AttributeName == names[i] && a.AttributeType != types.ScalarAttributeTypeS {
				names[i] += " (not a string)"
				break
			}
		}
	}
	return strings.Join(names, ", ")
}

func projectionText(p *types.Projection) string {
	text := string(p.ProjectionType)
	if p.ProjectionType == types.ProjectionTypeInclude {
		text += " " + strings.Join(slices.Sorted(slices.Values(p.NonKeyAttributes)), ", ")
	}
	return text
}

// isIn reports whether a projection contains what the readers of an index need.
func isIn(index dynastay.Index, there *types.Projection) bool {
	wanted := projection(index)
	if there.ProjectionType == types.ProjectionTypeAll || wanted.ProjectionType == types.ProjectionTypeAll {
		return there.ProjectionType == types.ProjectionTypeAll
	}
	return !slices.ContainsFunc(wanted.NonKeyAttributes, func(name string) bool { return !slices.Contains(there.NonKeyAttributes, name) })
}
