package dyntest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// position is what an iterator says.
type position struct {
	arn, shard string
	index      int   // of the next record, among all records of the shard
	waited     bool  // an empty page was returned here
	generation int64 // see ExpireIterators
}

func (p position) String() string {
	return fmt.Sprintf("%s|%s|%d|%t|%d", p.arn, p.shard, p.index, p.waited, p.generation)
}

func parsePosition(iterator string) (position, error) {
	parts := strings.Split(iterator, "|")
	if len(parts) != 5 {
		return position{}, invalid("Invalid ShardIterator")
	}
	index, err1 := strconv.Atoi(parts[2])
	waited, err2 := strconv.ParseBool(parts[3])
	generation, err3 := strconv.ParseInt(parts[4], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return position{}, invalid("Invalid ShardIterator")
	}
	return position{parts[0], parts[1], index, waited, generation}, nil
}

func invalid(message string) *refusal {
	return &refusal{Type: exception + "ValidationException", LowerMessage: message}
}

func shardNotFound() *refusal {
	return &refusal{Type: exception + "ResourceNotFoundException", LowerMessage: "Requested resource not found: Shard does not exist"}
}

const trimmedData = "TrimmedDataAccessException"

func dataTrimmed() *refusal {
	return &refusal{
		Type:         exception + trimmedData,
		LowerMessage: "The operation attempted to read past the oldest stream record in a shard",
	}
}

func iteratorExpired() *refusal {
	return &refusal{Type: exception + "ExpiredIteratorException", LowerMessage: "The shard iterator has expired"}
}

// start answers GetShardIterator.
func (s *stream) start(in streamRequest, generation int64) (any, error) {
	of := s.shard(in.ShardId)
	if of == nil {
		return nil, shardNotFound()
	}
	at := position{arn: s.arn, shard: of.id, generation: generation}
	switch in.ShardIteratorType {
	case types.ShardIteratorTypeTrimHorizon:
		at.index = of.trimmed
	case types.ShardIteratorTypeLatest:
		at.index = len(of.records)
	case types.ShardIteratorTypeAtSequenceNumber, types.ShardIteratorTypeAfterSequenceNumber:
		number, err := s.validNumber(of, in.SequenceNumber)
		if err != nil {
			return nil, err
		}
		if in.ShardIteratorType == types.ShardIteratorTypeAfterSequenceNumber {
			number = number.Add(number, big.NewInt(1))
		}
		for at.index < len(of.records) && of.records[at.index].number.Cmp(number) < 0 {
			at.index++
		}
		in.SequenceNumber = ""
	default:
		return nil, invalid("ShardIteratorType is unknown")
	}
	if in.SequenceNumber != "" {
		return nil, invalid("SequenceNumber should not be passed for this iterator type")
	}
	return map[string]string{"ShardIterator": at.String()}, nil
}

// validNumber parses a sequence number and refuses one that is not of the shard.
func (s *stream) validNumber(of *shard, text string) (*big.Int, error) {
	number, ok := new(big.Int).SetString(text, 10)
	if !ok || len(text) < len(sequence(number)) {
		return nil, invalid("SequenceNumber must be a number of at least 21 digits")
	}
	last := of.last
	if last == nil {
		last = s.newest(of)
	}
	switch {
	case number.Cmp(of.first) < 0, number.Cmp(last) > 0:
		return nil, invalid("Invalid SequenceNumber for the shard")
	case number.Cmp(s.trimmedTo) <= 0:
		return nil, dataTrimmed()
	}
	return number, nil
}

// get answers GetRecords.
func (s *stream) get(in streamRequest, at position, generation int64) (any, error) {
	limit, err := limitOf(in, 1000)
	of := s.shard(at.shard)
	switch {
	case err != nil:
		return nil, err
	case at.generation != generation:
		return nil, iteratorExpired()
	case of == nil:
		return nil, shardNotFound()
	case at.index < of.trimmed:
		return nil, dataTrimmed()
	case at.index > len(of.records):
		return nil, invalid("Invalid ShardIterator")
	}
	page := []json.RawMessage{}
	next := at
	if next.waited = !at.waited && at.index < len(of.records) && s.chance(of, at.index, "wait"); !next.waited {
		for _, r := range of.records[at.index:min(at.index+limit, len(of.records))] {
			page = append(page, r.body)
		}
		next.index += len(page)
	}
	answer := map[string]any{"Records": page}
	ended := of.last != nil && next.index == len(of.records)
	if !ended || len(page) > 0 && s.chance(of, next.index, "once more") {
		answer["NextShardIterator"] = next.String()
	}
	return answer, nil
}
