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
)

// observe counts the conflicts, those that were injected among them.
func (c *Run) observe(_ context.Context, call dynastay.Call) {
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

// DeletesInTime spares a table deletes that come late, of which nothing would tell what they then remove.
func (c *Run) DeletesInTime(s *dynastay.Schema) {
	c.late.punctual = append(c.late.punctual, s.Name)
}

// begin lets the storm loose. The faults are those of [dyntest.AnyOf], and answers that take long, each on its own, so
// that they can be counted: together they befall some 15 of 100 requests.
func (c *Run) begin() {
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
func (c *Run) end() {
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
