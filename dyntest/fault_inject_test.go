package dyntest

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/keys"
)

// eager is the test's client with the SDK's default number of attempts and no time between them.
func (d *DB) eager() *dynamodb.Client {
	return d.Engine.Client(d.front, func(o *dynamodb.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	})
}

// witness is a test that records its failures instead of failing.
type witness struct {
	testing.TB
	mu     sync.Mutex
	errors []string
	logs   []string
}

// watched makes the faults of d fail a witness instead of the test.
func (d *DB) watched() *witness {
	w := &witness{TB: d.Faults.t}
	d.Faults.t = w
	return w
}

func (w *witness) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errors = append(w.errors, fmt.Sprintf(format, args...))
}

func (w *witness) Logf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logs = append(w.logs, fmt.Sprintf(format, args...))
}

func (w *witness) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	runtime.Goexit()
}

func (w *witness) Skipf(format string, args ...any) { w.Fatalf(format, args...) }

// fatal returns the message with which f would have ended the test.
func (w *witness) fatal(f func()) string {
	ended := make(chan bool)
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
	w.mu.Lock()
	defer w.mu.Unlock()
	all := strings.Join(w.errors, "; ")
	w.errors = nil
	return all
}

// mock sends a request only through the injections of f, and answers it with text. It returns the body that arrived, or ""
// if none did.
func mock(t *testing.T, f *Faults, operation, body, text string) (arrived string, resp *http.Response, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://engine", nil)
	require.NoError(t, err)
	resp, err = f.inject(&exchange{req, operation, []byte(body)}, func(x *exchange) (*http.Response, error) {
		arrived = string(x.body)
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"X-Amz-Crc32": {"the sum"}, "Content-Length": {"the length"}},
			Body: io.NopCloser(strings.NewReader(text)),
		}, nil
	})
	return arrived, resp, err
}

// hits sends n requests and marks those that did not arrive.
func hits(t *testing.T, f *Faults, n int) string {
	t.Helper()
	var marks strings.Builder
	for range n {
		mark := "x"
		if arrived, _, _ := mock(t, f, "Query", `{"TableName":"T"}`, `{}`); arrived != "" {
			mark = "."
		}
		marks.WriteString(mark)
	}
	return marks.String()
}

func TestWhichRequestsAreHit(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	hitsOf := func(w When) string {
		i := d.Faults.Inject(LoseRequest(), w)
		defer i.Stop()
		return hits(t, d.Faults, 6)
	}
	assert.Equal(t, "xxxxxx", hitsOf(When{}))
	assert.Equal(t, "..x...", hitsOf(When{Nth: 3}))
	assert.Equal(t, ".xxx..", hitsOf(When{Nth: 2, Times: 3}))
	assert.Equal(t, "xx....", hitsOf(When{Times: 2}))
	assert.Equal(t, "xxxxxx", hitsOf(When{Chance: 1}))
	assert.Equal(t, "......", hitsOf(When{Operation: "Scan", Optional: true}))
	assert.Equal(t, "......", hits(t, d.Faults, 6), "they are stopped")
}

func TestOnlyMatchingRequestsCount(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(keys.UsersTable, keys.BookingsTable))
	hit := func(w When, operation, body string) bool {
		w.Optional = true
		i := d.Faults.Inject(LoseRequest(), w)
		defer i.Stop()
		arrived, _, _ := mock(t, d.Faults, operation, strings.ReplaceAll(body, "$", d.prefix), `{}`)
		assert.Equal(t, arrived == "", i.Hits() == 1)
		return arrived == ""
	}
	query := `{"TableName":"$Users","IndexName":"GSI1-EmailIndex","Limit":1}`
	assert.True(t, hit(When{}, "Query", query))
	assert.True(t, hit(When{Operation: "Query"}, "Query", query))
	assert.False(t, hit(When{Operation: "GetItem"}, "Query", query))
	assert.True(t, hit(When{Table: "Users"}, "Query", query))
	assert.False(t, hit(When{Table: "Bookings"}, "Query", query))
	assert.True(t, hit(When{Index: "GSI1-EmailIndex"}, "Query", query))
	assert.False(t, hit(When{Index: "GSI1-UserBookingsIndex"}, "Query", query))
	assert.False(t, hit(When{Index: "GSI1-EmailIndex"}, "Query", `{"TableName":"$Users"}`))
	assert.True(t, hit(When{Table: "Users"}, "BatchGetItem", `{"RequestItems":{"$Reviews":{"Keys":[]},"$Users":{"Keys":[]}}}`))
	assert.False(t, hit(When{Table: "Users"}, "BatchWriteItem", `{"RequestItems":{"$Reviews":[]}}`))
	transaction := `{"TransactItems":[{"Put":{"TableName":"$Reviews"}},{"ConditionCheck":{"TableName":"$Users"}}]}`
	assert.True(t, hit(When{Table: "Users"}, "TransactWriteItems", transaction))
	assert.False(t, hit(When{Table: "Bookings"}, "TransactWriteItems", transaction))
	assert.False(t, hit(When{}, "CreateTable", `{}`), "faults do not apply to the control plane")

	var seen Request
	matches := func(answer bool) func(Request) bool {
		return func(r Request) bool { seen = r; return answer }
	}
	assert.True(t, hit(When{Match: matches(true)}, "Query", query))
	assert.Equal(t, "Query", seen.Operation)
	assert.Equal(t, `{"IndexName":"GSI1-EmailIndex","Limit":1,"TableName":"Users"}`, string(seen.Body))
	assert.Equal(t, t.Context(), seen.Context)
	assert.False(t, hit(When{Match: matches(false)}, "Query", query))
	seen = Request{}
	assert.True(t, hit(When{}, "Query", query))
	assert.Equal(t, Request{}, seen, "an injection that has stopped asks nobody")
}

// The first one injected is the outermost; if it answers by itself, the others have no effect.
func TestInjectionsAreNested(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	var order []string
	note := func(text string) func(context.Context) { return func(context.Context) { order = append(order, text) } }
	for _, name := range []string{"1", "2"} {
		d.Faults.Inject(Before(note("before "+name)), When{Nth: 1})
		d.Faults.Inject(After(note("after "+name)), When{Nth: 1})
	}
	require.NoError(t, put(ctx, d.impatient(), d, "a", "1"))
	assert.Equal(t, []string{"before 1", "before 2", "after 2", "after 1"}, order)

	outer := d.Faults.Inject(Throttle(), When{Nth: 1})
	inner := d.Faults.Inject(LoseAnswer(), When{Nth: 1, Optional: true})
	assert.ErrorAs(t, put(ctx, d.impatient(), d, "a", "2"), new(*types.ProvisionedThroughputExceededException))
	assert.NoError(t, put(ctx, d.impatient(), d, "a", "3"))
	assert.Equal(t, 1, outer.Hits())
	assert.Zero(t, inner.Hits(), "its turn was the same request")
}

func TestEveryAttempt(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))

	once := d.Faults.Inject(LoseAnswer(), When{Operation: "PutItem", Nth: 1})
	require.NoError(t, put(ctx, d.eager(), d, "a", "1"), "the SDK retries it")
	assert.Equal(t, 1, once.Hits())

	every := d.Faults.Inject(LoseAnswer(), When{Operation: "PutItem", Nth: 1, Times: 2, EveryAttempt: true})
	before := d.Faults.Count("PutItem")
	assert.ErrorIs(t, put(ctx, d.eager(), d, "a", "2"), io.ErrUnexpectedEOF)
	assert.Equal(t, "2", read(t, d, "a"))
	assert.ErrorIs(t, put(ctx, d.eager(), d, "a", "3"), io.ErrUnexpectedEOF)
	require.NoError(t, put(ctx, d.eager(), d, "a", "4"), "this is a third call")
	assert.Equal(t, 6, every.Hits(), "two calls of three attempts")
	assert.Equal(t, 7, d.Faults.Count("PutItem")-before)

	every = d.Faults.Inject(LoseAnswer(), When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
	in, token := add(d, "n"), rand.Text()
	in.ClientRequestToken = &token
	for range 2 { // two calls of the SDK
		_, err := d.impatient().TransactWriteItems(ctx, in)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	_, err := d.impatient().TransactWriteItems(ctx, add(d, "n"))
	assert.NoError(t, err, "it has another token")
	assert.Equal(t, 2, every.Hits())
	assert.Equal(t, "2", read(t, d, "n"))
}

// Without Nth, Times counts hits, not requests that could have been hit.
func TestATurnWithoutEffectIsGivenBack(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	const more, last = `{"LastEvaluatedKey":{}}`, `{}`
	hitsOf := func(w When, answers ...string) string {
		w.Optional = true
		i := d.Faults.Inject(ShortPages(1), w)
		defer i.Stop()
		var marks strings.Builder
		for _, answer := range answers {
			before := i.Hits()
			_, _, err := mock(t, d.Faults, "Query", `{"TableName":"T"}`, answer)
			require.NoError(t, err)
			marks.WriteByte(".x"[i.Hits()-before])
		}
		return marks.String()
	}
	assert.Equal(t, "..x..", hitsOf(When{Times: 1}, last, last, more, more, last))
	assert.Equal(t, "x.x.", hitsOf(When{Times: 2}, more, last, more, more))
	assert.Equal(t, "....", hitsOf(When{Nth: 2}, more, last, more, more), "it was the 2nd")
	assert.Equal(t, "..x.", hitsOf(When{Nth: 2, Times: 2}, more, last, more, more))
}

// It is also given back if another fault answered first.
func TestATurnThatAnotherFaultTookIsGivenBack(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	d.Faults.Inject(Throttle(), When{Nth: 1})
	i := d.Faults.Inject(LoseRequest(), When{Times: 2})
	assert.Equal(t, "xxx.", hits(t, d.Faults, 4))
	assert.Equal(t, 2, i.Hits())
}

// The retry of a request that was not hit counts like any other request. The retry of a request that was hit does not
// count, so it has nothing to give back.
func TestRetryWithoutEffect(t *testing.T) {
	t.Parallel()
	for _, nth := range []int{1, 2} {
		ctx, d := t.Context(), New(t, OnlyTables(things))
		d.Faults.Inject(InternalError(), When{Nth: nth})
		i := d.Faults.Inject(LoseAnswer(), When{Operation: "TransactWriteItems", Times: 1, EveryAttempt: true})
		_, err := d.eager().TransactWriteItems(ctx, add(d, "n"))
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, []int{2, 1}, []int{i.Hits(), i.own}, "the %s attempt was not hit", ordinal(nth))
		_, err = d.eager().TransactWriteItems(ctx, add(d, "m"))
		assert.NoError(t, err)
	}
}

// Three attempts of one call count once against Times.
func TestRetriesDoNotCountAgainstTimes(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), New(t, OnlyTables(things))
	w := d.watched()
	d.Faults.Inject(LoseAnswer(), When{Operation: "PutItem", Times: 2, EveryAttempt: true})
	assert.Error(t, put(ctx, d.eager(), d, "a", "1"))
	d.Faults.settle()
	assert.Equal(t, []string{"dyntest: LoseAnswer on PutItem happened 1 of 2 times: 3 matching requests were sent"}, withoutPlaces(t, w.errors))
}

func TestInjectionsCountEachRequestOnce(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	i := d.Faults.Inject(LoseRequest(), When{Nth: 11, Times: 7})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { hits(t, d.Faults, 5) })
	}
	wg.Wait()
	assert.Equal(t, 7, i.Hits())
	assert.Equal(t, 40, i.counted)
}
