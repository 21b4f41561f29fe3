package checker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// worker is one goroutine of a process.
type worker struct {
	*checker
	*process
	n    int
	rand *rand.Rand
	made int
	calm bool
}

func (c *checker) worker(n int) *worker {
	return &worker{checker: c, process: c.processes[n%len(c.processes)], n: n, rand: rand.New(rand.NewPCG(*seed, uint64(n)))}
}

// elsewhere is the worker in any of the processes, for one call at the same time as its others.
func (w *worker) elsewhere() *worker {
	return &worker{checker: w.checker, process: w.processes[w.rand.IntN(len(w.processes))], n: w.n}
}

// mark is a text that nobody else draws.
func (w *worker) mark() string {
	w.made++
	return fmt.Sprintf("w%d-%d", w.n, w.made)
}

// oneIn is true once in so many times.
func (w *worker) oneIn(n int) bool { return w.rand.IntN(n) == 0 }

// plenty is what no call needs, unless it waits for one that waits for it.
const plenty = time.Minute

// deadline is how much time a call gets: all that it wants, or so little that the end comes at any point of it, even
// before.
func (w *worker) deadline() (context.Context, context.CancelFunc) {
	enough := plenty
	switch at := w.rand.IntN(100); {
	case w.calm:
	case at < 3:
		enough = 0
	case at < 18:
		enough = time.Duration(w.rand.IntN(20_000)) * time.Microsecond
	case at < 25:
		enough = time.Duration(w.rand.IntN(100_000)) * time.Microsecond
	}
	return context.WithTimeout(w.t.Context(), enough)
}

// call calls the library once. The items, with blanks between them, and what it is about are for the account of a
// difference.
func (w *worker) call(name, items, about string, mayRefuse refusal, f func(context.Context) error) verdict {
	ctx, cancel := w.deadline()
	defer cancel()
	return w.callIn(ctx, name, items, about, mayRefuse, f)
}

func (w *worker) callIn(ctx context.Context, name, items, about string, mayRefuse refusal, f func(context.Context) error) verdict {
	n, began := w.count.Add(1), time.Now()
	err := f(ctx)
	if time.Since(began) >= plenty {
		w.differ("a call that does not end", items, "%s: %v", name, err)
	}
	v := verdictOf(err, mayRefuse)
	w.tally(name, v)
	text := fmt.Sprintf("%d %s %s worker %d: %s %s: %s", n, time.Now().Format("05.000000"), w.process.name, w.n, name, about, v)
	if err != nil {
		text += ": " + err.Error()
	}
	w.note(items, text)
	if v == broken {
		w.differ("an error that no call may answer", items, "%s: %v", name, err)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		w.differ("an end of the context that did not come", items, "%s: %v", name, err)
	}
	return v
}
