package checker

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/dynastay/dynastay"
)

// moment counts what happens: of two, the smaller one was earlier.
type moment int64

const ever moment = math.MaxInt64

func (c *checker) now() moment { return moment(c.moments.Add(1)) }

// span is the time of a call, or the time within which something was written.
type span struct{ from, to moment }

// between is the time from one moment to another.
func between(from, to moment) span { return span{from, to} }

// since is all time from a moment on.
func since(from moment) span { return span{from, ever} }

func (s span) meets(other span) bool { return s.from <= other.to && other.from <= s.to }

// deed is a write, sent once or under a key, that remembers within which time it can have been carried out. So it can
// be told of a refusal whether it was true for some moment of the call.
type deed struct {
	*once
	mark string

	mu       sync.Mutex
	within   span
	proven   bool // it was seen to be done
	undone   bool // it was seen that it is not
	refusals []told
}

// told is a refusal, and the time of the call that it answers.
type told struct {
	span
	err error
}

// deed makes a write, under an idempotency key or not. send calls the library with the parts that it is given.
func (w *worker) deed(
	mark, name, items, about string, keyed bool, refusal refusal, send func(context.Context, *process, ...dynastay.Part) error,
) *deed {
	d := &deed{mark: mark, within: since(w.now())}
	d.once = &once{name: name, items: items, about: mark + " " + about, refusal: refusal}
	var key []dynastay.Part
	if keyed {
		d.key, d.name = dynastay.IdempotencyKey(mark).Of("deeds"), name+" once"
		key = append(key, d.key)
	}
	c := w.checker
	d.send = func(ctx context.Context, p *process) error {
		from := c.now()
		err := send(ctx, p, key...)
		d.answered(between(from, c.now()), err)
		return err
	}
	return d
}

func (d *deed) answered(at span, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err == nil, errors.Is(err, dynastay.ErrCommitted):
		d.within.to = min(d.within.to, at.to)
	case d.refusal(err):
		d.refusals = append(d.refusals, told{at, err})
	}
}

// saw notes that the deed is done, whatever was answered.
func (d *deed) saw(at moment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.within.to, d.proven = min(d.within.to, at), true
}

// done is certain, from the answers or from what was seen.
func (d *deed) done() bool { return d.proven || d.verdict() == acknowledged }

// could reports whether the deed may have been carried out.
func (d *deed) could() bool { return d.verdict() != refused && !d.undone }

// deeds are those of one scenario that are under keys.
type deeds[D caller] struct {
	mu    sync.Mutex
	keyed []D
}

type caller interface {
	call(*worker) verdict
	settle(*worker)
}

func (all *deeds[D]) settle(w *worker) {
	for _, d := range all.keyed {
		d.settle(w)
	}
}

// do calls a new deed, one in three under a key, or repeats one of the last ones that have one.
func (all *deeds[D]) do(w *worker, draw func(keyed bool) D) (D, verdict) {
	const recent = 12
	all.mu.Lock()
	if last := min(recent, len(all.keyed)); last > 0 && w.oneIn(4) {
		d := all.keyed[len(all.keyed)-1-w.rand.IntN(last)]
		all.mu.Unlock()
		return d, d.call(w)
	}
	all.mu.Unlock()
	keyed := w.oneIn(3)
	d := draw(keyed)
	if keyed {
		all.mu.Lock()
		all.keyed = append(all.keyed, d)
		all.mu.Unlock()
	}
	return d, d.call(w)
}
