package provision_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision"
)

// account answers as DynamoDB does according to its documentation, for what no engine has. It accepts every change, and
// makes none but those of takes.
type account struct {
	provision.Control
	table   *types.TableDescription // nil for none
	ttl     string
	backups *types.PointInTimeRecoveryDescription
	tags    map[string]string
	takes   func(*types.TableDescription)
	sent    []*dynamodb.UpdateTableInput
}

func (a *account) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	if a.table == nil {
		return nil, &types.ResourceNotFoundException{}
	}
	return &dynamodb.DescribeTableOutput{Table: a.table}, nil
}

func (a *account) DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	d := &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusDisabled}
	if a.ttl != "" {
		d = &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabling, AttributeName: &a.ttl}
	}
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: d}, nil
}

func (a *account) DescribeContinuousBackups(context.Context, *dynamodb.DescribeContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	return &dynamodb.DescribeContinuousBackupsOutput{ContinuousBackupsDescription: &types.ContinuousBackupsDescription{
		ContinuousBackupsStatus: types.ContinuousBackupsStatusEnabled, PointInTimeRecoveryDescription: a.backups,
	}}, nil
}

// ListTagsOfResource returns one tag a page.
func (a *account) ListTagsOfResource(_ context.Context, in *dynamodb.ListTagsOfResourceInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListTagsOfResourceOutput, error) {
	out := &dynamodb.ListTagsOfResourceOutput{}
	for _, k := range slices.Sorted(maps.Keys(a.tags)) {
		if k <= aws.ToString(in.NextToken) {
			continue
		}
		if out.Tags != nil {
			out.NextToken = out.Tags[0].Key
			break
		}
		out.Tags = []types.Tag{{Key: &k, Value: aws.String(a.tags[k])}}
	}
	return out, nil
}

func (a *account) UpdateTable(_ context.Context, in *dynamodb.UpdateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error) {
	a.sent = append(a.sent, in)
	if a.takes != nil {
		a.takes(a.table)
	}
	return &dynamodb.UpdateTableOutput{}, nil
}

const (
	arn    = "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Store"
	keyARN = "arn:aws:kms:eu-central-1:123456789012:key/36e296a9-8e15-4cfb-b9de-184296c2fa33"
)

// newAccount has a table as DynamoDB describes it, with 2,000,000 items of 1.5 KB.
func newAccount(of provision.Table) *account {
	in := of.CreateTableInput()
	capacity := func(p *types.ProvisionedThroughput) *types.ProvisionedThroughputDescription {
		if p == nil {
			p = &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(0), WriteCapacityUnits: aws.Int64(0)}
		}
		return &types.ProvisionedThroughputDescription{ReadCapacityUnits: p.ReadCapacityUnits, WriteCapacityUnits: p.WriteCapacityUnits}
	}
	d := &types.TableDescription{
		TableName: in.TableName, TableArn: aws.String(arn), TableStatus: types.TableStatusActive, KeySchema: in.KeySchema,
		AttributeDefinitions: in.AttributeDefinitions, StreamSpecification: in.StreamSpecification, DeletionProtectionEnabled: in.DeletionProtectionEnabled,
		ProvisionedThroughput: capacity(in.ProvisionedThroughput), BillingModeSummary: &types.BillingModeSummary{BillingMode: in.BillingMode},
		OnDemandThroughput: in.OnDemandThroughput,
		SSEDescription:     &types.SSEDescription{SSEType: types.SSETypeKms, Status: types.SSEStatusEnabled, KMSMasterKeyArn: aws.String(keyARN)},
		WarmThroughput:     &types.TableWarmThroughputDescription{ReadUnitsPerSecond: aws.Int64(12_000), WriteUnitsPerSecond: aws.Int64(4_000)},
		ItemCount:          aws.Int64(2_000_000), TableSizeBytes: aws.Int64(3_000_000_000),
	}
	if in.BillingMode == types.BillingModeProvisioned {
		d.BillingModeSummary = nil // as of a table that never was on demand
	}
	for _, index := range in.GlobalSecondaryIndexes {
		d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, types.GlobalSecondaryIndexDescription{
			IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection, IndexStatus: types.IndexStatusActive,
			ProvisionedThroughput: capacity(index.ProvisionedThroughput), OnDemandThroughput: index.OnDemandThroughput,
			WarmThroughput: &types.GlobalSecondaryIndexWarmThroughputDescription{ReadUnitsPerSecond: aws.Int64(12_000), WriteUnitsPerSecond: aws.Int64(4_000)},
		})
	}
	backups := &types.PointInTimeRecoveryDescription{PointInTimeRecoveryStatus: types.PointInTimeRecoveryStatusEnabled}
	if days := of.Settings.RecoveryDays; days != 0 { // otherwise as it was before the days could be chosen
		backups.RecoveryPeriodInDays = aws.Int32(int32(days))
	}
	return &account{table: d, ttl: of.Schema.TTL, tags: of.Settings.Tags, backups: backups}
}

// prodStore is what the table must be.
func prodStore() provision.Table { return provision.Table{Schema: storeSchema(), Name: "prod-Store"} }

// described is a difference that no engine has: it is found, and mended with the requests of the SDK's own types, which
// were never sent to DynamoDB.
type described struct {
	what  string
	had   func(*types.TableDescription)
	must  func(*provision.Settings)
	want  []string
	mend  provision.Mend
	sent  *dynamodb.UpdateTableInput // the first; nil for none
	takes func(*types.TableDescription)
}

var otherKey = "arn:aws:kms:eu-central-1:123456789012:key/00000000-8e15-4cfb-b9de-184296c2fa33"

func encrypted(key string) func(*types.TableDescription) {
	return func(d *types.TableDescription) {
		d.SSEDescription = &types.SSEDescription{SSEType: types.SSETypeKms, Status: types.SSEStatusEnabled, KMSMasterKeyArn: &key}
	}
}

func replicas(regions ...string) func(*types.TableDescription) {
	return func(d *types.TableDescription) {
		d.Replicas = nil
		for _, region := range regions {
			d.Replicas = append(d.Replicas, types.ReplicaDescription{RegionName: &region, ReplicaStatus: types.ReplicaStatusActive})
		}
	}
}

func replica(status types.ReplicaStatus) func(*types.TableDescription) {
	return func(d *types.TableDescription) {
		d.Replicas = []types.ReplicaDescription{{RegionName: aws.String("eu-west-1"), ReplicaStatus: status}}
	}
}

func status(s types.TableStatus) func(*types.TableDescription) {
	return func(d *types.TableDescription) { d.TableStatus = s }
}

var describedTables = []described{
	{
		what: "the key of the encryption belongs to AWS",
		had:  func(d *types.TableDescription) { d.SSEDescription = nil },
		want: []string{"Encryption must be AWS managed key, but is AWS owned key"}, mend: provision.ByApply,
		sent:  &dynamodb.UpdateTableInput{SSESpecification: &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms}},
		takes: encrypted(keyARN),
	},
	{
		what: "the encryption is turned off",
		had:  func(d *types.TableDescription) { d.SSEDescription.Status = types.SSEStatusDisabled },
		want: []string{"Encryption must be AWS managed key, but is AWS owned key"}, mend: provision.ByApply,
		sent:  &dynamodb.UpdateTableInput{SSESpecification: &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms}},
		takes: encrypted(keyARN),
	},
	{
		what: "the encryption has another key",
		must: func(s *provision.Settings) { s.KMSKey = otherKey },
		want: []string{"Encryption must be " + otherKey + ", but is " + keyARN}, mend: provision.ByName,
		sent: &dynamodb.UpdateTableInput{SSESpecification: &types.SSESpecification{
			Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: &otherKey,
		}},
		takes: encrypted(otherKey),
	},
	{
		what: "the table cannot be decrypted", had: status(types.TableStatusInaccessibleEncryptionCredentials),
		want: []string{"Status must be ACTIVE, but is INACCESSIBLE_ENCRYPTION_CREDENTIALS"}, mend: provision.ByHand,
	},
	{
		what: "the table is archived", had: status(types.TableStatusArchived),
		want: []string{"Status must be ACTIVE, but is ARCHIVED"}, mend: provision.ByHand,
	},
	{
		what: "the replication has lost its permissions", had: status(types.TableStatusReplicationNotAuthorized),
		want: []string{"Status must be ACTIVE, but is REPLICATION_NOT_AUTHORIZED"}, mend: provision.ByHand,
	},
	{
		what: "the regions are strongly consistent",
		had:  func(d *types.TableDescription) { d.MultiRegionConsistency = types.MultiRegionConsistencyStrong },
		want: []string{"Consistency must be EVENTUAL, but is STRONG"}, mend: provision.ByHand,
	},
	{
		what: "there is a local index",
		had: func(d *types.TableDescription) {
			d.LocalSecondaryIndexes = []types.LocalSecondaryIndexDescription{{
				IndexName: aws.String("Local"), KeySchema: d.KeySchema, Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			}}
		},
		want: []string{"LocalIndex Local must be none, but is PK, SK; ALL"}, mend: provision.ByHand,
	},
	{
		what: "a key is not a string",
		had:  func(d *types.TableDescription) { d.AttributeDefinitions[1].AttributeType = types.ScalarAttributeTypeN },
		want: []string{
			"Key must be PK, SK, but is PK, SK (not a string)",
			"Index Some must be GSI1PK, SK; INCLUDE Card, Name, but is GSI1PK, SK (not a string); INCLUDE Card, Name",
		}, mend: provision.ByHand,
	},
	{
		what: "a replica is missing", had: replicas("eu-central-1", "eu-west-1"),
		must: func(s *provision.Settings) { s.Replicas = []string{"eu-west-1", "us-east-1"} },
		want: []string{"Replica us-east-1 must be there, but is none"}, mend: provision.ByName,
		sent: &dynamodb.UpdateTableInput{ReplicaUpdates: []types.ReplicationGroupUpdate{
			{Create: &types.CreateReplicationGroupMemberAction{RegionName: aws.String("us-east-1")}},
		}},
		takes: replicas("eu-central-1", "eu-west-1", "us-east-1"),
	},
	{
		what: "there is another replica", had: replicas("eu-west-1", "us-east-1"),
		must: func(s *provision.Settings) { s.Replicas = []string{"us-east-1"} },
		want: []string{"Replica eu-west-1 must be none, but is there"}, mend: provision.ByHand,
	},
	{
		what: "a replica does not work", had: replica(types.ReplicaStatusRegionDisabled),
		must: func(s *provision.Settings) { s.Replicas = []string{"eu-west-1"} },
		want: []string{"Replica eu-west-1 must be ACTIVE, but is REGION_DISABLED"}, mend: provision.ByHand,
	},
	{
		what: "an index has another maximum",
		had: func(d *types.TableDescription) {
			d.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(-1), MaxWriteRequestUnits: aws.Int64(-1)}
			d.GlobalSecondaryIndexes[1].OnDemandThroughput = &types.OnDemandThroughput{
				MaxReadRequestUnits: aws.Int64(100), MaxWriteRequestUnits: aws.Int64(-1),
			}
		},
		want: []string{"Maximum of Keys must be none, but is 100 read and any write units"}, mend: provision.ByApply,
		sent: &dynamodb.UpdateTableInput{GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
			{Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String("Keys"), OnDemandThroughput: &types.OnDemandThroughput{
				MaxReadRequestUnits: aws.Int64(-1), MaxWriteRequestUnits: aws.Int64(-1),
			}}},
		}},
		takes: func(d *types.TableDescription) { d.GlobalSecondaryIndexes[1].OnDemandThroughput = nil },
	},
	{
		what: "less of an index is warm",
		had: func(d *types.TableDescription) {
			d.GlobalSecondaryIndexes[0].WarmThroughput.WriteUnitsPerSecond = aws.Int64(3_000)
		},
		must: func(s *provision.Settings) { s.Warm = provision.Units{Write: 4_000} },
		want: []string{"Warm of All must be 12000 read and 4000 write units, but is 12000 read and 3000 write units"}, mend: provision.ByApply,
		sent: &dynamodb.UpdateTableInput{GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
			{Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String("All"), WarmThroughput: &types.WarmThroughput{
				ReadUnitsPerSecond: aws.Int64(12_000), WriteUnitsPerSecond: aws.Int64(4_000),
			}}},
		}},
		takes: func(d *types.TableDescription) {
			d.GlobalSecondaryIndexes[0].WarmThroughput.WriteUnitsPerSecond = aws.Int64(4_000)
		},
	},
	{what: "nothing differs"},
	{
		what: "the encryption has a key of the customer, which nobody asks for", had: encrypted(otherKey),
	},
}

// in returns the account with the table, and what the table must be.
func (d described) in() (*account, provision.Table) {
	a, table := newAccount(prodStore()), prodStore()
	if d.had != nil {
		d.had(a.table)
	}
	if d.must != nil {
		d.must(&table.Settings)
	}
	return a, table
}

func (d described) look(t *testing.T) *provision.Report {
	t.Helper()
	a, table := d.in()
	r, err := provision.Look(t.Context(), a, table, nil)
	require.NoError(t, err)
	return r
}

func TestDescribedDifferences(t *testing.T) {
	t.Parallel()
	for _, d := range describedTables {
		t.Run(d.what, func(t *testing.T) {
			t.Parallel()
			a, table := d.in()
			a.takes = d.takes
			r, err := provision.Look(t.Context(), a, table, nil)
			require.NoError(t, err)
			assert.Equal(t, d.want, settings(r.Differences))
			assert.EqualValues(t, 2_000_000, r.Items)
			var names []string
			for _, difference := range r.Differences {
				assert.NotEmpty(t, difference.Effect)
				names = append(names, difference.Name())
			}
			if d.want != nil {
				assert.Equal(t, d.mend, r.Differences[0].Mend)
			}
			if d.mend == provision.ByName {
				require.Error(t, provision.Apply(t.Context(), a, []provision.Table{table}, nil))
				assert.Empty(t, a.sent)
			}
			err = provision.Apply(t.Context(), a, []provision.Table{table}, &provision.Options{Named: names})
			if d.sent == nil {
				assert.Empty(t, a.sent)
				if d.want != nil {
					assert.ErrorAs(t, err, new(*provision.TableError))
				}
				return
			}
			require.NoError(t, err)
			d.sent.TableName = &table.Name
			assert.Equal(t, []*dynamodb.UpdateTableInput{d.sent}, a.sent)
		})
	}
}

// Nothing of a table is changed that is another one, or that must not be used.
func TestForeignTables(t *testing.T) {
	t.Parallel()
	for name, foreign := range map[string]func(*types.TableDescription){
		"key":         func(d *types.TableDescription) { d.KeySchema = d.KeySchema[:1] },
		"status":      status(types.TableStatusInaccessibleEncryptionCredentials),
		"consistency": func(d *types.TableDescription) { d.MultiRegionConsistency = types.MultiRegionConsistencyStrong },
	} {
		a := newAccount(prodStore())
		foreign(a.table)
		a.table.DeletionProtectionEnabled, a.table.GlobalSecondaryIndexes = aws.Bool(false), nil
		err := provision.Apply(t.Context(), a, []provision.Table{prodStore()}, nil)
		var differs *provision.TableError
		require.ErrorAs(t, err, &differs, name)
		assert.Len(t, differs.Differences, 5, name)
		assert.Empty(t, a.sent, name)
	}
}

// unrecoverable has no point-in-time recovery, as most local engines.
type unrecoverable struct{ *account }

func (unrecoverable) DescribeContinuousBackups(context.Context, *dynamodb.DescribeContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	return nil, &smithy.GenericAPIError{Code: "UnknownOperationException"}
}

// What an engine does not say is not compared, and the report says so.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	tracked := &provision.Provisioned{Capacity: provision.Capacity{Read: provision.Scale{Min: 1, Max: 2}, Write: provision.Fixed(1)}}
	for _, c := range []struct {
		had  func(*types.TableDescription)
		must provision.Settings
		want []provision.Unchecked
	}{
		{must: provision.Settings{KMSKey: "alias/store"}, want: []provision.Unchecked{
			{"Encryption", "DynamoDB says which key it is, not which id or alias it has: " + keyARN},
		}},
		{must: provision.Settings{KMSKey: "arn:aws:kms:eu-central-1:123456789012:alias/store"}, want: []provision.Unchecked{
			{"Encryption", "DynamoDB says which key it is, not which id or alias it has: " + keyARN},
		}},
		{had: func(d *types.TableDescription) { d.ProvisionedThroughput, d.BillingModeSummary = nil, nil }},
		{had: func(d *types.TableDescription) { d.GlobalSecondaryIndexes[0].IndexStatus = "" }},
		{had: func(d *types.TableDescription) { d.DeletionProtectionEnabled = nil }, want: []provision.Unchecked{
			{"DeletionProtection", "the engine does not say"},
		}},
		{had: func(d *types.TableDescription) {
			d.WarmThroughput, d.GlobalSecondaryIndexes[0].WarmThroughput = nil, nil
		}, must: provision.Settings{Warm: provision.Units{Read: 1}}, want: []provision.Unchecked{
			{"Warm", "the engine does not say"}, {"Warm of All", "the engine does not say"},
		}},
		{had: func(d *types.TableDescription) {
			d.BillingModeSummary.BillingMode = types.BillingModeProvisioned
		}, must: provision.Settings{Provisioned: tracked}, want: []provision.Unchecked{
			{"Capacity", "the engine does not say"}, {"Capacity of All", "the engine does not say"}, {"Capacity of Keys", "the engine does not say"},
			{"Capacity of Some", "the engine does not say"}, {"Scaling", "no client of application auto scaling was given"},
		}},
	} {
		a := newAccount(prodStore())
		if c.had != nil {
			c.had(a.table)
		}
		r, err := provision.Look(t.Context(), a, provision.Table{Schema: storeSchema(), Name: "prod-Store", Settings: c.must}, nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, r.Unchecked)
		assert.Empty(t, r.Differences)
	}
	r, err := provision.Look(t.Context(), unrecoverable{newAccount(prodStore())}, prodStore(), nil)
	require.NoError(t, err)
	assert.Equal(t, []provision.Unchecked{{"Recovery", "the engine has no point-in-time recovery"}}, r.Unchecked)
}

// The size of the table is in what a change costs.
func TestEffects(t *testing.T) {
	t.Parallel()
	a := newAccount(prodStore())
	a.table.GlobalSecondaryIndexes = a.table.GlobalSecondaryIndexes[:2]
	table := provision.Table{Schema: storeSchema(), Name: "prod-Store", Settings: provision.Settings{Replicas: []string{"eu-west-1"}}}
	effects := func() (all []string) {
		r, err := provision.Look(t.Context(), a, table, nil)
		require.NoError(t, err)
		for _, d := range r.Differences {
			all = append(all, d.Effect)
		}
		return all
	}
	all := effects()
	assert.Contains(t, all[0], "DynamoDB copies 2.8 GB to the region")
	assert.Contains(t, all[1], "Filling the index costs up to 4929688 write units: 2000000 items, 2.8 GB.")
	a.table.ItemCount, a.table.TableSizeBytes = aws.Int64(10), aws.Int64(10_240)
	assert.Contains(t, effects()[0], "DynamoDB copies 10.0 KB")
	assert.Contains(t, effects()[1], "costs up to 20 write units: 10 items, 10.0 KB.", "nine of 1 byte are a unit each, and the other is more than 9 KB")
	a.table.TableSizeBytes = aws.Int64(10_241)
	assert.Contains(t, effects()[1], "costs up to 21 write units")
	a.table.TableSizeBytes = aws.Int64(5 << 20)
	assert.Contains(t, effects()[0], "DynamoDB copies 5.0 MB")
	a.table.ItemCount, a.table.TableSizeBytes = aws.Int64(0), aws.Int64(0)
	assert.Contains(t, effects()[1], "DynamoDB counts no items")
	table.Settings.Provisioned = &provision.Provisioned{Capacity: provision.Capacity{Read: provision.Scale{Min: 25, Max: 100}, Write: provision.Fixed(30)}}
	assert.Contains(t, effects()[0], "The table begins with 25 read and 30 write units")
}

type scaling func() (map[string]provision.Capacity, error)

func (s scaling) Scaling(context.Context, string) (map[string]provision.Capacity, error) { return s() }

// Target tracking is compared where the caller can say what it does.
func TestScaling(t *testing.T) {
	t.Parallel()
	a := newAccount(prodStore())
	a.table.BillingModeSummary.BillingMode = types.BillingModeProvisioned
	units := &types.ProvisionedThroughputDescription{ReadCapacityUnits: aws.Int64(7), WriteCapacityUnits: aws.Int64(7)}
	a.table.ProvisionedThroughput = units
	for i := range a.table.GlobalSecondaryIndexes {
		a.table.GlobalSecondaryIndexes[i].ProvisionedThroughput = units
	}
	to := func(most int64, target int) provision.Capacity {
		return provision.Capacity{Read: provision.Scale{Min: 5, Max: most, Target: target}, Write: provision.Fixed(7)}
	}
	table := provision.Table{Schema: storeSchema(), Name: "prod-Store", Settings: provision.Settings{Provisioned: &provision.Provisioned{
		Capacity: to(10, 0), Indexes: map[string]provision.Capacity{"Keys": to(20, 50), "Some": fixed(7, 7)},
	}}}
	look := func(s scaling) (*provision.Report, error) {
		return provision.Look(t.Context(), a, table, &provision.Options{Scaling: s})
	}
	tracked := func(most int64, target int) provision.Capacity {
		return provision.Capacity{Read: provision.Scale{Min: 5, Max: most, Target: target}}
	}
	r, err := look(func() (map[string]provision.Capacity, error) {
		return map[string]provision.Capacity{"": tracked(10, 70), "All": tracked(10, 70), "Keys": tracked(20, 50)}, nil
	})
	require.NoError(t, err)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.Unchecked)
	r, err = look(func() (map[string]provision.Capacity, error) {
		return map[string]provision.Capacity{"": tracked(10, 70), "Keys": tracked(20, 51), "Some": tracked(10, 70)}, nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"Scaling of All must be read 5 to 10 at 70 %, write none, but is read none, write none",
		"Scaling of Keys must be read 5 to 20 at 50 %, write none, but is read 5 to 20 at 51 %, write none",
		"Scaling of Some must be read none, write none, but is read 5 to 10 at 70 %, write none",
	}, settings(r.Differences))
	assert.Equal(t, provision.ByHand, r.Differences[0].Mend)
	failed := errors.New("no permission")
	_, err = look(func() (map[string]provision.Capacity, error) { return nil, failed })
	assert.ErrorIs(t, err, failed)
	assert.EqualError(t, err, "table prod-Store: scaling: no permission")
	err = provision.Apply(t.Context(), a, []provision.Table{table}, &provision.Options{
		Scaling: scaling(func() (map[string]provision.Capacity, error) { return nil, failed }),
	})
	assert.EqualError(t, err, "table prod-Store: scaling: no permission")
}
