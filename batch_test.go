package dynastay_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

// row is one element of the sequence for PutAll.
type row struct {
	schema *dynastay.Schema
	item   dynastay.Item
}

func rows(all ...row) iter.Seq2[*dynastay.Schema, dynastay.Item] {
	return func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, r := range all {
			if !yield(r.schema, r.item) {
				return
			}
		}
	}
}

func note(id, text string) row {
	return row{outboxTable, dynastay.Item{"id": dynastay.Text(id), "text": dynastay.Text(text)}}
}

func profile(id string) row {
	item := keys.UsersTable.Key.Of(dynastay.Key{PK: "USER#" + id, SK: "PROFILE"})
	item["FirstName"] = dynastay.Text(id)
	return row{keys.UsersTable, item}
}

// batches records what batch calls send, and lets a test intercept them.
type batches struct {
	dynastay.Client
	writes []int      // number of entries of each request
	mu     sync.Mutex // for reads, which are sent in parallel
	reads  []int
	// take returns how many entries of a request are processed; nil for all. With an error, the request is lost.
	take func(n int) (int, error)
	late bool // with an error, only the response is lost
	then func()
}

func (c *batches) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	n := 0
	for _, puts := range in.RequestItems {
		n += len(puts)
	}
	c.writes = append(c.writes, n)
	taken := n
	if c.take != nil {
		var err error
		if taken, err = c.take(n); err != nil {
			if c.late {
				_, _ = c.Client.BatchWriteItem(ctx, in, o...)
			}
			return nil, err
		}
	}
	some, rest := map[string][]types.WriteRequest{}, map[string][]types.WriteRequest{}
	for table, puts := range in.RequestItems {
		for _, put := range puts {
			if taken--; taken >= 0 {
				some[table] = append(some[table], put)
			} else {
				rest[table] = append(rest[table], put)
			}
		}
	}
	out := &dynamodb.BatchWriteItemOutput{}
	if len(some) > 0 {
		var err error
		in := *in
		in.RequestItems = some
		if out, err = c.Client.BatchWriteItem(ctx, &in, o...); err != nil {
			return nil, err
		}
	}
	out.UnprocessedItems = rest
	if c.then != nil {
		c.then()
	}
	return out, nil
}

func (c *batches) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	out := &dynamodb.BatchGetItemOutput{}
	for table, asked := range in.RequestItems { // of one table, here
		n := len(asked.Keys)
		c.mu.Lock()
		c.reads = append(c.reads, n)
		c.mu.Unlock()
		taken := n
		if c.take != nil {
			var err error
			if taken, err = c.take(n); err != nil {
				return nil, err
			}
		}
		some := asked
		some.Keys = asked.Keys[:taken]
		if taken > 0 {
			var err error
			in := *in
			in.RequestItems = map[string]types.KeysAndAttributes{table: some}
			if out, err = c.Client.BatchGetItem(ctx, &in, o...); err != nil {
				return nil, err
			}
		}
		if taken < n {
			out.UnprocessedKeys = map[string]types.KeysAndAttributes{table: {Keys: asked.Keys[taken:]}}
		}
	}
	return out, nil
}

// impatient opens the tables through the client, with short waits.
func impatient(prefix string, client dynastay.Client, attempts int) *dynastay.DB {
	return dynastay.Open(client, &dynastay.Options{
		TablePrefix: prefix, Retry: dynastay.Retry{Attempts: attempts, Base: time.Microsecond, Cap: time.Microsecond},
	})
}

// stored reads every note of the outbox.
func stored(t *testing.T, db *dynastay.DB, n int) (texts map[string]string) {
	t.Helper()
	all := make([]dynastay.Key, n)
	for i := range all {
		all[i] = keyOf(fmt.Sprint(i))
	}
	items, err := db.GetAll(t.Context(), outboxTable, all, dynastay.Consistent)
	require.NoError(t, err)
	texts = map[string]string{}
	for i, item := range items {
		if item.Exists() {
			texts[all[i].PK] = item.Text("text")
		}
	}
	return texts
}

func TestPutAllAndGetAll(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	under, outbox := openOutbox(t, dynastay.Options{})
	client := &batches{Client: under.Client}
	db := impatient(prefix(under), client, 3)

	var all []row
	for i := range 230 {
		all = append(all, note(fmt.Sprint(i), "text of "+fmt.Sprint(i)))
		if i%10 == 0 {
			all = append(all, profile(fmt.Sprint(i)))
		}
	}
	require.NoError(t, db.PutAll(ctx, rows(all...)))
	assert.Equal(t, append(slices.Repeat([]int{25}, 10), 3), client.writes, "253 items of two tables")

	// In any order, some of them missing, some repeated.
	var asked []dynastay.Key
	for i := 249; i >= 0; i-- {
		asked = append(asked, keyOf(fmt.Sprint(i)))
	}
	asked = append(asked, keyOf("7"), keyOf("missing"), keyOf("7"))
	items, err := db.GetAll(ctx, outboxTable, asked)
	require.NoError(t, err)
	assert.ElementsMatch(t, []int{100, 100, 51}, client.reads, "251 different keys")
	require.Len(t, items, len(asked))
	for i, item := range items {
		id := asked[i].PK
		if i < 20 || id == "missing" {
			assert.False(t, item.Exists(), id)
		} else {
			assert.Equal(t, note(id, "text of "+id).item, item.Item())
		}
	}
	users, err := db.GetAll(ctx, keys.UsersTable, []dynastay.Key{{PK: "USER#220", SK: "PROFILE"}, {PK: "USER#220", SK: "OTHER"}}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Row{dynastay.RowOf(profile("220").item), {}}, users)

	got, err := outbox.GetAll(ctx, []dynastay.Key{keyOf("3"), keyOf("missing"), keyOf("1")}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []*message{{ID: "3", Text: "text of 3"}, nil, {ID: "1", Text: "text of 1"}}, got)

	none, err := db.GetAll(ctx, outboxTable, nil)
	require.NoError(t, err)
	assert.Empty(t, none)
	require.NoError(t, db.PutAll(ctx, rows()))
	assert.Len(t, client.writes, 11, "nothing to write is no request")
}

// A table without a sort key ignores the sort value, so it does not distinguish keys.
func TestGetAllLeavesOutAnUnknownSortValue(t *testing.T) {
	t.Parallel()
	under, _ := openOutbox(t, dynastay.Options{})
	require.NoError(t, under.PutAll(t.Context(), rows(note("1", "one"))))
	items, err := under.GetAll(t.Context(), outboxTable, []dynastay.Key{{PK: "1", SK: "x"}, {PK: "1"}}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Row{dynastay.RowOf(note("1", "one").item), dynastay.RowOf(note("1", "one").item)}, items)
}

func TestPutAllLaterItemWins(t *testing.T) {
	t.Parallel()
	under, _ := openOutbox(t, dynastay.Options{})
	client := &batches{Client: under.Client}
	db := impatient(prefix(under), client, 3)
	require.NoError(t, db.PutAll(t.Context(), rows(
		note("0", "first"), note("1", "first"), note("0", "second"), note("2", "first"), note("1", "second"), note("0", "third"),
	)))
	assert.Equal(t, []int{2, 3, 1}, client.writes)
	assert.Equal(t, map[string]string{"0": "third", "1": "second", "2": "first"}, stored(t, under.DB, 3))

	// The same key in another table is a different item.
	require.NoError(t, db.PutAll(t.Context(), rows(profile("0"), row{keys.MetadataTable, profile("0").item})))
	assert.Equal(t, []int{2, 3, 1, 2}, client.writes)
}

func TestBatchesSendTheRestAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	under, _ := openOutbox(t, dynastay.Options{})
	var all []row
	for i := range 60 {
		all = append(all, note(fmt.Sprint(i), "there"), profile(fmt.Sprint(i)))
	}
	// Two requests without progress, then one entry: every progress resets the budget.
	requests := 0
	client := &batches{Client: under.Client, take: func(n int) (int, error) {
		if requests++; requests%3 == 0 {
			return 1 + n/2, nil
		}
		return 0, nil
	}}
	db := impatient(prefix(under), client, 3)
	require.NoError(t, db.PutAll(ctx, rows(all...)))
	assert.Len(t, stored(t, under.DB, 60), 60)

	var asked []dynastay.Key
	for i := range 60 {
		asked = append(asked, dynastay.Key{PK: fmt.Sprintf("USER#%d", i), SK: "PROFILE"})
	}
	record := under.Faults.Record()
	items, err := db.GetAll(ctx, keys.UsersTable, asked, dynastay.Consistent)
	require.NoError(t, err)
	for i, item := range items {
		assert.Equal(t, profile(fmt.Sprint(i)).item, item.Item())
	}
	sent := record()
	assert.Greater(t, len(sent), 1)
	for _, r := range sent {
		assert.Contains(t, string(r.Body), `"ConsistentRead":true`, "the rest is read as the first was")
	}
}

// The same with an engine that is throttled below the client.
func TestBatchesOnAWeakEngine(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	under, _ := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Base: time.Microsecond, Cap: time.Microsecond}})
	var all []row
	var asked []dynastay.Key
	for i := range 120 {
		all = append(all, note(fmt.Sprint(i), "there"))
		asked = append(asked, keyOf(fmt.Sprint(i)))
	}
	for _, operation := range []string{"BatchWriteItem", "BatchGetItem"} {
		under.Faults.Inject(dyntest.Unprocessed(20), dyntest.When{Operation: operation})
		under.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: operation, Nth: 2, Times: 15})
	}
	require.NoError(t, under.PutAll(ctx, rows(all...)))
	items, err := under.GetAll(ctx, outboxTable, asked, dynastay.Consistent)
	require.NoError(t, err)
	for i, item := range items {
		assert.Equal(t, all[i].item, item.Item())
	}

	// The SDK does not multiply the budget.
	four := under.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 4, Base: time.Microsecond, Cap: time.Microsecond}})
	for operation, call := range map[string]func() error{
		"BatchWriteItem": func() error { return four.PutAll(ctx, rows(all...)) },
		"BatchGetItem": func() error { // one batch
			_, err := four.GetAll(ctx, outboxTable, asked[:100], dynastay.Consistent)
			return err
		},
	} {
		under.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: operation})
		before := under.Faults.Count(operation)
		assert.ErrorIs(t, call(), dynastay.ErrThrottled)
		assert.Equal(t, 4, under.Faults.Count(operation)-before)
	}
}

func TestBatchesGiveUp(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	under, _ := openOutbox(t, dynastay.Options{})
	throttled := &types.ProvisionedThroughputExceededException{}
	for name, test := range map[string]struct {
		take  func(int) (int, error)
		kind  error // of a write; that of a read is the same if there is any
		cause error
	}{
		"nothing is processed": {take: func(int) (int, error) { return 0, nil }, kind: dynastay.ErrThrottled},
		"throttled":            {take: func(int) (int, error) { return 0, throttled }, kind: dynastay.ErrThrottled, cause: throttled},
		"no answer":            {take: func(int) (int, error) { return 0, io.ErrUnexpectedEOF }, cause: io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			client := &batches{Client: under.Client, take: test.take}
			db := impatient(prefix(under), client, 4)
			check := func(op string, kind, err error) {
				t.Helper()
				failure := blame.As[*dynastay.Error](t, err)
				assert.Equal(t, op, failure.Op)
				assert.Equal(t, kind, failure.Kind)
				if test.cause != nil {
					assert.ErrorIs(t, err, test.cause)
				}
			}
			check("PutAll", test.kind, db.PutAll(ctx, rows(note("a", ""), note("b", ""))))
			assert.Equal(t, []int{2, 2, 2, 2}, client.writes)
			_, err := db.GetAll(ctx, outboxTable, []dynastay.Key{keyOf("a"), keyOf("b"), keyOf("c")})
			check("GetAll", cmp.Or(test.kind, dynastay.ErrUnavailable), err)
			assert.Equal(t, []int{3, 3, 3, 3}, client.reads)
		})
	}
}

// A batch is sent again if its response is lost: putting the same item twice is harmless.
func TestBatchesOutliveLostAnswers(t *testing.T) {
	t.Parallel()
	under, _ := openOutbox(t, dynastay.Options{})
	lost := 0
	client := &batches{Client: under.Client, late: true, take: func(n int) (int, error) {
		if lost++; lost <= 2 {
			return 0, io.ErrUnexpectedEOF
		}
		return n, nil
	}}
	db := impatient(prefix(under), client, 3)
	require.NoError(t, db.PutAll(t.Context(), rows(note("0", "once"), note("1", "once"))))
	assert.Equal(t, []int{2, 2, 2}, client.writes)
	assert.Equal(t, map[string]string{"0": "once", "1": "once"}, stored(t, under.DB, 2))
}

func TestBatchesEndWithTheContext(t *testing.T) {
	t.Parallel()
	under, _ := openOutbox(t, dynastay.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	client := &batches{Client: under.Client, take: func(int) (int, error) { return 1, nil }, then: cancel}
	db := dynastay.Open(client, &dynastay.Options{TablePrefix: prefix(under), Retry: dynastay.Retry{Base: time.Hour, Cap: time.Hour}})
	err := db.PutAll(ctx, rows(note("0", ""), note("1", "")))
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, dynastay.ErrThrottled, "one item was left unprocessed")
	assert.Equal(t, []int{2}, client.writes)
}

func TestBatchesRefuse(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	under, _ := openOutbox(t, dynastay.Options{})
	refused := func(err error, field string) {
		t.Helper()
		blame.Invalid(t, err, field)
	}
	_, err := under.GetAll(ctx, outboxTable, []dynastay.Key{keyOf("a"), {}})
	refused(err, "Keys[1].PK")
	_, err = under.GetAll(ctx, keys.UsersTable, []dynastay.Key{{PK: "USER#1"}})
	refused(err, "Keys[0].SK")
	refused(under.PutAll(ctx, rows(note("a", ""), note("", ""))), "Items[1].Key.PK")
	refused(under.PutAll(ctx, rows(row{nil, note("a", "").item})), "Items[0].Schema")
	refused(under.PutAll(ctx, rows(note("a", strings.Repeat("x", 400<<10)))), "Items[0]")
	assert.Zero(t, under.Faults.Count("BatchWriteItem")+under.Faults.Count("BatchGetItem"))

	// A rejected request is not sent again.
	err = under.PutAll(ctx, rows(note("a", ""), row{&dynastay.Schema{Name: "Nowhere", Key: outboxTable.Key}, note("a", "").item}))
	var missing *types.ResourceNotFoundException
	assert.ErrorAs(t, err, &missing)
	assert.Equal(t, 1, under.Faults.Count("BatchWriteItem"))
}

// Items of the maximum size: 25 fit into one batch of writes, and a response with 50 is truncated.
func TestBatchesOfTheLargestItems(t *testing.T) {
	t.Parallel()
	under, _ := openOutbox(t, dynastay.Options{})
	var all []row
	var asked []dynastay.Key
	for i := range 50 {
		id := fmt.Sprintf("%02d", i)
		all = append(all, note(id, strings.Repeat("x", 400<<10-8)))
		asked = append(asked, keyOf(id))
	}
	require.NoError(t, under.PutAll(t.Context(), rows(all...)))
	assert.Equal(t, 2, under.Faults.Count("BatchWriteItem"))
	items, err := under.GetAll(t.Context(), outboxTable, asked, dynastay.Consistent)
	require.NoError(t, err)
	for i, item := range items {
		assert.Equal(t, dynastay.RowOf(all[i].item).Text("id"), item.Text("id"))
	}
	reads := 1
	if under.Has(dyntest.TruncatedBatches) {
		reads = 2 // 16 MB, and the rest
	}
	assert.Equal(t, reads, under.Faults.Count("BatchGetItem"))
}

func TestBatchesAreObserved(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var calls []dynastay.Call
	under, _ := openOutbox(t, dynastay.Options{Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) { calls = append(calls, c) })})
	require.NoError(t, under.PutAll(ctx, rows(note("a", ""), profile("a"), note("b", ""))))
	_, err := under.GetAll(ctx, outboxTable, []dynastay.Key{keyOf("a"), keyOf("b")}, dynastay.Consistent)
	require.NoError(t, err)
	require.Len(t, calls, 2)
	assert.Equal(t, "BatchWriteItem", calls[0].Operation)
	assert.Equal(t, 3.0, calls[0].WriteUnits())
	assert.Zero(t, calls[0].ReadUnits())
	units := map[string]float64{}
	for _, u := range calls[0].Usage {
		units[u.Table] += u.WriteUnits
	}
	assert.Equal(t, map[string]float64{under.TableName(outboxTable): 2, under.TableName(keys.UsersTable): 1}, units)
	assert.Equal(t, "BatchGetItem", calls[1].Operation)
	assert.Equal(t, 2.0, calls[1].ReadUnits())
	assert.Zero(t, calls[1].WriteUnits())

	calls = nil
	under.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "BatchGetItem", Times: 2})
	_, err = under.GetAll(ctx, outboxTable, []dynastay.Key{keyOf("a")})
	require.NoError(t, err)
	require.Len(t, calls, 3)
	for i, want := range []dynastay.Verdict{dynastay.Throttled, dynastay.Throttled, dynastay.Done} {
		assert.Equal(t, want, calls[i].Verdict)
		assert.Equal(t, i+1, calls[i].Attempt)
		assert.Equal(t, want == dynastay.Throttled, len(calls[i].Throttles) == 1)
	}
}

// An item is written as it was yielded, whatever the sequence does with its map afterwards.
func TestPutAllKeepsNoMap(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	require.NoError(t, db.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		item := dynastay.Item{}
		for i := range 30 {
			item["id"] = dynastay.Text(fmt.Sprint("m", i))
			item["text"] = dynastay.Text(fmt.Sprint("text ", i))
			if !yield(outboxTable, item) {
				return
			}
		}
		item["id"] = dynastay.Text("never yielded")
	}))
	for i := range 30 {
		got, err := outbox.Get(ctx, keyOf(fmt.Sprint("m", i)), dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint("text ", i), got.Text)
	}
	_, err := outbox.Get(ctx, keyOf("never yielded"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}
