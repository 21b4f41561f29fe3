package dyntest

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func TestWrongRequestsToShardsAreRefused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, s, arn := resharded(t, 30)
	all := shardsOf(t, s.Client, arn)
	first, second, last := *all[0].ShardId, *all[1].ShardId, all[len(all)-1]
	require.Nil(t, last.SequenceNumberRange.EndingSequenceNumber)
	inFirst := numbersOf(t, s.Client, arn, first)[0]
	newest, err := strconv.Atoi(*engineRecords(t, d, arn)[29].Dynamodb.SequenceNumber)
	require.NoError(t, err)
	beyond := *all[1].SequenceNumberRange.StartingSequenceNumber

	_, err = iteratorOf(ctx, s.Client, arn, "shardId-00000000000000000001-00000000", "TRIM_HORIZON", "")
	assert.ErrorAs(t, err, new(*streamtypes.ResourceNotFoundException))
	for _, test := range []struct{ shard, kind, number string }{
		{first, "AT_SEQUENCE_NUMBER", ""},
		{first, "AT_SEQUENCE_NUMBER", "1"},
		{first, "AT_SEQUENCE_NUMBER", "abcdefghijklmnopqrstu"},
		{first, "AT_SEQUENCE_NUMBER", beyond},
		{first, "AFTER_SEQUENCE_NUMBER", beyond},
		{first, "AT_SEQUENCE_NUMBER", fmt.Sprintf("%021d", 0)},
		{second, "AT_SEQUENCE_NUMBER", inFirst},
		{*last.ShardId, "AT_SEQUENCE_NUMBER", fmt.Sprintf("%021d", newest+1)},
		{first, "TRIM_HORIZON", inFirst},
		{first, "LATEST", inFirst},
		{first, "AT_TIMESTAMP", ""},
	} {
		_, err := iteratorOf(ctx, s.Client, arn, test.shard, test.kind, test.number)
		assertStatus(t, err, 400, "ValidationException")
	}

	at, err := iteratorOf(ctx, s.Client, arn, first, "TRIM_HORIZON", "")
	require.NoError(t, err)
	for _, limit := range []int32{0, 1001} {
		_, err := get1(ctx, s.Client, at, limit)
		assertStatus(t, err, 400, "ValidationException")
	}
	_, source := streamOf(t, d, streamed)
	engines, err := iteratorOf(ctx, d.Streams, arn, *source, "TRIM_HORIZON", "")
	require.NoError(t, err)
	for _, wrong := range []string{
		*engines, *arn + "|" + first + "|x|false|0", *arn + "|" + first + "|0|x|0", *arn + "|" + first + "|0|false|x",
		*arn + "|" + first + "|999|false|0",
	} {
		_, err := get1(ctx, s.Client, &wrong, 1)
		assertStatus(t, err, 400, "ValidationException")
	}
	_, err = get1(ctx, s.Client, aws.String(*arn+"|shardId-0|0|false|0"), 1)
	assert.ErrorAs(t, err, new(*streamtypes.ResourceNotFoundException))
}

func TestIteratorsExpire(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, s, arn := resharded(t, 3)
	first := *shardsOf(t, s.Client, arn)[0].ShardId
	at, err := iteratorOf(ctx, s.Client, arn, first, "TRIM_HORIZON", "")
	require.NoError(t, err)
	page, err := get1(ctx, s.Client, at, 1)
	require.NoError(t, err)
	s.ExpireIterators()
	for _, old := range []*string{at, page.NextShardIterator} {
		if old != nil {
			_, err := get1(ctx, s.Client, old, 1)
			assert.ErrorAs(t, err, new(*streamtypes.ExpiredIteratorException))
		}
	}
	at, err = iteratorOf(ctx, s.Client, arn, first, "TRIM_HORIZON", "")
	require.NoError(t, err)
	_, err = get1(ctx, s.Client, at, 1)
	assert.NoError(t, err)
}

func TestWrongUseOfShards(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things, streamed), Streams())
	s := d.Reshard(1, 1)
	w := &witness{TB: t}
	d.t = w
	for _, bounds := range [][2]int{{0, 1}, {2, 1}, {-1, -1}} {
		assert.Contains(t, w.fatal(func() { d.Reshard(bounds[0], bounds[1]) }), "dyntest: Reshard: minRecords must be positive")
	}
	assert.Contains(t, w.fatal(func() { s.Trim(streamed, -1) }), "dyntest: Trim: keep must not be negative, got -1")
	assert.Contains(t, w.fatal(func() { s.Trim(things, 1) }), "dyntest: Trim: table Things: it has no stream; set Stream in its schema")
	gone := &dynastay.Schema{Name: "Gone"}
	assert.Contains(t, w.fatal(func() { s.Trim(gone, 1) }), "dyntest: Trim: table Gone: ")
}
