package checker

import (
	"context"
	"sync"

	"github.com/dynastay/dynastay"
)

// Once is a write under an idempotency key, which anybody may repeat, at the same time too.
type Once struct {
	Key         dynastay.Idempotency
	Name, Items string
	About       string
	Refusal     Refusal
	Send        func(ctx context.Context, p *Process) error // one call of the library

	mu      sync.Mutex
	Answers Tally
	last    Verdict // of the calm after the storm
	sure    bool
}

// Call writes, for the first time or again.
func (o *Once) Call(w *Worker) Verdict {
	o.mu.Lock()
	before := o.Answers[Acknowledged] > 0
	o.mu.Unlock()
	var err error
	v := w.Call(o.Name, o.Items, o.About, o.Refusal, func(ctx context.Context) error {
		err = o.Send(ctx, w.Process)
		return err
	})
	if before && o.Refusal(err) {
		w.Differ("a repetition refused for what the key itself has done", o.Items, "%s %s: %v", o.Name, o.About, err)
	}
	o.Answer(v)
	return v
}

// Answer counts an answer.
func (o *Once) Answer(v Verdict) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Answers[v]++
}

// Verdict is what all answers together promise.
func (o *Once) Verdict() Verdict {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.Answers[Acknowledged] > 0:
		return Acknowledged
	case o.sure:
		return o.last
	case o.Answers[Unknown] > 0:
		return Unknown
	}
	return Refused
}

// Settle repeats the write until it is certain, which it has to become.
func (o *Once) Settle(w *Worker) {
	if o.Verdict() != Unknown {
		return
	}
	o.last = o.Call(w)
	o.sure = true
	if o.last == Unknown {
		w.Differ("an unknown outcome that a repetition does not clear up", o.Items, "%s %s", o.Name, o.About)
	}
}
