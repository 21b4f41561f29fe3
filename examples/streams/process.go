package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
)

// process is one of the processes that handle the changes.
type process struct {
	name string
	db   *dynastay.DB
	*consumer.Consumer
	fail context.CancelCauseFunc
	stop func() // ends Run, and waits for it
}

func newProcess(name string, db *dynastay.DB, streams consumer.Streams, h *handling, fail context.CancelCauseFunc) *process {
	return &process{name: name, db: db, fail: fail, stop: func() {}, Consumer: consumer.New(db, streams, consumer.Spec{
		Name:       "platform",
		Router:     h.router(db, messages.Value),
		Start:      consumer.Oldest, // the tables are new
		DeadLetter: park(db),
		OnError:    h.told,
		// A program that waits for each step has no time for the defaults of 30 s and 1 s, which cost less: a short
		// lease is renewed more often, and lost if a process pauses for a few seconds.
		Lease: 3 * time.Second,
		Poll:  20 * time.Millisecond,
	})}
}

func (p *process) start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := p.Run(ctx); err != nil {
			p.fail(fmt.Errorf("%s: %w", p.name, err))
		}
	}()
	p.stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
}

// errs are the errors that the processes have survived, without those that belong to the story.
type errs struct {
	mu     sync.Mutex
	others []string
	lost   error // changes that the streams have removed before they were handled
}

// told is the OnError of the consumers. The change is tried again, or it is in the dead letters.
func (h *handling) told(_ context.Context, err *consumer.Error) {
	h.errs.mu.Lock()
	defer h.errs.mu.Unlock()
	switch {
	case errors.Is(err, errInjected), errors.Is(err, stream.ErrPermanent):
	case errors.As(err, new(*consumer.TrimmedError)):
		h.errs.lost = errors.Join(h.errs.lost, err)
	default:
		h.errs.others = append(h.errs.others, err.Error())
	}
}

// until waits until a condition holds. The context's cause is the error if it ends first.
func until(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, fmt.Errorf("a minute has passed, but not yet: %s", what))
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := holds(); ok || err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}
