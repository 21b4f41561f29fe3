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

// Midnight is when the storm begins. The sales advance the clock by some milliseconds each, which never makes a day.
var Midnight = time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC)

// Scenario is one kind of write on items that many workers want.
type Scenario interface {
	// Step calls the library, a few times at the most.
	Step(w *Worker)
	// Settle makes certain what the storm left unknown, where a repetition under a key can tell.
	Settle(w *Worker)
	// Check compares what was answered with what is stored.
	Check()
}

// weighted is a scenario, and how often it is drawn.
type weighted struct {
	Scenario
	weight int
}

// Run is one run of the checker: what all workers share.
type Run struct {
	T    *testing.T
	Base *dyntest.DB // that nearly all scenarios work on

	databases []*dyntest.DB // the base, and those of [Run.Database]
	late      *latecomers
	scenarios []weighted
	processes []*Process
	command   string
	started   time.Time
	storm     []*fault
	count     atomic.Int64
	moments   atomic.Int64
	conflicts atomic.Int64

	mu          sync.Mutex
	differences []difference
	tallies     map[string]*Tally   // of the answers, by the name of the call
	history     map[string][]string // the last calls on each item
}

type difference struct{ kind, items, text string }

// New makes a run on the tables of the hotel, and on the tables that other systems have.
func New(t *testing.T, tables ...*dynastay.Schema) *Run {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	command := fmt.Sprintf("go test ./internal/testing/checker -calls %d -seed %d -workers %d -processes %d", *calls, *seed, *workers, *processes)
	c := &Run{T: t, command: command, tallies: map[string]*Tally{}, history: map[string][]string{}}
	c.Base = c.Database(dyntest.Tables(tables...))
	c.late = &latecomers{rand: rand.New(rand.NewPCG(*seed, 1<<32))}
	for n := range *processes {
		c.processes = append(c.processes, c.process(fmt.Sprint("process ", n), temperaments[n%len(temperaments)]))
	}
	return c
}

// Add adds a scenario, with how often it is drawn.
func (c *Run) Add(s Scenario, weight int) {
	c.scenarios = append(c.scenarios, weighted{s, weight})
}

// Storm lets the workers call, and then compares what they were answered with what is stored.
func (c *Run) Storm() {
	c.T.Logf("seed %d; to draw the same calls and faults:\n  %s", *seed, c.command)
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
				at := w.Rand.IntN(total)
				for _, s := range c.scenarios {
					if at -= s.weight; at < 0 {
						s.Step(w)
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
	calm.Process = c.process("calm", patient)
	calm.calm = true
	for _, s := range c.scenarios {
		s.Settle(calm)
		s.Check()
	}
	c.T.Log(c.summary(stormed))
	c.report()
}

// Called is how many calls there have been.
func (c *Run) Called() int64 { return c.count.Load() }

// Database makes a database that is in the storm too.
func (c *Run) Database(options ...dyntest.Option) *dyntest.DB {
	db := dyntest.New(c.T, append(options, dyntest.At(Midnight), dyntest.Seed(*seed))...)
	c.databases = append(c.databases, db)
	return db
}
