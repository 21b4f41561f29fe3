package dynaotel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/observe/measure"
)

// Options are the options of [New].
type Options struct {
	TracerProvider trace.TracerProvider // default: the global one
	MeterProvider  metric.MeterProvider // default: the global one
	// ServerAddress and ServerPort are those of DynamoDB, such as "dynamodb.eu-central-1.amazonaws.com". Default: none, and
	// the attributes server.… are missing. The port is reported only if it is not 443.
	ServerAddress string
	ServerPort    int
	// Development adds the attributes aws.dynamodb.table_names, aws.dynamodb.index_name and
	// aws.dynamodb.consumed_capacity to the spans of requests. The conventions may still change them.
	Development bool
}

// Observer is a [dynastay.Observer]. It is safe for concurrent use, and one can serve several DBs.
type Observer struct {
	*measure.Meter
	tracer      trace.Tracer
	server      []attribute.KeyValue
	development bool
}

// scope is the name of the instrumentation.
const scope = "github.com/dynastay/dynastay/observe/otel"

// New returns an observer. It fails if the meter provider refuses an instrument.
func New(opts Options) (*Observer, error) {
	if opts.TracerProvider == nil {
		opts.TracerProvider = otel.GetTracerProvider()
	}
	if opts.MeterProvider == nil {
		opts.MeterProvider = otel.GetMeterProvider()
	}
	o := &Observer{
		tracer: opts.TracerProvider.Tracer(scope, trace.WithSchemaURL(Conventions)),
		server: server(opts.ServerAddress, opts.ServerPort), development: opts.Development,
	}
	sink, err := newSink(opts.MeterProvider.Meter(scope, metric.WithSchemaURL(Conventions)), constants(o.server))
	if err != nil {
		return nil, err
	}
	o.Meter = measure.New(sink)
	return o, sink.observeAge(o.RecordAge)
}

// Metrics returns all metrics of an [Observer].
func Metrics() []*measure.Metric { return measure.Metrics() }

// Begin begins the span of an operation, which the context that it returns has.
func (o *Observer) Begin(ctx context.Context, operation string) (context.Context, func(dynastay.Ended)) {
	ctx, span := o.tracer.Start(ctx, measure.OperationOf(operation).Name, trace.WithAttributes(begun(operation)...))
	ctx, measured := o.Meter.Begin(ctx, operation)
	return ctx, func(e dynastay.Ended) {
		measured(e)
		if span.IsRecording() {
			span.SetAttributes(ended(e)...)
		}
		finish(span, e.Err)
		span.End()
	}
}

// finish sets the status of a span by the error of what it stands for, which is left out itself.
func finish(span trace.Span, err error) {
	if err == nil {
		return
	}
	span.SetAttributes(errorType.String(measure.ErrorType(err)))
	if !measure.Answer(err) {
		span.SetStatus(codes.Error, "")
	}
}

// Request makes the span of a request.
func (o *Observer) Request(ctx context.Context, call dynastay.Call) {
	now := time.Now()
	parent := trace.SpanFromContext(ctx)
	attributes := o.requested(parent, call)
	spanned, span := o.tracer.Start(ctx, measure.Summary(call), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(now.Add(-call.Duration)), trace.WithAttributes(attributes...))
	o.Meter.Request(spanned, call) // an exemplar is the span of the request
	if measure.RequestErrorType(call) != "" {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(now))
}

// requested returns the attributes of a request, which a sampler may want to see. If the operation's span is not sampled,
// its requests are not either, by default, and the standard attributes are enough.
func (o *Observer) requested(parent trace.Span, call dynastay.Call) []attribute.KeyValue {
	all := append(standard(call), o.server...)
	if parent.SpanContext().IsValid() && !parent.IsRecording() {
		return all
	}
	all = append(all, requested(call)...)
	if o.development {
		all = append(all, development(call)...)
	}
	return all
}

// Records returns a handler for the records of the streams of one table that makes a span of what another handler does with
// each, and measures it. The schema is that of the table; it may be nil if its items have their write id in WriteId. To
// observe a router as a whole, pass each table on to it:
//
//	observed := stream.NewRouter(stream.OnItems(db, keys.BookingsTable, observer.Records(router.Handle, keys.BookingsTable)))
func (o *Observer) Records(handle measure.Handler, schema *dynastay.Schema) measure.Handler {
	handle = o.Meter.Records(handle)
	return func(ctx context.Context, r stream.Record) (err error) {
		ctx, span := o.tracer.Start(ctx, "process "+r.Table,
			trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(recorded(r, schema)...))
		defer span.End()
		err = handle(ctx, r)
		finish(span, err)
		return err
	}
}
