package provision_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision"
)

// withoutSome is an account whose table lacks the last index, and applies the first change, which makes it.
func withoutSome(table provision.Table) *account {
	a := newAccount(table)
	some := a.table.GlobalSecondaryIndexes[2]
	a.table.GlobalSecondaryIndexes = a.table.GlobalSecondaryIndexes[:2]
	a.takes = func(d *types.TableDescription) { d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, some) }
	return a
}

// A new index takes as many writes as target tracking has given to the table: with less, it would throttle the writers of
// the table. If it must have less, that needs the name.
func TestCapacityOfANewIndex(t *testing.T) {
	t.Parallel()
	scale := func(least, most int64) provision.Capacity {
		return provision.Capacity{Read: provision.Scale{Min: 25, Max: 12_000}, Write: provision.Scale{Min: least, Max: most}}
	}
	for _, c := range []struct {
		index provision.Capacity
		sent  int64
		mend  provision.Mend
	}{
		{scale(25, 4_000), 2_000, provision.ByApply},
		{scale(25, 2_000), 2_000, provision.ByApply},
		{scale(3_000, 4_000), 3_000, provision.ByApply},
		{scale(25, 1_999), 1_999, provision.ByName},
	} {
		table := prodStore()
		table.Settings.Provisioned = &provision.Provisioned{Capacity: scale(25, 4_000), Indexes: map[string]provision.Capacity{"Some": c.index}}
		a := withoutSome(table)
		a.table.ProvisionedThroughput = &types.ProvisionedThroughputDescription{ReadCapacityUnits: aws.Int64(500), WriteCapacityUnits: aws.Int64(2_000)}
		r, err := provision.Look(t.Context(), a, table, nil)
		require.NoError(t, err)
		require.Len(t, r.Differences, 1)
		assert.Equal(t, c.mend, r.Differences[0].Mend)
		assert.Equal(t, c.mend == provision.ByName, strings.Contains(r.Differences[0].Effect, "is throttled"))
		err = provision.Apply(t.Context(), a, []provision.Table{table}, &provision.Options{Named: []string{"prod-Store/Index Some"}})
		require.NoError(t, err)
		created := a.sent[0].GlobalSecondaryIndexUpdates[0].Create
		assert.Equal(t, &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(25), WriteCapacityUnits: &c.sent}, created.ProvisionedThroughput)
	}
}

// An index that DynamoDB is filling, or deletes for other software, is not as it must be.
func TestIndexInProgress(t *testing.T) {
	t.Parallel()
	for _, status := range []types.IndexStatus{types.IndexStatusCreating, types.IndexStatusUpdating, types.IndexStatusDeleting} {
		a := newAccount(prodStore())
		a.table.TableStatus, a.table.GlobalSecondaryIndexes[1].IndexStatus = types.TableStatusUpdating, status
		r, err := provision.Look(t.Context(), a, prodStore(), nil)
		require.NoError(t, err)
		assert.Equal(t, []string{
			"Status must be ACTIVE, but is UPDATING", "Status of Keys must be ACTIVE, but is " + string(status),
		}, settings(r.Differences))
		for _, d := range r.Differences {
			assert.Equal(t, provision.ByApply, d.Mend)
		}
	}
}

// An index whose key other software has defined as a number is made anew once, and not again and again: each time costs.
func TestIndexThatStaysDifferent(t *testing.T) {
	t.Parallel()
	a := newAccount(prodStore())
	numbers := func(d *types.TableDescription) {
		for i := range d.AttributeDefinitions {
			if *d.AttributeDefinitions[i].AttributeName == "GSI1SK" {
				d.AttributeDefinitions[i].AttributeType = types.ScalarAttributeTypeN
			}
		}
	}
	all := a.table.GlobalSecondaryIndexes
	a.takes = func(d *types.TableDescription) {
		d.GlobalSecondaryIndexes = all
		if len(a.sent) == 1 {
			d.GlobalSecondaryIndexes = all[1:]
		}
	}
	numbers(a.table)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	err := provision.Apply(ctx, a, []provision.Table{prodStore()}, &provision.Options{Named: []string{"prod-Store/Index All"}})
	assert.EqualError(t, err, "table prod-Store is not as it must be: Index All must be GSI1PK, GSI1SK; ALL, but is GSI1PK, GSI1SK (not a string); ALL")
	require.Len(t, a.sent, 2)
	for _, d := range a.sent[1].AttributeDefinitions {
		assert.Equal(t, types.ScalarAttributeTypeS, d.AttributeType, "%s: DynamoDB refuses what contradicts another index", *d.AttributeName)
	}
}

// An index with everything is no difference: it has what the readers need.
func TestIndexThatProjectsMore(t *testing.T) {
	t.Parallel()
	a := newAccount(prodStore())
	a.table.GlobalSecondaryIndexes[1].Projection = &types.Projection{
		ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"More"},
	}
	a.table.GlobalSecondaryIndexes[2].Projection = &types.Projection{ProjectionType: types.ProjectionTypeAll}
	r, err := provision.Look(t.Context(), a, prodStore(), nil)
	require.NoError(t, err)
	assert.Empty(t, r.Differences)
	for i, less := range []types.Projection{
		{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"Name", "Card"}}, {ProjectionType: types.ProjectionTypeKeysOnly},
		{ProjectionType: types.ProjectionTypeKeysOnly},
	} {
		a := newAccount(prodStore())
		a.table.GlobalSecondaryIndexes[[]int{0, 0, 2}[i]].Projection = &less
		r, err := provision.Look(t.Context(), a, prodStore(), nil)
		require.NoError(t, err)
		assert.Len(t, r.Differences, 1)
	}
}
