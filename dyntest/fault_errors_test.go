package dyntest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

// assertStatus checks the code and the HTTP status of an error of the service.
func assertStatus(t *testing.T, err error, status int, code string) {
	t.Helper()
	response := blame.As[*awshttp.ResponseError](t, err)
	assert.Equal(t, status, response.HTTPStatusCode())
	api := blame.As[smithy.APIError](t, err)
	assert.Equal(t, code, api.ErrorCode())
	assert.NotEmpty(t, api.ErrorMessage())
}

// sends has one request of each operation, which adds one to the item n or reads it.
func sends(d *DB, client *dynamodb.Client) map[string]func(context.Context) error {
	expression, names := "ADD #v :one", map[string]string{"#v": "value"}
	one := map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}}
	condition := map[string]types.AttributeValue{":n": &types.AttributeValueMemberS{Value: "n"}}
	return map[string]func(context.Context) error{
		"GetItem": func(ctx context.Context) error {
			_, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: d.things(), Key: key("n")})
			return err
		},
		"PutItem": func(ctx context.Context) error { return put(ctx, client, d, "n", "1") },
		"UpdateItem": func(ctx context.Context) error {
			_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: d.things(), Key: key("n"), UpdateExpression: &expression,
				ExpressionAttributeNames: names, ExpressionAttributeValues: one,
			})
			return err
		},
		"DeleteItem": func(ctx context.Context) error {
			_, err := client.DeleteItem(ctx, remove(d, "n"))
			return err
		},
		"Query": func(ctx context.Context) error {
			_, err := client.Query(ctx, &dynamodb.QueryInput{
				TableName: d.things(), KeyConditionExpression: aws.String("pk = :n"), ExpressionAttributeValues: condition,
			})
			return err
		},
		"Scan": func(ctx context.Context) error {
			_, err := client.Scan(ctx, &dynamodb.ScanInput{TableName: d.things()})
			return err
		},
		"BatchGetItem": func(ctx context.Context) error {
			_, err := client.BatchGetItem(ctx, getBatch(d, "n", "m"))
			return err
		},
		"BatchWriteItem": func(ctx context.Context) error {
			_, err := client.BatchWriteItem(ctx, putBatch(d, "n", "m"))
			return err
		},
		"TransactGetItems": func(ctx context.Context) error {
			_, err := client.TransactGetItems(ctx, get(d, "n", "m"))
			return err
		},
		"TransactWriteItems": func(ctx context.Context) error {
			_, err := client.TransactWriteItems(ctx, add(d, "n", "m"))
			return err
		},
	}
}

func isTransaction(operation string) bool {
	return operation == "TransactGetItems" || operation == "TransactWriteItems"
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	i := d.Faults.Inject(Throttle(), When{})
	for operation, send := range sends(d, d.impatient()) {
		err := send(ctx)
		if isTransaction(operation) {
			assertStatus(t, err, http.StatusBadRequest, "TransactionCanceledException")
			cancelled := blame.As[*types.TransactionCanceledException](t, err)
			assert.Equal(t, "Transaction cancelled, please refer cancellation reasons for specific reasons [ThrottlingError, None]",
				cancelled.ErrorMessage())
			require.Len(t, cancelled.CancellationReasons, 2)
			assert.Equal(t, "ThrottlingError", *cancelled.CancellationReasons[0].Code)
			assert.NotEmpty(t, *cancelled.CancellationReasons[0].Message)
			assert.Equal(t, types.CancellationReason{Code: aws.String("None")}, cancelled.CancellationReasons[1])
		} else {
			assertStatus(t, err, http.StatusBadRequest, "ProvisionedThroughputExceededException")
			exceeded := blame.As[*types.ProvisionedThroughputExceededException](t, err)
			require.Len(t, exceeded.ThrottlingReasons, 1)
			way := "Read"
			if slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"}, operation) {
				way = "Write"
			}
			assert.Equal(t, "Table"+way+"ProvisionedThroughputExceeded", *exceeded.ThrottlingReasons[0].Reason, operation)
			assert.True(t, strings.HasSuffix(*exceeded.ThrottlingReasons[0].Resource, ":table/"+d.TableName(things)))
		}
	}
	assert.Equal(t, len(itemOperations), i.Hits())
	assert.Empty(t, read(t, d, "n"), "nothing was written")
}

// What the SDK retries by itself is told to the observer nevertheless, with the index that was throttled.
func TestThrottleOfAnIndexIsObserved(t *testing.T) {
	t.Parallel()
	var calls []dynastay.Call
	d := New(t, With(dynastay.Options{Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) { calls = append(calls, c) })}))
	d.Faults.Inject(Throttle(), When{Operation: "Query", Times: 2})
	_, err := dynastay.QueryAll(t.Context(), d.DB, keys.UsersTable, dynastay.Query{Index: keys.EmailIndex, Partition: "EMAIL#a"})
	require.NoError(t, err)
	throttle := dynastay.Throttle{
		Reason: "IndexReadProvisionedThroughputExceeded", Table: d.TableName(keys.UsersTable), Index: keys.EmailIndex,
	}
	require.Len(t, calls, 1)
	assert.Equal(t, []dynastay.Throttle{throttle, throttle}, calls[0].Throttles)
	assert.Equal(t, 2, calls[0].Retries)
	assert.Equal(t, dynastay.Done, calls[0].Verdict)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	i := d.Faults.Inject(Cancel("ValidationError"), When{})
	all := sends(d, d.impatient())
	for operation, send := range all {
		require.NoError(t, all["DeleteItem"](ctx)) // what is put is a text, to which UpdateItem can add nothing
		err := send(ctx)
		if !isTransaction(operation) {
			assert.NotErrorAs(t, err, new(*types.TransactionCanceledException), operation)
			continue
		}
		assertStatus(t, err, http.StatusBadRequest, "TransactionCanceledException")
		cancelled := blame.As[*types.TransactionCanceledException](t, err)
		require.Len(t, cancelled.CancellationReasons, 2)
		assert.Equal(t, "ValidationError", *cancelled.CancellationReasons[0].Code)
		assert.Equal(t, "None", *cancelled.CancellationReasons[1].Code)
	}
	assert.Equal(t, 2, i.Hits())
}

// A caller does not notice what the SDK retries by itself.
func TestTheSDKRetriesTransientErrors(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]Fault{
		"throttled": Throttle(), "in progress": InProgress(), "internal": InternalError(),
		"internal, done": InternalErrorAfterCommit(), "lost": LoseRequest(), "lost, done": LoseAnswer(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := New(t, OnlyTables(things))
			operation := "UpdateItem"
			if name == "in progress" || name == "internal, done" || name == "lost, done" {
				operation = "TransactWriteItems" // its token makes the retries one transaction
			}
			i := d.Faults.Inject(what, When{Operation: operation, Nth: 1, Times: 2})
			require.NoError(t, sends(d, d.eager())[operation](t.Context()))
			assert.Equal(t, 2, i.Hits())
			assert.Equal(t, 3, d.Faults.Count(operation))
			assert.Equal(t, "1", read(t, d, "n"))
		})
	}
}

// The SDK's retry quota is off: however many requests have failed before, the next fault meets the same retries.
func TestEarlierFaultsDoNotUseUpTheRetries(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	get := sends(d, d.Client)["GetItem"]
	failing := d.Faults.Inject(InternalError(), When{Operation: "GetItem"})
	for range 100 { // the quota is 500, and a retry costs 5
		require.Error(t, get(t.Context()))
	}
	failing.Stop()
	d.Faults.Inject(InternalError(), When{Operation: "GetItem", Nth: 1})
	assert.NoError(t, get(t.Context()))
}

func TestInternalErrors(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]Fault{"": InternalError(), "1": InternalErrorAfterCommit()} {
		t.Run("leaves "+name, func(t *testing.T) {
			t.Parallel()
			d := New(t, OnlyTables(things))
			i := d.Faults.Inject(what, When{})
			err := put(t.Context(), d.impatient(), d, "a", "1")
			assertStatus(t, err, http.StatusInternalServerError, "InternalServerError")
			assert.ErrorAs(t, err, new(*types.InternalServerError))
			assert.Equal(t, name, read(t, d, "a"))
			assert.Equal(t, 1, i.Hits())
		})
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	i := d.Faults.Inject(Conflict(), When{})
	hit := 0
	for operation, send := range sends(d, d.impatient()) {
		err := send(ctx)
		switch operation {
		case "PutItem", "UpdateItem", "DeleteItem":
			assertStatus(t, err, http.StatusBadRequest, "TransactionConflictException")
			hit++
		case "TransactGetItems", "TransactWriteItems":
			assertCancelled(t, err, "TransactionConflict", "None")
			hit++
		default:
			assert.NoError(t, err, operation)
		}
	}
	assert.Equal(t, 5, hit)
	assert.Equal(t, 5, i.Hits())
	assert.Equal(t, 5, i.counted, "the others do not count")
}

func TestInProgress(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	d.Faults.Inject(InProgress(), When{Nth: 1})
	require.NoError(t, put(ctx, d.impatient(), d, "a", "1"), "it is not a transaction")
	_, err := d.impatient().TransactWriteItems(ctx, add(d, "n"))
	assertStatus(t, err, http.StatusBadRequest, "TransactionInProgressException")
	assert.ErrorAs(t, err, new(*types.TransactionInProgressException))
	assert.Empty(t, read(t, d, "n"))
}

func TestFail(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	d.Faults.Inject(Fail("AccessDeniedException"), When{Nth: 1})
	assertStatus(t, put(ctx, d.eager(), d, "a", "1"), http.StatusBadRequest, "AccessDeniedException")
	d.Faults.Inject(Fail("ResourceNotFoundException"), When{Nth: 1})
	assert.ErrorAs(t, put(ctx, d.eager(), d, "a", "1"), new(*types.ResourceNotFoundException))
	assert.Equal(t, 2, d.Faults.Count("PutItem"), "the SDK does not retry these")
	assert.Empty(t, read(t, d, "a"))
}

func TestFailHasTheStatusOfItsCode(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	for code, status := range map[string]int{
		"InternalServerError": 500, "InternalFailure": 500, "ServiceUnavailable": 503, "ServiceUnavailableException": 503,
	} {
		d.Faults.Inject(Fail(code), When{Times: 2})
		assertStatus(t, put(ctx, d.impatient(), d, "a", "1"), status, code)
		assert.NoError(t, put(ctx, d.eager(), d, "a", "1"), "the SDK retries %s", code)
	}
}
