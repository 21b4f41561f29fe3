package dyntest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/dynastay/dynastay"
)

// Faults makes an engine behave as DynamoDB does on a bad day, for one test. Requests reach it as they leave the SDK:
// each of the SDK's retries is a request of its own. It is safe for concurrent use.
type Faults struct {
	t       testing.TB
	engine  *Engine
	prefix  string
	schemas map[string]*dynastay.Schema // by full table name

	mu         sync.Mutex
	conflicts  *conflicts // nil until Conflicts switches them on
	sent       map[string]int
	lost       map[string]map[int]bool // by operation and the request's number in sent
	recordings map[*recording]bool
}

// Request is one request as it was sent.
type Request struct {
	Operation string // "Query", "TransactWriteItems"
	// Body is the JSON of the request with all object keys in order and without the test's table prefix, so that the
	// same request always gives the same text.
	Body json.RawMessage
}

type recording struct{ requests []Request }

func newFaults(t testing.TB, engine *Engine, prefix string, c *config) *Faults {
	f := &Faults{
		t: t, engine: engine, prefix: prefix,
		schemas:    map[string]*dynastay.Schema{},
		sent:       map[string]int{},
		lost:       map[string]map[int]bool{},
		recordings: map[*recording]bool{},
	}
	for _, s := range c.schemas {
		f.schemas[prefix+s.Name] = s
	}
	return f
}

// Conflicts has writes to the test's tables conflict as in DynamoDB, from now on. While a TransactWriteItems request is
// under way it holds each of its items, for hold and for as long as the engine then takes to carry it out. In that time
//
//   - a TransactWriteItems or TransactGetItems request for one of them is cancelled, with the reason
//     TransactionConflict,
//   - a PutItem, UpdateItem or DeleteItem request for one of them gets a TransactionConflictException,
//   - a TransactWriteItems request with the same client token gets a TransactionInProgressException.
//
// A transaction is cancelled as well where a single write of one of its items is under way. The service takes several
// milliseconds for a transaction; hold stands for them. BatchWriteItem and plain reads are left alone.
func (f *Faults) Conflicts(hold time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conflicts = newConflicts(f.schemas, hold)
}

// LoseAnswer has the engine carry out the nth request of the operation from now, 1 being the next, and breaks the
// connection instead of passing on the answer. A bare SDK client with its default retries sends the request again;
// dynastay's Write settles its requests itself. To see ErrOutcomeUnknown in a test, give [With] a Retry of one attempt,
// and lose the answers to the GetItem requests that would settle it too.
func (f *Faults) LoseAnswer(operation string, nth int) {
	if nth < 1 {
		panic(fmt.Sprintf("dyntest: LoseAnswer of request %d; the next request is 1", nth))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lost[operation] == nil {
		f.lost[operation] = map[int]bool{}
	}
	f.lost[operation][f.sent[operation]+nth] = true
}

// Count is how many requests of the operation were sent so far, whatever became of them.
func (f *Faults) Count(operation string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent[operation]
}

// Record keeps all requests from now on, until stop is called, which returns them in the order in which they were sent.
func (f *Faults) Record() (stop func() []Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &recording{}
	f.recordings[r] = true
	return func() []Request {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.recordings, r)
		return r.requests
	}
}

// note counts and records a request as it left the SDK.
func (f *Faults) note(x *exchange, next hop) (*http.Response, error) {
	if err := f.record(x); err != nil {
		return nil, err
	}
	return next(x)
}

func (f *Faults) record(x *exchange) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent[x.operation]++
	if len(f.recordings) == 0 {
		return nil
	}
	text, err := canonical(bytes.ReplaceAll(x.body, []byte(f.prefix), nil))
	if err != nil {
		return err
	}
	for r := range f.recordings {
		r.requests = append(r.requests, Request{x.operation, text})
	}
	return nil
}

func (f *Faults) loseAnswer(x *exchange, next hop) (*http.Response, error) {
	f.mu.Lock()
	lost := f.lost[x.operation][f.sent[x.operation]]
	f.mu.Unlock()
	resp, err := next(x)
	if err != nil || !lost {
		return resp, err
	}
	if _, err := readAnswer(resp); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("dyntest lost the answer to %s: %w", x.operation, io.ErrUnexpectedEOF)
}

func (f *Faults) conflict(x *exchange, next hop) (*http.Response, error) {
	f.mu.Lock()
	c := f.conflicts
	f.mu.Unlock()
	if c == nil {
		return next(x)
	}
	return c.send(x, next)
}

// canonical is the same JSON with the keys of all objects in order: the SDK writes maps in a random one.
func canonical(body []byte) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // expressions are full of < and >
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
