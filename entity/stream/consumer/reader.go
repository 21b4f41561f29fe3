package consumer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/internal/shown"
)

// reader reads one shard that the process holds and passes its changes to the router.
type reader struct {
	*Consumer
	shard position // as it was taken
	// caughtUp is called once, when the shard has been read to its present end.
	caughtUp func()
	lease    context.Context
	lose     context.CancelCauseFunc // ends lease
	expiry   *time.Timer             // loses the lease if it is not renewed in time
	stop     context.CancelFunc      // stops after the change that is being handled
	done     chan struct{}
	replaced atomic.Bool // the table has a later stream

	mu       sync.Mutex
	renewal  time.Time // when the write that last renewed the lease began
	progress progress
}

// progress is what a reader knows about its shard.
type progress struct {
	sequence     string
	readTo       time.Time
	failing      string
	failingSince time.Time
	failure      string
	current      bool // all changes were handled that the shard had at some time since it was taken
	ended        bool // the shard was read to its end
}

// store puts the progress into the shard's position.
func (p progress) store(in *position) {
	in.Sequence, in.ReadTo = p.sequence, p.readTo
	in.Failing, in.FailingSince, in.Failure = p.failing, p.failingSince, p.failure
}

// start starts to read a shard that was taken by a write that began at the given time.
func (c *Consumer) start(ctx context.Context, p *position, began time.Time, caughtUp, stopped func()) *reader {
	r := &reader{Consumer: c, shard: *p, caughtUp: caughtUp, done: make(chan struct{}), renewal: began, progress: progress{
		sequence: p.Sequence, readTo: p.ReadTo, failing: p.Failing, failingSince: p.FailingSince, failure: p.Failure,
	}}
	// A handler that is running may finish after ctx has ended, see run.stop.
	r.lease, r.lose = context.WithCancelCause(context.WithoutCancel(ctx))
	r.expiry = time.AfterFunc(c.spec.Lease-time.Since(began), func() { r.lose(ErrLeaseLost) })
	reading, stop := context.WithCancel(ctx)
	r.stop = stop
	context.AfterFunc(r.lease, stop)
	go func() {
		defer stopped()
		defer close(r.done)
		r.read(reading)
		if r.lost() {
			r.report(ctx, nil, ErrLeaseLost)
		}
	}()
	return r
}

// renew prolongs the lease after a write that began at the given time, unless it has ended before.
func (r *reader) renew(began time.Time) {
	if r.expiry.Stop() {
		r.expiry.Reset(r.spec.Lease - time.Since(began))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewal = began
}

func (r *reader) renewed() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.renewal
}

// lost reports whether the lease was lost.
func (r *reader) lost() bool { return errors.Is(context.Cause(r.lease), ErrLeaseLost) }

// close releases what the reader uses. The reader must have stopped.
func (r *reader) close() {
	r.expiry.Stop()
	r.lose(nil)
}

func (r *reader) stopped() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

func (r *reader) now() progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.progress
}

func (r *reader) set(change func(*progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.progress)
}

// read reads the shard until it ends or ctx does.
func (r *reader) read(ctx context.Context) {
	if r.late() && r.now().sequence == "" {
		r.missed(ctx, errors.New("it was not read for 24 hours")) // reading from its beginning, as it is now, gives no error
	}
	trimmed := false // what follows the position was removed
	var iterator *string
	for failures := 0; ctx.Err() == nil; {
		began := r.db.Now()
		page, err := r.page(ctx, &iterator, trimmed)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			iterator = nil
			var expired *types.ExpiredIteratorException
			var removed *types.TrimmedDataAccessException
			var gone *types.ResourceNotFoundException
			switch {
			case errors.As(err, &expired) && failures == 0:
			case errors.As(err, &removed) && !trimmed:
				// In a quiet shard, only the last change that was handled may have been removed. DynamoDB Local also
				// says this of a shard without changes if another table has some.
				if r.late() {
					r.missed(ctx, err)
				}
				trimmed = true
			case errors.As(err, &gone) && !r.listed(ctx):
				r.missed(ctx, err)
				r.set(func(p *progress) { p.ended = true })
				return
			default:
				r.report(ctx, nil, err)
				r.pause(ctx, failures)
			}
			failures++
			continue
		}
		failures = 0
		for _, from := range page.Records {
			if !r.handle(ctx, from) {
				return
			}
			trimmed = false
		}
		if iterator = page.NextShardIterator; iterator == nil {
			r.set(func(p *progress) { p.ended = true })
			return
		}
		if len(page.Records) == 0 {
			first := !r.now().current
			r.set(func(p *progress) { p.readTo, p.current = began, true })
			if first {
				r.caughtUp()
			}
			if r.replaced.Load() && r.over(ctx) {
				r.set(func(p *progress) { p.ended = true })
				return
			}
			wait(ctx, r.spec.Poll)
		}
	}
}

// page reads the next records, after it has got an iterator if there is none.
func (r *reader) page(ctx context.Context, iterator **string, trimmed bool) (*dynamodbstreams.GetRecordsOutput, error) {
	if *iterator == nil {
		in := &dynamodbstreams.GetShardIteratorInput{
			StreamArn: &r.shard.Stream, ShardId: &r.shard.ShardID, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
		}
		if sequence := r.now().sequence; sequence != "" && !trimmed {
			in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &sequence
		}
		out, err := r.streams.GetShardIterator(ctx, in)
		if err != nil {
			return nil, err
		}
		*iterator = out.ShardIterator
	}
	return r.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: *iterator})
}

// retention is how long a stream keeps a change.
const retention = 24 * time.Hour

// late reports whether the shard was not read for so long that changes may have been removed.
func (r *reader) late() bool {
	to := r.now().readTo
	if to.IsZero() {
		to = r.shard.CreatedAt
	}
	return r.db.Now().Sub(to) >= retention
}

// listed reports whether the stream still has the shard, or that is unknown.
func (r *reader) listed(ctx context.Context) bool {
	shards, _, err := r.describe(ctx, r.shard.Table, &r.shard.Stream)
	var gone *types.ResourceNotFoundException
	if err != nil {
		return !errors.As(err, &gone)
	}
	return slices.ContainsFunc(shards, r.shard.sameShard)
}

// over reports whether the stream does not exist any more. DynamoDB closes the shards of a stream that has ended; some
// engines do not, and answer for the stream that has replaced it, with the label of that one.
func (r *reader) over(ctx context.Context) bool {
	out, err := r.streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &r.shard.Stream, Limit: aws.Int32(1)})
	if err != nil {
		var gone *types.ResourceNotFoundException
		return errors.As(err, &gone)
	}
	return aws.ToString(out.StreamDescription.StreamLabel) != label(r.shard.Stream)
}

// missed reports that changes were removed before they were handled.
func (r *reader) missed(ctx context.Context, err error) {
	r.report(ctx, nil, &TrimmedError{Table: r.shard.Table, ShardID: r.shard.ShardID, Sequence: r.now().sequence, Err: err})
}

// handle passes one change to the router, or to DeadLetter. It returns false if the reader was stopped before either
// had succeeded.
func (r *reader) handle(ctx context.Context, from types.Record) bool {
	record, unreadable := stream.FromSDK(r.shard.Stream, from)
	for attempt := 0; ; attempt++ {
		err := r.route(record, unreadable)
		if err == nil {
			break
		}
		if r.lease.Err() != nil {
			return false // the error may be that of the context
		}
		since := r.failed(ctx, record, err)
		if r.spec.DeadLetter != nil && (errors.Is(err, stream.ErrPermanent) || r.db.Now().Sub(since) >= r.spec.GiveUp) {
			buried := r.bury(record, err)
			if buried == nil {
				break
			}
			if r.lease.Err() != nil {
				return false
			}
			r.report(ctx, &record, fmt.Errorf("dead letter: %w", buried))
		}
		if !r.pause(ctx, attempt) {
			return false
		}
	}
	r.set(func(p *progress) {
		p.sequence = record.Sequence
		if record.At.After(p.readTo) { // its time is rounded down
			p.readTo = record.At
		}
		p.failing, p.failingSince, p.failure = "", time.Time{}, ""
	})
	return ctx.Err() == nil && r.lease.Err() == nil
}

func (r *reader) route(record stream.Record, unreadable error) error {
	switch {
	case unreadable != nil:
		return stream.Permanent(unreadable)
	case record.At.Before(r.shard.Since.Add(-slack)):
		return nil
	}
	return r.spec.Router.Handle(r.lease, record)
}

// failed notes and reports that a change could not be handled. It returns since when.
func (r *reader) failed(ctx context.Context, record stream.Record, err error) (since time.Time) {
	r.set(func(p *progress) {
		if p.failing != record.ID() {
			p.failing, p.failingSince = record.ID(), r.db.Now()
		}
		p.failure, since = shortened(err.Error()), p.failingSince
	})
	r.report(ctx, &record, err)
	return since
}

// shortened returns the beginning of an error's text without e-mail addresses: it is stored, and written with every
// renewal of the lease.
func shortened(text string) string {
	const longest = 300
	text = shown.Masked(shown.OneLine(text))
	return strings.ToValidUTF8(text[:min(len(text), longest)], "")
}

// bury passes a change to DeadLetter. A panic is an error.
func (r *reader) bury(record stream.Record, cause error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	return r.spec.DeadLetter(r.lease, record, cause)
}

func (r *reader) report(ctx context.Context, record *stream.Record, err error) {
	r.spec.OnError(ctx, &Error{Consumer: r.spec.Name, Shard: r.shard.ShardID, Record: record, Err: err})
}

// pause waits after a failure, the longer the more there were. It returns false if ctx has ended.
func (r *reader) pause(ctx context.Context, failures int) bool {
	const longest = 30 // times Poll
	return wait(ctx, rand.N(min(r.spec.Poll<<min(failures, 5), longest*r.spec.Poll)))
}

// wait returns false if ctx has ended, also if d ended at the same time: select then takes either, and a change must not
// be handled again by a consumer that was stopped.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
