package dyntest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// errNotOurs says that a request is not for a stream of the test's tables.
var errNotOurs = errors.New("not a stream of the test's tables")

// refusedByEngine is the engine's answer if it refuses a request of the simulation.
type refusedByEngine struct {
	response *http.Response
	code     string
}

func (r *refusedByEngine) Error() string { return "the engine answered " + r.response.Status }

// streamRequest has the fields of all requests to streams. Their limits depend on the operation.
type streamRequest struct {
	StreamArn             string                    `json:",omitempty"`
	ShardId               string                    `json:",omitempty"`
	ShardIterator         string                    `json:",omitempty"`
	ShardIteratorType     types.ShardIteratorType   `json:",omitempty"`
	SequenceNumber        string                    `json:",omitempty"`
	ExclusiveStartShardId string                    `json:",omitempty"`
	ShardFilter           *struct{ ShardId string } `json:",omitempty"`
	Limit                 *int                      `json:",omitempty"`
}

// source is the engine below the simulation, asked on behalf of one exchange.
type source struct {
	x    *exchange
	next hop
}

// ask sends a request to the engine, with the headers of the exchange: local engines do not check signatures.
func (e source) ask(operation string, in streamRequest, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	service, _, _ := strings.Cut(e.x.Header.Get(targetHeader), ".")
	x := &exchange{e.x.Clone(e.x.Context()), operation, body}
	x.Header.Set(targetHeader, service+"."+operation)
	resp, err := e.next(x)
	if err != nil {
		return err
	}
	answer, err := readAnswer(resp)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return &refusedByEngine{resp, errorCode(resp, answer)}
	}
	return json.Unmarshal(answer, out)
}

// serve answers a request to a stream, or returns a *refusal.
func (s *Shards) serve(x *exchange, next hop) (any, error) {
	var in streamRequest
	if err := json.Unmarshal(x.body, &in); err != nil {
		return nil, err
	}
	schema := s.db.Faults.schemas[streamTable(in.StreamArn, in.ShardIterator)]
	if schema == nil { // as in ListStreams, which names a table but no stream
		return nil, errNotOurs
	}
	arn, at := in.StreamArn, position{}
	if x.operation == "GetRecords" {
		var err error
		if at, err = parsePosition(in.ShardIterator); err != nil {
			return nil, err
		}
		arn = at.arn
	}
	of := s.stream(arn, schema)
	of.mu.Lock()
	defer of.mu.Unlock()
	engine := source{x, next}
	if err := of.pull(engine); err != nil {
		return nil, err
	}
	switch x.operation {
	case "DescribeStream":
		return of.describe(engine, in)
	case "GetShardIterator":
		return of.start(in, s.generation.Load())
	}
	return of.get(in, at, s.generation.Load())
}

// pull reads the records that the engine has added to its shard.
func (s *stream) pull(engine source) error {
	replaced := s.replaced.Load()
	if replaced && s.ended {
		return nil
	}
	if s.source == "" {
		var out struct {
			StreamDescription struct{ Shards []struct{ ShardId string } }
		}
		if err := engine.ask("DescribeStream", streamRequest{StreamArn: s.arn}, &out); err != nil {
			return err
		}
		shards := out.StreamDescription.Shards
		if len(shards) != 1 {
			return fmt.Errorf("the engine's stream must have one shard, has %d", len(shards))
		}
		s.source = shards[0].ShardId
	}
	err := s.read(engine)
	// DynamoDB Local has been seen to refuse the iterator of a new shard while its first record was being written, as if
	// records had been removed. It removes none within a test, so a new iterator begins at the same place.
	var theirs *refusedByEngine
	if errors.As(err, &theirs) && theirs.code == trimmedData {
		err = s.read(engine)
	}
	if err == nil && replaced {
		s.end() // an engine that does not tell the streams of a table apart would go on with the records of the next one
	}
	return err
}

// read reads the records of the engine's shard after the last one that was read.
func (s *stream) read(engine source) error {
	in := streamRequest{StreamArn: s.arn, ShardId: s.source, ShardIteratorType: types.ShardIteratorTypeTrimHorizon}
	if s.last != "" {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, s.last
	}
	var at struct{ ShardIterator string }
	if err := engine.ask("GetShardIterator", in, &at); err != nil {
		return err
	}
	for {
		var page struct {
			Records           []json.RawMessage
			NextShardIterator string
		}
		if err := engine.ask("GetRecords", streamRequest{ShardIterator: at.ShardIterator}, &page); err != nil {
			return err
		}
		for _, body := range page.Records {
			if err := s.add(body); err != nil {
				return fmt.Errorf("a record of the engine: %w", err)
			}
		}
		switch {
		case page.NextShardIterator == "":
			s.end()
			return nil
		case len(page.Records) == 0:
			return nil
		}
		at.ShardIterator = page.NextShardIterator
	}
}

// shardsInPage is the largest number of shards in an answer to DescribeStream.
const shardsInPage = 3

func (s *stream) describe(engine source, in streamRequest) (any, error) {
	limit, err := limitOf(in, 100)
	if err != nil {
		return nil, err
	}
	limit = min(limit, shardsInPage)
	type numbers struct {
		StartingSequenceNumber string
		EndingSequenceNumber   string `json:",omitempty"`
	}
	type described struct {
		ShardId             string
		ParentShardId       string `json:",omitempty"`
		SequenceNumberRange numbers
	}
	var answer struct{ StreamDescription map[string]any }
	if err := engine.ask("DescribeStream", streamRequest{StreamArn: s.arn}, &answer); err != nil {
		return nil, err
	}
	shards, last := []described{}, ""
	for _, one := range s.shards {
		if one.id <= in.ExclusiveStartShardId || in.ShardFilter != nil && one.parent != in.ShardFilter.ShardId {
			continue
		}
		if len(shards) == limit {
			last = shards[limit-1].ShardId
			break
		}
		its := numbers{StartingSequenceNumber: sequence(one.first)}
		if one.last != nil {
			its.EndingSequenceNumber = sequence(one.last)
		}
		shards = append(shards, described{one.id, one.parent, its})
	}
	answer.StreamDescription["Shards"] = shards
	delete(answer.StreamDescription, "LastEvaluatedShardId")
	if last != "" {
		answer.StreamDescription["LastEvaluatedShardId"] = last
	}
	return answer, nil
}

// limitOf returns the limit of a request, or the greatest one if it has none.
func limitOf(in streamRequest, most int) (int, error) {
	switch {
	case in.Limit == nil:
		return most, nil
	case *in.Limit < 1 || *in.Limit > most:
		return 0, invalid(fmt.Sprintf("Limit must be between 1 and %d", most))
	}
	return *in.Limit, nil
}
