package checker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Worker is one goroutine of a process.
type Worker struct {
	*Run
	*Process
	N    int // its number
	Rand *rand.Rand
	made int // marks
	calm bool
}

func (c *Run) worker(n int) *Worker {
	return &Worker{Run: c, Process: c.processes[n%len(c.processes)], N: n, Rand: rand.New(rand.NewPCG(*seed, uint64(n)))}
}

// Elsewhere is the worker in any of the processes, for one call at the same time as its others.
func (w *Worker) Elsewhere() *Worker {
	return &Worker{Run: w.Run, Process: w.processes[w.Rand.IntN(len(w.processes))], N: w.N}
}

// Mark is a text that nobody else draws.
func (w *Worker) Mark() string {
	w.made++
	return fmt.Sprintf("w%d-%d", w.N, w.made)
}

// OneIn is true once in so many times.
func (w *Worker) OneIn(n int) bool { return w.Rand.IntN(n) == 0 }

// Recent draws one of the last n, which other workers want too.
func Recent[T any](w *Worker, all []T, n int) T {
	return all[len(all)-1-w.Rand.IntN(min(n, len(all)))]
}

// Keep adds one that others may draw, and keeps the last n.
func Keep[T any](all []T, one T, n int) []T {
	all = append(all, one)
	return all[max(0, len(all)-n):]
}

// ErrorOf is the error of a call whose result says no more.
func ErrorOf[T any](_ T, err error) error { return err }

// plenty is what no call needs, unless it waits for one that waits for it.
const plenty = time.Minute

// Deadline is how much time a call gets: all that it wants, or so little that the end comes at any point of it, even
// before.
func (w *Worker) Deadline() (context.Context, context.CancelFunc) {
	enough := plenty
	switch at := w.Rand.IntN(100); {
	case w.calm:
	case at < 3:
		enough = 0
	case at < 18:
		enough = time.Duration(w.Rand.IntN(20_000)) * time.Microsecond
	case at < 25:
		enough = time.Duration(w.Rand.IntN(100_000)) * time.Microsecond
	}
	return context.WithTimeout(w.T.Context(), enough)
}

// Call calls the library once. The items, with blanks between them, and what it is about are for the account of a
// difference.
func (w *Worker) Call(name, items, about string, mayRefuse Refusal, f func(context.Context) error) Verdict {
	ctx, cancel := w.Deadline()
	defer cancel()
	return w.CallIn(ctx, name, items, about, mayRefuse, f)
}

// CallIn calls the library once, with a context that the caller has drawn.
func (w *Worker) CallIn(ctx context.Context, name, items, about string, mayRefuse Refusal, f func(context.Context) error) Verdict {
	n, began := w.count.Add(1), time.Now()
	err := f(ctx)
	if time.Since(began) >= plenty {
		w.Differ("a call that does not end", items, "%s: %v", name, err)
	}
	v := verdictOf(err, mayRefuse)
	w.tally(name, v)
	text := fmt.Sprintf("%d %s %s worker %d: %s %s: %s", n, time.Now().Format("05.000000"), w.Process.Name, w.N, name, about, v)
	if err != nil {
		text += ": " + err.Error()
	}
	w.note(items, text)
	if v == broken {
		w.Differ("an error that no call may answer", items, "%s: %v", name, err)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		w.Differ("an end of the context that did not come", items, "%s: %v", name, err)
	}
	return v
}
