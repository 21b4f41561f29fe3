package dyntest

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
)

// DB is a database for one test.
type DB struct {
	*dynastay.DB
	// Client is the client that DB uses. Its requests go through Faults, and are measured. It retries as often as the
	// SDK does by default, but almost without delay, because waiting as long as the SDK does would only make the tests
	// slower.
	Client *dynamodb.Client
	// Streams reads the streams of the tables, if the option [Streams] enables them. Like those of Client, its requests
	// go through Faults, are measured, and are retried almost without delay. It shows the engine's own shards, of which
	// there is only one for each stream; [DB.Reshard] simulates more.
	Streams *dynamodbstreams.Client
	// Direct uses the same tables and the same clock, but bypasses Faults, measurements and the Observer in the options
	// of [With]. Use it to prepare a test and to inspect what it did.
	Direct *dynastay.DB
	Faults *Faults
	Clock  *Clock
	// Engine is shared with the other tests of the binary, so a test must not stop it. Its clients bypass Faults, and
	// are not measured.
	Engine *engine.Engine

	t           testing.TB
	prefix      string
	schemas     []*dynastay.Schema
	meter       *meter
	permissions *permissions
	sign        func(req *http.Request, body []byte) error
}

// setUpTime bounds each step that creates or removes a test's tables, in case an engine hangs. A step takes well under
// a second.
const setUpTime = 2 * time.Minute

// New returns a database with tables for this test only: the library's tables, and those of [Tables]. They are removed
// when the test ends, even if it fails or panics. All tests of a test binary share one engine, which package engine
// finds or starts. If no engine is available, the test fails with a message that says what was tried and how to fix it.
//
// Tests are isolated from each other except for the client tokens of transactions: an engine remembers them even after
// a table is removed, so a test must not use a fixed token.
func New(t testing.TB, opts ...Option) *DB {
	t.Helper()
	c := configure(opts)
	if err := c.complete(); err != nil {
		t.Fatal(err)
	}
	found, err := c.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	logOnce(t, "dyntest: "+found.Account())
	clock, err := c.newClock()
	if err != nil {
		t.Fatal(err)
	}

	prefix := tablePrefix(t.Name())
	d := &DB{Engine: found, Clock: clock, t: t, prefix: prefix, schemas: c.schemas, meter: newMeter(prefix), sign: signer(found)}
	if d.permissions, err = newPermissions(c, prefix); err != nil {
		t.Fatal(err)
	}
	d.Faults = newFaults(t, found, d.prefix, c)
	d.Client = found.Client(d.front, atOnce)
	d.Streams = found.Streams(d.frontStreams, streamsAtOnce)
	d.DB = d.Open(&c.options)
	direct := c.options
	direct.Observer = nil
	d.Direct = d.open(found.Client(), &direct)

	// Registered first, so that it also removes the tables of a set-up that failed partway.
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), setUpTime)
		defer cancel()
		if err := found.DeleteTables(ctx, d.prefix, c.schemas...); err != nil {
			t.Errorf("dyntest: delete this test's tables from %s: %v", found.Name(), err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), setUpTime)
	defer cancel()
	if err := createTables(ctx, found, d.prefix, c.tables()); err != nil {
		t.Fatalf("dyntest: create this test's tables on %s: %v", found.Name(), err)
	}
	d.summarize()
	return d
}

// logged has the lines that running tests have logged with logOnce, each after the test's name.
var logged sync.Map

// logOnce logs a line once in a test: a property test calls New for each of its examples, and the same lines hundreds of
// times would hide why it failed.
func logOnce(t testing.TB, line string) {
	t.Helper()
	name := t.Name() + " " + line
	if _, before := logged.LoadOrStore(name, true); before {
		return
	}
	t.Cleanup(func() { logged.Delete(name) })
	t.Log(line)
}

// atOnce makes a client wait at most 5 milliseconds between retries. It also turns off the SDK's retry quota, with
// which faults that a test has injected long ago would decide whether a request is retried now.
func atOnce(o *dynamodb.Options) { o.Retryer = quickRetryer() }

func streamsAtOnce(o *dynamodbstreams.Options) { o.Retryer = quickRetryer() }

func quickRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxBackoff, o.RateLimiter = 5*time.Millisecond, ratelimit.None
	})
}

// front puts the faults and the meter of the test in front of an engine's client.
func (d *DB) front(o *dynamodb.Options) {
	o.HTTPClient = through(o.HTTPClient.(*http.Client), d.over)
}

func (d *DB) frontStreams(o *dynamodbstreams.Options) {
	o.HTTPClient = through(o.HTTPClient.(*http.Client), d.over)
}

// through returns the client with its network behind what over returns.
func through(client *http.Client, over func(http.RoundTripper) http.RoundTripper) *http.Client {
	fronted := *client
	fronted.Transport = over(client.Transport)
	return &fronted
}

func (d *DB) over(network http.RoundTripper) http.RoundTripper {
	return &wire{[]stage{d.noteNeeds, d.Faults.note, d.Faults.hint, d.meter.count, d.permit, d.Faults.conflict, d.Faults.inject}, network, d.sign}
}

// Open returns a second [dynastay.DB] on the same tables, as independent of the first one as if it were in another
// process. If opts is nil, the defaults apply. TablePrefix and TableSuffix are replaced by the test's own. If Clock is
// nil, the test's Clock is used. If IndexLag is zero, it is 1 ms: the indexes of local engines do not lag.
func (d *DB) Open(opts *dynastay.Options) *dynastay.DB { return d.open(d.Client, opts) }

func (d *DB) open(client *dynamodb.Client, opts *dynastay.Options) *dynastay.DB {
	var o dynastay.Options
	if opts != nil {
		o = *opts
	}
	o.TablePrefix, o.TableSuffix = d.prefix, ""
	if o.Clock == nil {
		o.Clock = d.Clock.Now
	}
	if o.IndexLag == 0 {
		o.IndexLag = time.Millisecond
	}
	if needsDirectory != "" && o.Observer == nil {
		o.Observer = noted{alone: true}
	} else if needsDirectory != "" {
		o.Observer = dynastay.Observers(noted{}, o.Observer)
	}
	return dynastay.Open(client, &o)
}

// tablePrefix returns a prefix for table names that shows the test they belong to. It makes them unique on an engine
// that several test binaries share, or that still has the tables of a binary that was killed.
func tablePrefix(test string) string {
	const longest = 64 // of at most 255 bytes for a table's name
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '.', r == '-':
			return r
		}
		return '-'
	}, test)
	return name[:min(len(name), longest)] + "-" + rand.Text()[:10] + "-"
}
