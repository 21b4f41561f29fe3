package dynastay_test

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fake"
)

// seen is what a test compares of a call: each table and index that the request named, and whether it was charged.
type seen struct {
	operation string
	usage     map[[2]string]bool
	failed    bool
}

// The observer is told of every write under its own name, with each of its tables once, whether it was done or refused.
func TestObserverSeesWrites(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var calls []seen
	db, outbox := openOutbox(t, dynastay.Options{Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) {
		call := seen{c.Operation, map[[2]string]bool{}, c.Err != nil}
		for _, u := range c.Usage {
			assert.NotContains(t, call.usage, [2]string{u.Table, u.Index})
			call.usage[[2]string{u.Table, u.Index}] = u.ReadUnits+u.WriteUnits > 0
		}
		assert.Len(t, c.Usage, len(call.usage))
		calls = append(calls, call)
	})})
	box, records := [2]string{prefix(db) + "Outbox", ""}, [2]string{prefix(db) + "Metadata", ""}
	touch := func(m *message) error { m.Sent++; return nil }
	meddle := func(m *message) error {
		_, err := entity.NewTable(db.Direct, messageEntity).Update(ctx, keyOf("m"), touch)
		require.NoError(t, err)
		return touch(m)
	}
	version := dynastay.IfVersion(2)
	for _, step := range []struct {
		write func() error
		want  []seen
	}{
		{func() error { _, err := outbox.Create(ctx, &message{ID: "m"}); return err }, []seen{{"PutItem", map[[2]string]bool{box: true}, false}}},
		{func() error { _, err := outbox.Create(ctx, &message{ID: "m"}); return err }, []seen{{"PutItem", map[[2]string]bool{box: false}, true}}},
		{func() error { _, err := outbox.Update(ctx, keyOf("m"), touch); return err }, []seen{
			{"GetItem", map[[2]string]bool{box: true}, false}, {"UpdateItem", map[[2]string]bool{box: true}, false},
		}},
		{func() error { _, err := outbox.Update(ctx, keyOf("m"), meddle, version); return err }, []seen{
			{"GetItem", map[[2]string]bool{box: true}, false}, {"UpdateItem", map[[2]string]bool{box: false}, true},
		}},
		{func() error { return outbox.Delete(ctx, keyOf("m"), version) }, []seen{{"DeleteItem", map[[2]string]bool{box: false}, true}}},
		{func() error { return outbox.Delete(ctx, keyOf("m")) }, []seen{{"DeleteItem", map[[2]string]bool{box: true}, false}}},
		{func() error {
			return db.Write(ctx, outbox.CreateOp(&message{ID: "m"}), outbox.CreateOp(&message{ID: "n"}), dynastay.IdempotencyKey("k"))
		}, []seen{{"TransactWriteItems", map[[2]string]bool{box: true, records: true}, false}}},
		{func() error {
			return db.Write(ctx, outbox.CreateOp(&message{ID: "m"}), outbox.CreateOp(&message{ID: "n"}))
		}, []seen{
			{"TransactWriteItems", map[[2]string]bool{box: false}, true},
		}},
	} {
		calls = nil
		err := step.write()
		assert.Equal(t, step.want, calls)
		assert.Equal(t, calls[len(calls)-1].failed, err != nil)
	}
}

// A read says how often the SDK has tried it, however it ended, and what became of it.
func TestObserverSeesRetriesOfReads(t *testing.T) {
	t.Parallel()
	var calls []dynastay.Call
	db, outbox := openOutbox(t, dynastay.Options{
		Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) { calls = append(calls, c) }),
	})
	ctx, cancel := context.WithCancel(t.Context())
	reads := dyntest.When{Operation: "GetItem", Nth: 1, Times: 2}
	for name, step := range map[string]struct {
		faults  func()
		verdict dynastay.Verdict
		retries int
		limits  int
	}{
		"answered": {func() {}, dynastay.Done, 0, 0},
		"retried":  {func() { db.Faults.Inject(dyntest.InternalError(), reads) }, dynastay.Done, 2, 0},
		"throttled, and then rejected": {func() {
			db.Faults.Inject(dyntest.Throttle(), reads)
			db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "GetItem", Nth: 3})
		}, dynastay.Rejected, 2, 2},
	} {
		calls = nil
		step.faults()
		spent := db.Measure(func() { _, _ = outbox.Get(ctx, keyOf("m")) }) // that it does not exist is no error of the request
		require.Len(t, calls, 1, name)
		assert.Equal(t, step.verdict, calls[0].Verdict, name)
		assert.Equal(t, step.retries, calls[0].Retries, name)
		assert.Len(t, calls[0].Throttles, step.limits, name)
		assert.Equal(t, spent.Requests, calls[0].Requests(), name)
	}
	cancel()
	calls = nil
	_, err := outbox.Get(ctx, keyOf("m"))
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, dynastay.Unsent, calls[0].Verdict, "nothing has left the process")
}

// What DynamoDB leaves undone of a batch has met a limit. The request for the rest names only the tables of the rest.
func TestObserverSeesWhatIsLeftOfABatch(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var calls []dynastay.Call
	db, _ := openOutbox(t, dynastay.Options{
		Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) { calls = append(calls, c) }),
	})
	db.Faults.Inject(dyntest.Unprocessed(1), dyntest.When{Operation: "BatchWriteItem", Nth: 1})
	require.NoError(t, db.PutAll(ctx, rows(note("a", ""), profile("a"))))
	require.Len(t, calls, 2)
	require.Len(t, calls[0].Throttles, 1)
	assert.Equal(t, dynastay.Done, calls[0].Verdict)
	assert.Empty(t, calls[1].Throttles)
	require.Len(t, calls[1].Usage, 1)
	assert.Equal(t, calls[0].Throttles[0].Table, calls[1].Usage[0].Table)

	for name, answered := range map[string]map[string][]dynastay.Item{
		"nothing": nil, "something, so that the rest may be too large": {"Outbox": {outboxTable.Key.Of(keyOf("a"))}},
	} {
		calls = nil
		again := false
		busy := dynastay.Open(fake.Client{Do: func(r *fake.Request) (any, error) {
			out := &dynamodb.BatchGetItemOutput{Responses: answered}
			if !again {
				out.UnprocessedKeys = r.In.(*dynamodb.BatchGetItemInput).RequestItems
			}
			again = true
			return out, nil
		}}, &dynastay.Options{Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) { calls = append(calls, c) })})
		_, err := busy.GetAll(ctx, outboxTable, []dynastay.Key{keyOf("a"), keyOf("b")})
		require.NoError(t, err)
		require.Len(t, calls, 2)
		assert.Equal(t, answered == nil, slices.Equal(calls[0].Throttles, []dynastay.Throttle{{Table: "Outbox"}}), name)
	}
}
