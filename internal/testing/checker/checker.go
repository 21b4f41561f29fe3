package checker

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

var (
	calls     = flag.Int64("calls", 2000, "calls of the library until the storm ends")
	seed      = flag.Uint64("seed", 0, "what the calls and the faults are drawn from; 0 draws one from the clock")
	workers   = flag.Int("workers", 64, "workers that call at the same time")
	processes = flag.Int("processes", 4, "processes, which the workers share")
)

// scenario is one kind of write on items that many workers want.
type scenario interface {
	// step calls the library, a few times at the most.
	step(w *worker)
	// settle makes certain what the storm left unknown, where a repetition under a key can tell.
	settle(w *worker)
	// check compares what was answered with what is stored.
	check()
}

// weighted is a scenario, and how often it is drawn.
type weighted struct {
	scenario
	weight int
}

// checker is what the workers share.
type checker struct {
	t         *testing.T
	databases []*dyntest.DB
	db        *dyntest.DB // the first one, that nearly all work on
	late      *latecomers
	scenarios []weighted
	processes []*process
	command   string
	started   time.Time
	storm     []*fault
	count     atomic.Int64
	moments   atomic.Int64
	conflicts atomic.Int64

	mu          sync.Mutex
	differences []difference
	tallies     map[string]*tally   // of the answers, by the name of the call
	history     map[string][]string // the last calls on each item
}

type difference struct{ kind, items, text string }

// newChecker makes a run on the tables of the hotel and of all systems.
func newChecker(t *testing.T, tables ...*dynastay.Schema) *checker {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	command := fmt.Sprintf("go test ./internal/testing/checker -calls %d -seed %d -workers %d -processes %d", *calls, *seed, *workers, *processes)
	c := &checker{t: t, command: command, tallies: map[string]*tally{}, history: map[string][]string{}}
	c.db = c.database(dyntest.Tables(tables...))
	c.late = &latecomers{rand: rand.New(rand.NewPCG(*seed, 1<<32))}
	for n := range *processes {
		c.processes = append(c.processes, c.process(fmt.Sprint("process ", n), temperaments[n%len(temperaments)]))
	}
	return c
}

// add adds a scenario, with how often it is drawn.
func (c *checker) add(s scenario, weight int) {
	c.scenarios = append(c.scenarios, weighted{s, weight})
}

// run is the storm, and the comparison after it.
func (c *checker) run() {
	c.t.Logf("seed %d; to draw the same calls and faults:\n  %s", *seed, c.command)
	total := 0
	for _, s := range c.scenarios {
		total += s.weight
	}
	c.begin()
	var all sync.WaitGroup
	for n := range *workers {
		w := c.worker(n)
		all.Go(func() {
			for c.count.Load() < *calls {
				at := w.rand.IntN(total)
				for _, s := range c.scenarios {
					if at -= s.weight; at < 0 {
						s.step(w)
						break
					}
				}
			}
		})
	}
	all.Wait()
	c.end()
	stormed := time.Since(c.started)

	calm := c.worker(*workers)
	calm.process = c.process("calm", patient)
	calm.calm = true
	for _, s := range c.scenarios {
		s.settle(calm)
		s.check()
	}
	c.t.Log(c.summary(stormed))
	c.report()
}

// database makes a database that is in the storm too.
func (c *checker) database(options ...dyntest.Option) *dyntest.DB {
	db := dyntest.New(c.t, append(options, dyntest.At(midnight), dyntest.Seed(*seed))...)
	c.databases = append(c.databases, db)
	return db
}

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

// tally counts the answers to one kind of call.
func (c *checker) tally(name string, v verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tallies[name] == nil {
		c.tallies[name] = &tally{}
	}
	c.tallies[name][v]++
}

const remembered = 60

func (c *checker) note(items, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, item := range strings.Fields(items) {
		old := c.history[item]
		if len(old) == remembered {
			old = old[1:]
		}
		c.history[item] = append(old, text)
	}
}

func (c *checker) differ(kind, items, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.differences = append(c.differences, difference{kind, items, fmt.Sprintf(format, args...)})
}

// report fails the test for every difference, with the last calls on its items for the first few of each kind.
func (c *checker) report() {
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 5
	shown, left := map[string]int{}, map[string]int{}
	for _, d := range c.differences {
		if shown[d.kind]++; shown[d.kind] > most {
			left[d.kind]++
			continue
		}
		var touched []string
		for _, item := range strings.Fields(d.items) {
			touched = append(touched, c.history[item]...)
		}
		c.t.Errorf("%s: %s: %s\n  %s", d.kind, d.items, d.text, strings.Join(touched, "\n  "))
	}
	for kind, n := range left {
		c.t.Errorf("%s: %d more", kind, n)
	}
	if len(c.differences) > 0 {
		c.t.Errorf("%d differences with seed %d:\n  %s", len(c.differences), *seed, c.command)
	}
}

func (c *checker) summary(stormed time.Duration) string {
	requests := 0
	for _, operation := range []string{
		"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "BatchGetItem", "BatchWriteItem", "TransactWriteItems",
	} {
		for _, db := range c.databases {
			requests += db.Faults.Count(operation)
		}
	}
	var faults []string
	for _, f := range c.storm {
		hits := 0
		for _, i := range f.injections {
			hits += i.Hits()
		}
		faults = append(faults, fmt.Sprintf("%s %d", f.name, hits))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var all tally
	var kinds []string
	for _, name := range slices.Sorted(maps.Keys(c.tallies)) {
		told := c.tallies[name]
		for v, n := range told {
			all[v] += n
		}
		kinds = append(kinds, fmt.Sprintf("%s %d/%d/%d", name, told[acknowledged], told[refused], told[unknown]))
	}
	return fmt.Sprintf("%d calls, %d requests: %d acknowledged, %d refused, %d unknown, %d differences, %.1f s (%.1f s of them storm)\n"+
		"  conflicts %d, late %d, %s\n  acknowledged/refused/unknown: %s",
		c.count.Load(), requests, all[acknowledged], all[refused], all[unknown], len(c.differences),
		time.Since(c.started).Seconds(), stormed.Seconds(), c.conflicts.Load(), c.late.number(), strings.Join(faults, ", "),
		strings.Join(kinds, ", "))
}
