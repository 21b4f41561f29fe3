package dynastay_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func storeSchema() *dynastay.Schema {
	return &dynastay.Schema{
		Name: "Store", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}, TTL: "ExpiresAt", Stream: true,
		Indexes: []dynastay.Index{
			{Name: "All", Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "GSI1SK"}},
			{Name: "Keys", Key: dynastay.KeyNames{Partition: "GSI2PK"}, Project: dynastay.ProjectKeys},
			{
				Name: "Some", Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "SK"},
				Project: dynastay.ProjectInclude, Include: []string{"Name", "Card"},
			},
		},
	}
}

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
	assert.Equal(t, want(), storeSchema().CreateTableInput("prod-Store", nil))
	assert.Equal(t, want(), storeSchema().CreateTableInput("prod-Store", &dynastay.TableOptions{}))

	capacity := &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(5), WriteCapacityUnits: aws.Int64(3)}
	provisioned := want()
	provisioned.BillingMode, provisioned.ProvisionedThroughput = types.BillingModeProvisioned, capacity
	for i := range provisioned.GlobalSecondaryIndexes {
		provisioned.GlobalSecondaryIndexes[i].ProvisionedThroughput = capacity
	}
	provisioned.DeletionProtectionEnabled = aws.Bool(false)
	provisioned.SSESpecification.KMSMasterKeyId = aws.String("alias/store")
	assert.Equal(t, provisioned, storeSchema().CreateTableInput("prod-Store", &dynastay.TableOptions{
		Provisioned: capacity, KMSKey: "alias/store", Deletable: true, RecoveryDays: 7,
	}))

	plain := dynastay.Schema{Name: "Plain", Key: dynastay.KeyNames{Partition: "Id"}}
	in := plain.CreateTableInput("Plain", nil)
	assert.Equal(t, key("Id", ""), in.KeySchema)
	assert.Equal(t, []types.AttributeDefinition{text("Id")}, in.AttributeDefinitions)
	assert.Nil(t, in.StreamSpecification)
	assert.Nil(t, in.GlobalSecondaryIndexes)
	assert.Nil(t, in.ProvisionedThroughput)
}

// Every deployment can run Create again: it completes what an earlier run left unfinished.
func TestCreateCanBeRunAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t)
	admin := db.Engine.Client()
	name := db.TableName(&dynastay.Schema{Name: "Store"})
	s := storeSchema()
	opts := &dynastay.TableOptions{Deletable: true}
	_, err := admin.CreateTable(ctx, s.CreateTableInput(name, opts)) // and was interrupted there
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := admin.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
		assert.NoError(t, err)
	})
	for range 2 {
		require.NoError(t, s.Create(ctx, admin, name, opts))
		ttl, err := admin.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
		require.NoError(t, err)
		assert.Equal(t, "ExpiresAt", *ttl.TimeToLiveDescription.AttributeName)
	}

	for want, change := range map[string]func(*dynastay.Schema){
		"Key must be PK, Sort, but is PK, SK":                                                          func(s *dynastay.Schema) { s.Key.Sort = "Sort" },
		"Index Keys must be GSI2PK; ALL, but is GSI2PK; KEYS_ONLY":                                     func(s *dynastay.Schema) { s.Indexes[1].Project = dynastay.ProjectAll },
		"Index Some must be GSI1PK, GSI1SK; INCLUDE Card, Name, but is GSI1PK, SK; INCLUDE Card, Name": func(s *dynastay.Schema) { s.Indexes[2].Key.Sort = "GSI1SK" },
		"Index More must be GSI3PK; ALL, but is none": func(s *dynastay.Schema) {
			s.Indexes = append(s.Indexes, dynastay.Index{Name: "More", Key: dynastay.KeyNames{Partition: "GSI3PK"}})
		},
		"Index Renamed must be GSI1PK, GSI1SK; ALL, but is none; Index All must be none, but is GSI1PK, GSI1SK; ALL": func(s *dynastay.Schema) {
			s.Indexes[0].Name = "Renamed"
		},
		"TTL must be Expires, but is ExpiresAt": func(s *dynastay.Schema) { s.TTL = "Expires" },
	} {
		other := storeSchema()
		change(other)
		err := other.Create(ctx, admin, name, opts)
		assert.EqualError(t, err, "table "+name+" differs from its schema: "+want)
		assert.NotErrorIs(t, err, dynastay.ErrAlreadyExists)
	}
	fewer := storeSchema()
	fewer.TTL, fewer.Stream = "", false
	assert.NoError(t, fewer.Create(ctx, admin, name, opts), "a stream and a time to live that the schema does not have make no difference")
	ttl, err := admin.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	require.NoError(t, err)
	assert.Equal(t, "ExpiresAt", *ttl.TimeToLiveDescription.AttributeName)
}

// storeTable creates a table that differs from the schema, past Create.
func storeTable(t *testing.T, differ func(*dynamodb.CreateTableInput)) (*dynamodb.Client, string) {
	t.Helper()
	db := dyntest.New(t)
	admin, name := db.Engine.Client(), db.TableName(&dynastay.Schema{Name: "Store"})
	in := storeSchema().CreateTableInput(name, &dynastay.TableOptions{Deletable: true})
	differ(in)
	_, err := admin.CreateTable(t.Context(), in)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := admin.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
		assert.NoError(t, err)
	})
	return admin, name
}

// An index that lacks an attribute would give rows without it, and a key of another type would refuse every write.
func TestCreateComparesTheTable(t *testing.T) {
	t.Parallel()
	const some = "Index Some must be GSI1PK, SK; INCLUDE Card, Name, but is GSI1PK, SK; INCLUDE Name"
	for want, differ := range map[string]func(*dynamodb.CreateTableInput){
		some: func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[2].Projection.NonKeyAttributes = []string{"Name"}
		},
		"Index All must be GSI1PK, GSI1SK; ALL, but is GSI1PK, GSI1SK (not a string); ALL": func(in *dynamodb.CreateTableInput) {
			for i, a := range in.AttributeDefinitions {
				if *a.AttributeName == "GSI1SK" {
					in.AttributeDefinitions[i].AttributeType = types.ScalarAttributeTypeN
				}
			}
		},
		"Stream must be NEW_AND_OLD_IMAGES, but is none": func(in *dynamodb.CreateTableInput) { in.StreamSpecification = nil },
		"Stream must be NEW_AND_OLD_IMAGES, but is KEYS_ONLY": func(in *dynamodb.CreateTableInput) {
			in.StreamSpecification.StreamViewType = types.StreamViewTypeKeysOnly
		},
		"Stream must be NEW_AND_OLD_IMAGES, but is KEYS_ONLY; " + some: func(in *dynamodb.CreateTableInput) { // all of them
			in.StreamSpecification.StreamViewType = types.StreamViewTypeKeysOnly
			in.GlobalSecondaryIndexes[2].Projection.NonKeyAttributes = []string{"Name"}
		},
	} {
		admin, name := storeTable(t, differ)
		err := storeSchema().Create(t.Context(), admin, name, &dynastay.TableOptions{Deletable: true})
		assert.EqualError(t, err, "table "+name+" differs from its schema: "+want)
	}
	admin, name := storeTable(t, func(in *dynamodb.CreateTableInput) {
		p := in.GlobalSecondaryIndexes[2].Projection
		p.NonKeyAttributes = append(p.NonKeyAttributes, "More")
	})
	assert.NoError(t, storeSchema().Create(t.Context(), admin, name, &dynastay.TableOptions{Deletable: true}), "a further attribute makes no difference")
	err := storeSchema().Create(t.Context(), admin, name, nil)
	differs := blame.As[*dynastay.TableError](t, err)
	assert.Equal(t, &dynastay.TableError{Table: name, Differences: []dynastay.Difference{{Setting: "DeletionProtection", Want: "on", Have: "off"}}}, differs)
}

// slow is an engine whose control plane behaves as that of DynamoDB, which finishes changes in the background.
type slow struct {
	*dynamodb.Client
	status   types.TimeToLiveStatus // of the first look; "" for the engine's
	before   bool                   // another process enables the time to live just before this one
	notYet   int                    // answers of UpdateContinuousBackups before it is ready
	asked    func()                 // is called by each of these
	recovery int32
}

func (s *slow) DescribeTimeToLive(ctx context.Context, in *dynamodb.DescribeTimeToLiveInput, o ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	if s.status == "" {
		return s.Client.DescribeTimeToLive(ctx, in, o...)
	}
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: &types.TimeToLiveDescription{
		AttributeName: aws.String("ExpiresAt"), TimeToLiveStatus: s.status,
	}}, nil
}

func (s *slow) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	if s.before {
		if _, err := s.Client.UpdateTimeToLive(ctx, in, o...); err != nil {
			return nil, err
		}
	}
	if s.before || s.status != "" {
		return nil, &smithy.GenericAPIError{Code: "ValidationException", Message: "TimeToLive is already enabled"}
	}
	return s.Client.UpdateTimeToLive(ctx, in, o...)
}

func (s *slow) UpdateContinuousBackups(_ context.Context, in *dynamodb.UpdateContinuousBackupsInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	if s.notYet--; s.notYet >= 0 {
		if s.asked != nil {
			s.asked()
		}
		return nil, &types.ContinuousBackupsUnavailableException{Message: aws.String("Backups are being enabled for the table")}
	}
	s.recovery = *in.PointInTimeRecoverySpecification.RecoveryPeriodInDays
	return &dynamodb.UpdateContinuousBackupsOutput{}, nil
}

func TestCreateOnASlowEngine(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	deletable := &dynastay.TableOptions{Deletable: true}
	same := func(*dynamodb.CreateTableInput) {}
	admin, name := storeTable(t, same)
	s := &slow{Client: admin, notYet: 2}
	require.NoError(t, storeSchema().Create(ctx, s, name, deletable))
	assert.EqualValues(t, 35, s.recovery)
	require.NoError(t, storeSchema().Create(ctx, s, name, &dynastay.TableOptions{Deletable: true, RecoveryDays: 7}))
	assert.EqualValues(t, 7, s.recovery)

	ended, end := context.WithCancel(ctx)
	defer end()
	var notYet *types.ContinuousBackupsUnavailableException
	err := storeSchema().Create(ended, &slow{Client: admin, notYet: 1 << 30, asked: end}, name, deletable)
	assert.ErrorAs(t, err, &notYet, "it ends with the context")

	admin, name = storeTable(t, same)
	assert.NoError(t, storeSchema().Create(ctx, &slow{Client: admin, before: true}, name, deletable), "enabled by another process meanwhile")
	for status, want := range map[types.TimeToLiveStatus]string{
		types.TimeToLiveStatusEnabled: "", types.TimeToLiveStatusEnabling: "",
		types.TimeToLiveStatusDisabling: "already enabled", types.TimeToLiveStatusDisabled: "already enabled",
	} {
		err := storeSchema().Create(ctx, &slow{Client: admin, status: status}, name, deletable)
		if want == "" {
			assert.NoError(t, err, status)
		} else {
			assert.ErrorContains(t, err, want, status)
		}
	}
	for _, days := range []int{-1, 36, 1<<32 + 1} {
		err := storeSchema().Create(ctx, admin, name, &dynastay.TableOptions{RecoveryDays: days})
		blame.Invalid(t, err, "RecoveryDays")
	}
}
