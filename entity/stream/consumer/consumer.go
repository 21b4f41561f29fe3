package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
)

// Streams has the methods of DynamoDB Streams that a consumer uses. *dynamodbstreams.Client implements it.
type Streams interface {
	ListStreams(context.Context, *dynamodbstreams.ListStreamsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error)
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

var _ Streams = (*dynamodbstreams.Client)(nil)

// Spec says what a consumer does. Name, Router and Start are required.
type Spec struct {
	// Name is the name of the consumer, under which its positions are stored: an id, see key.ID. All its processes have
	// the same name, and a consumer with a new name starts anew.
	Name string
	// Router handles the changes. Its routes determine the tables that are read.
	Router *stream.Router
	// Start is where the consumer starts to read a table that it reads for the first time.
	Start Start
	// DeadLetter gets a change that cannot be handled, with the error: one that is permanent, or the last one after
	// GiveUp. When DeadLetter returns nil, the change counts as handled. If it returns an error or panics, the change
	// is tried again. Default: none, and every change is tried until it is handled.
	DeadLetter func(context.Context, stream.Record, error) error
	// GiveUp is how long a change is tried before it is passed to DeadLetter. While a system that the handler needs is
	// down, each shard passes one change to DeadLetter in this time. Default: 5 minutes.
	GiveUp time.Duration
	// OnError is called with every error that the consumer survives: of the router, of DynamoDB, of a lease. It must be
	// safe for concurrent use. Default: logs with [slog.Default].
	OnError func(context.Context, *Error)
	// Lease is how long a process that stops without notice keeps its shards. Default: 30 s.
	Lease time.Duration
	// Poll is the pause before a shard that has no new changes is read again. Default: 1 s.
	Poll time.Duration
	// Positions is the table of the positions. It must have a TTL attribute. Default: [keys.MetadataTable].
	Positions *dynastay.Schema
}

// Start is where a consumer starts to read a table that it reads for the first time.
type Start int

const (
	// Oldest starts with the oldest change that the stream still has: those of up to 24 hours.
	Oldest Start = iota + 1
	// Now starts with the changes of the minute in which the consumer first runs.
	Now
)

// slack is how much earlier than the start a change may be without being skipped. It covers the difference between the
// clocks of DynamoDB and of the process, and that DynamoDB Local rounds times to minutes.
const slack = time.Minute

// Consumer passes the changes in the streams of tables to a router. It is safe for concurrent use.
type Consumer struct {
	db        *dynastay.DB
	streams   Streams
	spec      Spec
	tables    []string // their full names
	schema    *dynastay.Schema
	positions *entity.Table[position]
	list      dynastay.List[*position]
}

// New returns a consumer. It sends no requests. New panics if the spec has no Name that is an id, no Router with a
// route for a table, or no Start, if Lease is shorter than six times Poll, or if the table of the positions has no TTL
// attribute or is read by the router, because each position that is written would be a change.
func New(db *dynastay.DB, streams Streams, spec Spec) *Consumer {
	if spec.GiveUp <= 0 {
		spec.GiveUp = 5 * time.Minute
	}
	if spec.OnError == nil {
		spec.OnError = func(ctx context.Context, err *Error) { slog.ErrorContext(ctx, err.Error()) }
	}
	if spec.Lease <= 0 {
		spec.Lease = 30 * time.Second
	}
	if spec.Poll <= 0 {
		spec.Poll = time.Second
	}
	if spec.Positions == nil {
		spec.Positions = keys.MetadataTable
	}
	partition, err := keys.Partition(keys.StreamShard{Consumer: spec.Name})
	switch {
	case err != nil:
		panic("consumer.New: Name: " + err.Error())
	case spec.Router == nil || len(spec.Router.Tables()) == 0:
		panic("consumer.New: Router with a route for a table is required")
	case spec.Start != Oldest && spec.Start != Now:
		panic("consumer.New: Start is required")
	case spec.Positions.TTL == "":
		panic("consumer.New: Positions: table " + spec.Positions.Name + " must have a TTL attribute")
	case spec.Lease < 6*spec.Poll:
		panic(fmt.Sprintf("consumer.New: Lease must be at least six times Poll, got %v and %v", spec.Lease, spec.Poll))
	case slices.Contains(spec.Router.Tables(), db.TableName(spec.Positions)):
		panic("consumer.New: Positions: the router must not read table " + spec.Positions.Name)
	}
	e := newEntity(spec.Positions)
	c := &Consumer{
		db: db, streams: streams, spec: spec, tables: spec.Router.Tables(),
		schema: spec.Positions, positions: entity.NewTable(db, e),
	}
	query := dynastay.Query{
		Name: "consumer.Positions", Partition: partition, Consistent: true,
		Range: dynastay.Range{Prefix: keys.SortKind[keys.StreamShard]()},
	}
	c.list = dynastay.ListOf(db, spec.Positions, query, func(_ context.Context, row dynastay.Row) (*position, error) {
		p, err := e.Value(row)
		if err == nil {
			p.row = row
		}
		return p, err
	})
	return c
}

// Shard is the state of one shard of a stream that is not read to its end.
type Shard struct {
	Table string // the full name
	ID    string
	Owner string // the process that holds it, which begins with the host's name; "" for none
	// Behind, by the clock of the DB, is how long ago the last moment was at which all earlier changes of the shard had
	// been handled, as last stored. For a shard that is read and has no new changes, it is at most Poll and a sixth of
	// Lease. If nobody reads the shard, it grows. It is not exact: DynamoDB rounds the times of changes, and may answer
	// that there are no changes although there are.
	Behind time.Duration
	// Failing is the ID of the change that cannot be handled, FailingSince the time of the first attempt, and Failure
	// the beginning of the last error, without e-mail addresses. Failing is "" if there is none.
	Failing      string
	FailingSince time.Time `json:",omitzero"`
	Failure      string
}

// Shards returns the shards that are not read to their end, as all processes of the consumer last stored them. Shards
// that no process has seen yet are missing. 1 request for every 1 MB of positions.
func (c *Consumer) Shards(ctx context.Context) ([]Shard, error) {
	all, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	var shards []Shard
	for _, p := range all {
		if p.ended() {
			continue
		}
		to := p.ReadTo
		if to.IsZero() {
			to = p.CreatedAt
		}
		shards = append(shards, Shard{
			Table: p.Table, ID: p.ShardID, Owner: p.Owner, Behind: max(0, c.db.Now().Sub(to)),
			Failing: p.Failing, FailingSince: p.FailingSince, Failure: p.Failure,
		})
	}
	return shards, nil
}
