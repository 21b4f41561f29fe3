package dyntest

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// add is a transaction that adds one to the value of each item.
func add(d *DB, ids ...string) *dynamodb.TransactWriteItemsInput {
	expression, names := "ADD #v :one", map[string]string{"#v": "value"}
	values := map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}}
	in := &dynamodb.TransactWriteItemsInput{}
	for _, id := range ids {
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Update: &types.Update{
			TableName: d.things(), Key: key(id), UpdateExpression: &expression,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values,
		}})
	}
	return in
}

func get(d *DB, ids ...string) *dynamodb.TransactGetItemsInput {
	in := &dynamodb.TransactGetItemsInput{}
	for _, id := range ids {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: d.things(), Key: key(id)}})
	}
	return in
}

func remove(d *DB, id string) *dynamodb.DeleteItemInput {
	return &dynamodb.DeleteItemInput{TableName: d.things(), Key: key(id)}
}

// assertCancelled checks the codes of a cancelled transaction's reasons, in the order of its actions.
func assertCancelled(t *testing.T, err error, codes ...string) {
	t.Helper()
	cancelled := blame.As[*types.TransactionCanceledException](t, err)
	var got []string
	for _, reason := range cancelled.CancellationReasons {
		got = append(got, *reason.Code)
		if *reason.Code == "None" {
			assert.Nil(t, reason.Message)
		} else {
			assert.Equal(t, "Transaction is ongoing for the item", *reason.Message)
		}
	}
	assert.Equal(t, codes, got)
	assert.Contains(t, cancelled.ErrorMessage(), "please refer cancellation reasons for specific reasons [")
}

func TestTransactionHoldsItsItems(t *testing.T) {
	t.Parallel()
	others := &dynastay.Schema{Name: "Others", Key: things.Key}
	ctx, d := t.Context(), New(t, OnlyTables(things, others))
	d.Faults.Conflicts(0)
	client := d.impatient()
	slow, g := d.gated()

	token := rand.Text()
	first := add(d, "a", "b")
	first.ClientRequestToken = &token
	ended := make(chan error, 1)
	go func() {
		_, err := slow.TransactWriteItems(ctx, first)
		ended <- err
	}()
	<-g.arrived

	_, err := client.TransactWriteItems(ctx, add(d, "c", "b", "d"))
	assertCancelled(t, err, "None", "TransactionConflict", "None")
	_, err = client.TransactGetItems(ctx, get(d, "a", "c"))
	assertCancelled(t, err, "TransactionConflict", "None")

	conflict := blame.As[*types.TransactionConflictException](t, put(ctx, client, d, "a", "1"))
	assert.Equal(t, "Transaction is ongoing for the item", conflict.ErrorMessage())
	_, err = client.DeleteItem(ctx, remove(d, "b"))
	assert.ErrorAs(t, err, &conflict)
	_, err = client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: d.things(), Key: key("a")})
	assert.ErrorAs(t, err, &conflict)

	var running *types.TransactionInProgressException
	_, err = client.TransactWriteItems(ctx, first)
	assert.ErrorAs(t, err, &running)

	// Everything else succeeds: a plain read, other items, and the same key in another table and in another test's table.
	assert.Empty(t, read(t, d, "a"))
	assert.NoError(t, put(ctx, client, d, "c", "1"))
	_, err = client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: d.things(), Key: things.Key.Of(dynastay.Key{PK: "a", SK: "another thing"}),
	})
	assert.NoError(t, err)
	other := d.TableName(others)
	_, err = client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &other, Key: key("a")})
	assert.NoError(t, err)
	assert.NoError(t, put(ctx, client, New(t, OnlyTables(things)), "a", "1"))

	close(g.open)
	require.NoError(t, <-ended)
	_, err = client.TransactWriteItems(ctx, add(d, "b", "d"))
	assert.NoError(t, err)
	assert.Equal(t, "2", read(t, d, "b"))
}

func TestWriteInFlightCancelsATransaction(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	d.Faults.Conflicts(0)
	client := d.impatient()
	slow, g := d.gated()
	ended := make(chan error, 1)
	go func() { ended <- put(ctx, slow, d, "a", "slow") }()
	<-g.arrived

	_, err := client.TransactWriteItems(ctx, add(d, "b", "a"))
	assertCancelled(t, err, "None", "TransactionConflict")
	_, err = client.TransactGetItems(ctx, get(d, "a"))
	assertCancelled(t, err, "TransactionConflict")
	assert.NoError(t, put(ctx, client, d, "a", "quick"), "single writes do not conflict with each other")
	_, err = client.TransactGetItems(ctx, get(d, "a"))
	assertCancelled(t, err, "TransactionConflict")

	close(g.open)
	require.NoError(t, <-ended)
	_, err = client.TransactGetItems(ctx, get(d, "a"))
	assert.NoError(t, err)
	assert.Equal(t, "slow", read(t, d, "a"))
}

func TestWithoutTheFaultNothingConflicts(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	slow, g := d.gated()
	ended := make(chan error, 1)
	go func() {
		_, err := slow.TransactWriteItems(ctx, add(d, "a"))
		ended <- err
	}()
	<-g.arrived
	_, err := d.impatient().TransactWriteItems(ctx, add(d, "a"))
	assert.NoError(t, err)
	close(g.open)
	assert.NoError(t, <-ended)
	assert.Equal(t, "2", read(t, d, "a"))
}

func TestTransactionsRace(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	d.Faults.Conflicts(5 * time.Millisecond)
	client := d.impatient()
	var done, conflicts atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				_, err := client.TransactWriteItems(ctx, add(d, "a"))
				var cancelled *types.TransactionCanceledException
				switch {
				case err == nil:
					done.Add(1)
				case errors.As(err, &cancelled):
					conflicts.Add(1)
				default:
					assert.NoError(t, err)
				}
			}
		})
	}
	wg.Wait()
	assert.Positive(t, conflicts.Load())
	assert.Equal(t, 40, d.Faults.Count("TransactWriteItems"))
	_, err := d.impatient().TransactWriteItems(ctx, add(d, "a"))
	assert.NoError(t, err, "all items are free again")
	assert.Equal(t, strconv.Itoa(int(done.Load())+1), read(t, d, "a"))
}

func TestHoldEndsWithTheContext(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	d.Faults.Conflicts(time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := d.Client.TransactWriteItems(ctx, add(d, "a"))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Empty(t, read(t, d, "a"), "the transaction was not sent")
	assert.NoError(t, put(t.Context(), d.impatient(), d, "a", "1"), "the item is free again")
}
