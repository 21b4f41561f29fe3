package dynastay

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// gates let the operations of one process queue for an item. Without them, the operations would conflict in DynamoDB,
// where all but one would be cancelled and sent again. Gates change the number of requests, never the outcome: that is
// decided by the condition in the transaction.
// See docs/decisions/0002-gates.md for why a refusal may be shared.
type gates struct {
	mu    sync.Mutex
	open  map[Ref]*gate
	moves uint64 // logical clock of arrivals and observations, which defines "was already waiting"

	observed bool // passes note what they waited for
}

type gate struct{ queue []*waiter }

type waiter struct {
	arrived uint64
	judge   func(seen map[Ref]Row) error
	turn    chan error // receives nil for its turn, otherwise the shared refusal
}

// proof is what a refused write has seen, and since when that is valid.
type proof struct {
	since uint64
	seen  map[Ref]Row
}

// pass is one write's hold on its gates.
type pass struct {
	gates   *gates
	arrived uint64
	held    []Ref
	waits   []Wait
}

func (g *gates) tick() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.moves++
	return g.moves
}

// enter waits for all refs in one fixed order, so that no two writes can wait for each other. The order of the tables
// is reversed, so that a write waits for a promo code, which the guests of many properties may want, before it waits
// for nights: in the opposite order, it would hold up everybody who wants the same nights for as long as the queue for
// the code takes. An error other than the context's is the shared refusal of the write that was ahead; the pass
// then holds nothing.
func (g *gates) enter(ctx context.Context, refs []Ref, judge func(map[Ref]Row) error) (*pass, error) {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(b.Table, a.Table), cmp.Compare(a.Key.PK, b.Key.PK), cmp.Compare(a.Key.SK, b.Key.SK))
	})
	p := &pass{gates: g, arrived: g.tick()}
	for _, ref := range slices.Compact(refs) {
		if err := p.take(ctx, ref, judge); err != nil {
			p.leave(nil)
			return p, err
		}
		p.held = append(p.held, ref)
	}
	return p, nil
}

func (p *pass) take(ctx context.Context, ref Ref, judge func(map[Ref]Row) error) error {
	g := p.gates
	g.mu.Lock()
	at, taken := g.open[ref]
	if !taken {
		if g.open == nil {
			g.open = map[Ref]*gate{}
		}
		g.open[ref] = &gate{}
		g.mu.Unlock()
		return nil
	}
	w := &waiter{arrived: p.arrived, judge: judge, turn: make(chan error, 1)}
	at.queue = append(at.queue, w)
	g.mu.Unlock()
	if g.observed {
		since := time.Now()
		defer func() { p.waits = append(p.waits, Wait{ref, time.Since(since)}) }()
	}
	select {
	case err := <-w.turn:
		return err
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(at.queue, w); i >= 0 {
		at.queue = slices.Delete(at.queue, i, i+1)
	} else if <-w.turn == nil {
		// The turn came at the same moment. Pass it on, or the gate stays closed forever.
		g.next(ref)
	}
	return ctx.Err()
}

// leave passes the gates to the next in line. What a refused write saw also decides for those that were already waiting
// when it began to look: their calls overlap with what it saw, so the same refusal is correct for them.
func (p *pass) leave(shared *proof) {
	g := p.gates
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, ref := range p.held {
		if shared != nil {
			at := g.open[ref]
			at.queue = slices.DeleteFunc(at.queue, func(w *waiter) bool {
				if w.arrived > shared.since {
					return false
				}
				err := judgeSafely(w.judge, shared.seen)
				if err != nil {
					w.turn <- err
				}
				return err != nil
			})
		}
		g.next(ref)
	}
}

// judgeSafely recovers from a judge that panics, so that the gates of all others stay intact. The write with that judge
// then simply tries.
func judgeSafely(judge func(map[Ref]Row) error, seen map[Ref]Row) error {
	defer func() { _ = recover() }() // returns nil
	return judge(seen)
}

func (g *gates) next(ref Ref) {
	at := g.open[ref]
	if len(at.queue) == 0 {
		delete(g.open, ref)
		return
	}
	at.queue[0].turn <- nil
	at.queue = at.queue[1:]
}
