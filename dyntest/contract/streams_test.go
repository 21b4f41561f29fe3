package contract_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/dynastay/dynastay/dyntest/contract"
)

// newOnly has no old items.
type newOnly struct{ contract.Streams }

func (s newOnly) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	out, err := s.Streams.GetRecords(ctx, in, o...)
	if err == nil {
		for _, r := range out.Records {
			r.Dynamodb.OldImage = nil
		}
	}
	return out, err
}

// beginning has iterators of one type where another one is asked for.
type beginning struct {
	contract.Streams
	asked, got types.ShardIteratorType
}

func (s beginning) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	other := *in
	if in.ShardIteratorType == s.asked {
		other.ShardIteratorType = s.got
		if s.got == types.ShardIteratorTypeTrimHorizon {
			other.SequenceNumber = nil
		}
	}
	return s.Streams.GetShardIterator(ctx, &other, o...)
}

func TestStreams(t *testing.T) {
	broken := func(breaks func(contract.Streams) contract.Streams) func(*contract.Target) {
		return func(target *contract.Target) { target.Streams = breaks(target.Streams) }
	}
	t.Run("no old items", func(t *testing.T) {
		notices(t, broken(func(s contract.Streams) contract.Streams { return newOnly{s} }), "streams",
			"the changes of an item are in their order, each with the old and the new item",
			"a write that changes nothing is not in the stream",
			"reading continues after a sequence number",
			"LATEST begins with the next change",
		)
	})
	t.Run("from the beginning", func(t *testing.T) {
		notices(t, broken(func(s contract.Streams) contract.Streams {
			return beginning{s, types.ShardIteratorTypeLatest, types.ShardIteratorTypeTrimHorizon}
		}), "streams", "LATEST begins with the next change")
	})
	t.Run("at a record instead of after it", func(t *testing.T) {
		notices(t, broken(func(s contract.Streams) contract.Streams {
			return beginning{s, types.ShardIteratorTypeAfterSequenceNumber, types.ShardIteratorTypeAtSequenceNumber}
		}), "streams", "reading continues after a sequence number")
	})
}
