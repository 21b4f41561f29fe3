package checker

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/dynastay/dynastay"
)

// Moment counts what happens: of two, the smaller one was earlier.
type Moment int64

// Ever is later than all that happens.
const Ever Moment = math.MaxInt64

// Moment is now.
func (c *Run) Moment() Moment { return Moment(c.moments.Add(1)) }

// Span is the time of a call, or the time within which something was written.
type Span struct{ From, To Moment }

// Between is the time from one moment to another.
func Between(from, to Moment) Span { return Span{from, to} }

// Since is all time from a moment on.
func Since(from Moment) Span { return Span{from, Ever} }

// Meets reports whether two spans have a moment in common.
func (s Span) Meets(other Span) bool { return s.From <= other.To && other.From <= s.To }

// Deed is a write, sent once or under a key, that remembers within which time it can have been carried out. So it can
// be told of a refusal whether it was true for some moment of the call.
type Deed struct {
	*Once
	Mark string

	mu       sync.Mutex
	Within   Span
	proven   bool // it was seen to be done
	Undone   bool // it was seen that it is not
	Refusals []Told
	Receipt  *Receipt // that it leaves; nil for none
}

// Told is a refusal, and the time of the call that it answers.
type Told struct {
	Span
	Err error
}

// Deed makes a write, under an idempotency key or not. send calls the library with the parts that it is given.
func (w *Worker) Deed(
	mark, name, items, about string, keyed bool, refusal Refusal, send func(context.Context, *Process, ...dynastay.Part) error,
) *Deed {
	d := &Deed{Mark: mark, Within: Since(w.Moment())}
	d.Once = &Once{Name: name, Items: items, About: mark + " " + about, Refusal: refusal}
	var key []dynastay.Part
	if keyed {
		d.Key, d.Name = dynastay.IdempotencyKey(mark).Of("deeds"), name+" once"
		key = append(key, d.Key)
	}
	c := w.Run
	d.Send = func(ctx context.Context, p *Process) error {
		from := c.Moment()
		err := send(ctx, p, key...)
		d.answered(Between(from, c.Moment()), err)
		return err
	}
	return d
}

func (d *Deed) answered(at Span, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err == nil, errors.Is(err, dynastay.ErrCommitted):
		d.Within.To = min(d.Within.To, at.To)
	case d.Refusal(err):
		d.Refusals = append(d.Refusals, Told{Span: at, Err: err})
	}
}

// Saw notes that the deed is done, whatever was answered.
func (d *Deed) Saw(at Moment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Within.To, d.proven = min(d.Within.To, at), true
}

// Done is certain, from the answers or from what was seen.
func (d *Deed) Done() bool { return d.proven || d.Verdict() == Acknowledged }

// Could reports whether the deed may have been carried out.
func (d *Deed) Could() bool { return d.Verdict() != Refused && !d.Undone }

// Deeds are those of one scenario that are under keys.
type Deeds[D Caller] struct {
	mu    sync.Mutex
	keyed []D
}

// Repeats are writes under keys of which nothing else is remembered.
type Repeats = Deeds[*Once]

// Caller is a write that can be repeated.
type Caller interface {
	Call(*Worker) Verdict
	Settle(*Worker)
}

// Settle makes all of them certain.
func (all *Deeds[D]) Settle(w *Worker) {
	for _, d := range all.keyed {
		d.Settle(w)
	}
}

// Add adds a deed that is under a key.
func (all *Deeds[D]) Add(d D) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.keyed = append(all.keyed, d)
}

// Again is one of the last deeds, drawn once in n times.
func (all *Deeds[D]) Again(w *Worker, n int) (d D, drawn bool) {
	const recent = 12
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.keyed) == 0 || !w.OneIn(n) {
		return d, false
	}
	return Recent(w, all.keyed, recent), true
}

// Do calls a new deed, one in three under a key, or repeats one of the last ones that have one.
func (all *Deeds[D]) Do(w *Worker, draw func(keyed bool) D) (D, Verdict) {
	d, again := all.Again(w, 4)
	if !again {
		keyed := w.OneIn(3)
		if d = draw(keyed); keyed {
			all.Add(d)
		}
	}
	return d, d.Call(w)
}

// Repeat calls a new deed under a key, or repeats one of the last ones.
func (all *Deeds[D]) Repeat(w *Worker, draw func() D) (D, Verdict) {
	d, again := all.Again(w, 2)
	if !again {
		d = draw()
		all.Add(d)
	}
	return d, d.Call(w)
}
