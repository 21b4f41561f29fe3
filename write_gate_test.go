package dynastay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The waiters of a gate block on channels, so that synctest.Wait in a bubble returns once all runnable goroutines are
// blocked, and a deadlock ends the test.

func gateRef(name string) Ref { return Ref{Table: "Nights", Key: Key{PK: name, SK: "2026-07-10"}} }

func gateRefs(names ...string) []Ref {
	refs := make([]Ref, len(names))
	for i, name := range names {
		refs[i] = gateRef(name)
	}
	return refs
}

// never is the judge of a write that is not refused by what others have seen.
func never(map[Ref]Row) error { return nil }

// enterNow enters gates that are free.
func enterNow(t *testing.T, g *gates, names ...string) *pass {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	p, err := g.enter(ctx, gateRefs(names...), never)
	require.NoError(t, err)
	return p
}

// assertOpen asserts that no one is left at any gate, and no gate in memory.
func assertOpen(t *testing.T, g *gates) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	assert.Empty(t, g.open)
}

func TestGateIsFirstInFirstOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gates{}
		holder := enterNow(t, g, "a")
		var order []int
		for i := range 20 {
			go func() {
				p, err := g.enter(t.Context(), gateRefs("a"), never)
				assert.NoError(t, err)
				order = append(order, i) // the gate prevents a data race here
				p.leave(nil)
			}()
			synctest.Wait()
		}
		assert.Empty(t, order, "the gate is shut")
		holder.leave(nil)
		synctest.Wait()
		want := make([]int, 20)
		for i := range want {
			want[i] = i
		}
		assert.Equal(t, want, order)
		assertOpen(t, g)
	})
}

// Every item has its own queue, and a write that names an item twice does not wait for itself.
func TestGatesAreApart(t *testing.T) {
	t.Parallel()
	g := &gates{}
	other := gateRef("a")
	other.Table = "Days"
	first := enterNow(t, g, "a", "b", "a")
	second, err := g.enter(t.Context(), []Ref{other, gateRef("c"), other}, never)
	require.NoError(t, err)
	none, err := g.enter(t.Context(), nil, never)
	require.NoError(t, err)
	assert.Len(t, g.open, 4)
	for _, p := range []*pass{second, none, first} {
		p.leave(nil)
	}
	assertOpen(t, g)
	third, err := g.enter(t.Context(), []Ref{gateRef("a"), other, gateRef("a"), other}, never)
	require.NoError(t, err)
	assert.Equal(t, []Ref{gateRef("a"), other}, third.held, "the tables in reverse order")
	third.leave(nil)
	assertOpen(t, g)
}

// Everyone takes the gates in the same order, whatever the order of the refs.
func TestGatesAreTakenInOneOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gates{}
		b := enterNow(t, g, "b")
		for _, names := range [][]string{{"c", "b", "a"}, {"a", "c", "b"}} {
			refs := gateRefs(names...)
			given := append([]Ref{}, refs...)
			go func() {
				p, err := g.enter(t.Context(), refs, never)
				if assert.NoError(t, err) {
					assert.Equal(t, gateRefs("a", "b", "c"), p.held)
					p.leave(nil)
				}
				assert.Equal(t, given, refs, "the caller's list is left alone")
			}()
			synctest.Wait()
		}
		assert.Contains(t, g.open, gateRef("a"), "the first holds a, where the second waits")
		assert.Len(t, g.open[gateRef("a")].queue, 1)
		assert.Len(t, g.open[gateRef("b")].queue, 1)
		assert.NotContains(t, g.open, gateRef("c"))
		b.leave(nil)
		synctest.Wait()
		assertOpen(t, g)
	})
}

// Many writes with overlapping sets of items, in any order: each has exclusive use of its items, and all finish.
func TestGatesExcludeWithoutDeadlock(t *testing.T) {
	t.Parallel()
	const writers, rounds, items = 64, 50, 6
	g := &gates{}
	inside := make([]int, items) // protected only by the gates
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				var refs []Ref
				set := rand.Perm(items)[:1+rand.IntN(items)]
				for _, i := range set {
					refs = append(refs, gateRef(fmt.Sprint(i)))
				}
				p, err := g.enter(context.Background(), refs, never)
				if !assert.NoError(t, err) {
					return
				}
				for _, i := range set {
					inside[i]++
					assert.Equal(t, 1, inside[i])
				}
				runtime.Gosched()
				for _, i := range set {
					inside[i]--
				}
				p.leave(nil)
			}
		})
	}
	wg.Wait()
	assertOpen(t, g)
}

// line records the results of writes that queued for a gate, by name.
type line struct {
	gates *gates
	mu    sync.Mutex
	ended map[string]error
	turns []string
	seen  map[string]map[Ref]Row
}

var errSharedRefusal = errors.New("sold out")

// wait queues a write for the items and lets it go on at once when its turn comes.
func (l *line) wait(ctx context.Context, name string, verdict error, items ...string) {
	go func() {
		p, err := l.gates.enter(ctx, gateRefs(items...), func(seen map[Ref]Row) error {
			l.seen[name] = seen // the gates' lock is held
			return verdict
		})
		l.mu.Lock()
		l.ended[name] = err
		if err == nil {
			l.turns = append(l.turns, name)
		}
		l.mu.Unlock()
		if err == nil {
			p.leave(nil)
		}
	}()
	synctest.Wait()
}

func newLine() *line {
	return &line{gates: &gates{}, ended: map[string]error{}, seen: map[string]map[Ref]Row{}}
}

func TestSharedRefusalReachesThoseThatWaited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		holder := enterNow(t, l.gates, "a")
		ctx := t.Context()
		l.wait(ctx, "early", errSharedRefusal, "a")
		l.wait(ctx, "early but not refused", nil, "a")
		l.wait(ctx, "early, and behind", errSharedRefusal, "a")
		since := l.gates.tick()
		l.wait(ctx, "late", errSharedRefusal, "a")
		l.wait(ctx, "late, and not refused", nil, "a")
		assert.Empty(t, l.ended)

		seen := map[Ref]Row{gateRef("a"): RowOf(Item{"AvailableRooms": Number(0)})}
		holder.leave(&proof{since, seen})
		synctest.Wait()
		assert.Equal(t, map[string]error{
			"early": errSharedRefusal, "early but not refused": nil, "early, and behind": errSharedRefusal,
			"late": nil, "late, and not refused": nil,
		}, l.ended)
		assert.Equal(t, []string{"early but not refused", "late", "late, and not refused"}, l.turns, "still in order")
		assert.Equal(t, map[string]map[Ref]Row{
			"early": seen, "early but not refused": seen, "early, and behind": seen,
		}, l.seen, "those that came later are not even judged")
		assertOpen(t, l.gates)
	})
}

// What counts is when a write arrived, not when it came to this gate: it may have waited at another one before.
func TestSharedRefusalCountsFromTheArrival(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		a, b := enterNow(t, l.gates, "a"), enterNow(t, l.gates, "b")
		l.wait(t.Context(), "early", errSharedRefusal, "a", "b")
		since := l.gates.tick()
		a.leave(nil)
		synctest.Wait() // it waits for b now
		b.leave(&proof{since, map[Ref]Row{}})
		synctest.Wait()
		assert.Equal(t, map[string]error{"early": errSharedRefusal}, l.ended)
		assertOpen(t, l.gates)
	})
}

// A judge that panics refuses nothing, and does not affect others.
func TestJudgeThatPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		holder := enterNow(t, l.gates, "a")
		go func() {
			p, err := l.gates.enter(t.Context(), gateRefs("a"), func(map[Ref]Row) error { panic("boom") })
			if assert.NoError(t, err, "it tries") {
				p.leave(nil)
			}
		}()
		synctest.Wait()
		l.wait(t.Context(), "behind it", errSharedRefusal, "a")
		holder.leave(&proof{l.gates.tick(), map[Ref]Row{}})
		synctest.Wait()
		assert.Equal(t, map[string]error{"behind it": errSharedRefusal}, l.ended)
		assertOpen(t, l.gates)
	})
}

// Without a proof, as after a successful write, no one is judged.
func TestNoProofRefusesNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		holder := enterNow(t, l.gates, "a")
		l.wait(t.Context(), "waiting", errSharedRefusal, "a")
		holder.leave(nil)
		synctest.Wait()
		assert.Equal(t, map[string]error{"waiting": nil}, l.ended)
		assert.Empty(t, l.seen)
		assertOpen(t, l.gates)
	})
}

// A write that is refused while it waits releases the gates that it holds, and does not refuse others.
func TestRefusedWaiterGivesBackItsGates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		holder := enterNow(t, l.gates, "c")
		l.wait(t.Context(), "refused", errSharedRefusal, "a", "b", "c")
		l.wait(t.Context(), "behind it at a", errSharedRefusal, "a")
		l.wait(t.Context(), "behind it at b", errSharedRefusal, "b")
		holder.leave(&proof{l.gates.tick(), map[Ref]Row{}})
		synctest.Wait()
		assert.Equal(t, map[string]error{"refused": errSharedRefusal, "behind it at a": nil, "behind it at b": nil}, l.ended)
		assertOpen(t, l.gates)
	})
}

// A write whose context ends leaves the queue, at any position, and releases the gates that it holds.
func TestCancelledWaiterLeavesTheQueue(t *testing.T) {
	t.Parallel()
	for _, at := range []int{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			l := newLine()
			holder := enterNow(t, l.gates, "b")
			ctx, cancel := context.WithCancel(t.Context())
			names := []string{"first", "second", "third"}
			for i, name := range names {
				if i == at {
					l.wait(ctx, name, errSharedRefusal, "b")
				} else {
					l.wait(t.Context(), name, errSharedRefusal, "b")
				}
			}
			cancel()
			synctest.Wait()
			assert.Equal(t, map[string]error{names[at]: context.Canceled}, l.ended, "the others still wait")
			holder.leave(nil)
			synctest.Wait()
			assert.Len(t, l.turns, 2)
			assertOpen(t, l.gates)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		holder := enterNow(t, l.gates, "b")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		l.wait(ctx, "holds a", nil, "a", "b")
		l.wait(t.Context(), "waits for a", nil, "a")
		<-ctx.Done()
		synctest.Wait()
		assert.Equal(t, map[string]error{"holds a": context.DeadlineExceeded, "waits for a": nil}, l.ended)
		holder.leave(nil)
		assertOpen(t, l.gates)
	})
}

// The context ends at the same moment as the turn or a shared refusal arrives. Whichever the waiter sees first, the
// gate must go to the next in line and never be held by two.
func TestCancelMeetsTheTurn(t *testing.T) {
	t.Parallel()
	type entry struct {
		pass *pass
		err  error
	}
	var g gates
	ended := map[string]int{}
	for i := range 4000 {
		ctx, cancel := context.WithCancel(context.Background())
		holder := enterNow(t, &g, "a")
		// The holder calls the judge while it holds the gates' lock. The waiter wakes up in the meantime, but cannot
		// look at the queue until the judge has returned.
		verdict := func() error {
			cancel()
			for range i % 50 {
				runtime.Gosched()
			}
			if i%3 == 0 {
				return errSharedRefusal
			}
			return nil
		}
		queue := func(ctx context.Context, length int) <-chan entry {
			into := make(chan entry, 1)
			go func() {
				p, err := g.enter(ctx, gateRefs("a"), func(map[Ref]Row) error { return verdict() })
				into <- entry{p, err}
			}()
			for waiting := 0; waiting < length; runtime.Gosched() {
				g.mu.Lock()
				waiting = len(g.open[gateRef("a")].queue)
				g.mu.Unlock()
			}
			return into
		}
		first := queue(ctx, 1)
		shared := &proof{since: g.tick()}
		second := queue(context.Background(), 2)
		if i%3 == 2 {
			go cancel()
			shared = nil
		}
		holder.leave(shared)

		one := <-first
		switch {
		case one.err == nil:
			select {
			case <-second:
				t.Fatal("both hold the gate")
			default:
			}
			one.pass.leave(nil)
			ended["turn"]++
		case errors.Is(one.err, context.Canceled):
			ended["cancelled"]++
		default:
			require.ErrorIs(t, one.err, errSharedRefusal)
			require.NotNil(t, shared)
			ended["refused"]++
		}
		select {
		case two := <-second:
			require.NoError(t, two.err)
			two.pass.leave(nil)
		case <-time.After(10 * time.Second):
			t.Fatal("the turn was not handed on")
		}
		cancel()
		assertOpen(t, &g)
	}
	t.Log(ended)
}

// Everything at the same time: turns, shared refusals and cancellations. No one is lost and nothing is left behind.
func TestGatesUnderEverything(t *testing.T) {
	t.Parallel()
	const writers, rounds, items = 32, 60, 4
	g := &gates{}
	inside := make([]int, items)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for range rounds {
				ctx, cancel := context.WithCancel(context.Background())
				if w%3 == 0 {
					go cancel()
				}
				set := rand.Perm(items)[:1+rand.IntN(items)]
				var refs []Ref
				for _, i := range set {
					refs = append(refs, gateRef(fmt.Sprint(i)))
				}
				p, err := g.enter(ctx, refs, func(map[Ref]Row) error {
					if w%2 == 0 {
						return errSharedRefusal
					}
					return nil
				})
				if err == nil {
					for _, i := range set {
						inside[i]++
						assert.Equal(t, 1, inside[i])
						inside[i]--
					}
					var shared *proof
					if rand.IntN(3) == 0 {
						shared = &proof{g.tick(), map[Ref]Row{}}
					}
					p.leave(shared)
				} else {
					assert.True(t, errors.Is(err, errSharedRefusal) && w%2 == 0 || errors.Is(err, context.Canceled) && w%3 == 0, "%v", err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	assertOpen(t, g)
}
