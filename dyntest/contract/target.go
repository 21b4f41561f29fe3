package contract

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/dynastay/dynastay"
)

// Streams has the methods that read streams. *dynamodbstreams.Client implements it.
type Streams interface {
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

var _ Streams = (*dynamodbstreams.Client)(nil)

// Admin is the part of DynamoDB's control plane that a [Target] needs. *dynamodb.Client implements it.
type Admin interface {
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

var _ Admin = (*dynamodb.Client)(nil)

// Target is the engine that is asked.
type Target struct {
	Client  dynastay.Client // *dynamodb.Client implements it
	Admin   Admin           // *dynamodb.Client implements it
	Streams Streams         // default: nil, and nothing about streams is shown
	Prefix  string          // of the names of the two tables
	// Units is the budget, in read and write units together. A case that may exceed it is not run. Default: 0, no limit.
	Units float64
	// Lag is how long an index or a stream may take to show a write. Default: 10 seconds. An engine on the same machine
	// needs less.
	Lag time.Duration
}

const (
	defaultLag = 10 * time.Second
	setUpTime  = 5 * time.Minute // bounds the creation and the deletion of the tables
)

// session is a run on a target, with its tables.
type session struct {
	Target
	items   string // the table of most cases
	vault   string // the other table: it has a stream, which stays short, and no index
	waiter  *dynamodb.TableExistsWaiter
	planned float64 // units
}

// open creates the tables. If it fails, it has deleted them.
func open(ctx context.Context, target Target) (*session, error) {
	if target.Client == nil || target.Admin == nil {
		return nil, errors.New("contract: a Target needs a Client and an Admin")
	}
	target.Lag = cmp.Or(target.Lag, defaultLag)
	name := target.Prefix + "contract-" + rand.Text()[:10]
	s := &session{Target: target, items: name + "-items", vault: name + "-vault"}
	s.waiter = dynamodb.NewTableExistsWaiter(target.Admin, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, 5*time.Second
	})
	for _, in := range []*dynamodb.CreateTableInput{s.itemsTable(), s.vaultTable()} {
		if _, err := target.Admin.CreateTable(ctx, in); err != nil {
			return nil, errors.Join(err, s.close(ctx))
		}
	}
	for _, name := range []string{s.items, s.vault} {
		if err := s.waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, setUpTime); err != nil {
			return nil, errors.Join(err, s.close(ctx))
		}
	}
	return s, nil
}

// close deletes the tables, even if ctx has ended: its end may be why a run ends.
func (s *session) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), setUpTime)
	defer cancel()
	return errors.Join(s.drop(ctx, s.items), s.drop(ctx, s.vault))
}

func (s *session) drop(ctx context.Context, name string) error {
	_, err := s.Admin.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	if inUse := new(types.ResourceInUseException); errors.As(err, &inUse) { // it is still being created
		if err := s.waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, setUpTime); err != nil {
			return err
		}
		_, err = s.Admin.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	}
	if gone := new(types.ResourceNotFoundException); errors.As(err, &gone) {
		return nil
	}
	return err
}

// The indexes of the table of items. An item is in one of them only if it has its keys.
const (
	keysIndex    = "keys"    // projects keys only
	includeIndex = "include" // projects the attributes v and m
	numberIndex  = "numbers" // projects all; its sort key is a number
	binaryIndex  = "binary"  // its sort key is binary
)

func (s *session) itemsTable() *dynamodb.CreateTableInput {
	in := table(s.items, "pk", "sk")
	index(in, keysIndex, "kpk", "ksk", "S", types.Projection{ProjectionType: types.ProjectionTypeKeysOnly})
	index(in, includeIndex, "ipk", "isk", "S", types.Projection{
		ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"v", "m"},
	})
	index(in, numberIndex, "npk", "nsk", "N", types.Projection{ProjectionType: types.ProjectionTypeAll})
	index(in, binaryIndex, "bpk", "bsk", "B", types.Projection{ProjectionType: types.ProjectionTypeKeysOnly})
	return in
}

func (s *session) vaultTable() *dynamodb.CreateTableInput {
	in := table(s.vault, "pk", "sk")
	if s.Streams != nil {
		in.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		}
	}
	return in
}

func table(name, partition, sort string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName:   &name,
		KeySchema:   []types.KeySchemaElement{keyElement(partition, 0), keyElement(sort, 1)},
		BillingMode: types.BillingModePayPerRequest,
	}
	define(in, partition, "S")
	define(in, sort, "S")
	return in
}

func index(in *dynamodb.CreateTableInput, name, partition, sort string, kind types.ScalarAttributeType, projection types.Projection) {
	define(in, partition, "S")
	define(in, sort, kind)
	in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
		IndexName:  &name,
		KeySchema:  []types.KeySchemaElement{keyElement(partition, 0), keyElement(sort, 1)},
		Projection: &projection,
	})
}

func define(in *dynamodb.CreateTableInput, attribute string, kind types.ScalarAttributeType) {
	in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
		AttributeName: &attribute, AttributeType: kind,
	})
}

func keyElement(attribute string, position int) types.KeySchemaElement {
	return types.KeySchemaElement{
		AttributeName: &attribute, KeyType: []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[position],
	}
}
