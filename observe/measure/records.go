package measure

import (
	"context"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
)

// Handler handles a record of a stream. It is the type of [stream.Router.Handle].
type Handler = func(context.Context, stream.Record) error

// Records returns a handler that measures another one: how long it takes, and how old the oldest record is that it has not
// handled. Wrap the functions of a router's routes, or the handler of a queue:
//
//	stream.OnItems(db, schema, meter.Records(handle))
func (m *Meter) Records(handle Handler) Handler {
	return func(ctx context.Context, r stream.Record) error {
		began := time.Now()
		done := m.oldest.begin(r.At, began)
		ended := false
		defer func() {
			if !ended { // by a panic
				done(false)
			}
		}()
		err := handle(ctx, r)
		ended = true
		done(err == nil)
		m.sink.Add(ctx, recordDuration, time.Since(began).Seconds(), Labels{r.Table, m.values[1].of(ErrorType(err))})
		return err
	}
}

// Behind tells the meter how far behind a consumer is: the largest Behind of consumer.Consumer.Shards. [Meter.Records] only
// sees what a handler is given, so a consumer that has stopped is seen only by a process that asks for its shards. Call it
// every minute; after five minutes, the value does not count any more.
func (m *Meter) Behind(behind time.Duration) { m.oldest.tell(behind, time.Now()) }

// RecordAge returns the age of the oldest record that is not handled, as far as this process knows: of the records that its
// handlers have now, of those that they had in the last two minutes, at that time, and of [Meter.Behind]. It is 0 if there
// is none.
func (m *Meter) RecordAge() time.Duration { return m.oldest.age(time.Now()) }

// DeadLetters returns a function for consumer.Spec.DeadLetter that calls park, and counts the records that it has parked.
func (m *Meter) DeadLetters(park func(context.Context, stream.Record, error) error) func(context.Context, stream.Record, error) error {
	return func(ctx context.Context, r stream.Record, cause error) error {
		if err := park(ctx, r, cause); err != nil {
			return err
		}
		m.sink.Add(ctx, deadLetters, 1, Labels{})
		return nil
	}
}

// OverdueHolds sets the number of holds that ended more than a few minutes ago and still keep their rooms.
func (m *Meter) OverdueHolds(ctx context.Context, n int) {
	m.sink.Add(ctx, overdueHolds, float64(n), Labels{})
}

// WriteOf returns what identifies the write that a record reports: [dynastay.WriteID.Write] of the new image, which is the
// Write of the [dynastay.Call] that has stored it. It is "" for a delete, which stores nothing, and for an item without a
// write id. A write that does not draw a new id, such as that of a counter, keeps the one of the write before it. The schema
// of the record's table says in which attribute the id is; nil stands for one that does not name another than WriteId.
func WriteOf(r stream.Record, schema *dynastay.Schema) string {
	if schema == nil {
		schema = &dynastay.Schema{}
	}
	var id dynastay.WriteID
	if err := id.UnmarshalDynamoDBAttributeValue(r.New.Value(schema.WriteIDName()).Stored()); err != nil {
		return ""
	}
	return id.Write()
}

// oldest knows the age of the oldest record. Its zero value knows none.
type oldest struct {
	mu     sync.Mutex
	next   int
	inHand map[int]time.Time // the records that are handled now: when they were made
	recent [2]told           // the oldest record in this minute, and in the one before
	behind told
}

// told is an age, and when it was heard of.
type told struct {
	at  time.Time
	age time.Duration
}

const (
	window = time.Minute
	stale  = 5 * time.Minute
)

// begin notes that a record is handled, until the function that it returns is called.
func (o *oldest) begin(made, now time.Time) func(handled bool) {
	if made.IsZero() {
		made = now // it is not from a stream
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.inHand == nil {
		o.inHand = map[int]time.Time{}
	}
	id := o.next
	o.next++
	o.inHand[id] = made
	o.saw(now.Sub(made), now)
	return func(handled bool) {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.inHand, id)
		if now := time.Now(); !handled {
			o.saw(now.Sub(made), now)
		}
	}
}

// saw notes the age of a record.
func (o *oldest) saw(age time.Duration, now time.Time) {
	o.roll(now)
	o.recent[0].age = max(o.recent[0].age, age)
}

// roll begins a new minute if the last one is over.
func (o *oldest) roll(now time.Time) {
	switch since := now.Sub(o.recent[0].at); {
	case since >= 2*window:
		o.recent = [2]told{{at: now}}
	case since >= window:
		o.recent = [2]told{{at: now}, o.recent[0]}
	}
}

func (o *oldest) tell(behind time.Duration, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.behind = told{now, behind}
}

func (o *oldest) age(now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.roll(now)
	age := max(o.recent[0].age, o.recent[1].age)
	for _, made := range o.inHand {
		age = max(age, now.Sub(made))
	}
	if now.Sub(o.behind.at) < stale {
		age = max(age, o.behind.age)
	}
	return max(age, 0)
}
