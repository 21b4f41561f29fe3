package dyntest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shardsOf returns all shards that a client shows of a stream, page by page.
func shardsOf(t testing.TB, client *dynamodbstreams.Client, arn *string) []streamtypes.Shard {
	t.Helper()
	var all []streamtypes.Shard
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: arn}
	for {
		out, err := client.DescribeStream(t.Context(), in)
		require.NoError(t, err)
		all = append(all, out.StreamDescription.Shards...)
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return all
		}
	}
}

// iteratorOf returns an iterator of a shard. The number is "" for the types without one.
func iteratorOf(ctx context.Context, client *dynamodbstreams.Client, arn *string, shard, kind, number string) (*string, error) {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, ShardId: &shard, ShardIteratorType: streamtypes.ShardIteratorType(kind)}
	if number != "" {
		in.SequenceNumber = &number
	}
	out, err := client.GetShardIterator(ctx, in)
	if err != nil {
		return nil, err
	}
	return out.ShardIterator, nil
}

func get1(ctx context.Context, client *dynamodbstreams.Client, at *string, limit int32) (*dynamodbstreams.GetRecordsOutput, error) {
	return client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at, Limit: &limit})
}

// rest reads from an iterator until the end of the shard, or until there is nothing more for now.
func rest(t testing.TB, client *dynamodbstreams.Client, at *string) (numbers []string, ended bool) {
	t.Helper()
	for empty := 0; empty < 2; {
		page, err := get1(t.Context(), client, at, 1000)
		require.NoError(t, err)
		for _, r := range page.Records {
			numbers = append(numbers, *r.Dynamodb.SequenceNumber)
		}
		if empty++; len(page.Records) > 0 {
			empty = 0
		}
		if at = page.NextShardIterator; at == nil {
			return numbers, true
		}
	}
	return numbers, false
}

// numbersOf returns the sequence numbers in a shard.
func numbersOf(t testing.TB, client *dynamodbstreams.Client, arn *string, shard string) []string {
	t.Helper()
	at, err := iteratorOf(t.Context(), client, arn, shard, "TRIM_HORIZON", "")
	require.NoError(t, err)
	numbers, _ := rest(t, client, at)
	return numbers
}

// records writes n records of different items.
func records(t testing.TB, d *DB, n int) {
	t.Helper()
	for i := range n {
		write(t, d, streamed, fmt.Sprint("item ", i), "1")
	}
}

func resharded(t *testing.T, n int) (d *DB, s *Shards, arn *string) {
	t.Helper()
	d = New(t, OnlyTables(streamed), Streams(), Seed(1))
	records(t, d, n)
	arn, _ = streamOf(t, d, streamed)
	return d, d.Reshard(1, 4), arn
}

func TestShardsArePaged(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, s, arn := resharded(t, 40)
	all := shardsOf(t, s.Client, arn)
	require.Greater(t, len(all), 2*shardsInPage)
	var ids []string
	for _, one := range all {
		ids = append(ids, *one.ShardId)
	}
	assert.IsIncreasing(t, ids)
	page := func(in dynamodbstreams.DescribeStreamInput) (ids []string, last string) {
		in.StreamArn = arn
		out, err := s.DescribeStream(ctx, &in)
		require.NoError(t, err)
		for _, one := range out.StreamDescription.Shards {
			ids = append(ids, *one.ShardId)
		}
		return ids, aws.ToString(out.StreamDescription.LastEvaluatedShardId)
	}
	for _, test := range []struct {
		limit *int32
		after int // this many shards
		want  int
	}{
		{nil, 0, 3}, {aws.Int32(100), 0, 3}, {aws.Int32(1), 0, 1}, {aws.Int32(2), 1, 2},
		{nil, len(all) - 4, 3}, {nil, len(all) - 3, 3}, {nil, len(all) - 2, 2}, {nil, len(all), 0},
	} {
		in, last := dynamodbstreams.DescribeStreamInput{Limit: test.limit}, ""
		if test.after > 0 {
			in.ExclusiveStartShardId = &ids[test.after-1]
		}
		if test.after+test.want < len(all) {
			last = ids[test.after+test.want-1]
		}
		gotIDs, gotLast := page(in)
		assert.ElementsMatch(t, ids[test.after:test.after+test.want], gotIDs)
		assert.Equal(t, last, gotLast)
	}
	for _, limit := range []int32{0, 101} {
		_, err := s.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn, Limit: &limit})
		assertStatus(t, err, 400, "ValidationException")
	}

	var children, filtered []string
	parent := ""
	for _, one := range all {
		if p := aws.ToString(one.ParentShardId); p != "" && (parent == "" || p == parent) {
			parent, children = p, append(children, *one.ShardId)
		}
	}
	filtered, _ = page(dynamodbstreams.DescribeStreamInput{ShardFilter: &streamtypes.ShardFilter{
		ShardId: &parent, Type: streamtypes.ShardFilterTypeChildShards,
	}})
	assert.Equal(t, children, filtered)

	// All else is the engine's.
	want, err := d.Engine.Streams().DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	require.NoError(t, err)
	got, err := s.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	require.NoError(t, err)
	got.StreamDescription.Shards, got.StreamDescription.LastEvaluatedShardId = want.StreamDescription.Shards, nil
	assert.Equal(t, want.StreamDescription, got.StreamDescription)
	name := d.TableName(streamed)
	listed, err := s.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: &name})
	require.NoError(t, err)
	require.Len(t, listed.Streams, 1)
	assert.Equal(t, arn, listed.Streams[0].StreamArn)
}

func TestIteratorsStartWhereTheyAreAskedTo(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, s, arn := resharded(t, 30)
	closed := 0
	for _, one := range shardsOf(t, s.Client, arn) {
		id, numbers := *one.ShardId, numbersOf(t, s.Client, arn, *one.ShardId)
		from := func(kind, number string) []string {
			t.Helper()
			at, err := iteratorOf(ctx, s.Client, arn, id, kind, number)
			require.NoError(t, err)
			got, ended := rest(t, s.Client, at)
			assert.Equal(t, one.SequenceNumberRange.EndingSequenceNumber != nil, ended)
			return got
		}
		assert.Empty(t, from("LATEST", ""))
		assert.Equal(t, numbers, from("AT_SEQUENCE_NUMBER", *one.SequenceNumberRange.StartingSequenceNumber))
		for i, number := range numbers {
			assert.Len(t, number, 21)
			assert.Equal(t, numbers[i:], from("AT_SEQUENCE_NUMBER", number))
			assert.Len(t, from("AFTER_SEQUENCE_NUMBER", number), len(numbers)-i-1)
		}
		if last := one.SequenceNumberRange.EndingSequenceNumber; last != nil {
			closed++
			assert.Empty(t, from("AFTER_SEQUENCE_NUMBER", *last))
		}
	}
	assert.Positive(t, closed)

	// LATEST shows what is written from then on.
	latest := map[string]*string{}
	for _, one := range shardsOf(t, s.Client, arn) {
		at, err := iteratorOf(ctx, s.Client, arn, *one.ShardId, "LATEST", "")
		require.NoError(t, err)
		latest[*one.ShardId] = at
	}
	records(t, d, 1)
	var seen []string
	for _, one := range shardsOf(t, s.Client, arn) {
		at, known := latest[*one.ShardId]
		if !known {
			var err error
			at, err = iteratorOf(ctx, s.Client, arn, *one.ShardId, "TRIM_HORIZON", "")
			require.NoError(t, err)
		}
		numbers, _ := rest(t, s.Client, at)
		seen = append(seen, numbers...)
	}
	assert.Equal(t, []string{*engineRecords(t, d, arn)[30].Dynamodb.SequenceNumber}, seen)
}

func TestTrim(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, s, arn := resharded(t, 40)
	before, engines := shardsOf(t, s.Client, arn), engineRecords(t, d, arn)
	type state struct {
		numbers []string
		from    map[string]*string // iterators by the number they point to
		shard   streamtypes.Shard
	}
	states := map[string]state{}
	for _, one := range before {
		st := state{numbersOf(t, s.Client, arn, *one.ShardId), map[string]*string{}, one}
		for _, number := range st.numbers {
			at, err := iteratorOf(ctx, s.Client, arn, *one.ShardId, "AT_SEQUENCE_NUMBER", number)
			require.NoError(t, err)
			st.from[number] = at
		}
		states[*one.ShardId] = st
	}
	s.Trim(streamed, 100)
	s.Trim(streamed, 40)
	assert.Equal(t, before, shardsOf(t, s.Client, arn), "there is nothing to trim")

	for _, keep := range []int{25, 10, 0} {
		s.Trim(streamed, keep)
		trimmedTo := *engines[40-keep-1].Dynamodb.SequenceNumber
		remaining, kept, orphans := map[string]bool{}, 0, 0
		for _, one := range shardsOf(t, s.Client, arn) {
			remaining[*one.ShardId] = true
			assert.Equal(t, states[*one.ShardId].shard, one, "its range and parent remain")
		}
		for id, st := range states {
			last := aws.ToString(st.shard.SequenceNumberRange.EndingSequenceNumber)
			require.Equal(t, last == "" || last > trimmedTo, remaining[id])
			if !remaining[id] {
				_, err := iteratorOf(ctx, s.Client, arn, id, "TRIM_HORIZON", "")
				assert.ErrorAs(t, err, new(*streamtypes.ResourceNotFoundException))
				for _, at := range st.from {
					_, err := get1(ctx, s.Client, at, 1)
					assert.ErrorAs(t, err, new(*streamtypes.ResourceNotFoundException))
				}
				continue
			}
			if parent := aws.ToString(st.shard.ParentShardId); parent != "" && !remaining[parent] {
				orphans++
			}
			left := numbersOf(t, s.Client, arn, id)
			kept += len(left)
			for _, number := range st.numbers {
				_, errAt := iteratorOf(ctx, s.Client, arn, id, "AT_SEQUENCE_NUMBER", number)
				_, errAfter := iteratorOf(ctx, s.Client, arn, id, "AFTER_SEQUENCE_NUMBER", number)
				_, errGet := get1(ctx, s.Client, st.from[number], 1)
				for _, err := range []error{errAt, errAfter, errGet} {
					if number <= trimmedTo {
						assert.NotContains(t, left, number)
						assert.ErrorAs(t, err, new(*streamtypes.TrimmedDataAccessException))
					} else {
						assert.Contains(t, left, number)
						assert.NoError(t, err)
					}
				}
			}
		}
		assert.Equal(t, keep, kept)
		assert.Positive(t, orphans, "a removed shard has children")
	}
	records(t, d, 3)
	s.Trim(streamed, 1)
	var left []string
	for _, one := range shardsOf(t, s.Client, arn) {
		left = append(left, numbersOf(t, s.Client, arn, *one.ShardId)...)
	}
	assert.Equal(t, []string{*engineRecords(t, d, arn)[42].Dynamodb.SequenceNumber}, left, "Trim knows records that nobody has read")
}

func TestShardsAreThoseOfTheSeed(t *testing.T) {
	t.Parallel()
	// The numbers themselves are the engine's.
	outline := func(s *Shards, arn *string) (shards []string) {
		for _, one := range shardsOf(t, s.Client, arn) {
			n := len(numbersOf(t, s.Client, arn, *one.ShardId))
			shards = append(shards, fmt.Sprint(*one.ShardId, " of ", aws.ToString(one.ParentShardId), ": ", n))
		}
		return shards
	}
	var seen [][]string
	for _, seed := range []uint64{1, 1, 2} {
		d := New(t, OnlyTables(streamed), Streams(), Seed(seed))
		w := d.watched()
		s := d.Reshard(1, 4)
		require.Len(t, w.logs, 1)
		assert.Contains(t, w.logs[0], fmt.Sprintf("DYNTEST_SEED=%d", seed))
		arn, _ := streamOf(t, d, streamed)
		if len(seen) == 0 { // one of them is read after every record
			for i := range 30 {
				write(t, d, streamed, fmt.Sprint("item ", i), "1")
				shardsOf(t, s.Client, arn)
			}
		} else {
			records(t, d, 30)
		}
		seen = append(seen, outline(s, arn))
		other := d.Reshard(1, 4)
		assert.Equal(t, seen[len(seen)-1], outline(other, arn), "another simulation")
		assert.Equal(t, shardsOf(t, s.Client, arn), shardsOf(t, other.Client, arn))
	}
	assert.Equal(t, seen[0], seen[1])
	assert.NotEqual(t, seen[0], seen[2])
}

func TestShardsInParallel(t *testing.T) {
	t.Parallel()
	d, s, arn := resharded(t, 5)
	deadline := time.Now().Add(time.Minute)
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			c := newConsumer(s.Client, arn)
			for len(c.seen) < 45 && time.Now().Before(deadline) {
				if !assert.NoError(t, c.poll(t.Context(), 3)) {
					return
				}
			}
			c.check(t, d, 45)
		})
	}
	for w := range 2 {
		readers.Go(func() {
			for i := range 20 {
				write(t, d, streamed, fmt.Sprint("writer ", w), fmt.Sprint(i))
			}
		})
	}
	readers.Wait()
}
