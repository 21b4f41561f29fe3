package contract

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

var batches = []Case{
	{
		Name:  "every write of a batch is carried out, or returned as unprocessed",
		Needs: "writing many items without a transaction",
		Means: "items are missing, without an error",
		Units: 60, run: batchComplete,
	},
	{
		Name:  "25 writes are accepted, 26 are refused",
		Needs: "the size of batches that the library sends",
		Means: "a service's own batches pass their tests, and fail on AWS",
		Units: 26, run: batchWriteLimit,
	},
	{
		Name:  "100 reads are accepted, 101 are refused",
		Needs: "the size of batches that the library sends",
		Means: "a service's own batches pass their tests, and fail on AWS",
		Units: 102, run: batchReadLimit,
	},
	{
		Name:  "an item twice in a batch of writes is refused",
		Needs: "noticing that one batch writes an item twice",
		Means: "a batch passes its tests, and fails on AWS",
		Units: 4, run: batchWriteTwice,
	},
	{
		Name:  "an item twice in a batch of reads is refused",
		Needs: "batches from which repeated keys are removed",
		Means: "a batch passes its tests, and fails on AWS",
		Units: 4, run: batchReadTwice,
	},
	{
		Name:  "keys without an item are absent from a batch of reads",
		Needs: "telling missing items from items that were not read",
		Means: "a list has empty entries, or a read never ends",
		Units: 8, run: batchMissing,
	},
}

func (s *scene) batchWrite(writes []types.WriteRequest) (*dynamodb.BatchWriteItemOutput, error) {
	return s.Client.BatchWriteItem(s.ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{s.items: writes},
	})
}

func (s *scene) batchRead(keys []map[string]types.AttributeValue) (*dynamodb.BatchGetItemOutput, error) {
	return s.Client.BatchGetItem(s.ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{s.items: {Keys: keys, ConsistentRead: aws.Bool(true)}},
	})
}

func (s *scene) puts(n int) (writes []types.WriteRequest) {
	for i := range n {
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: s.item(fmt.Sprintf("%03d", i))}})
	}
	return writes
}

func (s *scene) keys(n int) (keys []map[string]types.AttributeValue) {
	for i := range n {
		keys = append(keys, s.key(fmt.Sprintf("%03d", i)))
	}
	return keys
}

func batchComplete(s *scene) {
	s.put("old")
	writes := append(s.puts(20), types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: s.key("old")}})
	out, err := s.batchWrite(writes)
	s.done("the batch", err)
	read, err := s.batchRead(append(s.keys(20), s.key("old")))
	s.done("the batch of reads", err)
	rest := len(out.UnprocessedItems[s.items])
	if rest+len(read.UnprocessedKeys[s.items].Keys) > 0 {
		s.notShown("the engine has left a part of the batch unprocessed, so it was not compared")
	}
	s.same("the number of items", 20, len(read.Responses[s.items]))
}

func batchWriteLimit(s *scene) {
	_, err := s.batchWrite(s.puts(26))
	s.refused("a batch of 26 writes", err, validation)
	_, err = s.batchWrite(s.puts(25))
	s.done("a batch of 25 writes", err)
}

func batchReadLimit(s *scene) {
	_, err := s.batchRead(s.keys(101))
	s.refused("a batch of 101 reads", err, validation)
	_, err = s.batchRead(s.keys(100))
	s.done("a batch of 100 reads", err)
}

func batchWriteTwice(s *scene) {
	_, err := s.batchWrite(append(s.puts(1), s.puts(1)...))
	s.refused("the batch", err, validation)
}

func batchReadTwice(s *scene) {
	_, err := s.batchRead(append(s.keys(1), s.keys(1)...))
	s.refused("the batch", err, validation)
}

func batchMissing(s *scene) {
	s.put("001", "v", 1)
	out, err := s.batchRead(s.keys(3))
	s.done("the batch", err)
	s.same("the items", []dynastay.Item{s.item("001", "v", 1)}, out.Responses[s.items])
	s.same("the number of unprocessed keys", 0, len(out.UnprocessedKeys))
}
