package dyntest

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
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
)

func once(o *dynamodb.Options) { o.RetryMaxAttempts = 1 }

// impatient is the test's client without the SDK's retries.
func (d *DB) impatient() *dynamodb.Client {
	return d.Engine.client(d.over(d.Engine.transport), once)
}

// gate is a transport below the faults that holds every request until it is opened.
type gate struct {
	next    http.RoundTripper
	arrived chan struct{}
	open    chan struct{}
}

// gated is a client whose requests wait between the faults and the engine.
func (d *DB) gated() (*dynamodb.Client, *gate) {
	g := &gate{d.Engine.transport, make(chan struct{}), make(chan struct{})}
	return d.Engine.client(d.over(g), once), g
}

func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	g.arrived <- struct{}{}
	<-g.open
	return g.next.RoundTrip(req)
}

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
	var cancelled *types.TransactionCanceledException
	require.ErrorAs(t, err, &cancelled)
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

	var conflict *types.TransactionConflictException
	require.ErrorAs(t, put(ctx, client, d, "a", "1"), &conflict)
	assert.Equal(t, "Transaction is ongoing for the item", conflict.ErrorMessage())
	_, err = client.DeleteItem(ctx, remove(d, "b"))
	assert.ErrorAs(t, err, &conflict)
	_, err = client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: d.things(), Key: key("a")})
	assert.ErrorAs(t, err, &conflict)

	var running *types.TransactionInProgressException
	_, err = client.TransactWriteItems(ctx, first)
	assert.ErrorAs(t, err, &running)

	// All else goes on: a plain read, other items, and the same key in another table and in a table of another test.
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

func TestWriteUnderWayCancelsATransaction(t *testing.T) {
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

func TestAnswerIsLost(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	client := d.impatient()
	lost := d.Faults.Inject(LoseAnswer(), When{Operation: "PutItem", Nth: 2})
	_, err := client.DeleteItem(ctx, remove(d, "a"))
	require.NoError(t, err, "it is another operation")
	require.NoError(t, put(ctx, client, d, "a", "first"))
	assert.ErrorIs(t, put(ctx, client, d, "a", "second"), io.ErrUnexpectedEOF)
	assert.Equal(t, "second", read(t, d, "a"), "it was carried out")
	assert.NoError(t, put(ctx, client, d, "a", "third"))
	assert.Equal(t, 3, d.Faults.Count("PutItem"))
	assert.Equal(t, 1, lost.Hits())
}

func TestSDKRepeatsARequestWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	d.Faults.Inject(LoseAnswer(), When{Operation: "TransactWriteItems", Nth: 1})
	_, err := d.Client.TransactWriteItems(t.Context(), add(d, "a"))
	require.NoError(t, err)
	assert.Equal(t, 2, d.Faults.Count("TransactWriteItems"))
	assert.Equal(t, "1", read(t, d, "a"), "the client token makes it one transaction")
}

func TestRecord(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	stop := d.Faults.Record()
	require.NoError(t, put(ctx, d.Client, d, "a<b", "1"))
	_, err := d.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: d.things(), Key: key("a<b")})
	require.NoError(t, err)
	requests := stop()
	require.NoError(t, put(ctx, d.Client, d, "later", ""))

	require.Len(t, requests, 2)
	assert.Len(t, stop(), 2, "it has stopped")
	assert.Equal(t, "PutItem", requests[0].Operation)
	assert.Equal(t,
		`{"Item":{"pk":{"S":"a<b"},"sk":{"S":"thing"},"value":{"S":"1"}},"TableName":"Things"}`, string(requests[0].Body))
	assert.Equal(t, "GetItem", requests[1].Operation)
	assert.Equal(t,
		`{"Key":{"pk":{"S":"a<b"},"sk":{"S":"thing"}},"TableName":"Things"}`, string(requests[1].Body))
	assert.Equal(t, 2, d.Faults.Count("PutItem"))
	assert.Zero(t, d.Faults.Count("CreateTable"), "set-up does not count")
}

func TestTableThatTheTestDoesNotHave(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	w := d.watched()
	name := d.TableName(&dynastay.Schema{Name: "Vouchers"})
	for range 2 {
		_, err := d.Client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: key("a")})
		var gone *types.ResourceNotFoundException
		assert.ErrorAs(t, err, &gone)
	}
	require.Len(t, w.logs, 1)
	assert.Contains(t, w.logs[0], `this test has no table "Vouchers", it has Things; Tables adds`)
}
