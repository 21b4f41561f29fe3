package dynastay

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Observer is told what a [DB] does: each operation when it begins and ends, and each request. Set it in
// [Options.Observer]. Packages observe/otel, observe/slog and observe/cost have observers; [Observers] joins several,
// and [RequestObserver] is one for requests only.
//
// An operation is one call of a method that sends requests, such as bookings.Create, or a [DB.Write] of several
// operations. The writes of an operation that consists of several, such as the bookings.Expire of each hold in
// bookings.ExpireHolds, are its parts: they begin with its context, and end before it does.
//
// An Observer must be safe for concurrent use: even one operation may send requests from several goroutines. Its methods
// should return soon, because the operation waits for them.
type Observer interface {
	// Begin is called before an operation, with the context of its caller. The operation goes on with the context that
	// Begin returns, so that Begin can put a span into it, and calls end, which must not be nil, when it has ended.
	Begin(ctx context.Context, operation string) (_ context.Context, end func(Ended))
	// Request is called after every request, on the goroutine that sent it, with the context of the operation that it
	// belongs to. With an observer, every request asks DynamoDB for its consumed capacity, which costs nothing.
	Request(ctx context.Context, call Call)
}

// RequestObserver is an [Observer] that is told of requests only. A nil one does nothing.
type RequestObserver func(ctx context.Context, call Call)

// Begin does nothing.
func (RequestObserver) Begin(ctx context.Context, _ string) (context.Context, func(Ended)) {
	return ctx, func(Ended) {}
}

// Request calls o.
func (o RequestObserver) Request(ctx context.Context, call Call) {
	if o != nil {
		o(ctx, call)
	}
}

// Observers returns an observer that tells all of them. They are told of a beginning and of a request in their order,
// and of an end in the opposite one. Those that are nil are left out.
func Observers(all ...Observer) Observer {
	return observers(slices.DeleteFunc(slices.Clone(all), func(o Observer) bool { return o == nil }))
}

type observers []Observer

func (all observers) Begin(ctx context.Context, operation string) (context.Context, func(Ended)) {
	ends := make([]func(Ended), len(all))
	for i, o := range all {
		ctx, ends[i] = o.Begin(ctx, operation)
	}
	return ctx, func(e Ended) {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i](e)
		}
	}
}

func (all observers) Request(ctx context.Context, call Call) {
	for _, o := range all {
		o.Request(ctx, call)
	}
}

// Call describes one request to DynamoDB.
type Call struct {
	Operation string // DynamoDB's name: "Query", "TransactWriteItems"
	// Usage has one entry for each table and index that the request named or that consumed capacity.
	Usage   []Usage
	Verdict Verdict
	// Attempt says which request of a write or of a batch this is, from 1: DB.Write and the batches retry themselves, and
	// each retry is a Call. It is 1 for every other read.
	Attempt int
	Retries int // number of retries by the SDK, of a GetItem or a Query only
	// Throttles are the limits that the request met, whether the SDK's retries helped or not. Those of what DynamoDB has left
	// undone of a batch are here too, with the Verdict Done.
	Throttles []Throttle
	// Write identifies the write, if it stores write ids: it is the [WriteID.Write] of all items that the request stores.
	Write    string
	Duration time.Duration
	Err      error
}

// Verdict is what became of a request.
type Verdict string

// The verdicts. Nothing was written with any but Done and Lost.
const (
	Done      Verdict = "done"
	Refused   Verdict = "refused"   // a condition did not hold
	Conflict  Verdict = "conflict"  // another transaction holds an item
	Throttled Verdict = "throttled" // no capacity
	Unsent    Verdict = "unsent"    // it did not reach DynamoDB
	Rejected  Verdict = "rejected"  // DynamoDB does not accept it, and a retry does not help
	Lost      Verdict = "lost"      // no answer: it may have been carried out, or may still be in progress
)

// Throttle is a limit that a request met.
type Throttle struct {
	Reason string // DynamoDB's, such as "IndexWriteKeyRangeThroughputExceeded"; "" if it does not say
	Table  string // the full name; "" if DynamoDB does not say
	Index  string // "" for the table itself
}

// Usage is the capacity that a request consumed on one table, or on one index of it, in DynamoDB's units: a read unit
// is a consistent read of up to 4 KB, a write unit is a write of up to 1 KB. A failed request reports no units.
type Usage struct {
	Table      string // the full name, with prefix and suffix
	Index      string // "" for the table itself
	ReadUnits  float64
	WriteUnits float64
}

// Requests returns how often the SDK tried to send the request.
func (c Call) Requests() int { return 1 + c.Retries }

// ReadUnits returns the read units consumed on all tables and indexes.
func (c Call) ReadUnits() (sum float64) {
	for _, u := range c.Usage {
		sum += u.ReadUnits
	}
	return sum
}

// WriteUnits returns the write units consumed on all tables and indexes.
func (c Call) WriteUnits() (sum float64) {
	for _, u := range c.Usage {
		sum += u.WriteUnits
	}
	return sum
}

// Ended describes an operation that has ended, together with its parts.
type Ended struct {
	Duration   time.Duration
	Requests   int // with the SDK's retries
	Retries    int // requests that repeated another one: by the SDK, and every Attempt but the first
	ReadUnits  float64
	WriteUnits float64
	Conflicts  int    // requests that another transaction was in the way of
	Throttled  int    // requests for which there was no capacity, without those that the SDK has retried
	Lost       int    // requests without an answer
	Waits      []Wait // for the operations of this process that were ahead, see Options.NoGates
	Settled    Settled
	Err        error // what the operation returned
}

// Wait is how long an operation queued for an item. Its key may contain personal data, such as an e-mail address.
type Wait struct {
	Ref
	Duration time.Duration
}

// Settled is how the outcome of an operation became known if it was not its own answer.
type Settled string

const (
	// SettledByRetry: an answer was lost, and the answer to the same request, sent again, counts for both.
	SettledByRetry Settled = "retry"
	// SettledByRead: an answer was lost, and the item shows whether the write was carried out.
	SettledByRead Settled = "read"
	// SettledByRecord: the record of the idempotency key says that this call, or an earlier one, has made the write.
	SettledByRecord Settled = "record"
	// Unsettled: an answer was lost, and the outcome is unknown: the operation, or a part of it, has returned
	// [ErrOutcomeUnknown].
	Unsettled Settled = "unknown"
)

func (c *Call) charge(table, index string, units *types.Capacity, write bool) {
	if units == nil {
		return
	}
	i := 0
	for i < len(c.Usage) && (c.Usage[i].Table != table || c.Usage[i].Index != index) {
		i++
	}
	if i == len(c.Usage) {
		c.Usage = append(c.Usage, Usage{Table: table, Index: index})
	}
	// Transactions report read and write units separately; the other operations report one total of their kind.
	switch {
	case units.ReadCapacityUnits != nil || units.WriteCapacityUnits != nil:
		c.Usage[i].ReadUnits += value(units.ReadCapacityUnits)
		c.Usage[i].WriteUnits += value(units.WriteCapacityUnits)
	case write:
		c.Usage[i].WriteUnits += value(units.CapacityUnits)
	default:
		c.Usage[i].ReadUnits += value(units.CapacityUnits)
	}
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
