package dyntest

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/dynastay/dynastay"
)

// Shards shows the streams of a test's tables in shards that split and roll over, as in DynamoDB. [DB.Reshard] returns
// it. It is safe for concurrent use, and all its users see the same shards.
type Shards struct {
	// Client reads the streams. Like those of [DB.Streams], its requests go through Faults, are measured, and are
	// retried almost without delay.
	*dynamodbstreams.Client

	db         *DB
	direct     *dynamodbstreams.Client // bypasses faults and the meter
	min, max   int                     // records of a shard
	generation atomic.Int64            // of the iterators that have not expired
	mu         sync.Mutex
	streams    map[string]*stream // by ARN
}

// Reshard simulates shards for the streams of the test's tables. Most local engines have one shard for each
// stream, which never closes. The records are the engine's own, in its order. Only their shards are simulated, and sequence numbers
// are padded with zeros to the 21 digits that numbers of DynamoDB have at least.
//
// Each open shard has a range of the hashes of partition keys, and gets the records of the items in this range. After
// a random number of records, at least minRecords and at most maxRecords, the next record closes the shard. It is
// replaced by one child (rollover) or by two (split), so the records of an item run through a chain of parents and
// children. Sometimes another shard rolls over at the same time, after fewer records or none.
//
// As in DynamoDB, and unlike the engines,
//
//   - DescribeStream returns the shards in pages, here of at most three,
//   - only a closed shard has an EndingSequenceNumber,
//   - GetRecords sometimes returns no records but a NextShardIterator, although records follow,
//   - GetRecords returns no NextShardIterator at the end of a closed shard: with its last records, or without records,
//   - unknown or removed shards are refused with a ResourceNotFoundException, and trimmed records with a
//     TrimmedDataAccessException; see [Shards.Trim],
//   - a sequence number outside of its shard is refused with a ValidationException.
//
// A stream ends when its table gets another one, whose shards have the same ids, since they are drawn with the same seed.
//
// All random choices are made with the seed of the test. Equal records in equal order are always in the same shards,
// regardless of who reads them and when.
//
// The simulation reads the engine's stream itself whenever it gets a request. Those reads bypass Faults and are not
// measured, because a consumer does not send them. Streams of other tables are passed on unchanged.
//
// Where the engine itself has several shards for a stream, their records have no common order. Such an engine lacks
// [SingleShards], and Reshard skips the test and says so.
func (d *DB) Reshard(minRecords, maxRecords int) *Shards {
	d.t.Helper()
	if minRecords < 1 || maxRecords < minRecords {
		d.t.Fatalf("dyntest: Reshard: minRecords must be positive and maxRecords not less than it, got %d and %d", minRecords, maxRecords)
	}
	d.Requires(SingleShards)
	d.Faults.logSeed()
	s := &Shards{db: d, min: minRecords, max: maxRecords, streams: map[string]*stream{}}
	simulated := func(network http.RoundTripper) http.RoundTripper { return &wire{[]stage{s.answer}, network, d.sign} }
	simulate := func(o *dynamodbstreams.Options) { o.HTTPClient = through(o.HTTPClient.(*http.Client), simulated) }
	s.Client = d.Engine.Streams(simulate, d.frontStreams, streamsAtOnce)
	s.direct = d.Engine.Streams(simulate)
	return s
}

// ExpireIterators makes all iterators expire that were returned until now, as after 15 minutes: GetRecords refuses them
// with an ExpiredIteratorException.
func (s *Shards) ExpireIterators() { s.generation.Add(1) }

// Trim removes all but the newest records of a table's stream, as DynamoDB does after 24 hours, and the closed shards
// that end before these records. The children of a removed shard still name it as their parent. An iterator that points
// to a removed record, and a sequence number that is not newer than all removed records, are refused with a
// TrimmedDataAccessException.
//
// Trim bypasses Faults. It fails the test if the table has no stream or the engine does not respond, so call it on the
// test's goroutine.
func (s *Shards) Trim(table *dynastay.Schema, keep int) {
	d := s.db
	d.t.Helper()
	if keep < 0 {
		d.t.Fatalf("dyntest: Trim: keep must not be negative, got %d", keep)
	}
	arn, err := s.read(table)
	if err != nil {
		d.t.Fatalf("dyntest: Trim: table %s: %v", table.Name, err)
	}
	of := s.stream(arn, table)
	of.mu.Lock()
	defer of.mu.Unlock()
	of.trim(keep)
}

// read reads what the engine has in the stream of a table, and returns the ARN of the stream.
func (s *Shards) read(table *dynastay.Schema) (string, error) {
	d := s.db
	name := d.TableName(table)
	described, err := d.Engine.Client().DescribeTable(d.t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return "", err
	}
	arn := aws.ToString(described.Table.LatestStreamArn)
	if arn == "" {
		return "", errors.New("it has no stream; set Stream in its schema, and pass the option Streams to New")
	}
	_, err = s.direct.DescribeStream(d.t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	return arn, err
}

func (s *Shards) stream(arn string, schema *dynastay.Schema) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams[arn] == nil {
		added := newStream(arn, schema, s.db.Faults.seed, s.min, s.max)
		for other, earlier := range s.streams {
			if arn < other {
				earlier = added
			}
			if streamTable(other, "") == streamTable(arn, "") {
				earlier.replaced.Store(true)
			}
		}
		s.streams[arn] = added
	}
	return s.streams[arn]
}

// answer is the stage that answers instead of the engine.
func (s *Shards) answer(x *exchange, next hop) (*http.Response, error) {
	answer, err := s.serve(x, next)
	var refused *refusal
	var theirs *refusedByEngine
	switch {
	case errors.As(err, &refused):
		return refused.response(x.Request)
	case errors.As(err, &theirs):
		return theirs.response, nil
	case errors.Is(err, errNotOurs):
		return next(x)
	case err != nil:
		return nil, fmt.Errorf("dyntest: Reshard: %w", err)
	}
	return respond(x.Request, http.StatusOK, answer)
}
