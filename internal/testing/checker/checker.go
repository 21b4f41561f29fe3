package checker

import (
	"flag"
	"fmt"
	"math/rand/v2"
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

// called is how many calls there have been.
func (c *checker) called() int64 { return c.count.Load() }

// database makes a database that is in the storm too.
func (c *checker) database(options ...dyntest.Option) *dyntest.DB {
	db := dyntest.New(c.t, append(options, dyntest.At(midnight), dyntest.Seed(*seed))...)
	c.databases = append(c.databases, db)
	return db
}
