package provision_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/provision"
)

func TestCreateTableInput(t *testing.T) {
	key := func(partition, sort string) []types.KeySchemaElement {
		all := []types.KeySchemaElement{{AttributeName: &partition, KeyType: types.KeyTypeHash}}
		if sort != "" {
			all = append(all, types.KeySchemaElement{AttributeName: &sort, KeyType: types.KeyTypeRange})
		}
		return all
	}
	text := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	want := func() *dynamodb.CreateTableInput {
		return &dynamodb.CreateTableInput{
			TableName:                 aws.String("prod-Store"),
			KeySchema:                 key("PK", "SK"),
			AttributeDefinitions:      []types.AttributeDefinition{text("PK"), text("SK"), text("GSI1PK"), text("GSI1SK"), text("GSI2PK")},
			BillingMode:               types.BillingModePayPerRequest,
			DeletionProtectionEnabled: aws.Bool(true),
			SSESpecification:          &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms},
			StreamSpecification: &types.StreamSpecification{
				StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
			},
			GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
				{IndexName: aws.String("All"), KeySchema: key("GSI1PK", "GSI1SK"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}},
				{IndexName: aws.String("Keys"), KeySchema: key("GSI2PK", ""), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}},
				{IndexName: aws.String("Some"), KeySchema: key("GSI1PK", "SK"), Projection: &types.Projection{
					ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"Name", "Card"},
				}},
			},
		}
	}
	table := provision.Table{Schema: storeSchema(), Name: "prod-Store"}
	assert.Equal(t, want(), table.CreateTableInput())

	capacity := func(read, write int64) *types.ProvisionedThroughput {
		return &types.ProvisionedThroughput{ReadCapacityUnits: &read, WriteCapacityUnits: &write}
	}
	provisioned := want()
	provisioned.BillingMode, provisioned.ProvisionedThroughput = types.BillingModeProvisioned, capacity(5, 3)
	for i, c := range []*types.ProvisionedThroughput{capacity(5, 3), capacity(7, 3), capacity(5, 3)} {
		provisioned.GlobalSecondaryIndexes[i].ProvisionedThroughput = c
	}
	provisioned.DeletionProtectionEnabled = aws.Bool(false)
	provisioned.SSESpecification.KMSMasterKeyId = aws.String("alias/store")
	provisioned.Tags = []types.Tag{{Key: aws.String("stage"), Value: aws.String("production")}, {Key: aws.String("team"), Value: aws.String("desk")}}
	table.Settings = provision.Settings{
		Provisioned: &provision.Provisioned{
			Capacity: provision.Capacity{Read: provision.Scale{Min: 5, Max: 50}, Write: provision.Fixed(3)},
			Indexes:  map[string]provision.Capacity{"Keys": {Read: provision.Fixed(7), Write: provision.Fixed(3)}},
		},
		KMSKey: "alias/store", Deletable: true, RecoveryDays: 7, Tags: map[string]string{"team": "desk", "stage": "production"},
	}
	assert.Equal(t, provisioned, table.CreateTableInput())

	limited := want()
	maximum := &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(100)}
	warm := &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(20_000), WriteUnitsPerSecond: aws.Int64(5_000)}
	limited.OnDemandThroughput, limited.WarmThroughput = maximum, warm
	for i := range limited.GlobalSecondaryIndexes {
		limited.GlobalSecondaryIndexes[i].OnDemandThroughput, limited.GlobalSecondaryIndexes[i].WarmThroughput = maximum, warm
	}
	table.Settings = provision.Settings{Maximum: provision.Units{Write: 100}, Warm: provision.Units{Read: 20_000, Write: 5_000}}
	assert.Equal(t, limited, table.CreateTableInput())

	plain := provision.Table{Schema: &dynastay.Schema{Name: "Plain", Key: dynastay.KeyNames{Partition: "Id"}}, Name: "Plain"}.CreateTableInput()
	assert.Equal(t, key("Id", ""), plain.KeySchema)
	assert.Equal(t, []types.AttributeDefinition{text("Id")}, plain.AttributeDefinitions)
	assert.Nil(t, plain.StreamSpecification)
	replicated := provision.Table{Schema: &dynastay.Schema{Name: "Plain"}, Name: "Plain", Settings: provision.Settings{Replicas: []string{"eu-west-1"}}}
	assert.Equal(t, want().StreamSpecification, replicated.CreateTableInput().StreamSpecification, "without it, a replica cannot be added")
	assert.Nil(t, plain.GlobalSecondaryIndexes)
	assert.Nil(t, plain.ProvisionedThroughput)
	assert.Nil(t, plain.Tags)
}

func TestReplicasNeedAStream(t *testing.T) {
	table := prodStore()
	table.Schema.Stream = false
	a := newAccount(table)
	replicas("eu-west-1")(a.table)
	table.Settings.Replicas = []string{"eu-west-1"}
	r, err := provision.Look(t.Context(), a, table, nil)
	assert.NoError(t, err)
	assert.Equal(t, []string{"Stream must be NEW_AND_OLD_IMAGES, but is none"}, settings(r.Differences))
}

// A replica that DynamoDB is making is not there yet, and passes by itself.
func TestReplicaInProgress(t *testing.T) {
	table := prodStore()
	table.Settings.Replicas = []string{"eu-west-1"}
	for _, status := range []types.ReplicaStatus{
		types.ReplicaStatusCreating, types.ReplicaStatusUpdating, types.ReplicaStatusDeleting, types.ReplicaStatusArchiving,
	} {
		a := newAccount(table)
		replica(status)(a.table)
		r, err := provision.Look(t.Context(), a, table, nil)
		assert.NoError(t, err)
		assert.Equal(t, []string{"Replica eu-west-1 must be ACTIVE, but is " + string(status)}, settings(r.Differences))
		assert.Equal(t, provision.ByApply, r.Differences[0].Mend)
	}
}
