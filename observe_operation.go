package dynastay

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Begin tells the observer that an operation begins. It is for methods that send several requests, of repositories and
// of services, so that the observer sees the requests as one operation:
//
//	ctx, end := db.Begin(ctx, "desk.Arrivals")
//	defer func() { end(err) }()
//
// The operation goes on with the context that Begin returns, and calls end once, with the error that it returns.
// [DB.Write], lists, and the tables of package entity call Begin themselves. Within another operation, Begin does
// nothing: the requests belong to the outer one. Only a [DB.Write] there is a part of its own, because it has an outcome
// of its own. If the operation panics, its error is nil. Without an observer, Begin does nothing and allocates nothing.
func (db *DB) Begin(ctx context.Context, operation string) (_ context.Context, end func(error)) {
	if db.opts.Observer == nil || db.running(ctx) != nil {
		return ctx, unobserved
	}
	return db.begin(ctx, operation)
}

func unobserved(error) {}

// begin is Begin for a write, which needs an observer. A write of the same name as the operation around it is that
// operation, and no part.
func (db *DB) begin(ctx context.Context, operation string) (context.Context, func(error)) {
	outer := db.running(ctx)
	if outer != nil && outer.operation == operation {
		return ctx, unobserved
	}
	r := &running{operation: operation, outer: outer, began: time.Now()}
	ctx, r.end = db.opts.Observer.Begin(ctx, operation)
	return context.WithValue(ctx, runningKey{db}, r), r.finish
}

// beginUnnamed is Begin for what has no name of its own.
func (db *DB) beginUnnamed(ctx context.Context, method string, s *Schema) (context.Context, func(error)) {
	if db.opts.Observer == nil {
		return ctx, unobserved
	}
	return db.Begin(ctx, method+" "+s.Name)
}

// running is an operation that an observer has been told of. Its methods do nothing if it is nil.
// See docs/decisions/0032-observers.md for what is an operation and what is a part.
type running struct {
	operation string
	outer     *running // the operation that it is a part of
	began     time.Time
	end       func(Ended)
	ended     atomic.Bool // what still uses its context is no part of it
	mu        sync.Mutex  // requests and parts may run at the same time
	sum       Ended
}

// runningKey is the key of the operation of one DB in a context: the requests of another DB may have another observer.
type runningKey struct{ db *DB }

func (db *DB) running(ctx context.Context) *running {
	if db.opts.Observer == nil {
		return nil
	}
	r, _ := ctx.Value(runningKey{db}).(*running)
	if r == nil || r.ended.Load() {
		return nil
	}
	return r
}

// add adds what is seen to the operation, and to those that it is a part of.
func (r *running) add(change func(*Ended)) {
	for ; r != nil; r = r.outer {
		r.mu.Lock()
		change(&r.sum)
		r.mu.Unlock()
	}
}

// waited notes that the operation has queued for items.
func (r *running) waited(waits []Wait) {
	if len(waits) > 0 {
		r.add(func(sum *Ended) { sum.Waits = append(sum.Waits, waits...) })
	}
}

// settled notes how an outcome has become known. Of an operation with several parts, the last one counts, unless one is
// unknown.
func (r *running) settled(by Settled) {
	r.add(func(sum *Ended) {
		if sum.Settled != Unsettled {
			sum.Settled = by
		}
	})
}

func (r *running) sent(call *Call) {
	requests, reads, writes := call.Requests(), call.ReadUnits(), call.WriteUnits()
	r.add(func(sum *Ended) {
		sum.Requests += requests
		sum.Retries += call.Retries
		if call.Attempt > 1 {
			sum.Retries++
		}
		sum.ReadUnits += reads
		sum.WriteUnits += writes
		switch call.Verdict {
		case Conflict:
			sum.Conflicts++
		case Throttled:
			sum.Throttled++
		case Lost:
			sum.Lost++
		}
	})
}

func (r *running) finish(err error) {
	if r.ended.Swap(true) {
		return
	}
	r.mu.Lock()
	ended := r.sum
	r.mu.Unlock()
	ended.Duration, ended.Err = time.Since(r.began), err
	r.end(ended)
}

// target is a table or an index that a request names.
type target struct{ table, index string }

// observe tells the observer of a request.
func (db *DB) observe(
	ctx context.Context, began time.Time, call Call, named []target, consumed []types.ConsumedCapacity,
) {
	if db.opts.Observer == nil {
		return
	}
	call.Duration = time.Since(began)
	for _, t := range named {
		call.Usage = append(call.Usage, Usage{Table: t.table, Index: t.index})
	}
	write := call.Operation != "GetItem" && call.Operation != "BatchGetItem" && call.Operation != "Query" && call.Operation != "Scan"
	for _, c := range consumed {
		call.charge(value(c.TableName), "", c.Table, write)
		for index, units := range c.GlobalSecondaryIndexes {
			call.charge(value(c.TableName), index, &units, write)
		}
	}
	db.running(ctx).sent(&call)
	db.opts.Observer.Request(ctx, call)
}

// leave notes what DynamoDB has left undone of a batch: it has no other reason for that than a limit.
func leave[T any](c *Call, tables map[string]T) {
	if len(tables) == 0 {
		return
	}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		c.Throttles = append(c.Throttles, Throttle{Table: table})
	}
}

// throttlesOf returns what an error says about the limits that a request met. Only newer versions of DynamoDB say it.
func throttlesOf(err error) (all []Throttle) {
	if err == nil {
		return nil // before what follows allocates
	}
	var reasons []types.ThrottlingReason
	var provisioned *types.ProvisionedThroughputExceededException
	var limit *types.RequestLimitExceeded
	var throttling *types.ThrottlingException
	switch {
	case errors.As(err, &provisioned):
		reasons = provisioned.ThrottlingReasons
	case errors.As(err, &limit):
		reasons = limit.ThrottlingReasons
	case errors.As(err, &throttling):
		reasons = throttling.ThrottlingReasons
	}
	if len(reasons) == 0 && isThrottle(err) {
		return []Throttle{{}}
	}
	for _, reason := range reasons {
		// arn:aws:dynamodb:us-east-1:123456789012:table/Bookings/index/GSI1
		_, name, _ := strings.Cut(value(reason.Resource), ":table/")
		table, index, _ := strings.Cut(name, "/index/")
		table, _, _ = strings.Cut(table, "/")
		all = append(all, Throttle{Reason: value(reason.Reason), Table: table, Index: index})
	}
	return all
}
