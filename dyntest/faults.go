package dyntest

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
)

// Faults makes the engine fail as DynamoDB can fail, for one test only. Requests reach it as they leave the SDK, so
// each of the SDK's retries is a separate request. It is safe for concurrent use.
type Faults struct {
	t       testing.TB
	engine  *engine.Engine
	prefix  string
	schemas map[string]*dynastay.Schema // by full table name
	seed    uint64

	mu         sync.Mutex
	conflicts  *conflicts // nil until Conflicts switches them on
	injections []*Injection
	injected   int // the number of the last injection
	seedLogged bool
	sent       map[string]int
	recordings map[*recording]bool
	unknown    map[string]bool // unknown tables that were logged
	ended      bool            // the test's log is closed, but what it left running may still send requests
}

type recording struct{ requests []Request }

func newFaults(t testing.TB, on *engine.Engine, prefix string, c *config) *Faults {
	f := &Faults{
		t: t, engine: on, prefix: prefix, seed: c.seed,
		schemas:    map[string]*dynastay.Schema{},
		sent:       map[string]int{},
		recordings: map[*recording]bool{},
		unknown:    map[string]bool{},
	}
	for _, s := range c.schemas {
		f.schemas[prefix+s.Name] = s
	}
	t.Cleanup(f.settle)
	return f
}

// Conflicts makes writes to the test's tables conflict from now on, as in DynamoDB. While a TransactWriteItems request
// is in flight, it holds each of its items, for hold plus the time that the engine then takes to carry it out. Faults
// that are injected between the SDK and the engine, such as [Delay], extend that time. During it
//
//   - a TransactWriteItems or TransactGetItems request for one of them is cancelled, with the reason
//     TransactionConflict,
//   - a PutItem, UpdateItem or DeleteItem request for one of them gets a TransactionConflictException,
//   - a TransactWriteItems request with the same client token gets a TransactionInProgressException.
//
// A transaction is also cancelled while a single write of one of its items is in flight. The service takes several
// milliseconds for a transaction; hold simulates that time. BatchWriteItem and plain reads are not affected.
//
// [Conflict] is for a single request instead, and does not require another request to conflict with.
func (f *Faults) Conflicts(hold time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conflicts = newConflicts(f.schemas, hold)
}

// Count returns the number of requests of the operation that have been sent so far, including failed ones.
func (f *Faults) Count(operation string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent[operation]
}

// Record records all requests from now on until stop is called. Stop returns them in the order in which they were sent.
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
	request, err := f.request(x)
	if err != nil {
		return err
	}
	for r := range f.recordings {
		r.requests = append(r.requests, request)
	}
	return nil
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
