package contract

import (
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/dynastay/dynastay"
)

var streams = []Case{
	{
		Name:  "the changes of an item are in their order, each with the old and the new item",
		Needs: "consumers of streams",
		Means: "a consumer derives a wrong state",
		Units: 4, run: streamOrder,
	},
	{
		Name:  "a transaction is in the stream with each of its changes",
		Needs: "consumers of streams",
		Means: "a consumer misses a change",
		Units: 6, run: streamTransaction,
	},
	{
		Name:  "a write that changes nothing is not in the stream",
		Needs: "nothing: consumers compare the old with the new item",
		Means: "a service's own consumer is called for nothing on one of the engines",
		Units: 3, run: streamUnchanged,
	},
	{
		Name:  "a transaction that is cancelled is not in the stream",
		Needs: "consumers of streams",
		Means: "a consumer acts on what has not happened",
		Units: 8, run: streamCancelled,
	},
	{
		Name:  "reading continues after a sequence number",
		Needs: "consumers that are restarted",
		Means: "a consumer misses a change after a restart, or handles all of them again",
		Units: 4, run: streamAfter,
	},
	{
		Name:  "LATEST begins with the next change",
		Needs: "consumers that begin with what happens from now on",
		Means: "a consumer misses a change, or handles old ones",
		Units: 4, run: streamLatest,
	},
}

// change is a record of the stream.
type change struct {
	event           string
	sort            string // the sort key of the item
	old, new        dynastay.Item
	shard, sequence *string
}

func (c change) String() string { return c.event + " " + text(c.old) + " to " + text(c.new) }

func describeChanges(changes []change) (described []string) {
	for _, c := range changes {
		described = append(described, c.String())
	}
	return described
}

// inStream returns the scene in the table with the stream.
func (s *scene) inStream() *scene {
	if s.Streams == nil {
		s.notShown("the Target has no client for streams")
	}
	return s.inVault()
}

// arn returns the name of the stream.
func (s *scene) arn() *string {
	out, err := s.Admin.DescribeTable(s.ctx, &dynamodb.DescribeTableInput{TableName: &s.items})
	s.done("describing the table", err)
	if out.Table.LatestStreamArn == nil {
		s.differs("the table has no stream")
	}
	return out.Table.LatestStreamArn
}

// shards returns the shards of the stream.
func (s *scene) shards(arn *string) (shards []*string) {
	var after *string
	for {
		out, err := s.Streams.DescribeStream(s.ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn, ExclusiveStartShardId: after})
		s.done("describing the stream", err)
		for _, shard := range out.StreamDescription.Shards {
			shards = append(shards, shard.ShardId)
		}
		if after = out.StreamDescription.LastEvaluatedShardId; after == nil {
			return shards
		}
	}
}

func (s *scene) iterator(arn, shard *string, kind streamtypes.ShardIteratorType, sequence *string) *string {
	out, err := s.Streams.GetShardIterator(s.ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: shard, ShardIteratorType: kind, SequenceNumber: sequence,
	})
	s.done("getting an iterator", err)
	return out.ShardIterator
}

// read returns the changes of the case from an iterator on, and an iterator that follows them. A page without records
// does not mean that there are none, so a caller repeats it with soon.
func (s *scene) read(shard, iterator *string) (changes []change, next *string) {
	for empty := 0; iterator != nil && empty < 3; {
		page, err := s.Streams.GetRecords(s.ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator})
		s.done("reading the stream", err)
		if len(page.Records) == 0 {
			empty++
		}
		for _, r := range page.Records {
			if keys := s.image(r.Dynamodb.Keys); text(keys["pk"]) == text(dynastay.Text(s.pk)) {
				changes = append(changes, change{
					string(r.EventName), text(keys["sk"]), s.image(r.Dynamodb.OldImage), s.image(r.Dynamodb.NewImage),
					shard, r.Dynamodb.SequenceNumber,
				})
			}
		}
		iterator = page.NextShardIterator
	}
	return changes, iterator
}

func (s *scene) image(of map[string]streamtypes.AttributeValue) dynastay.Item {
	if of == nil {
		return nil
	}
	item, err := attributevalue.FromDynamoDBStreamsMap(of)
	if err != nil {
		s.differs("a record cannot be read: %v", err)
	}
	return item
}

// changes returns all changes of an item of the case.
func (s *scene) changes(sk string) (changes []change) {
	arn := s.arn()
	for _, shard := range s.shards(arn) {
		of, _ := s.read(shard, s.iterator(arn, shard, streamtypes.ShardIteratorTypeTrimHorizon, nil))
		for _, c := range of {
			if c.sort == text(dynastay.Text(sk)) {
				changes = append(changes, c)
			}
		}
	}
	return changes
}

// streamed ends the case unless the stream comes to have exactly these changes of an item.
func (s *scene) streamed(sk string, want ...change) (changes []change) {
	s.soon(func(s *scene) {
		changes = s.changes(sk)
		s.same("the changes", describeChanges(want), describeChanges(changes))
	})
	return changes
}

// versions returns the changes of an item that is put with v from 1 on.
func (s *scene) versions(sk string, n int) (changes []change) {
	var last dynastay.Item
	for v := 1; v <= n; v++ {
		event, now := "MODIFY", s.item(sk, "v", v)
		if v == 1 {
			event = "INSERT"
		}
		changes = append(changes, change{event: event, old: last, new: now})
		last = now
	}
	return changes
}

func streamOrder(s *scene) {
	s = s.inStream()
	s.put("a", "v", 1)
	s.updated("a", "SET v = :v", ":v", 2)
	s.put("a", "v", 3)
	s.remove("a")
	s.streamed("a", append(s.versions("a", 3), change{event: "REMOVE", old: s.item("a", "v", 3)})...)
}

func streamTransaction(s *scene) {
	s = s.inStream()
	s.done("the transaction", s.transact(s.txPut(s.item("a", "v", 1)), s.txPut(s.item("b", "v", 1))))
	s.streamed("a", s.versions("a", 1)...)
	s.streamed("b", s.versions("b", 1)...)
}

func streamUnchanged(s *scene) {
	s = s.inStream()
	s.put("a", "v", 1)
	s.put("a", "v", 1)
	s.put("a", "v", 2)
	s.streamed("a", s.versions("a", 2)...)
}

func streamCancelled(s *scene) {
	s = s.inStream()
	s.put("there")
	s.cancelled(s.transact(s.txPut(s.item("a", "v", 7)), s.txNew(s.item("there"))))
	s.put("a", "v", 1)
	s.streamed("a", s.versions("a", 1)...)
}

func streamAfter(s *scene) {
	s = s.inStream()
	arn := s.arn()
	for v := 1; v <= 3; v++ {
		s.put("a", "v", v)
	}
	want := s.versions("a", 3)
	first := s.streamed("a", want...)[0]
	for kind, from := range map[streamtypes.ShardIteratorType]int{
		streamtypes.ShardIteratorTypeAfterSequenceNumber: 1, streamtypes.ShardIteratorTypeAtSequenceNumber: 0,
	} {
		s.soon(func(s *scene) {
			changes, _ := s.read(first.shard, s.iterator(arn, first.shard, kind, first.sequence))
			s.same("the changes with "+string(kind), describeChanges(want[from:]), describeChanges(changes))
		})
	}
}

func streamLatest(s *scene) {
	s = s.inStream()
	arn := s.arn()
	s.put("a", "v", 1)
	s.streamed("a", s.versions("a", 1)...)
	iterators := map[*string]*string{}
	for _, shard := range s.shards(arn) {
		iterators[shard] = s.iterator(arn, shard, streamtypes.ShardIteratorTypeLatest, nil)
	}
	s.put("a", "v", 2)
	var changes []change
	s.soon(func(s *scene) {
		for shard, iterator := range iterators {
			more, next := s.read(shard, iterator)
			changes, iterators[shard] = append(changes, more...), next
		}
		s.same("the changes", describeChanges(s.versions("a", 2)[1:]), describeChanges(changes))
	})
}
