package measure

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/observe"
)

// Sink keeps the values of metrics. It must be safe for concurrent use, and should return at once.
type Sink interface {
	// Add adds a value to a [Counter], records it in a [Histogram], or makes it that of a [Gauge].
	Add(ctx context.Context, m *Metric, value float64, labels Labels)
}

// Meter is a [dynastay.Observer] that measures, and has methods for what only the application knows. It is safe for
// concurrent use. One Meter can serve several DBs.
type Meter struct {
	sink   Sink
	values [2]bounded // of operations, and of types of errors
	oldest oldest
}

// New returns a meter that puts the metrics into sink. The sink never gets OldestRecordAge: it asks [Meter.RecordAge] when
// it is read.
//
// The counters without attributes are there from the beginning, with 0: otherwise the first dead letter could not be told
// from a process that starts to report.
func New(sink Sink) *Meter {
	for _, m := range Metrics() {
		if m.Kind == Counter && len(m.Attributes) == 0 {
			sink.Add(context.Background(), m, 0, Labels{})
		}
	}
	return &Meter{sink: sink}
}

// Begin begins an operation.
func (m *Meter) Begin(ctx context.Context, name string) (context.Context, func(dynastay.Ended)) {
	o := &running{Operation: m.operation(name), outer: m.running(ctx)}
	return context.WithValue(ctx, runningKey{m}, o), func(e dynastay.Ended) { m.end(ctx, o, e) }
}

// Request counts a request of the operation in ctx.
func (m *Meter) Request(ctx context.Context, call dynastay.Call) {
	o := m.running(ctx)
	if o == nil {
		o = &running{}
	}
	operation, pattern := o.Name, o.Pattern
	m.sink.Add(ctx, requestDuration, call.Duration.Seconds(), m.requestLabels(call))
	m.sink.Add(ctx, requests, float64(call.Requests()), Labels{operation, pattern, call.Operation, string(call.Verdict)})
	if n := Retries(call); n > 0 {
		m.sink.Add(ctx, retries, float64(n), Labels{operation, pattern, call.Operation})
	}
	for _, u := range call.Usage {
		if u.ReadUnits > 0 {
			m.sink.Add(ctx, units, u.ReadUnits, Labels{operation, pattern, u.Table, u.Index, "read"})
		}
		if u.WriteUnits > 0 {
			m.sink.Add(ctx, units, u.WriteUnits, Labels{operation, pattern, u.Table, u.Index, "write"})
		}
	}
	throttled := call.Throttles
	if call.Verdict == dynastay.Throttled && len(throttled) == 0 {
		throttled = []dynastay.Throttle{{}} // DynamoDB does not say what was throttled
	}
	for _, t := range throttled {
		m.sink.Add(ctx, throttles, 1, Labels{operation, t.Reason, t.Table, t.Index})
	}
	switch call.Verdict {
	case dynastay.Conflict:
		m.sink.Add(ctx, conflicts, 1, Labels{operation, pattern})
	case dynastay.Lost:
		switch call.Operation {
		case "GetItem", "Query", "BatchGetItem": // nothing depended on it
			m.sink.Add(ctx, lostAnswers, 1, Labels{operation, unsettled})
		default:
			o.lost.Add(1) // until the end, when it is known how it was settled
		}
	}
}

// unsettled is the value of dynastay.settled for a lost answer that did not matter, such as that of a read.
const unsettled = "no"

func (m *Meter) requestLabels(call dynastay.Call) Labels {
	failed := m.values[1].of(RequestErrorType(call))
	code := ""
	if failed != "" {
		code = m.values[1].of(StatusCode(call.Err))
	}
	return Labels{call.Operation, Collection(call), Summary(call), code, failed}
}

// end measures an operation that has ended.
func (m *Meter) end(ctx context.Context, o *running, e dynastay.Ended) {
	m.sink.Add(ctx, operationDuration, e.Duration.Seconds(), Labels{o.Name, o.Pattern, m.values[1].of(ErrorType(e.Err))})
	for _, w := range o.own(e.Waits) {
		m.sink.Add(ctx, gateWait, w.Duration.Seconds(), Labels{o.Name, w.Table})
	}
	if lost := o.lost.Load(); lost > 0 {
		settled := string(e.Settled)
		if settled == "" {
			settled = unsettled
		}
		m.sink.Add(ctx, lostAnswers, float64(lost), Labels{o.Name, settled})
	}
	unknown := e.Settled == dynastay.Unsettled
	if unknown && !o.unknownPart.Load() {
		m.sink.Add(ctx, outcomesUnknown, 1, Labels{})
	}
	if o.outer != nil {
		o.outer.partEnded(e.Waits, unknown)
	}
}

// Retries returns how many of a call's requests repeated another one.
func Retries(call dynastay.Call) int {
	if call.Attempt > 1 {
		return call.Retries + 1
	}
	return call.Retries
}

// Collection returns the table of a request, or "" if it names several.
func Collection(call dynastay.Call) (table string) {
	for _, u := range call.Usage {
		if table != "" && u.Table != table {
			return ""
		}
		table = u.Table
	}
	return table
}

// Summary says in a few words what a request does: DynamoDB's operation, and what it reads or the tables that it writes,
// such as "Query Bookings/GSI1" or "TransactWriteItems Availability Bookings". It has no more values than the program has
// different requests.
func Summary(call dynastay.Call) string {
	var names []string
	for i, u := range call.Usage {
		name := u.Table
		switch {
		case call.Operation == "Query" && i > 0: // the table of the index that is read
			continue
		case call.Operation == "Query" && u.Index != "":
			name += "/" + u.Index
		case u.Index != "": // an index that a write changes
			continue
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return cut(strings.Join(append([]string{call.Operation}, names...), " "))
}

// cut shortens a summary to what the conventions recommend, at the end of a name.
func cut(summary string) string {
	const most = 255
	if len(summary) <= most {
		return summary
	}
	return summary[:strings.LastIndexByte(summary[:most+1], ' ')]
}

// bounded returns its first values as they are, and [Other] for each further one.
type bounded struct {
	mu    sync.RWMutex
	known map[string]bool
}

const mostValues = 1000

func (b *bounded) of(value string) string {
	b.mu.RLock()
	known := b.known[value]
	b.mu.RUnlock()
	if known || value == "" {
		return value
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[value] {
		return value
	}
	if len(b.known) >= mostValues {
		return Other
	}
	if b.known == nil {
		b.known = map[string]bool{}
	}
	b.known[value] = true
	return value
}

// Operation is the name that an operation has in metrics, and its pattern.
type Operation struct{ Name, Pattern string }

// OperationOf returns what [Metrics] call an operation: each of the names in the name of a write of several operations is
// there once. The pattern is that of package observe.
func OperationOf(name string) Operation {
	if strings.Contains(name, " + ") {
		var names []string
		for one := range strings.SplitSeq(name, " + ") {
			if !slices.Contains(names, one) {
				names = append(names, one)
			}
		}
		name = strings.Join(names, " + ")
	}
	return Operation{name, observe.Pattern(name)}
}

func (m *Meter) operation(name string) Operation {
	o := OperationOf(name)
	o.Name = m.values[0].of(o.Name)
	return o
}

// running is an operation that has begun.
type running struct {
	Operation
	outer       *running
	lost        atomic.Int64 // answers that it has lost itself
	unknownPart atomic.Bool  // a part has counted its unknown outcome
	mu          sync.Mutex
	waits       []dynastay.Wait // of its parts
}

type runningKey struct{ m *Meter }

func (m *Meter) running(ctx context.Context) *running {
	o, _ := ctx.Value(runningKey{m}).(*running)
	return o
}

// partEnded notes what a part has measured, because an outer operation is told of it again.
func (o *running) partEnded(waits []dynastay.Wait, unknown bool) {
	if unknown {
		o.unknownPart.Store(true)
	}
	if len(waits) > 0 {
		o.mu.Lock()
		o.waits = append(o.waits, waits...)
		o.mu.Unlock()
	}
}

// own returns the waits without those of the parts.
func (o *running) own(waits []dynastay.Wait) []dynastay.Wait {
	if len(waits) == 0 {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	waits = slices.Clone(waits)
	for _, w := range o.waits {
		if i := slices.Index(waits, w); i >= 0 {
			waits = slices.Delete(waits, i, i+1)
		}
	}
	return waits
}
