package dynaslog

import (
	"context"
	"log/slog"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/observe"
	"github.com/dynastay/dynastay/observe/measure"
)

// Options configure [New]. Every field is optional.
type Options struct {
	// Slow is the duration from which on an operation is logged because of it. Default: 1 s. Negative: never.
	Slow time.Duration
	// Wait is how long an operation may wait for others of the process before it is logged because of it. Default:
	// 100 ms. Negative: never.
	Wait time.Duration
	// Answers logs, at the level Info, also the operations whose error only answers the caller, such as that rooms are
	// sold out or that an argument is invalid, see [measure.Answer]. Default: false.
	Answers bool
}

// Observer is a [dynastay.Observer] that writes to a log.
type Observer struct {
	log  *slog.Logger
	opts Options
}

// New returns an observer that writes to log. A nil opts means the defaults.
func New(log *slog.Logger, opts *Options) *Observer {
	o := &Observer{log: log}
	if opts != nil {
		o.opts = *opts
	}
	if o.opts.Slow == 0 {
		o.opts.Slow = time.Second
	}
	if o.opts.Wait == 0 {
		o.opts.Wait = 100 * time.Millisecond
	}
	return o
}

// within is the key of the outermost operation in a context.
type within struct{ *Observer }

// Begin notes that an operation has begun; its line, if it gets one, is written at its end. A part has a line only if it
// failed: its operation may go on without it.
func (o *Observer) Begin(ctx context.Context, operation string) (context.Context, func(dynastay.Ended)) {
	if outer, ok := ctx.Value(within{o}).(string); ok {
		return ctx, func(e dynastay.Ended) {
			if failed(e.Err) {
				o.write(ctx, slog.LevelError, "part of an operation failed", operation, e, slog.String("within", outer))
			}
		}
	}
	return context.WithValue(ctx, within{o}, operation), func(e dynastay.Ended) { o.end(ctx, operation, e) }
}

func failed(err error) bool { return err != nil && !measure.Answer(err) }

// Request does nothing: the line of the operation says what its requests came to.
func (o *Observer) Request(context.Context, dynastay.Call) {}

func (o *Observer) end(ctx context.Context, operation string, e dynastay.Ended) {
	level, message := slog.LevelWarn, ""
	switch {
	case failed(e.Err):
		level, message = slog.LevelError, "operation failed"
	case e.Retries+e.Conflicts+e.Throttled+e.Lost > 0:
		message = "operation repeated requests"
	case o.opts.Wait > 0 && waited(e) >= o.opts.Wait:
		message = "operation waited for others"
	case o.opts.Slow > 0 && e.Duration >= o.opts.Slow:
		message = "operation was slow"
	case o.opts.Answers && e.Err != nil:
		level, message = slog.LevelInfo, "operation answered with an error"
	default:
		return
	}
	o.write(ctx, level, message, operation, e)
}

func waited(e dynastay.Ended) (sum time.Duration) {
	for _, w := range e.Waits {
		sum += w.Duration
	}
	return sum
}

func (o *Observer) write(ctx context.Context, level slog.Level, message, operation string, e dynastay.Ended, more ...slog.Attr) {
	attrs := append([]slog.Attr{slog.String("operation", measure.OperationOf(operation).Name)}, more...)
	text := func(name, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(name, value))
		}
	}
	number := func(name string, n int) {
		if n > 0 {
			attrs = append(attrs, slog.Int(name, n))
		}
	}
	text("pattern", observe.Pattern(operation))
	text("error", measure.ErrorType(e.Err))
	attrs = append(attrs, slog.Duration("duration", e.Duration), slog.Int("requests", e.Requests))
	number("retries", e.Retries)
	number("conflicts", e.Conflicts)
	number("throttled", e.Throttled)
	number("lost", e.Lost)
	text("settled", string(e.Settled))
	if waited := waited(e); waited > 0 {
		attrs = append(attrs, slog.Duration("waited", waited), slog.String("waitedFor", e.Waits[len(e.Waits)-1].Table))
	}
	attrs = append(attrs, slog.Float64("readUnits", e.ReadUnits), slog.Float64("writeUnits", e.WriteUnits))
	o.log.LogAttrs(ctx, level, message, attrs...)
}
