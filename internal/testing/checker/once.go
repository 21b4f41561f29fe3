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
	o.answer(v)
	return v
}

// answer counts an answer.
func (o *once) answer(v verdict) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told[v]++
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

func (r *repeats) add(o *once) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, o)
}

// last is one of the last ones, or nil if there is none.
func (r *repeats) last(w *worker) *once {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) == 0 {
		return nil
	}
	return r.recent(w)
}

func (r *repeats) recent(w *worker) *once {
	return r.all[len(r.all)-1-w.rand.IntN(min(12, len(r.all)))]
}

// call makes a new write, or repeats one of the last ones.
func (r *repeats) call(w *worker, make func() *once) (*once, verdict) {
	o := r.pick(w, make)
	return o, o.call(w)
}

func (r *repeats) pick(w *worker, make func() *once) *once {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) > 0 && w.oneIn(2) {
		return r.recent(w)
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
