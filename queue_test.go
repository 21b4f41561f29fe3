package dynastay

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A write that conflicts or is overtaken at an item for which it does not queue, queues for all its items before it
// tries again. A write that already has its turn does not give it up.
func TestMeetingAnotherWriteQueues(t *testing.T) {
	conflicting := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{
		{Code: aws.String("TransactionConflict")}, {Code: aws.String("None")},
	}}
	condition := &types.ConditionalCheckFailedException{Item: Item{"PK": str("SHOP#1"), "SK": str("METADATA")}}
	stored := Item{"PK": str("SHOP#1"), "SK": str("METADATA"), "ShopId": str("1"), "Name": str("a")}
	first := RefOf(shopSchema, shopKey)
	for name, test := range map[string]struct {
		answer error
		ops    func(shops) []Part
	}{
		"a conflict": {conflicting, func(table shops) []Part {
			return []Part{table.PutOp(&shop{ID: "1"}), table.PutOp(&shop{ID: "2"})}
		}},
		"a plain conflict": {&types.TransactionConflictException{}, func(table shops) []Part {
			return []Part{table.UpdateOp(shopKey, func(s *shop) error { s.Name = "b"; return nil })}
		}},
		"overtaken": {condition, func(table shops) []Part {
			return []Part{table.UpdateOp(shopKey, func(s *shop) error { s.Name = "b"; return nil })}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &script{answers: []error{test.answer, nil}, stored: stored}
				db := Open(client, nil)
				table := shops{db}
				other, err := db.gates.enter(t.Context(), []Ref{first}, nil)
				require.NoError(t, err)
				result := make(chan error, 1)
				go func() { result <- db.Write(t.Context(), test.ops(table)...) }()
				time.Sleep(time.Hour) // of the bubble: whatever does not wait for the gate has happened by then
				synctest.Wait()
				assert.Len(t, client.times, 1, "it waits for its turn")
				other.leave(nil)
				require.NoError(t, <-result)
				assert.Len(t, client.times, 2)
				assert.Empty(t, db.gates.open, "all gates are given back")
			})
			synctest.Test(t, func(t *testing.T) {
				client := &script{answers: []error{test.answer, nil}, stored: stored}
				db := Open(client, nil)
				holder := NewOp(OpSpec[struct{}]{
					Name: "test.Holder", Contest: &Contest{Items: []Ref{first}},
					Prepare: func(context.Context, *Tx) (struct{}, error) { return struct{}{}, nil },
				})
				entered := make(chan error, 1)
				parts := append(test.ops(shops{db}), holder)
				go func() { entered <- db.Write(t.Context(), parts...) }()
				require.NoError(t, <-entered)
				assert.Len(t, client.times, 2)
				assert.EqualValues(t, 3, db.gates.moves, "one arrival, and a tick for each of two requests")
			})
		})
	}
}
