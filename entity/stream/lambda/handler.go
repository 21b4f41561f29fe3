package lambda

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/dynastay/dynastay/entity/stream"
)

// Options configure [Handler]. Every field is optional.
type Options struct {
	// PartialBatch makes the handler report the first record that failed instead of returning an error, so that Lambda
	// does not repeat the records before it. Set it together with ReportBatchItemFailures on the event source mapping,
	// and only then: without that, Lambda ignores the report and regards the batch as handled. Default: false, so a
	// failed record fails the whole batch.
	PartialBatch bool
	// DeadLetter gets a record that cannot be handled, with its error, which is permanent, see [stream.Permanent]. If
	// it returns nil, the record counts as handled. A record that could not be read contains the parts that could.
	// Default: none, so the record fails like any other.
	DeadLetter func(context.Context, stream.Record, error) error
	// OnError is called with every error that the handler does not return: that of a record that it reports because of
	// PartialBatch, and that of a record that DeadLetter has taken. (Package aws-lambda-go/lambda logs the errors that
	// are returned.) Default: logs with [slog.Default].
	OnError func(context.Context, error)
}

// Handler returns a function for lambda.Start of package github.com/aws/aws-lambda-go/lambda. It passes the records of
// an event to the router in their order, and stops at the first one that fails. The error names that record by its ID
// and its key without e-mail addresses, and wraps the cause.
//
// The context that it passes on ends before that of the invocation, by a tenth of the time that is left at the start
// but at most 2 seconds, so that the result of a slow batch still arrives. Once the context has ended, no other record
// is started, and the first one that was not started counts as the one that failed.
//
// Handler panics if router is nil, because otherwise every record would be a dead letter.
func Handler(router *stream.Router, opts *Options) func(context.Context, events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
	if router == nil {
		panic("lambda: Handler requires a router")
	}
	h := handler{router: router}
	if opts != nil {
		h.Options = *opts
	}
	if h.OnError == nil {
		h.OnError = func(ctx context.Context, err error) {
			slog.ErrorContext(ctx, "stream: a change was not handled", "error", err)
		}
	}
	return h.handle
}

type handler struct {
	Options
	router *stream.Router
}

func (h handler) handle(ctx context.Context, event events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
	early, cancel := shortened(ctx)
	defer cancel()
	failures := []events.DynamoDBBatchItemFailure{}
	for _, r := range event.Records {
		err := h.handleOne(early, r)
		if err == nil {
			continue
		}
		if !h.PartialBatch {
			return events.DynamoDBEventResponse{}, err
		}
		h.OnError(ctx, err)
		failures = append(failures, events.DynamoDBBatchItemFailure{ItemIdentifier: r.Change.SequenceNumber})
		break
	}
	return events.DynamoDBEventResponse{BatchItemFailures: failures}, nil
}

func (h handler) handleOne(ctx context.Context, event events.DynamoDBEventRecord) error {
	r, err := FromEvent(event)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("record %v: not started: %w", r, ctx.Err())
	case err != nil:
		err = stream.Permanent(err)
	default:
		err = h.router.Handle(ctx, r)
	}
	if err == nil {
		return nil
	}
	failed := fmt.Errorf("record %v: %w", r, err)
	if h.DeadLetter == nil || !errors.Is(err, stream.ErrPermanent) || ctx.Err() != nil { // it may be the context's error
		return failed
	}
	if refused := h.DeadLetter(ctx, r, err); refused != nil {
		return fmt.Errorf("%w; dead letter: %w", failed, refused)
	}
	h.OnError(ctx, failed)
	return nil
}

// reserve is the maximum time that is kept for returning the result after the context of the records has ended.
const reserve = 2 * time.Second

// shortened returns a context that ends before ctx does. Lambda stops a function that is not finished at its deadline,
// and then repeats the whole batch, even with ReportBatchItemFailures.
func shortened(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-min(reserve, time.Until(deadline)/10)))
}
