package lambda_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/lambda"
)

var notesTable = &dynastay.Schema{Name: "Notes", Key: dynastay.KeyNames{Partition: "PK"}}

// batch returns an event of new items, one for each key, with the sequence numbers 101, 102 …
func batch(keys ...string) (event events.DynamoDBEvent) {
	for i, key := range keys {
		item := map[string]events.DynamoDBAttributeValue{"PK": events.NewStringAttribute(key)}
		event.Records = append(event.Records, events.DynamoDBEventRecord{
			EventName: "INSERT", EventSourceArn: notesARN,
			Change: events.DynamoDBStreamRecord{
				SequenceNumber: strconv.Itoa(101 + i), StreamViewType: "NEW_AND_OLD_IMAGES", Keys: item, NewImage: item,
			},
		})
	}
	return event
}

var errDown = errors.New("the queue is down")

// fixed is a function with a handler that fails for some of the items, and notes what it was called with.
type fixed struct {
	opts    lambda.Options
	fails   map[string]error
	handled []string // the keys that the router got
	dead    []string // the keys that DeadLetter got
	told    []error  // the errors that OnError got
}

// call handles an event.
func (f *fixed) call(ctx context.Context, event events.DynamoDBEvent) (failures []string, err error) {
	router := stream.NewRouter(stream.OnItems(plain, notesTable, func(_ context.Context, r stream.Record) error {
		key := r.Keys.Text("PK")
		f.handled = append(f.handled, key)
		return f.fails[key]
	}))
	f.opts.OnError = func(_ context.Context, err error) { f.told = append(f.told, err) }
	out, err := lambda.Handler(router, &f.opts)(ctx, event)
	for _, failure := range out.BatchItemFailures {
		failures = append(failures, failure.ItemIdentifier)
	}
	return failures, err
}

// bury is a DeadLetter that accepts every record.
func (f *fixed) bury(_ context.Context, r stream.Record, _ error) error {
	f.dead = append(f.dead, r.Keys.Text("PK"))
	return nil
}

func TestHandlerHandlesABatchInOrder(t *testing.T) {
	for _, partial := range []bool{false, true} {
		f := &fixed{opts: lambda.Options{PartialBatch: partial}}
		failures, err := f.call(t.Context(), batch("a", "b", "c"))
		assert.NoError(t, err)
		assert.Empty(t, failures)
		assert.Equal(t, []string{"a", "b", "c"}, f.handled)
		assert.Empty(t, f.told)

		failures, err = f.call(t.Context(), batch())
		assert.NoError(t, err)
		assert.Empty(t, failures)
	}
	out, err := lambda.Handler(stream.NewRouter(), nil)(t.Context(), batch())
	require.NoError(t, err)
	response, err := json.Marshal(out)
	require.NoError(t, err)
	assert.JSONEq(t, `{"batchItemFailures": []}`, string(response), "an empty list means that the batch was handled")
}

// Without a partial batch, Lambda repeats the whole batch, so nothing is lost.
func TestHandlerReturnsTheFirstError(t *testing.T) {
	f := &fixed{fails: map[string]error{"EMAIL#ada@example.com": errDown}}
	failures, err := f.call(t.Context(), batch("a", "EMAIL#ada@example.com", "c"))
	assert.Empty(t, failures)
	assert.Equal(t, []string{"a", "EMAIL#ada@example.com"}, f.handled)
	assert.ErrorIs(t, err, errDown)
	assert.EqualError(t, err,
		"record Notes/2026-03-01T10:15:00.123/0000000000000000000000000000000000000102 of EMAIL#***: the queue is down")
	assert.Empty(t, f.told, "the error is returned")
}

// With a partial batch, Lambda repeats the record with the reported number and those after it, also if it is the first.
func TestHandlerReportsTheFirstFailure(t *testing.T) {
	for key, want := range map[string]string{"a": "101", "b": "102", "c": "103"} {
		f := &fixed{opts: lambda.Options{PartialBatch: true}, fails: map[string]error{key: errDown}}
		failures, err := f.call(t.Context(), batch("a", "b", "c"))
		assert.NoError(t, err)
		assert.Equal(t, []string{want}, failures)
		assert.Equal(t, key, f.handled[len(f.handled)-1], "it stops there")
		require.Len(t, f.told, 1, "the error is not visible anywhere else")
		assert.ErrorIs(t, f.told[0], errDown)
		assert.ErrorContains(t, f.told[0], "0"+want+" of "+key)
	}
}

// Lambda regards an empty identifier as the failure of the whole batch.
func TestHandlerReportsARecordWithoutNumber(t *testing.T) {
	event := batch("a", "b")
	event.Records[1].Change.SequenceNumber = ""
	f := &fixed{opts: lambda.Options{PartialBatch: true}}
	failures, err := f.call(t.Context(), event)
	assert.NoError(t, err)
	assert.Equal(t, []string{""}, failures)
}

func TestDeadLetterGetsPermanentErrors(t *testing.T) {
	for _, partial := range []bool{false, true} {
		f := &fixed{fails: map[string]error{"b": stream.Permanent(errDown), "d": errDown}}
		f.opts.PartialBatch = partial
		f.opts.DeadLetter = func(ctx context.Context, r stream.Record, err error) error {
			assert.ErrorIs(t, err, stream.ErrPermanent)
			assert.ErrorIs(t, err, errDown)
			assert.Equal(t, "102", r.Sequence)
			assert.True(t, r.New.Exists())
			return f.bury(ctx, r, err)
		}
		failures, err := f.call(t.Context(), batch("a", "b", "c", "d", "e"))
		assert.Equal(t, []string{"b"}, f.dead, "and d fails like any other")
		assert.Equal(t, []string{"a", "b", "c", "d"}, f.handled)
		require.NotEmpty(t, f.told)
		assert.ErrorContains(t, f.told[0], "102 of b: the queue is down")
		if partial {
			assert.NoError(t, err)
			assert.Equal(t, []string{"104"}, failures)
			assert.Len(t, f.told, 2)
		} else {
			assert.ErrorContains(t, err, "104 of d")
			assert.Len(t, f.told, 1)
		}
	}
}

func TestDeadLetterMayFail(t *testing.T) {
	full := errors.New("the table is full")
	f := &fixed{fails: map[string]error{"b": stream.Permanent(errDown)}}
	f.opts.DeadLetter = func(context.Context, stream.Record, error) error { return full }
	_, err := f.call(t.Context(), batch("a", "b", "c"))
	assert.ErrorIs(t, err, errDown)
	assert.ErrorIs(t, err, full)
	assert.ErrorContains(t, err, "102 of b: the queue is down; dead letter: the table is full")
	assert.Equal(t, []string{"a", "b"}, f.handled)
	assert.Empty(t, f.told)
}

func TestPermanentErrorFailsWithoutDeadLetter(t *testing.T) {
	f := &fixed{fails: map[string]error{"a": stream.Permanent(errDown)}}
	_, err := f.call(t.Context(), batch("a", "b"))
	assert.ErrorIs(t, err, stream.ErrPermanent)
	assert.Equal(t, []string{"a"}, f.handled)
}

// A record that cannot be read is permanent. Its dead letter has what could be read.
func TestUnreadableRecordIsPermanent(t *testing.T) {
	keysOnly, badARN := batch("a", "b"), batch("a", "b")
	keysOnly.Records[0].Change.StreamViewType, keysOnly.Records[0].Change.NewImage = "KEYS_ONLY", nil
	badARN.Records[0].EventSourceArn = "arn:aws:sqs:eu-west-1:123456789012:notes"
	for _, event := range []events.DynamoDBEvent{keysOnly, badARN} {
		f := &fixed{}
		_, err := f.call(t.Context(), event)
		assert.ErrorIs(t, err, stream.ErrPermanent)
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.Empty(t, f.handled)

		f.opts.DeadLetter = f.bury
		failures, err := f.call(t.Context(), event)
		assert.NoError(t, err)
		assert.Empty(t, failures)
		assert.Equal(t, []string{"a"}, f.dead)
		assert.Equal(t, []string{"b"}, f.handled)
	}
}

// The record is not at fault if no route is for its table, so it must be neither ignored nor a dead letter.
func TestTableWithoutRouteFails(t *testing.T) {
	event := batch("a")
	event.Records[0].EventSourceArn = "arn:aws:dynamodb:eu-west-1:123456789012:table/prod-Notes/stream/2026-03-01T10:15:00.123"
	f := &fixed{}
	f.opts.DeadLetter = f.bury
	_, err := f.call(t.Context(), event)
	assert.ErrorContains(t, err, "no route is for the table prod-Notes")
	assert.Empty(t, f.dead)
}

// What was handled before the time was over is not repeated.
func TestHandlerStopsWhenTheTimeIsOver(t *testing.T) {
	for _, partial := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		var handled []string
		router := stream.NewRouter(stream.OnItems(plain, notesTable, func(_ context.Context, r stream.Record) error {
			if handled = append(handled, r.Sequence); r.Sequence == "102" {
				cancel()
			}
			return nil
		}))
		var told []error
		handler := lambda.Handler(router, &lambda.Options{
			PartialBatch: partial, OnError: func(_ context.Context, err error) { told = append(told, err) },
		})
		out, err := handler(ctx, batch("a", "b", "c", "d"))
		assert.Equal(t, []string{"101", "102"}, handled)
		if partial {
			assert.NoError(t, err)
			assert.Equal(t, []events.DynamoDBBatchItemFailure{{ItemIdentifier: "103"}}, out.BatchItemFailures)
			require.Len(t, told, 1)
			err = told[0]
		}
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, "103 of c: not started: ")
	}
}

// An error that says that it is permanent may be that of the context, so the record is handled again.
func TestNoDeadLetterWhenTheTimeIsOver(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	router := stream.NewRouter(stream.OnItems(plain, notesTable, func(ctx context.Context, _ stream.Record) error {
		cancel()
		<-ctx.Done()
		return stream.Permanent(ctx.Err())
	}))
	_, err := lambda.Handler(router, &lambda.Options{DeadLetter: func(context.Context, stream.Record, error) error {
		assert.Fail(t, "must not be called")
		return nil
	}})(ctx, batch("a"))
	assert.ErrorIs(t, err, context.Canceled)
}

// A record's context ends before that of the invocation, because Lambda repeats the batch of a function that is
// stopped.
func TestRecordsHaveLessTime(t *testing.T) {
	var got time.Time
	var limited bool
	router := stream.NewRouter(stream.OnItems(plain, notesTable, func(ctx context.Context, _ stream.Record) error {
		got, limited = ctx.Deadline()
		return nil
	}))
	handler := lambda.Handler(router, nil)
	for _, timeout := range []time.Duration{10 * time.Second, 15 * time.Minute} {
		deadline := time.Now().Add(timeout)
		ctx, cancel := context.WithDeadline(t.Context(), deadline)
		_, err := handler(ctx, batch("a"))
		later := time.Until(deadline)
		cancel()
		require.NoError(t, err)
		require.True(t, limited)
		reserved := deadline.Sub(got)
		if timeout == 15*time.Minute {
			assert.Equal(t, 2*time.Second, reserved)
			continue
		}
		assert.LessOrEqual(t, reserved, timeout/10)
		assert.GreaterOrEqual(t, reserved, later/10)
	}
	_, err := handler(t.Context(), batch("a"))
	assert.NoError(t, err)
	assert.False(t, limited, "no time is limited in a test of the function")
}

// By default, an error that is not returned is logged.
func TestErrorsAreLogged(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	defer slog.SetDefault(before)
	router := stream.NewRouter(stream.OnItems(plain, notesTable, func(context.Context, stream.Record) error { return errDown }))
	_, err := lambda.Handler(router, &lambda.Options{PartialBatch: true})(t.Context(), batch("a"))
	assert.NoError(t, err)
	assert.Contains(t, logged.String(), "level=ERROR")
	assert.Contains(t, logged.String(), "101 of a: the queue is down")
}

func TestHandlerRequiresARouter(t *testing.T) {
	assert.PanicsWithValue(t, "lambda: Handler requires a router", func() { lambda.Handler(nil, nil) })
}
