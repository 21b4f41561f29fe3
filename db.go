package dynastay

import (
	"context"
	"crypto/rand"
	"io"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// DB is what all repositories of one process share: the client, the table names, the clock, the id generator and the
// queues. Create one with [Open] and share it. Two DBs can safely use the same tables, but calls that contend for one
// item then conflict in DynamoDB instead of queueing in the process.
type DB struct {
	client Client
	opts   Options
	gates  gates
	claim  *Compiled // the condition under which an idempotency key may be used
	draws  struct {
		sync.Mutex // for Options.Rand, which entropy also reads
		entropy    *ulid.MonotonicEntropy
	}
}

// Options configure [Open]. Every field is optional.
type Options struct {
	// TablePrefix and TableSuffix are added to every table's name. Default: none, so the names are those of the
	// schemas.
	TablePrefix, TableSuffix string
	// Clock returns the time for timestamps, expiry and "today". Default: time.Now.
	Clock func() time.Time
	// NewID generates the id of a new entity, including the prefix ("bkg_…"). Default: the prefix followed by a ULID.
	// ULIDs sort in the order of creation within one process.
	NewID func(prefix string) string
	// Rand is the source of the ids of the default NewID and of booking references. It is read by one goroutine at a
	// time. If it returns an error or ends, the call that reads it panics. The client tokens of transactions do not
	// come from it: an engine remembers a token for longer than a test's table exists, and would mistake a transaction
	// of the next test with the same source for a retry. Default: crypto/rand.
	Rand io.Reader
	// Observer is told of every operation and of every request. A value in the caller's context can identify whose they
	// are. Default: none.
	Observer Observer
	// Retry limits how often, and how fast, a write is retried after conflicts, throttling and lost responses. Default:
	// see [Retry].
	Retry Retry
	// Parallel is the maximum number of requests that one call sends at a time. The HTTP client should keep as many idle
	// connections to DynamoDB (MaxIdleConnsPerHost, 10 by default in the AWS SDK) as all concurrent calls use together:
	// otherwise it closes them after each burst, and every request of the next one has to connect first. Default: 16.
	Parallel int
	// Settle is how long a write may continue to read after its context has ended, in order to determine the outcome of
	// a request whose response was lost. It is one budget for the whole call; other callers do not have to wait for it.
	// Default: 1 s.
	Settle time.Duration
	// IndexLag is how long an index may lag behind its table. A method that knows items only from an index and must not
	// miss any, such as users.Repository.Erase, reads the index, waits that long and reads it again, see
	// [DB.AwaitIndexes]. DynamoDB guarantees no limit; the lag is usually far below a second. Default: 10 s.
	IndexLag time.Duration
	// NoGates turns off the queues: calls in this process that contend for one item then conflict in DynamoDB. The
	// results are the same, but there are many more requests. Default: false.
	NoGates bool
	// Idempotency is the table that stores the records of [IdempotencyKey]. Open panics if it has no TTL attribute.
	// Default: a table named Metadata with the key PK, SK and the TTL attribute ExpiresAt.
	Idempotency *Schema
}

// Retry limits the retries of one [DB.Write], and of each batch of [DB.GetAll] and [DB.PutAll]. The upper bound of the
// waits grows from Base to Cap. Each wait is random between zero and the current bound (full jitter), and ends when the
// context does.
type Retry struct {
	Attempts int           // maximum requests of a write, or consecutive requests of a batch without progress; default 16
	Base     time.Duration // upper bound of the first wait; default 10 ms
	Cap      time.Duration // largest upper bound of a wait; default 500 ms
}

// wait pauses before the next request; spent is the part of the budget that is used up. It returns false if nothing is
// left of the budget, or the context has ended.
func (r Retry) wait(ctx context.Context, spent int) bool {
	if spent >= r.Attempts || ctx.Err() != nil {
		return false
	}
	bound := r.Base << min(max(spent-1, 0), 20)
	if bound <= 0 || bound > r.Cap {
		bound = r.Cap
	}
	timer := time.NewTimer(mathrand.N(bound))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Open returns a DB that uses client, usually a *dynamodb.Client. It sends no requests. A nil opts means the defaults.
func Open(client Client, opts *Options) *DB {
	db := &DB{client: client}
	if opts != nil {
		db.opts = *opts
	}
	if db.opts.Clock == nil {
		db.opts.Clock = time.Now
	}
	if db.opts.Rand == nil {
		db.opts.Rand = rand.Reader
	}
	if db.opts.Retry.Attempts <= 0 {
		db.opts.Retry.Attempts = 16
	}
	if db.opts.Retry.Base <= 0 {
		db.opts.Retry.Base = 10 * time.Millisecond
	}
	if db.opts.Retry.Cap <= 0 {
		db.opts.Retry.Cap = 500 * time.Millisecond
	}
	if db.opts.Parallel <= 0 {
		db.opts.Parallel = 16
	}
	if db.opts.Settle <= 0 {
		db.opts.Settle = time.Second
	}
	if db.opts.IndexLag <= 0 {
		db.opts.IndexLag = 10 * time.Second
	}
	if db.opts.Idempotency == nil {
		db.opts.Idempotency = &Schema{Name: "Metadata", Key: KeyNames{"PK", "SK"}, TTL: "ExpiresAt"}
	}
	if db.opts.Idempotency.TTL == "" {
		panic("dynastay.Open: Options.Idempotency: table " + db.opts.Idempotency.Name + " must have a TTL attribute")
	}
	db.claim = absentOrExpired(db.opts.Idempotency)
	db.gates.observed = db.opts.Observer != nil
	db.draws.entropy = ulid.Monotonic(db.opts.Rand, 0)
	return db
}

// Now returns the clock's time in UTC, truncated to milliseconds, the precision of a stored time.
func (db *DB) Now() time.Time { return db.opts.Clock().UTC().Truncate(time.Millisecond) }

// AwaitIndexes waits for [Options.IndexLag], so that the indexes show every write that was acknowledged before the
// call. If ctx ends first, it returns the error of ctx.
func (db *DB) AwaitIndexes(ctx context.Context) error {
	timer := time.NewTimer(db.opts.IndexLag)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// NewID generates an id that begins with the given prefix, such as bkg_01JCR… for NewID("bkg_").
func (db *DB) NewID(prefix string) string {
	if db.opts.NewID != nil {
		return db.opts.NewID(prefix)
	}
	db.draws.Lock()
	defer db.draws.Unlock()
	return prefix + ulid.MustNew(ulid.Timestamp(db.Now()), db.draws.entropy).String()
}

// Random fills p from [Options.Rand]. It is for repositories that need random values other than ids.
func (db *DB) Random(p []byte) {
	db.draws.Lock()
	defer db.draws.Unlock()
	if _, err := io.ReadFull(db.opts.Rand, p); err != nil {
		panic("dynastay: read from Options.Rand: " + err.Error())
	}
}

// TableName returns the schema's name with the prefix and suffix of the options.
func (db *DB) TableName(s *Schema) string { return db.opts.TablePrefix + s.Name + db.opts.TableSuffix }
