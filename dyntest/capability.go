package dyntest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
)

// Capability is something in which local engines differ from each other, or from DynamoDB. [DB.Has] asks the engine
// itself, so an answer does not depend on the engine's name and holds for every endpoint.
type Capability string

const (
	// ExactUnits means that the units that the engine reports are those of DynamoDB, also for transactions, for the
	// indexes that these write, and for a query that finds nothing, for which DynamoDB charges half a unit.
	ExactUnits Capability = "the units of DynamoDB"
	// IndexUnits means that the engine reports units for the indexes that a transaction writes, exact or not.
	IndexUnits Capability = "the units of indexes in transactions"
	// TruncatedBatches means that the engine returns at most 16 MB for a BatchGetItem, and the rest unprocessed.
	TruncatedBatches Capability = "batches that end at 16 MB"
	// LastKeyAtLimit means that a page of exactly as many items as its Limit has a last key, even if nothing follows.
	LastKeyAtLimit Capability = "a last key for a full last page"
	// PartiQL means that the engine executes PartiQL.
	PartiQL Capability = "PartiQL"
	// SingleShards means that a stream has a single shard, which [DB.Reshard] requires.
	SingleShards Capability = "a single shard for each stream"
	// DisabledStreams means that a stream can be read after it has been disabled, as DynamoDB allows for 24 hours.
	DisabledStreams Capability = "streams that stay readable when they are disabled"
)

// probes find out what an engine has, each with a table of its own.
var probes = map[Capability]func(probe, context.Context) (bool, error){
	ExactUnits:       probe.exactUnits,
	IndexUnits:       probe.indexUnits,
	TruncatedBatches: probe.truncatedBatches,
	LastKeyAtLimit:   probe.lastKeyAtLimit,
	PartiQL:          probe.partiQL,
	SingleShards:     probe.singleShards,
	DisabledStreams:  probe.disabledStreams,
}

type probed struct {
	endpoint   string
	capability Capability
}

// answers has what the engines of this process answered: a func() (bool, error) for each probed.
var answers sync.Map

// Has reports whether the engine of the test has the capability. If not, the test's log says so. It asks the engine,
// once in a test binary. The test fails if the engine does not respond, so call it on the test's goroutine.
func (d *DB) Has(c Capability) bool {
	d.t.Helper()
	ask, known := probes[c]
	if !known {
		d.t.Fatalf("dyntest: there is no capability %q", string(c))
	}
	once, _ := answers.LoadOrStore(probed{d.Engine.Endpoint(), c}, sync.OnceValues(func() (bool, error) {
		// Not the test's context: its end would be the answer for the other tests.
		ctx, cancel := context.WithTimeout(context.Background(), setUpTime)
		defer cancel()
		return probing(ctx, d.Engine, ask)
	}))
	has, err := once.(func() (bool, error))()
	if err != nil {
		d.t.Fatalf("dyntest: ask %s for %s: %v", d.Engine.Name(), c, err)
	}
	if !has {
		d.t.Logf("dyntest: the engine, %s, lacks %s", d.Engine.Name(), c)
	}
	return has
}

// Requires skips the test if its engine lacks the capability. The message says so: what is skipped has not been tested.
func (d *DB) Requires(c Capability) {
	d.t.Helper()
	if !d.Has(c) {
		d.t.Skipf("dyntest: NOT RUN: the engine, %s, lacks %s", d.Engine.Name(), c)
	}
}

// probeTable has an index for units, and a stream.
var probeTable = &dynastay.Schema{Name: "Probe", Key: dynastay.KeyNames{Partition: "pk", Sort: "sk"}, Stream: true, Indexes: []dynastay.Index{
	{Name: "GSI1-Index", Key: dynastay.KeyNames{Partition: "gsi1pk", Sort: "sk"}},
}}

// probe asks an engine what it can do. See docs/decisions/0022-engines.md for why its name does not tell.
type probe struct {
	*dynamodb.Client
	streams *dynamodbstreams.Client
	table   *string
}

// probing creates a table, asks, and removes the table.
func probing(ctx context.Context, on *engine.Engine, ask func(probe, context.Context) (bool, error)) (has bool, err error) {
	prefix := "dyntest-" + rand.Text()[:10] + "-"
	defer func() { err = errors.Join(err, on.DeleteTables(ctx, prefix, probeTable)) }()
	if err := createTables(ctx, on, prefix, []*dynastay.Schema{probeTable}); err != nil {
		return false, err
	}
	return ask(probe{on.Client(), on.Streams(), aws.String(prefix + probeTable.Name)}, ctx)
}

func item(sort, more string) dynastay.Item {
	return dynastay.Item{"pk": dynastay.Text("a"), "sk": dynastay.Text(sort), "gsi1pk": dynastay.Text("b"), "more": dynastay.Text(more)}
}

func (p probe) query(ctx context.Context, limit *int32) (*dynamodb.QueryOutput, error) {
	return p.Query(ctx, &dynamodb.QueryInput{
		TableName: p.table, Limit: limit, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: dynastay.Item{":pk": dynastay.Text("a")},
	})
}

func (p probe) exactUnits(ctx context.Context) (bool, error) {
	none, err := p.query(ctx, nil)
	if err != nil {
		return false, err
	}
	table, index, err := p.transaction(ctx)
	if err != nil || none.ConsumedCapacity == nil {
		return false, err
	}
	return aws.ToFloat64(none.ConsumedCapacity.CapacityUnits) == 0.5 && table == 2 && index == 1, nil
}

func (p probe) indexUnits(ctx context.Context) (bool, error) {
	_, index, err := p.transaction(ctx)
	return index > 0, err
}

// transaction returns the units of a transaction that writes a small item.
func (p probe) transaction(ctx context.Context) (table, index float64, err error) {
	out, err := p.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		TransactItems:          []types.TransactWriteItem{{Put: &types.Put{TableName: p.table, Item: item("1", "")}}},
	})
	if err != nil {
		return 0, 0, err
	}
	for _, of := range out.ConsumedCapacity {
		if of.Table != nil {
			table += sum(*of.Table)
		}
		for _, units := range of.GlobalSecondaryIndexes {
			index += sum(units)
		}
	}
	return table, index, nil
}

// sum returns the units of a table or an index, which engines report under either name.
func sum(c types.Capacity) float64 {
	if c.WriteCapacityUnits != nil {
		return *c.WriteCapacityUnits
	}
	return aws.ToFloat64(c.CapacityUnits)
}

// truncatedBatches reads 44 items of the maximum size: 17 MB.
func (p probe) truncatedBatches(ctx context.Context) (bool, error) {
	large := strings.Repeat("x", 399<<10)
	var asked []map[string]types.AttributeValue
	for batch := range 2 {
		var writes []types.WriteRequest
		for n := range 22 {
			sort := fmt.Sprintf("%d-%d", batch, n)
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item(sort, large)}})
			asked = append(asked, probeTable.Key.Of(dynastay.Key{PK: "a", SK: sort}))
		}
		out, err := p.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*p.table: writes}})
		if err != nil {
			return false, err
		}
		if len(out.UnprocessedItems) > 0 {
			return false, errors.New("a batch of writes was not carried out in full")
		}
	}
	out, err := p.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*p.table: {Keys: asked}}})
	if err != nil {
		return false, err
	}
	return len(out.UnprocessedKeys) > 0, nil
}

func (p probe) put(ctx context.Context) error {
	_, err := p.PutItem(ctx, &dynamodb.PutItemInput{TableName: p.table, Item: item("1", "")})
	return err
}

func (p probe) lastKeyAtLimit(ctx context.Context) (bool, error) {
	if err := p.put(ctx); err != nil {
		return false, err
	}
	page, err := p.query(ctx, aws.Int32(1))
	if err != nil {
		return false, err
	}
	return page.LastEvaluatedKey != nil, nil
}

func (p probe) partiQL(ctx context.Context) (bool, error) {
	_, err := p.ExecuteStatement(ctx, &dynamodb.ExecuteStatementInput{
		Statement: aws.String(`SELECT * FROM "` + *p.table + `" WHERE pk = 'a' AND sk = '1'`),
	})
	var refused smithy.APIError
	if errors.As(err, &refused) && refused.ErrorCode() == "UnknownOperationException" {
		return false, nil
	}
	return err == nil, err
}

func (p probe) stream(ctx context.Context) (arn *string, err error) {
	described, err := p.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: p.table})
	if err != nil {
		return nil, err
	}
	return described.Table.LatestStreamArn, nil
}

func (p probe) singleShards(ctx context.Context) (bool, error) {
	if err := p.put(ctx); err != nil {
		return false, err
	}
	arn, err := p.stream(ctx)
	if err != nil {
		return false, err
	}
	described, err := p.streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		return false, err
	}
	return len(described.StreamDescription.Shards) == 1, nil
}

func (p probe) disabledStreams(ctx context.Context) (bool, error) {
	arn, err := p.stream(ctx)
	if err != nil {
		return false, err
	}
	_, err = p.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: p.table, StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)},
	})
	if err != nil {
		return false, err
	}
	_, err = p.streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	var gone *streamtypes.ResourceNotFoundException
	if errors.As(err, &gone) {
		return false, nil
	}
	return err == nil, err
}
