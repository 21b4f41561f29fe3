package dynastay

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Admin is the part of DynamoDB's control plane that creates and deletes tables. *dynamodb.Client implements it.
type Admin interface {
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
	UpdateContinuousBackups(context.Context, *dynamodb.UpdateContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error)
}

// TableOptions are the settings of a table that the operator chooses. The zero value and nil are suitable for
// production.
type TableOptions struct {
	// Provisioned is the capacity of the table and of each of its indexes. Default: nil, on-demand billing.
	Provisioned *types.ProvisionedThroughput
	// KMSKey is the ARN or alias of a customer-managed key. Default: "", the AWS managed key for DynamoDB.
	KMSKey string
	// Deletable turns deletion protection off. Default: false, the table is protected.
	Deletable bool
	// RecoveryDays is the recovery period of point-in-time recovery, from 1 to 35 days. Default: 0, which means 35.
	RecoveryDays int
}

// Create creates the table with the given full name, waits until it is active, and enables its time to live and
// point-in-time recovery. It can be run again: it completes the setup of an existing table if an earlier run was
// interrupted, and does not change the table's billing, encryption or deletion protection. If an existing table differs
// from the schema, Create changes nothing and fails with a [*TableError] that names each difference.
//
// On an engine without point-in-time recovery (local engines return UnknownOperationException), Create does not enable it.
func (s *Schema) Create(ctx context.Context, admin Admin, name string, opts *TableOptions) error {
	if opts == nil {
		opts = &TableOptions{}
	}
	if opts.RecoveryDays < 0 || opts.RecoveryDays > maxRecoveryDays {
		return Invalid("RecoveryDays", "must be between 0 and %d", maxRecoveryDays)
	}
	var exists *types.ResourceInUseException
	if _, err := admin.CreateTable(ctx, s.CreateTableInput(name, opts)); err != nil && !errors.As(err, &exists) {
		return err
	}
	active := dynamodb.NewTableExistsWaiter(admin, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, 5*time.Second
	})
	table, err := active.WaitForOutput(ctx, &dynamodb.DescribeTableInput{TableName: &name}, setUpTime)
	if err != nil {
		return err
	}
	if differs := s.differences(table.Table, opts); len(differs) > 0 {
		return &TableError{name, differs}
	}
	if err := s.expire(ctx, admin, name); err != nil {
		return err
	}
	return recoverable(ctx, admin, name, cmp.Or(opts.RecoveryDays, maxRecoveryDays))
}

const (
	maxRecoveryDays = 35
	setUpTime       = 5 * time.Minute // for the table to become active, and again for its backups
)

// recoverable enables point-in-time recovery. DynamoDB enables backups of a new table in the background, and refuses
// changes to them for some seconds after the table is active.
func recoverable(ctx context.Context, admin Admin, name string, days int) error {
	ctx, cancel := context.WithTimeout(ctx, setUpTime)
	defer cancel()
	in := &dynamodb.UpdateContinuousBackupsInput{
		TableName: &name,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: aws.Bool(true), RecoveryPeriodInDays: ptr(int32(days)),
		},
	}
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		_, err := admin.UpdateContinuousBackups(ctx, in)
		var api smithy.APIError
		if errors.As(err, &api) && api.ErrorCode() == "UnknownOperationException" {
			return nil
		}
		var notYet *types.ContinuousBackupsUnavailableException
		if !errors.As(err, &notYet) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// expire enables the time to live. It checks first, because DynamoDB returns an error if it is already enabled; and
// again after an error, because another process may have enabled it in the meantime.
func (s *Schema) expire(ctx context.Context, admin Admin, name string) error {
	if s.TTL == "" {
		return nil
	}
	if done, err := s.expires(ctx, admin, name); done || err != nil {
		return err
	}
	_, err := admin.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &s.TTL, Enabled: aws.Bool(true)},
	})
	if err == nil {
		return nil
	}
	if done, checkErr := s.expires(ctx, admin, name); done || checkErr != nil {
		return checkErr
	}
	return err
}

// expires reports whether the time to live is enabled. A different one is an error.
func (s *Schema) expires(ctx context.Context, admin Admin, name string) (bool, error) {
	there, err := admin.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return false, err
	}
	d := there.TimeToLiveDescription
	if d == nil || d.TimeToLiveStatus != types.TimeToLiveStatusEnabled && d.TimeToLiveStatus != types.TimeToLiveStatusEnabling {
		return false, nil
	}
	if aws.ToString(d.AttributeName) != s.TTL {
		return false, &TableError{name, []Difference{{"TTL", s.TTL, aws.ToString(d.AttributeName)}}}
	}
	return true, nil
}

// CreateTableInput returns the request that [Schema.Create] starts with, for callers who create tables in another way.
func (s *Schema) CreateTableInput(name string, opts *TableOptions) *dynamodb.CreateTableInput {
	if opts == nil {
		opts = &TableOptions{}
	}
	in := &dynamodb.CreateTableInput{
		TableName:                 &name,
		KeySchema:                 s.Key.schema(),
		BillingMode:               types.BillingModePayPerRequest,
		DeletionProtectionEnabled: aws.Bool(!opts.Deletable),
		SSESpecification:          &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms},
	}
	if opts.KMSKey != "" {
		in.SSESpecification.KMSMasterKeyId = &opts.KMSKey
	}
	if opts.Provisioned != nil {
		in.BillingMode, in.ProvisionedThroughput = types.BillingModeProvisioned, opts.Provisioned
	}
	if s.Stream {
		in.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		}
	}
	defined := map[string]bool{}
	define := func(n KeyNames) {
		for _, attribute := range []string{n.Partition, n.Sort} {
			if attribute != "" && !defined[attribute] {
				defined[attribute] = true
				in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
					AttributeName: &attribute, AttributeType: types.ScalarAttributeTypeS,
				})
			}
		}
	}
	define(s.Key)
	for _, index := range s.Indexes {
		define(index.Key)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName:             aws.String(index.Name),
			KeySchema:             index.Key.schema(),
			Projection:            index.projection(),
			ProvisionedThroughput: opts.Provisioned,
		})
	}
	return in
}

func (n KeyNames) schema() []types.KeySchemaElement {
	key := []types.KeySchemaElement{{AttributeName: &n.Partition, KeyType: types.KeyTypeHash}}
	if n.Sort != "" {
		key = append(key, types.KeySchemaElement{AttributeName: &n.Sort, KeyType: types.KeyTypeRange})
	}
	return key
}

func (i Index) projection() *types.Projection {
	switch i.Project {
	case ProjectKeys:
		return &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	case ProjectInclude:
		return &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: i.Include}
	}
	return &types.Projection{ProjectionType: types.ProjectionTypeAll}
}
