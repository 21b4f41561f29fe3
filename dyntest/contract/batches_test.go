package contract_test

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// losing does not carry out the last write of a batch, and does not say so.
type losing struct{ dynastay.Client }

func (c losing) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...options) (*dynamodb.BatchWriteItemOutput, error) {
	less := map[string][]types.WriteRequest{}
	for table, writes := range in.RequestItems {
		less[table] = writes[:len(writes)-1]
	}
	return c.Client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: less}, o...)
}

// padding returns an empty item for every key without one.
type padding struct{ dynastay.Client }

func (c padding) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...options) (*dynamodb.BatchGetItemOutput, error) {
	out, err := c.Client.BatchGetItem(ctx, in, o...)
	if err != nil {
		return out, err
	}
	for table, asked := range in.RequestItems {
		for len(out.Responses[table]) < len(asked.Keys) {
			out.Responses[table] = append(out.Responses[table], dynastay.Item{})
		}
	}
	return out, nil
}

// tolerant accepts keys that are repeated.
type tolerant struct{ dynastay.Client }

func (c tolerant) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...options) (*dynamodb.BatchGetItemOutput, error) {
	once := map[string]types.KeysAndAttributes{}
	for table, asked := range in.RequestItems {
		asked.Keys = slices.CompactFunc(slices.Clone(asked.Keys), func(a, b map[string]types.AttributeValue) bool {
			return *a["sk"].(*types.AttributeValueMemberS) == *b["sk"].(*types.AttributeValueMemberS)
		})
		once[table] = asked
	}
	other := *in
	other.RequestItems = once
	return c.Client.BatchGetItem(ctx, &other, o...)
}

func TestBatches(t *testing.T) {
	t.Run("a rest that is lost", func(t *testing.T) {
		notices(t, client(func(c dynastay.Client) dynastay.Client { return losing{c} }), "batches",
			"every write of a batch is carried out, or returned as unprocessed",
			"25 writes are accepted, 26 are refused",
			"an item twice in a batch of writes is refused",
		)
	})
	t.Run("empty items", func(t *testing.T) {
		notices(t, client(func(c dynastay.Client) dynastay.Client { return padding{c} }), "batches",
			"every write of a batch is carried out, or returned as unprocessed",
			"keys without an item are absent from a batch of reads",
		)
	})
	t.Run("keys twice", func(t *testing.T) {
		notices(t, client(func(c dynastay.Client) dynastay.Client { return tolerant{c} }), "batches",
			"an item twice in a batch of reads is refused",
		)
	})
}
