package checker

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// patient goes on until it knows, or until nobody else is left.
var patient = dynastay.Options{Retry: dynastay.Retry{Attempts: 40, Base: time.Millisecond, Cap: 20 * time.Millisecond}}

// temperaments are the options of the processes, in turn.
var temperaments = []dynastay.Options{
	{Retry: dynastay.Retry{Attempts: 6, Base: time.Millisecond, Cap: 5 * time.Millisecond}, Settle: 50 * time.Millisecond},
	{Retry: dynastay.Retry{Attempts: 16, Base: time.Millisecond, Cap: 10 * time.Millisecond}, NoGates: true},
	{Retry: dynastay.Retry{Attempts: 3, Base: time.Millisecond, Cap: 5 * time.Millisecond}, NoGates: true, Settle: 50 * time.Millisecond},
	patient,
}

// process is what one process has of its own: a DB, and on it what each system needs, see [each].
type process struct {
	name       string
	takesTurns bool
	*dynastay.DB
	checker *checker
	options dynastay.Options
	shards  key.Shards
}

// The processes write to different counts of shards, as while these are raised, and keep addresses out of keys.
const shards = 3

// skew is by how much the clock of each process is ahead of that of the one before.
const skew = 400 * time.Millisecond

func (c *checker) process(name string, options dynastay.Options) *process {
	ahead := time.Duration(len(c.processes)%len(temperaments)) * skew
	options.Clock = func() time.Time { return c.db.Clock.Now().Add(ahead) }
	options.Observer = dynastay.RequestObserver(c.observe)
	p := &process{
		name: name, takesTurns: !options.NoGates, checker: c, options: options, shards: key.Shards{Write: 1 + len(c.processes)%shards, Read: shards},
	}
	p.DB = p.open(c.db, func(*dynastay.Options) {})
	return p
}

// open opens a database for the process, with some options that differ from those of its DB.
func (p *process) open(db *dyntest.DB, change func(*dynastay.Options)) *dynastay.DB {
	options := p.options
	options.TablePrefix = strings.TrimSuffix(db.TableName(keys.BookingsTable), keys.BookingsTable.Name)
	change(&options)
	return dynastay.Open(fake.Client{Next: db.Client, Do: p.checker.late.way}, &options)
}

// each returns what a system has of a process, such as its repositories. It is opened when it is first asked for.
func each[T any](open func(*process) T) func(*process) T {
	var mu sync.Mutex
	all := map[*process]T{}
	return func(p *process) T {
		mu.Lock()
		defer mu.Unlock()
		of, known := all[p]
		if !known {
			of = open(p)
			all[p] = of
		}
		return of
	}
}

// observe counts the conflicts, those that were injected among them.
func (c *checker) observe(_ context.Context, call dynastay.Call) {
	var single *types.TransactionConflictException
	var cancelled *types.TransactionCanceledException
	met := errors.As(call.Err, &single)
	if errors.As(call.Err, &cancelled) {
		for _, reason := range cancelled.CancellationReasons {
			met = met || reason.Code != nil && *reason.Code == "TransactionConflict"
		}
	}
	if met {
		c.conflicts.Add(1)
	}
}

// fault is one that befalls requests by chance.
type fault struct {
	name       string
	injections []*dyntest.Injection // of all databases
}

// deletesInTime spares a table deletes that come late, of which nothing would tell what they then remove.
func (c *checker) deletesInTime(s *dynastay.Schema) {
	c.late.punctual = append(c.late.punctual, s.Name)
}

// begin lets the storm loose. The faults are those of [dyntest.AnyOf], and answers that take long, each on its own, so
// that they can be counted: together they befall some 15 of 100 requests.
func (c *checker) begin() {
	for _, db := range c.databases {
		db.Faults.Conflicts(time.Millisecond)
	}
	for _, f := range []struct {
		name   string
		what   dyntest.Fault
		chance float64
	}{
		{"throttled", dyntest.Throttle(), 0.02},
		{"internal errors", dyntest.InternalError(), 0.015},
		{"internal errors after the commit", dyntest.InternalErrorAfterCommit(), 0.02},
		{"conflicts of nobody", dyntest.Conflict(), 0.02},
		{"in progress", dyntest.InProgress(), 0.015},
		{"lost requests", dyntest.LoseRequest(), 0.02},
		{"lost answers", dyntest.LoseAnswer(), 0.03},
		{"delayed requests", dyntest.Delay(3 * time.Millisecond), 0.015},
		{"delayed answers", dyntest.DelayAnswer(3 * time.Millisecond), 0.02},
		{"short pages", dyntest.ShortPages(1), 0.05},
		{"unprocessed", dyntest.Unprocessed(1), 0.15},
	} {
		one := &fault{name: f.name}
		for _, db := range c.databases {
			one.injections = append(one.injections, db.Faults.Inject(f.what, dyntest.When{Chance: f.chance, Optional: true}))
		}
		c.storm = append(c.storm, one)
	}
	c.late.begin()
	c.started = time.Now()
}

// end waits until the last request has arrived that somebody gave up.
func (c *checker) end() {
	for _, f := range c.storm {
		for _, i := range f.injections {
			i.Stop()
		}
	}
	c.late.end()
}

// latecomers are the requests that are still under way when their caller has given them up: a connection that breaks
// says nothing of what went through it.
type latecomers struct {
	mu       sync.Mutex
	rand     *rand.Rand
	open     bool
	count    int
	under    sync.WaitGroup
	punctual []string // tables
}

func (l *latecomers) begin() { l.set(true) }

func (l *latecomers) end() {
	l.set(false)
	l.under.Wait()
}

func (l *latecomers) set(open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = open
}

func (l *latecomers) number() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// draw says whether a request comes late, and by how much.
func (l *latecomers) draw() (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open || l.rand.IntN(40) > 0 {
		return 0, false
	}
	l.count++
	l.under.Add(1)
	most := []int{2, 20, 100}[l.rand.IntN(3)] // while the call still tries, about when it ends, and long after
	return time.Duration(l.rand.IntN(most*1000)) * time.Microsecond, true
}

// hurries says whether a read is sent once, see [latecomers.read].
func (l *latecomers) hurries() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open && l.rand.IntN(10) == 0
}

// way loses some writes and delivers them later, to the faults and the engine behind it. It sends some reads once.
func (l *latecomers) way(r *fake.Request) (any, error) {
	switch in := r.In.(type) {
	case *dynamodb.GetItemInput, *dynamodb.QueryInput, *dynamodb.BatchGetItemInput:
		return l.read(r)
	case *dynamodb.DeleteItemInput:
		if slices.ContainsFunc(l.punctual, func(table string) bool { return strings.HasSuffix(*in.TableName, table) }) {
			return r.Send()
		}
	case *dynamodb.BatchWriteItemInput, *dynamodb.TransactGetItemsInput:
		return r.Send()
	}
	after, late := l.draw()
	if !late {
		return r.Send()
	}
	go func() {
		defer l.under.Done()
		time.Sleep(after)
		_, _ = r.SendAs(context.WithoutCancel(r.Context), oneAttempt)
	}()
	return nil, io.ErrUnexpectedEOF
}

func oneAttempt(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// read sends some reads once. If such a read fails, its answer comes as the context ends, if that is soon.
func (l *latecomers) read(r *fake.Request) (any, error) {
	if !l.hurries() {
		return r.Send()
	}
	out, err := r.SendAs(r.Context, append(r.Options, oneAttempt)...)
	if end, ends := r.Context.Deadline(); err != nil && ends && time.Until(end) < 100*time.Millisecond {
		<-r.Context.Done()
	}
	return out, err
}
