package provision_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision"
)

// lookAt returns how the table of an account differs from one with other settings.
func lookAt(t *testing.T, a *account, must provision.Settings) *provision.Report {
	t.Helper()
	r, err := provision.Look(t.Context(), a, provision.Table{Schema: storeSchema(), Name: "prod-Store", Settings: must}, nil)
	require.NoError(t, err)
	return r
}

// With provisioned billing, each index begins with a capacity too: its own, or that of the table.
func TestCapacityOfIndexesFromOnDemand(t *testing.T) {
	t.Parallel()
	table := prodStore()
	provisioned(fixed(5, 6), fixed(7, 8))(&table)
	a := newAccount(prodStore())
	a.takes = func(d *types.TableDescription) { *d = *newAccount(table).table }
	require.NoError(t, provision.Apply(t.Context(), a, []provision.Table{table}, &provision.Options{Named: []string{"prod-Store/Billing"}}))
	capacity := func(index string, read, write int64) types.GlobalSecondaryIndexUpdate {
		return types.GlobalSecondaryIndexUpdate{Update: &types.UpdateGlobalSecondaryIndexAction{
			IndexName: &index, ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: &read, WriteCapacityUnits: &write},
		}}
	}
	assert.Equal(t, []types.GlobalSecondaryIndexUpdate{capacity("All", 5, 6), capacity("Keys", 7, 8), capacity("Some", 5, 6)},
		a.sent[0].GlobalSecondaryIndexUpdates)
}

// The capacity and the maximum are compared only if the table is billed, and must be billed, in their way.
func TestCapacityWithOtherBilling(t *testing.T) {
	t.Parallel()
	must := provision.Settings{Provisioned: &provision.Provisioned{Capacity: fixed(5, 6)}}
	had := prodStore()
	maximum(100, 100)(&had)
	r := lookAt(t, newAccount(had), must)
	assert.Equal(t, []string{"Billing must be PROVISIONED, but is PAY_PER_REQUEST"}, settings(r.Differences))
	assert.Empty(t, r.Unchecked)
	had = prodStore()
	had.Settings = must
	r = lookAt(t, newAccount(had), provision.Settings{Maximum: provision.Units{Read: 100}})
	assert.Equal(t, []string{"Billing must be PAY_PER_REQUEST, but is PROVISIONED"}, settings(r.Differences))
	a := withoutSome(prodStore())
	table := prodStore()
	table.Settings = must
	assert.Error(t, provision.Apply(t.Context(), a, []provision.Table{table}, nil), "the billing")
	require.Len(t, a.sent, 1)
	assert.Nil(t, a.sent[0].GlobalSecondaryIndexUpdates[0].Create.ProvisionedThroughput, "the table is on demand")
}

// Nothing of an index that must not be there is compared, and nothing that no setting asks for.
func TestCapacityThatNobodyAsksFor(t *testing.T) {
	t.Parallel()
	must := provision.Settings{Provisioned: &provision.Provisioned{Capacity: fixed(5, 6)}}
	had := prodStore()
	had.Settings = must
	a := newAccount(had)
	a.table.WarmThroughput = nil
	old := a.table.GlobalSecondaryIndexes[0]
	old.IndexName = aws.String("Old")
	old.ProvisionedThroughput = &types.ProvisionedThroughputDescription{ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(1)}
	a.table.GlobalSecondaryIndexes = append(a.table.GlobalSecondaryIndexes, old)
	r := lookAt(t, a, must)
	assert.Equal(t, []string{"Index Old must be none, but is GSI1PK, GSI1SK; ALL"}, settings(r.Differences))
	assert.Empty(t, r.Unchecked)
}

// A maximum of one dimension is a lower one.
func TestCapacityMaximumOfWrites(t *testing.T) {
	t.Parallel()
	for _, units := range []provision.Units{{Read: 50}, {Write: 50}} {
		for _, d := range lookAt(t, newAccount(prodStore()), provision.Settings{Maximum: units}).Differences {
			assert.Equal(t, provision.ByName, d.Mend)
		}
	}
}
