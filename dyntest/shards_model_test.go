package dyntest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// consumer reads the shards of a stream, each one only after its parent.
type consumer struct {
	client *dynamodbstreams.Client
	arn    *string

	at    map[string]*string // iterators of the shards that it reads; nil at the end
	begun map[string]streamtypes.Shard
	seen  []streamtypes.Record
	in    map[string]string // the shard of each record, by number

	waits, finals, extras int // empty pages before records, and ends with and without records
	waiting               map[string]bool
}

func newConsumer(client *dynamodbstreams.Client, arn *string) *consumer {
	return &consumer{
		client: client, arn: arn, at: map[string]*string{}, begun: map[string]streamtypes.Shard{}, in: map[string]string{},
		waiting: map[string]bool{},
	}
}

// poll looks at the shards and reads a page of each one that it may read.
func (c *consumer) poll(ctx context.Context, limit int32) error {
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: c.arn}
	for {
		out, err := c.client.DescribeStream(ctx, in)
		if err != nil {
			return err
		}
		for _, one := range out.StreamDescription.Shards {
			if err := c.read(ctx, one, limit); err != nil {
				return err
			}
		}
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return nil
		}
	}
}

// progress changes whenever there was something new.
func (c *consumer) progress() string {
	return fmt.Sprint(len(c.seen), len(c.begun), c.finals, c.extras)
}

func (c *consumer) read(ctx context.Context, one streamtypes.Shard, limit int32) error {
	id, parent := *one.ShardId, aws.ToString(one.ParentShardId)
	if _, begun := c.begun[parent]; parent != "" && (!begun || c.at[parent] != nil) {
		return nil // its parent comes first
	}
	if _, begun := c.begun[id]; !begun {
		at, err := iteratorOf(ctx, c.client, c.arn, id, "TRIM_HORIZON", "")
		if err != nil {
			return err
		}
		c.at[id] = at
	}
	c.begun[id] = one
	if c.at[id] == nil {
		return nil
	}
	page, err := get1(ctx, c.client, c.at[id], limit)
	if err != nil {
		return err
	}
	if len(page.Records) > int(limit) {
		return fmt.Errorf("%d records, limit %d", len(page.Records), limit)
	}
	for _, r := range page.Records {
		c.seen = append(c.seen, r)
		c.in[*r.Dynamodb.SequenceNumber] = id
	}
	switch c.at[id] = page.NextShardIterator; {
	case page.NextShardIterator == nil && len(page.Records) > 0:
		c.finals++
	case page.NextShardIterator == nil:
		c.extras++
	case len(page.Records) > 0 && c.waiting[id]:
		c.waits++
	}
	c.waiting[id] = len(page.Records) == 0
	return nil
}

// engineRecords returns the engine's own records, with the numbers that Shards show.
func engineRecords(t require.TestingT, d *DB, arn *string) []streamtypes.Record {
	client := d.Engine.Streams()
	described, err := client.DescribeStream(context.Background(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	require.NoError(t, err)
	at, err := iteratorOf(context.Background(), client, arn, *described.StreamDescription.Shards[0].ShardId, "TRIM_HORIZON", "")
	require.NoError(t, err)
	page, err := get1(context.Background(), client, at, 1000)
	require.NoError(t, err)
	for _, r := range page.Records {
		number := r.Dynamodb.SequenceNumber
		*number = strings.Repeat("0", 21-len(*number)) + *number
	}
	return page.Records
}

// none makes a list that is not nil, in case there are no records.
var none = []streamtypes.Record{}

// check compares what it has seen with the engine's own stream of n records.
func (c *consumer) check(t require.TestingT, d *DB, n int) {
	all := engineRecords(t, d, c.arn)
	require.Len(t, all, n)
	items := map[string][]string{} // numbers by item
	got := map[string][]string{}
	item := func(r streamtypes.Record) string {
		pk := r.Dynamodb.Keys["pk"].(*streamtypes.AttributeValueMemberS).Value
		return pk + r.Dynamodb.Keys["sk"].(*streamtypes.AttributeValueMemberS).Value
	}
	for _, r := range all {
		items[item(r)] = append(items[item(r)], *r.Dynamodb.SequenceNumber)
	}
	for _, r := range c.seen {
		got[item(r)] = append(got[item(r)], *r.Dynamodb.SequenceNumber)
	}
	assert.Equal(t, items, got, "the records of each item, in order")
	slices.SortFunc(c.seen, func(a, b streamtypes.Record) int {
		return strings.Compare(*a.Dynamodb.SequenceNumber, *b.Dynamodb.SequenceNumber)
	})
	require.Equal(t, slices.Concat(none, all), slices.Concat(none, c.seen), "each record once, as the engine has it")
}

// Several consumers see each record once and those of each item in order, whatever is written and resharded meanwhile.
func TestConsumersOfShards(t *testing.T) {
	t.Parallel()
	New(t, OnlyTables(streamed)).Requires(SingleShards)
	var waits, finals, extras, splits, rollovers, idle int
	rapid.Check(t, func(rt *rapid.T) {
		d := New(t, OnlyTables(streamed), Streams(), Seed(rapid.Uint64().Draw(rt, "seed")))
		arn, _ := streamOf(t, d, streamed)
		least := rapid.IntRange(1, 4).Draw(rt, "least")
		most := least + rapid.IntRange(0, 4).Draw(rt, "more")
		s, written := d.Reshard(least, most), 0
		consumers := []*consumer{newConsumer(s.Client, arn), newConsumer(s.Client, arn), newConsumer(s.Client, arn)}
		poll := func(c *consumer, limit int32) {
			if err := c.poll(t.Context(), limit); err != nil {
				rt.Fatal(err)
			}
		}
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			if who := rapid.IntRange(0, 4).Draw(rt, "who"); who < 2 {
				poll(consumers[who], int32(rapid.IntRange(1, 5).Draw(rt, "limit")))
				continue
			}
			for range rapid.IntRange(1, 3).Draw(rt, "records") {
				item := rapid.IntRange(0, 9).Draw(rt, "item")
				write(t, d, streamed, fmt.Sprint("pk ", item/2), fmt.Sprint("sk ", item))
				written++
			}
		}
		for _, c := range consumers {
			// Twice without progress, because one empty page says nothing.
			for idle, before := 0, ""; idle < 2; idle++ {
				poll(c, 1000)
				if now := c.progress(); now != before {
					idle, before = 0, now
				}
			}
			c.check(rt, d, written)
			assert.Equal(rt, consumers[0].in, c.in, "all see the same shards")
			waits, finals, extras = waits+c.waits, finals+c.finals, extras+c.extras
		}

		held, children := map[string]int{}, map[string]int{}
		for _, id := range consumers[0].in {
			held[id]++
		}
		open := 0
		for id, one := range consumers[0].begun {
			children[aws.ToString(one.ParentShardId)]++
			first, last := *one.SequenceNumberRange.StartingSequenceNumber, aws.ToString(one.SequenceNumberRange.EndingSequenceNumber)
			if last == "" {
				open++
			}
			assert.Equal(rt, last != "", consumers[0].at[id] == nil, "closed shards end, and only they")
			assert.LessOrEqual(rt, held[id], most)
			for number, of := range consumers[0].in {
				if of == id {
					assert.True(rt, first <= number && (last == "" || number <= last), "%s is in %s to %s", number, first, last)
				}
			}
		}
		assert.Equal(rt, 1, children[""], "the first shard")
		assert.LessOrEqual(rt, open, mostOpen)
		for id := range consumers[0].begun {
			switch n := children[id]; {
			case n == 1:
				rollovers++
			case n == 2:
				splits++
				assert.GreaterOrEqual(rt, held[id], least, "only a rollover comes early")
			default:
				assert.Zero(rt, n)
				assert.NotNil(rt, consumers[0].at[id], "a closed shard has children")
			}
			if children[id] == 1 && held[id] < least {
				idle++
			}
		}
	})
	for what, n := range map[string]int{
		"empty pages before records": waits, "ends with records": finals, "ends without records": extras,
		"splits": splits, "rollovers": rollovers, "early rollovers": idle,
	} {
		assert.Positive(t, n, what)
	}
}
