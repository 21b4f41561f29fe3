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

// DB is what all repositories of one process must agree on: the client, the table names, the clock, the id generator
// and the gates. Make one with [Open] and share it: two of them work on the same tables without harm, but calls that
// contend for one item then meet in DynamoDB instead of queueing in the process.
type DB struct {
	client Client
	opts   Options
	gates  gates
	claim  *Prepared // the condition under which an idempotency key may be used
	draws  struct {
		sync.Mutex // for Options.Rand, which the entropy reads as well
		entropy    *ulid.MonotonicEntropy
	}
}

// Options configure [Open]. Every field may be left at its zero value.
type Options struct {
	// TablePrefix and TableSuffix go around every table's name. Default: none, the names of the schemas as they are.
	TablePrefix, TableSuffix string
	// Clock tells the time for timestamps, expiry and "today". Default: time.Now.
	Clock func() time.Time
	// NewID draws the id of a new entity, prefix included ("bkg_…"). Default: the prefix and a ULID, whose text order
	// is the order of creation within one process.
	NewID func(prefix string) string
	// Rand is where the ids of the default NewID and the references of bookings are drawn from, by one goroutine at a
	// time. It must not fail nor end: drawing from it panics then. The client tokens of transactions are not drawn from
	// it: an engine remembers a token for longer than a test's table lives, and would take the transaction of the next
	// test with the same source for a repetition. Default: crypto/rand.
	Rand io.Reader
	// Observer is told of every request after its end, on the goroutine that sent it and with the context of the call
	// that caused it: a label that the caller puts into the context tells whose request it was. With an observer every request
	// asks DynamoDB for its consumed capacity, which costs nothing. Default: none.
	Observer func(context.Context, Call)
	// Retry bounds how long a write goes on against conflicts and throttling. Default: see [Retry].
	Retry Retry
	// Settle is how long a write goes on reading after its context has ended, to find out what became of a request whose
	// answer it did not get. It is one budget for the whole call, and nobody waits for the call meanwhile. Default: 1 s.
	Settle time.Duration
	// NoGates lets calls that contend for one item in this process meet in DynamoDB instead of queueing here. Results
	// are the same, requests many more. Default: false.
	NoGates bool
	// Idempotency is the table that keeps the records of [IdempotencyKey]; Open panics where it has no TTL. Default: a
	// table named Metadata with the key PK, SK and the TTL attribute ExpiresAt.
	Idempotency *Schema
}

// Retry bounds the retries of one [DB.Write], and those of a batch of [DB.GetAll] and [DB.PutAll]. Waits grow from Base to
// Cap, each drawn between zero and the current bound (full jitter), and end with the context.
type Retry struct {
	Attempts int           // requests of a write at the most, of a batch those in a row that bring nothing; default 16
	Base     time.Duration // first bound of a wait; default 10 ms
	Cap      time.Duration // last bound of a wait; default 500 ms
}

// wait pauses before the next request; spent is how much of the budget is gone. False means that all of it is, or the
// context's time.
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

// Open makes a DB of a client, usually a *dynamodb.Client. It sends nothing. A nil opts means the defaults.
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
	if db.opts.Settle <= 0 {
		db.opts.Settle = time.Second
	}
	if db.opts.Idempotency == nil {
		db.opts.Idempotency = &Schema{Name: "Metadata", Key: KeyNames{"PK", "SK"}, TTL: "ExpiresAt"}
	}
	if db.opts.Idempotency.TTL == "" {
		panic("dynastay.Open: Options.Idempotency: table " + db.opts.Idempotency.Name + " has no TTL attribute")
	}
	db.claim = absentOrExpired(db.opts.Idempotency)
	db.draws.entropy = ulid.Monotonic(db.opts.Rand, 0)
	return db
}

// Now is the clock's time in UTC, cut to milliseconds, the precision of a stored instant.
func (db *DB) Now() time.Time { return db.opts.Clock().UTC().Truncate(time.Millisecond) }

// NewID draws an id: "bkg_" gives bkg_01JCR….
func (db *DB) NewID(prefix string) string {
	if db.opts.NewID != nil {
		return db.opts.NewID(prefix)
	}
	db.draws.Lock()
	defer db.draws.Unlock()
	return prefix + ulid.MustNew(ulid.Timestamp(db.Now()), db.draws.entropy).String()
}

// Random fills p from [Options.Rand]. It is for repositories that draw more than ids.
func (db *DB) Random(p []byte) {
	db.draws.Lock()
	defer db.draws.Unlock()
	if _, err := io.ReadFull(db.opts.Rand, p); err != nil {
		panic("dynastay: Options.Rand: " + err.Error())
	}
}

// TableName is the schema's name with the prefix and suffix of the options.
func (db *DB) TableName(s *Schema) string { return db.opts.TablePrefix + s.Name + db.opts.TableSuffix }
