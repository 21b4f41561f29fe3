package checker

import (
	"context"
	"sync"

	"github.com/dynastay/dynastay"
)

// once is a write under an idempotency key, which anybody may repeat, at the same time too.
type once struct {
	key         dynastay.Idempotency
	name, items string
	about       string
	refusal     refusal
	send        func(ctx context.Context, p *process) error // one call of the library

	mu   sync.Mutex
	told tally
	last verdict // of the calm after the storm
	sure bool
}

func (o *once) call(w *worker) verdict {
	o.mu.Lock()
	before := o.told[acknowledged] > 0
	o.mu.Unlock()
	var err error
	v := w.call(o.name, o.items, o.about, o.refusal, func(ctx context.Context) error {
		err = o.send(ctx, w.process)
		return err
	})
	if before && o.refusal(err) {
		w.differ("a repetition refused for what the key itself has done", o.items, "%s %s: %v", o.name, o.about, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told[v]++
	return v
}

// verdict is what all answers together promise.
func (o *once) verdict() verdict {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.told[acknowledged] > 0:
		return acknowledged
	case o.sure:
		return o.last
	case o.told[unknown] > 0:
		return unknown
	}
	return refused
}

// settle repeats the write until it is certain, which it has to become.
func (o *once) settle(w *worker) {
	if o.verdict() != unknown {
		return
	}
	o.last = o.call(w)
	o.sure = true
	if o.last == unknown {
		w.differ("an unknown outcome that a repetition does not clear up", o.items, "%s %s", o.name, o.about)
	}
}

// repeats are the writes of one kind under keys.
type repeats struct {
	mu  sync.Mutex
	all []*once
}

// call makes a new write, or repeats one of the last ones.
func (r *repeats) call(w *worker, make func() *once) (*once, verdict) {
	o := r.pick(w, make)
	return o, o.call(w)
}

func (r *repeats) pick(w *worker, make func() *once) *once {
	const recent = 12
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := min(recent, len(r.all)); last > 0 && w.oneIn(2) {
		return r.all[len(r.all)-1-w.rand.IntN(last)]
	}
	o := make()
	r.all = append(r.all, o)
	return o
}

func (r *repeats) settle(w *worker) {
	for _, o := range r.all {
		o.settle(w)
	}
}
