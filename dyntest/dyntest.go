package dyntest

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
)

// DB is a database for one test.
type DB struct {
	*dynastay.DB
	// Client is the client below DB. Its requests go through Faults.
	Client *dynamodb.Client
	Faults *Faults
	// Engine is shared with the other tests of the binary, so a test does not stop it. Its clients bypass Faults.
	Engine *Engine

	prefix string
}

// setUpTime bounds each of the steps that make and remove a test's tables. It is for an engine that hangs; they take
// well under a second.
const setUpTime = 2 * time.Minute

// New gives a database whose tables exist for this test only: those of the hotel, and those of [Tables]. They are
// removed when the test ends, however it ends. All tests of a test binary share one engine; the package comment says
// which. Where there is none, the test fails with what was tried and what would help.
//
// Client tokens of transactions are the one thing that tests still share: an engine remembers them beyond the end of
// a table, so a test does not choose a fixed one.
func New(t testing.TB, opts ...Option) *DB {
	t.Helper()
	c := configure(opts)
	engine, err := c.engine()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(engine.account())

	d := &DB{Engine: engine, prefix: tablePrefix(t.Name())}
	d.Faults = newFaults(t, engine, d.prefix, c)
	d.Client = engine.client(d.over(engine.transport))
	d.DB = d.Open(&c.options)

	// Registered first, so that it also removes the tables of a set-up that failed half-way.
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), setUpTime)
		defer cancel()
		if err := engine.DeleteTables(ctx, d.prefix, c.schemas...); err != nil {
			t.Errorf("dyntest: remove the tables of this test from %s: %v", engine.Name(), err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), setUpTime)
	defer cancel()
	if err := engine.createOwnTables(ctx, d.prefix, c.schemas); err != nil {
		t.Fatalf("dyntest: make the tables of this test on %s: %v", engine.Name(), err)
	}
	return d
}

// over is the transport of Client.
func (d *DB) over(engine http.RoundTripper) http.RoundTripper {
	return &wire{[]stage{d.Faults.note, d.Faults.conflict, d.Faults.loseAnswer}, engine}
}

// Open makes a second [dynastay.DB] over the same tables, independent of the first as another process would be. Nil
// opts means the defaults; TablePrefix and TableSuffix are filled in.
func (d *DB) Open(opts *dynastay.Options) *dynastay.DB {
	var o dynastay.Options
	if opts != nil {
		o = *opts
	}
	o.TablePrefix, o.TableSuffix = d.prefix, ""
	return dynastay.Open(d.Client, &o)
}

// tablePrefix makes table names that tell which test they belong to, and are unique on an engine that several test
// binaries share, or that still has the tables of a binary that was killed.
func tablePrefix(test string) string {
	const longest = 64 // of the 255 bytes that a table's name may have
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '.', r == '-':
			return r
		}
		return '-'
	}, test)
	return name[:min(len(name), longest)] + "-" + rand.Text()[:10] + "-"
}

// parallel calls f with each schema at the same time.
func parallel(schemas []*dynastay.Schema, f func(*dynastay.Schema) error) error {
	var wg sync.WaitGroup
	errs := make([]error, len(schemas))
	for i, s := range schemas {
		wg.Go(func() { errs[i] = f(s) })
	}
	wg.Wait()
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}
